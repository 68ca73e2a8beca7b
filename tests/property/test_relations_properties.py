"""What holds for relations, mentions and copies of any brain."""

import random
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.analysis.duplicates import COPY
from indexer.analysis.relations import MOST
from tests.tools.results import find_relations, make_result, relate_result

WORDS = [
    "violin",
    "varnish",
    "spruce",
    "cold",
    "brew",
    "cold brew",
    "Old Mill",
    "小提琴",
    "vérité",
    "C++",
    "[[a]]",
    "[[d/b]]",
    "`brew`",
    "\n\n# Part\n\n",
]
PATHS = ["a.md", "d/b.md", "d/c.md", "d/README.md", "d/e/f.md", "old mill.md", "cold-brew.md", "x/violin.md", "小提琴.md", "s.md", "z/z.md"]
HEADS = ["", "", "", "---\nprivate: true\n---\n", "---\ntitle: Spruce varnish\n---\n", "---\naliases: [Old Mill]\n---\n"]
TEXTS = st.builds(lambda head, words: head + " ".join(words), st.sampled_from(HEADS), st.lists(st.sampled_from(WORDS), max_size=25))
VAULTS = st.dictionaries(st.sampled_from(PATHS), TEXTS, min_size=1, max_size=11)
QUICK = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def shuffle(files: Mapping[str, str], seed: int) -> dict[str, str]:
    paths = list(files)
    random.Random(seed).shuffle(paths)
    return {path: files[path] for path in paths}


@pytest.mark.req("P06", "T30", "P19")
@given(VAULTS)
@QUICK
def test_related_pages_are_published_unlinked_and_scored_the_same_from_either_side(files: dict[str, str]) -> None:
    result = make_result(files)
    related = relate_result(result, files).related
    shown = {path for path, page in result.pages.items() if not page.hidden}
    scores = {(path, other): score for path, pairs in related.items() for other, score in pairs}
    linked = {pair for source, to, _ in result.graph.edges for pair in ((source, to), (to, source))}
    assert set(related) <= shown
    assert all(other in shown and other != path and (path, other) not in linked for path, other in scores)
    assert all(0 < score <= 1 for score in scores.values())
    assert all(scores.get((other, path), score) == score for (path, other), score in scores.items())
    for pairs in related.values():
        assert pairs
        assert len(pairs) <= MOST
        assert list(pairs) == sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.req("P06", "T30")
@given(VAULTS, st.integers(0, 99))
@QUICK
def test_the_order_of_pages_changes_nothing(files: dict[str, str], seed: int) -> None:
    result = make_result(files)
    other = shuffle(files, seed)
    mixed = replace(make_result(other), pages={path: result.pages[path] for path in other})
    assert relate_result(mixed, other) == relate_result(result, files)


@pytest.mark.req("T30", "P19")
@given(VAULTS)
@QUICK
def test_hidden_pages_change_no_relation_mention_or_copy_of_the_others(files: dict[str, str]) -> None:
    """Not even the statistics of words may tell that there is one."""
    result = make_result(files)
    public = {path: text for path, text in files.items() if not result.pages[path].hidden}
    assert relate_result(result, files) == find_relations(public)


@pytest.mark.req("T30")
@given(VAULTS)
@QUICK
def test_mentions_stand_in_the_text_at_their_line_and_lead_to_pages_that_are_not_linked(files: dict[str, str]) -> None:
    result = make_result(files)
    mentions = relate_result(result, files).mentions
    assert list(mentions) == sorted(mentions, key=lambda each: (each.path, each.line, each.target))
    assert len({(each.path, each.target) for each in mentions}) == len(mentions)
    for each in mentions:
        assert each.words in " ".join(files[each.path].split("\n")[each.line - 1].split())
        assert each.target not in {each.path, *result.graph.outgoing.get(each.path, ())}
        assert not result.pages[each.target].hidden
        assert each.times >= 1


@pytest.mark.req("T30")
@given(VAULTS)
@QUICK
def test_copies_are_in_one_group_and_never_related_to_each_other(files: dict[str, str]) -> None:
    relations = find_relations(files)
    related = relations.related
    seen: set[str] = set()
    for copies in relations.copies:
        group = {copies.path, *(path for path, _ in copies.others)}
        assert len(group) > 1
        assert not group & seen
        seen |= group
        assert all(COPY <= share <= 1 for _, share in copies.others)
        assert all(other not in group for path in group for other, _ in related.get(path, ()))
