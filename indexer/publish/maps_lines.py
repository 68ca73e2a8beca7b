"""One line of a map for each page: title as a link, size, what it is about. Used by `maps_hubs`; pure."""

from collections import Counter

from msgspec import Struct

from indexer.model.result import IndexResult
from indexer.publish.maps_text import count_map_tokens, count_page_tokens, link_to, show_summary, show_tokens, sort_key

_BOILERPLATE = 4
"""Pages with the same summary: then it says nothing of any of them."""


class PageLine(Struct, frozen=True):
    """One page as the maps list it."""

    path: str
    title: str
    key: str
    """What it is sorted by."""
    text: str
    """The line in a hub."""
    tokens: int
    """What the line costs."""
    size: int
    """What the page costs, in tokens."""


def list_lines(result: IndexResult, front: int) -> dict[str, PageLine]:
    """Return the line of every published page, by path; `front` is the size of `index.md` in bytes without what the maps write into it."""
    summaries = Counter(result.pages[path].summary for path in result.graph.nodes)
    lines = {}
    for path in result.graph.nodes:
        title, summary = result.title_of(path), result.pages[path].summary
        about = show_summary(summary, title) if summaries[summary] < _BOILERPLATE else ""
        size = count_page_tokens(front if path == "index.md" else result.entries[path].size)
        text = f"- {link_to(title, f'../../{path}')} {show_tokens(size)}" + (f": {about}" if about else "")
        lines[path] = PageLine(path, title, sort_key(title), text, count_map_tokens(text) + 1, size)
    return lines
