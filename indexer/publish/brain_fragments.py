"""Content that belongs to one brain: what follows its card, its report, the pages of documents that are missing (SPEC P11).

As in `fragments`, each function returns finished HTML with addresses relative to the page at `at`, escaped by the templates. Called by
`indexer.publish.jobs` and `report_pages`; pure.
"""

from collections.abc import Sequence

from msgspec import Struct

from indexer.model.blueprint import Dropped
from indexer.model.site import Ref, TocItem
from indexer.publish.looks import LOOKS, StateLook
from indexer.publish.render import render_part
from indexer.publish.report_values import Bar, Listed, Row, list_documents, say_brain
from indexer.publish.shelves import Shelf

FORGES = {"github": "GitHub", "gitlab": "GitLab"}


class Standing(Struct, frozen=True):
    """How a brain stands, in short."""

    brain: Ref
    report_url: str
    blueprint: str
    line: str
    """One sentence without its full stop."""
    rings: tuple[Bar, ...]
    """Empty where there is no room for them."""
    whole: Bar | None
    """All rings together; None when nothing says what belongs in the brain."""


class ClaimLine(Struct, frozen=True):
    """What one document says about a fact."""

    page: Ref
    brain: Ref
    path: str
    value: str


class ConflictLine(Struct, frozen=True):
    """One fact on which documents differ."""

    fact: str
    claims: tuple[ClaimLine, ...]


class CoverLine(Struct, frozen=True):
    """A document of a parent that stands in for a missing one."""

    page: Ref
    brain: Ref
    look: StateLook
    deepens: tuple[int, ...]


class BrainReport(Struct, frozen=True):
    """The report of one brain."""

    standing: Standing
    parents: tuple[Ref, ...]
    missing: Listed[Row]
    outdated: Listed[Row]
    due: Listed[Row]
    declined: Listed[Row]
    dropped: tuple[Dropped, ...]
    conflicts: Listed[ConflictLine]
    warnings: Listed[str]


class MissingPage(Struct, frozen=True):
    """A document that is not written yet."""

    brain: Ref
    report_url: str
    asks: str
    ring: str
    stage: str
    deepens: tuple[int, ...]
    days: int | None
    """After how many days it has to be checked again."""
    reason: str
    """Why the card adds it; empty when the blueprint asks for it."""
    covers: tuple[CoverLine, ...]
    path: str
    """Where it goes, inside the repo."""
    exists: bool
    """Whether there is a file without text."""
    start: str
    """Absolute address of the forge's editor; empty when there is none."""
    forge: str
    text: str
    """Its first lines."""


def render_front(shelf: Shelf, *, at: str) -> str:
    """Return what follows the text of a card: how deep the brain is, and all its documents."""
    return render_part(
        "front.html", at, line=say_brain(shelf), report_url=shelf.report_url, rings=list_documents(shelf), dropped=shelf.brain.dropped
    )


def render_brain_report(report: BrainReport, *, at: str) -> tuple[str, tuple[TocItem, ...]]:
    """Return the report of one brain, and its sections."""
    sections = [
        ("write-next", "Write next", report.missing.total),
        ("out-of-date", "Out of date", report.outdated.total),
        ("due", "Due within 30 days", report.due.total),
        ("declined", "Declined", report.declined.total),
        ("left-out", "Left out by the card", len(report.dropped)),
        ("disagreements", "Disagreements", report.conflicts.total),
        ("card", "Problems of the card", report.warnings.total),
    ]
    return render_part("brain_report.html", at, report=report), list_sections(sections)


def render_missing(page: MissingPage, *, at: str) -> str:
    """Return what belongs into a document that is not written yet, and how to begin it."""
    return render_part("missing.html", at, page=page, forge=FORGES.get(page.forge, "the forge"), look=LOOKS["missing"])


def list_sections(sections: Sequence[tuple[str, str, int]]) -> tuple[TocItem, ...]:
    """Return the table of contents: (id, title, entries); sections without entries are not on the page."""
    return tuple(TocItem(title, name, 2) for name, title, entries in sections if entries)
