"""What holds for the comparison of any two results: nothing is told twice, nothing is lost, and backwards is backwards."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.analysis.changes import compare_results
from indexer.analysis.changes_links import BROKEN
from indexer.analysis.changes_pairs import pair_results
from indexer.analysis.resolve import resolve_link
from indexer.model.changes import Changes, Difference
from indexer.model.page import Link
from tests.tools.results import make_result

NAMES = ["a.md", "b.md", "d/a.md", "d/c.md", "d/index.md", "e/f.md", "p.png", "brain.md"]
LINKS = ["[[a]]", "[[c]]", "[x](a.md)", "[x](../a.md)", "[x](/d/c)", "![x](p.png)", "[[a#Part]]", "[[gone]]", "[[Title]]", "[[f]]"]
HEADS = ["", "", "", "---\nprivate: true\n---\n", "---\ntitle: Title\n---\n", "---\naliases: [c, gone]\n---\n", "---\ntitle: [\n---\n"]
TEXTS = st.builds(
    lambda head, lines, part: head + "\n\n".join(lines) + part,
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(LINKS), max_size=4),
    st.sampled_from(["", "\n\n## Part\n", "\n\n## Other\n"]),
)
VAULTS = st.dictionaries(st.sampled_from(NAMES), TEXTS, min_size=1, max_size=7)
QUICK = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def compare(base: dict[str, str], head: dict[str, str]) -> Changes:
    return compare_results(make_result(base), make_result(head), Difference())


def count_findings(changes: Changes, *, new: bool) -> Counter[str]:
    return Counter(each.finding.code for each in changes.findings if each.new is new)


@pytest.mark.req("P16", "P14")
@QUICK
@given(VAULTS)
def test_nothing_compared_with_itself_is_news(files: dict[str, str]) -> None:
    assert compare(files, files).empty


@pytest.mark.req("P16")
@QUICK
@given(VAULTS, VAULTS)
def test_findings_add_up_and_turn_round(base: dict[str, str], head: dict[str, str]) -> None:
    there, back = compare(base, head), compare(head, base)
    new, gone = count_findings(there, new=True), count_findings(there, new=False)
    assert there.base.errors + there.base.warnings + there.base.infos + new.total() - gone.total() == (
        there.head.errors + there.head.warnings + there.head.infos
    )
    assert count_findings(back, new=True) == gone
    assert count_findings(back, new=False) == new


@pytest.mark.req("P16", "P05")
@QUICK
@given(VAULTS, VAULTS)
def test_links_that_broke_are_dead_and_what_to_write_is_not(base: dict[str, str], head: dict[str, str]) -> None:
    result = make_result(head)
    pair = pair_results(make_result(base), result, Difference())
    for change in compare(base, head).links:
        assert not result.pages[change.path].hidden
        if change.change == "corrected":
            continue
        targets = zip(result.pages[change.path].links, result.targets[change.path], strict=True)
        statuses = {target.status for link, target in targets if link.raw == change.raw and link.line == change.line}
        assert statuses & BROKEN if change.change in {"broke", "dead"} else statuses - BROKEN
        if change.write.startswith("[["):
            name, _, anchor = change.write.strip("[]").partition("#")
            link = Link("wikilink", change.write, name, anchor, "", 1)
            meant = change.now if change.cause == "renamed" else change.target
            assert resolve_link(change.path, link, result.pages, pair.head_names).path == meant


@pytest.mark.req("P16", "X01", "P19")
@QUICK
@given(VAULTS, VAULTS)
def test_pages_are_told_once_and_add_up(base: dict[str, str], head: dict[str, str]) -> None:
    there = compare(base, head)
    told = Counter((page.change, page.path) for page in there.pages)
    assert set(told.values()) <= {1}
    kinds = Counter(page.change for page in there.pages)
    assert there.base.pages + there.base.hidden + kinds["added"] - kinds["removed"] == there.head.pages + there.head.hidden
    assert all(not page.title for page in there.pages if page.hidden)
