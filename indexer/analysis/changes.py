"""Two results of one repo → what the step from one to the other does (SPEC P16). Called by `brain check --base`. Pure.

Others' work must not be blamed on it: the caller gives the commit at which the two parted as the base, and judges both for one day.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from indexer.analysis.addresses import former_file
from indexer.analysis.changes_brains import compare_brains, find_aged
from indexer.analysis.changes_findings import compare_findings
from indexer.analysis.changes_links import compare_links
from indexer.analysis.changes_pairs import Pair, pair_results
from indexer.analysis.completeness import score_totals
from indexer.analysis.graph import count_stubs
from indexer.analysis.index import show_day
from indexer.analysis.names import fold
from indexer.model.changes import Changes, Difference, LinkChange, PageChange, Side
from indexer.model.result import IndexResult


def compare_results(base: IndexResult, head: IndexResult, difference: Difference, folder: str = "") -> Changes:
    """Return everything that differs; `difference` is what git says of the two commits, `folder` the content root in the repository."""
    pair = pair_results(base, head, difference)
    links = compare_links(pair)
    stubs, filled = _compare_stubs(pair)
    return Changes(
        base=_describe_side(base),
        head=_describe_side(head),
        date=head.date,
        folder=folder,
        pages=tuple(_compare_pages(pair, links)),
        edited=sum(1 for path in head.pages if path in pair.former and pair.is_edited(path)),
        links=tuple(links),
        findings=tuple(compare_findings(pair, links)),
        brains=tuple(compare_brains(pair)),
        aged=tuple(find_aged(pair, show_day(base.snapshot.committed_at))),
        orphans=tuple(_list_orphaned(pair)),
        adopted=tuple(_list_adopted(pair)),
        stubs=stubs,
        filled_stubs=filled,
    )


def _describe_side(result: IndexResult) -> Side:
    severities = Counter(finding.severity for finding in result.findings)
    return Side(
        revision=result.snapshot.revision or "",
        day=show_day(result.snapshot.committed_at),
        pages=len(result.graph.nodes),
        hidden=sum(page.hidden for page in result.pages.values()),
        errors=severities["error"],
        warnings=severities["warning"],
        infos=severities["info"],
        documents=score_totals(result.brains, result.date),
    )


def _compare_pages(pair: Pair, links: Sequence[LinkChange]) -> list[PageChange]:
    """Return the pages that came, went, moved or are published otherwise, by path."""
    broken = Counter(link.target for link in links if link.change == "broke")
    found = [replace(change, broken=broken[change.former or change.path]) for change in _list_pages(pair)]
    return sorted(found, key=lambda each: (each.path, each.change))


def _list_pages(pair: Pair) -> Iterator[PageChange]:
    base, head = pair.base, pair.head
    for path, page in head.pages.items():
        old = pair.former.get(path, "")
        before = base.pages.get(old)
        if before is None:
            yield PageChange("added", path, title="" if page.hidden else head.title_of(path), hidden=page.hidden)
            continue
        title = "" if page.hidden else head.title_of(path)
        if old != path:
            yield PageChange("renamed", path, old, title, page.hidden, _is_redirected(head, old, path))
        if before.hidden != page.hidden:
            yield PageChange("hidden" if page.hidden else "published", path, title=title, hidden=page.hidden)
    for path, page in base.pages.items():
        if pair.now.get(path, "") not in head.pages:
            yield PageChange("removed", path, title="" if page.hidden else base.title_of(path), hidden=page.hidden)


def _is_redirected(head: IndexResult, old: str, new: str) -> bool:
    address = head.addresses.get(new)
    return address is not None and head.redirects.get(former_file(old)) == address.url


def _list_orphaned(pair: Pair) -> Iterator[str]:
    before = {pair.now.get(path, path) for path in pair.base.graph.orphans}
    yield from (path for path in pair.head.graph.orphans if path not in before)


def _list_adopted(pair: Pair) -> Iterator[str]:
    now = set(pair.head.graph.orphans)
    for path in pair.base.graph.orphans:
        new = pair.now.get(path, "")
        page = pair.head.pages.get(new)
        if page is not None and new not in now and not page.hidden:
            yield new


def _compare_stubs(pair: Pair) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """Return names that are linked and not written now, and those that were, letter case aside."""
    before = {fold(name) for name, _ in pair.base.graph.stubs}
    now = {fold(name) for name, _ in pair.head.graph.stubs}
    came = tuple((name, links) for name, links in pair.head.graph.stubs if fold(name) not in before)
    return came, tuple(name for name, _ in _list_tellable_stubs(pair) if fold(name) not in now)


def _list_tellable_stubs(pair: Pair) -> tuple[tuple[str, int], ...]:
    """Return the stubs of the base without those that only a page names that is hidden now."""
    hidden = {path for path in pair.base.graph.nodes if (page := pair.head.pages.get(pair.now.get(path, ""))) and page.hidden}
    if not hidden:
        return pair.base.graph.stubs
    return count_stubs(pair.base.pages, {path: targets for path, targets in pair.base.targets.items() if path not in hidden})
