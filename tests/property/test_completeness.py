"""What holds for any card and any documents: states add up, nothing raises, hidden is missing, more is never less."""

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.analysis.brains import check_brains, find_brains
from indexer.analysis.cards import parse_card
from indexer.analysis.conflicts import find_conflicts
from indexer.analysis.parents import cover_document, follow_parents
from indexer.analysis.states import due_date, score_depth, state_of
from indexer.model.blueprint import Brain
from indexer.model.page import PageFacts
from tests.tools.planned import BLUEPRINTS, make_brains, read_pages

SETTINGS = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
WORDS = st.sampled_from(
    ["", "x", "offer", "prices", "team", "site@1", "business@1", "site@", "Flow", "Outer", "repo/a", "repo/b", "../x", "\ud800\u202e\x00"]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.text(max_size=8))
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | WORDS, inner, max_size=4), max_leaves=8
)
IDS = st.sampled_from(["offer", "prices", "team", "careers", "news", "con", "A", ""])
ADDS = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS | JSON,
        "title": st.just("Title") | JSON,
        "ring": st.sampled_from(["Flow", "land", "Outer"]) | JSON,
        "deepens": st.lists(st.integers(0, 21), max_size=3) | JSON,
        "outOfDateAfterDays": st.integers(-1, 400) | JSON,
        "asks": st.just("What?") | JSON,
        "reason": st.just("Because.") | JSON,
    },
)
DROPS = st.fixed_dictionaries({}, optional={"id": IDS | JSON, "reason": st.just("Because.") | JSON})
PARENTS = st.sampled_from(["repo/a", "repo/b", "repo/c", "other/x", "", None])
CARDS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"blueprint": st.sampled_from(["site@1", "business@1"]) | JSON},
    optional={
        "add": st.lists(ADDS, max_size=4) | JSON,
        "drop": st.lists(DROPS, max_size=3) | JSON,
        "parent": PARENTS | JSON,
        "title": JSON,
    },
)
DAYS = st.sampled_from(["2020-01-01", "2026-11-30", "2027-01-01", "9999-12-31", "soon", "2026-13-01"])
MARKS = st.fixed_dictionaries(
    {},
    optional={
        "checked": DAYS | JSON,
        "checkedBy": st.just("Ben") | JSON,
        "declined": st.just("Not ours.") | JSON,
        "owner": JSON,
        "price": JSON,
        "private": st.just(True),
    },
)
NAMES = ["offer.md", "Offer.md", "offer/index.md", "prices.md", "team.md", "team.markdown", "pricing.md", "careers.md", "news.md", "x.md"]
PAGES = st.builds(lambda meta, text: PageFacts(meta=meta, has_text=text, hidden="private" in meta), MARKS, st.booleans())
DATES = st.sampled_from([None, "2026-11-30", "2026-01-01", "9999-12-31"])


@st.composite
def repos(draw: st.DrawFn) -> dict[str, PageFacts]:
    """Return the pages of a repo with up to three brains, one of them inside another."""
    pages: dict[str, PageFacts] = {}
    for folder in draw(st.lists(st.sampled_from(["a", "b", "a/offer"]), min_size=1, unique=True)):
        pages[f"{folder}/brain.md"] = PageFacts(meta=draw(CARDS), hidden=draw(st.sampled_from([False, False, True])))
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True)):
            pages.setdefault(f"{folder}/{name}", draw(PAGES))
    return dict(sorted(pages.items()))


def find(pages: dict[str, PageFacts], repo: str = "repo") -> tuple[Brain, ...]:
    return find_brains(repo, pages, BLUEPRINTS)


def complete(brains: tuple[Brain, ...]) -> dict[str, int]:
    """Return how many documents of each brain are filled or declined."""
    return {brain.id: sum(ring.filled + ring.declined for ring in score_depth(brain.documents, "2026-11-30")) for brain in brains}


@pytest.mark.req("S07")
@SETTINGS
@given(repos(), DATES)
def test_depth_adds_up_for_any_card_and_any_documents(pages: dict[str, PageFacts], date: str | None) -> None:
    for brain in find(pages):
        depth = score_depth(brain.documents, date)
        assert sum(ring.documents for ring in depth) == len(brain.documents)
        for ring in depth:
            assert ring.documents == ring.filled + ring.declined + ring.missing > 0
            assert ring.checked + ring.out_of_date <= ring.filled
        assert len({document.plan.id for document in brain.documents}) == len(brain.documents)
        taken = [document.page for document in brain.documents if document.page]
        assert len(set(taken)) == len(taken)


@pytest.mark.req("S12")
@SETTINGS
@given(st.dictionaries(st.text(max_size=8) | st.sampled_from(["blueprint", "add", "drop", "parent"]), JSON) | CARDS)
def test_no_card_raises_and_every_warning_is_one_line_that_every_output_can_hold(meta: dict[str, Any]) -> None:
    card = parse_card(meta, "repo/a", BLUEPRINTS)
    assert card == parse_card(dict(reversed(meta.items())), "repo/a", BLUEPRINTS)
    for problem in card.problems:
        assert len(problem.text) < 1000
        assert problem.text.splitlines() == [problem.text]
        problem.text.encode()
    card.parent.encode()
    card.blueprint.encode()
    assert card.known == (card.blueprint in BLUEPRINTS)


@pytest.mark.req("S08")
@SETTINGS
@given(repos(), DATES)
def test_findings_name_published_pages_of_this_repo_and_nothing_raises(pages: dict[str, PageFacts], date: str | None) -> None:
    brains = find(pages)
    for finding in check_brains(brains, pages, BLUEPRINTS, date):
        assert not pages[finding.path].hidden
        assert "other/x" not in finding.message + finding.hint
        (finding.message + finding.hint).encode()
    for brain in brains:
        for document in brain.documents:
            assert state_of(document, date) != "outOfDate" or due_date(document)


@pytest.mark.req("S06", "P19")
@SETTINGS
@given(repos(), DATES)
def test_hidden_pages_are_the_same_as_none(pages: dict[str, PageFacts], date: str | None) -> None:
    published = {path: page for path, page in pages.items() if not page.hidden}
    assert find(pages) == find(published)
    assert check_brains(find(pages), pages, BLUEPRINTS, date) == check_brains(find(published), published, BLUEPRINTS, date)


@pytest.mark.req("S08")
@SETTINGS
@given(repos(), st.sets(st.sampled_from(["repo/a", "repo/b", "repo/a/offer"])), DATES)
def test_nothing_comes_from_parents_that_are_not_reached_or_lie_above_one(
    pages: dict[str, PageFacts], reached: set[str], date: str | None
) -> None:
    brains = {brain.id: brain for brain in find(pages)}
    for brain in brains.values():
        parents = follow_parents(brain, {identifier: brains[identifier] for identifier in reached & brains.keys()}.get)
        for below, above in pairwise((brain, *parents)):
            assert above.id == below.parent
            assert above.id in reached
        covers = [cover.brain for document in brain.documents for cover in cover_document(document, parents, date)]
        claims = [claim.brain for conflict in find_conflicts(brain, parents) for claim in conflict.claims]
        assert {*claims, *covers} <= {brain.id, *(each.id for each in parents)}


@pytest.mark.req("S06", "S07")
@SETTINGS
@given(repos(), st.sampled_from(["a", "b", "a/offer"]), st.sampled_from(NAMES))
def test_writing_a_document_never_makes_a_brain_less_complete(pages: dict[str, PageFacts], folder: str, name: str) -> None:
    path = f"{folder}/{name}"
    if (old := pages.get(path)) is not None and old.hidden:
        return
    meta = old.meta if old else {}
    more = {**pages, path: PageFacts(meta=meta, has_text=True)}
    before, after = complete(find(pages)), complete(find(dict(sorted(more.items()))))
    assert all(after[brain] >= count for brain, count in before.items())


@pytest.mark.req("S06", "S07")
@SETTINGS
@given(repos(), st.data())
def test_checking_a_document_never_makes_a_brain_less_complete(pages: dict[str, PageFacts], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(pages)))
    page = pages[path]
    meta = {**page.meta, "checked": "2026-11-01", "checkedBy": "Ben"}
    more = {**pages, path: PageFacts(meta=meta, has_text=page.has_text, hidden=page.hidden)}
    assert complete(find(more)) == complete(find(pages))


@pytest.mark.req("S06")
@SETTINGS
@given(repos(), st.randoms(use_true_random=False))
def test_the_order_of_pages_makes_no_difference(pages: dict[str, PageFacts], order: random.Random) -> None:
    shuffled = list(pages.items())
    order.shuffle(shuffled)
    assert find(dict(shuffled)) == find(pages)
    found = check_brains(find(pages), pages, BLUEPRINTS, "2026-11-30")
    assert sorted(check_brains(find(pages), dict(shuffled), BLUEPRINTS, "2026-11-30"), key=repr) == sorted(found, key=repr)


@pytest.mark.req("S05", "S07")
@SETTINGS
@given(st.permutations(["careers", "news", "jobs"]), st.permutations(["offer", "team"]))
def test_the_order_of_entries_makes_no_difference_to_depth(adds: list[str], drops: list[str]) -> None:
    def depth(added: list[str], dropped: list[str]) -> object:
        meta = {
            "blueprint": "site@1",
            "add": [{"id": each, "title": each, "asks": "?", "ring": "Flow", "reason": "r"} for each in added],
            "drop": [{"id": each, "reason": "r"} for each in dropped],
        }
        pages = {"a/brain.md": PageFacts(meta=meta), "a/news.md": PageFacts(has_text=True), "a/prices.md": PageFacts(has_text=True)}
        (brain,) = find(pages)
        return score_depth(brain.documents, None), brain.dropped, brain.warnings

    assert depth(adds, drops) == depth(["careers", "jobs", "news"], ["offer", "team"])


@pytest.mark.req("S08")
@SETTINGS
@given(st.lists(st.integers(-1, 5), min_size=6, max_size=6))
def test_every_chain_of_parents_ends_and_meets_no_brain_twice(above: list[int]) -> None:
    cards = {f"b{n}/brain.md": f"---\nblueprint: site@1\nparent: repo/b{to}\n---\n" for n, to in enumerate(above)}
    brains = make_brains(cards)
    by_id = {brain.id: brain for brain in brains}
    for brain in brains:
        chain = [brain.id, *(each.id for each in follow_parents(brain, by_id.get))]
        assert len(set(chain)) == len(chain)
    findings = check_brains(brains, read_pages(cards), BLUEPRINTS, None)
    told = {finding.path for finding in findings if "above itself" in finding.message or "names itself" in finding.message}
    assert told == {f"b{n}/brain.md" for n in range(6) if _is_own_ancestor(n, above)}


def _is_own_ancestor(start: int, above: list[int]) -> bool:
    current = start
    for _ in above:
        current = above[current] if current >= 0 else -1
        if current == start:
            return True
    return False
