"""What holds for relations, mentions and copies of any brain."""

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.analysis.duplicates import COPY, find_duplicates
from indexer.analysis.mentions import find_mentions
from indexer.analysis.relations import MOST, find_related
from tests.tools.results import load_bodies, load_terms, make_result

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
    related = find_related(result, load_terms(files))
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
        assert pairs == sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.req("P06", "T30")
@given(VAULTS, st.integers(0, 99))
@QUICK
def test_the_order_of_pages_changes_nothing(files: dict[str, str], seed: int) -> None:
    result, terms, bodies = make_result(files), load_terms(files), load_bodies(files)
    other = shuffle(files, seed)
    mixed = replace(make_result(other), pages={path: result.pages[path] for path in other})
    assert find_related(mixed, load_terms(other)) == find_related(result, terms)
    assert find_duplicates(mixed, load_terms(other)) == find_duplicates(result, terms)
    assert find_mentions(mixed, lambda blobs: {blob: bodies[blob] for blob in blobs}) == find_mentions(result, lambda _: bodies)


@pytest.mark.req("T30", "P19")
@given(VAULTS)
@QUICK
def test_hidden_pages_change_no_relation_mention_or_copy_of_the_others(files: dict[str, str]) -> None:
    """Not even the statistics of words may tell that there is one."""
    result = make_result(files)
    public = {path: text for path, text in files.items() if not result.pages[path].hidden}
    alone, terms, bodies = make_result(public), load_terms(files), load_bodies(files)
    assert find_related(result, terms) == find_related(alone, terms)
    assert find_duplicates(result, terms) == find_duplicates(alone, terms)
    assert find_mentions(result, lambda _: bodies) == find_mentions(alone, lambda _: bodies)


@pytest.mark.req("T30")
@given(VAULTS)
@QUICK
def test_mentions_stand_in_the_text_at_their_line_and_lead_to_pages_that_are_not_linked(files: dict[str, str]) -> None:
    result, bodies = make_result(files), load_bodies(files)
    for path, mentions in find_mentions(result, lambda _: bodies).items():
        lines = files[path].split("\n")
        assert len({each.target for each in mentions}) == len(mentions)
        for each in mentions:
            assert each.path == path
            assert each.words in " ".join(lines[each.line - 1].split())
            assert each.target not in {path, *result.graph.outgoing.get(path, ())}
            assert not result.pages[each.target].hidden
            assert each.times >= 1


@pytest.mark.req("T30")
@given(VAULTS)
@QUICK
def test_copies_are_in_one_group_and_never_related_to_each_other(files: dict[str, str]) -> None:
    result, terms = make_result(files), load_terms(files)
    related = find_related(result, terms)
    seen: set[str] = set()
    for copies in find_duplicates(result, terms):
        group = {copies.path, *(path for path, _ in copies.others)}
        assert len(group) > 1
        assert not group & seen
        seen |= group
        assert all(COPY <= share <= 1 for _, share in copies.others)
        assert all(other not in group for path in group for other, _ in related.get(path, ()))
