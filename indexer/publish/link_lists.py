"""What the report says of links and pages: links that lead nowhere or could lead elsewhere, pages that nothing links to, old pages.

Called by `indexer.publish.report_pages`; pure. A link to a hidden page and one to a page that does not exist are told in the same words,
and only with the words that stand on the page: the path behind them may be that of a hidden page. Files and headings are named, for only
pages are hidden, and what is said of a heading is said of a page that is published.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from indexer.analysis.completeness import find_stale
from indexer.model.graph import Target
from indexer.model.job import SlotLink
from indexer.model.page import Link
from indexer.model.result import IndexResult
from indexer.publish.jobs import to_day

_MOST_NAMED = 3
_LONGEST = 160
_BROKEN = {"missing", "private", "asset-missing", "anchor-missing"}


class LinkLine(Struct, frozen=True):
    """One link that a person should look at."""

    title: str
    """Of the page it stands on."""
    url: str
    path: str
    line: int
    words: str
    """What a reader sees of the link."""
    says: str


class PageLine(Struct, frozen=True):
    """One page that a person should look at."""

    title: str
    url: str
    path: str
    day: str = ""
    """`YYYY-MM-DD` of its last change, where that is why."""


class LinkReport(Struct, frozen=True):
    """Everything that the report says of links and pages."""

    broken: tuple[LinkLine, ...]
    ambiguous: tuple[LinkLine, ...]
    orphans: tuple[PageLine, ...]
    stale: tuple[PageLine, ...]
    """Untouched for a year, the oldest first."""


def check_pages(result: IndexResult, links: Mapping[str, tuple[SlotLink, ...]]) -> LinkReport:
    """Return what is to be said of the published pages."""
    suspects = sorted({finding.path for finding in result.findings if finding.code.startswith("LNK")} & result.graph.pagerank.keys())
    lines = [line for path in suspects for line in _check_links(path, result, links)]
    return LinkReport(
        broken=tuple(line for status, line in lines if status in _BROKEN),
        ambiguous=tuple(line for status, line in lines if status == "ambiguous"),
        orphans=tuple(show_page(path, result) for path in result.graph.orphans),
        stale=tuple(show_page(path, result, to_day(result.history.last[path].at)) for path, _ in find_stale(result)),
    )


def _check_links(path: str, result: IndexResult, links: Mapping[str, tuple[SlotLink, ...]]) -> Iterator[tuple[str, LinkLine]]:
    title, url = result.title_of(path), result.addresses[path].url
    for link, target, shown in zip(result.pages[path].links, result.targets[path], links[path], strict=True):
        if target.status in _BROKEN or target.status == "ambiguous":
            yield target.status, LinkLine(title, url, path, link.line, shown.alt or link.label, _explain(link, target, result))


def _explain(link: Link, target: Target, result: IndexResult) -> str:
    match target.status:
        case "asset-missing":
            return f"There is no file `{link.target[:_LONGEST]}`."
        case "anchor-missing":
            kind = "block" if link.anchor.startswith("^") else "heading"
            return f"“{result.title_of(target.path or '')}” has no {kind} `{link.anchor[:_LONGEST]}`."
        case "ambiguous":
            named = ", ".join(target.candidates[:_MOST_NAMED])
            more = len(target.candidates) - _MOST_NAMED
            return f"Could be {named}{f' and {more} more' if more > 0 else ''}; leads to {target.path}."
    return "There is no such page."


def show_page(path: str, result: IndexResult, day: str = "") -> PageLine:
    """Return a page as lists show it."""
    return PageLine(result.title_of(path), result.addresses[path].url, path, day)
