"""Documents of brains → CSV for a spreadsheet (SPEC P11). Called by the pipeline, the website and `brain report`; pure.

One row per document, as RFC 4180 has it. A spreadsheet runs cells that begin like a formula, so those get an apostrophe in front.
"""

import csv
import io
from collections.abc import Iterator

from indexer.analysis.completeness import place_document
from indexer.analysis.states import due_date, state_of
from indexer.model.blueprint import Brain
from indexer.model.result import IndexResult
from indexer.store.rows import clean_text

_COLUMNS = ("brain", "id", "title", "ring", "stage", "state", "path", "owner", "checked", "checkedBy", "due", "declined", "asks")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What begins a formula; some programs take the wide forms for the same."""


def render_documents_csv(*results: IndexResult) -> str:
    """Return the documents of all brains of these repos, with a head line; lines end in CRLF. Paths are relative to the repo."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for result in results:
        for brain in result.brains:
            writer.writerows(_list_rows(brain, result.date))
    return text.getvalue()


def _list_rows(brain: Brain, date: str | None) -> Iterator[list[str]]:
    for document in brain.documents:
        plan, state = document.plan, state_of(document, date)
        row = (
            brain.id,
            plan.id,
            plan.title,
            plan.ring,
            plan.stage,
            "out of date" if state == "outOfDate" else state,
            place_document(brain, document),
            document.owner,
            document.checked,
            document.checked_by,
            due_date(document),
            document.declined,
            plan.asks,
        )
        yield [_disarm(cell) for cell in row]


def _disarm(cell: str) -> str:
    """Return a cell that shows what it holds: nothing to calculate, no null characters, no halves of characters."""
    shown = clean_text(cell).replace("\0", "�")
    return f"'{shown}" if shown.lstrip(" ").startswith(_FORMULA) else shown
