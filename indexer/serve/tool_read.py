"""readDocument: the text of one published page, a part at a time (SPEC S10, S11). Called by `tools`."""

import hashlib

from indexer.analysis.states import state_of
from indexer.publish.visible import clean_line, clean_text
from indexer.serve.cursor import make_cursor, parse_cursor
from indexer.serve.tool_arguments import ReadDocument
from indexer.serve.tool_error import ToolError
from indexer.serve.tool_results import ReadDocumentResult
from indexer.serve.view import View

MOST_CHARACTERS = 40_000


def read_document(view: View, arguments: ReadDocument) -> ReadDocumentResult:
    """Return a page's text from its beginning, or from where the cursor says."""
    repo, page = view.get_page(arguments.path)
    text = clean_text(view.get_text(repo, page))
    start = _find_start(text, arguments.cursor)
    end = find_end(text, start)
    brain = view.index.fetch_brain_above(repo, page.path)
    document = next((each for each in brain.documents if each.page == page.path), None) if brain else None
    result: ReadDocumentResult = {
        "path": arguments.path,
        "title": clean_line(document.plan.title if document else page.title),
        "brain": brain.id if brain else None,
        "document": document.plan.id if document else None,
        "state": state_of(document, view.date) if document else None,
        "date": view.date,
        "revision": next((each.revision for each in view.index.fetch_repos() if each.name == repo), None),
        "line": text.count("\n", 0, start) + 1,
        "text": text[start:end],
        "truncated": end < len(text),
    }
    if end < len(text):
        result["nextCursor"] = make_cursor(_name_text(text), end)
    return result


def _find_start(text: str, cursor: str | None) -> int:
    """Return where the part begins; ToolError when the page is another than the one that the cursor was made for."""
    if cursor is None:
        return 0
    name, start = parse_cursor(cursor, (str, int))
    if name != _name_text(text) or not isinstance(start, int) or not 0 < start < len(text):
        raise ToolError("The page has changed since, or the cursor is that of another page. Leave it out to read from the beginning.")
    return start


def find_end(text: str, start: int) -> int:
    """Return where the part ends: after a line, or else after a word, where one ends in the part's second half."""
    most = start + MOST_CHARACTERS
    if len(text) <= most:
        return len(text)
    ends = (text.rfind(after, start + MOST_CHARACTERS // 2, most) + 1 for after in ("\n", " "))
    return next(filter(None, ends), most)


def _name_text(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
