"""Brains above a brain, and what they cover of what it lacks."""

import pytest

from indexer.analysis.parents import MOST_PARENTS, cover_document, find_circles, follow_parents
from indexer.model.blueprint import Brain, Cover
from tests.tools.planned import brain_of, document


def chain(*names: str) -> dict[str, Brain]:
    """Return brains of which each is the parent of the one before."""
    above = [f"repo/{name}" for name in names[1:]] + [""]
    return {f"repo/{name}": brain_of(name, parent=parent) for name, parent in zip(names, above, strict=True)}


@pytest.mark.req("S08")
def test_parents_come_nearest_first_to_the_end_of_the_chain() -> None:
    brains = chain("a", "b", "c")
    assert [each.id for each in follow_parents(brains["repo/a"], brains.get)] == ["repo/b", "repo/c"]
    assert follow_parents(brains["repo/c"], brains.get) == ()


@pytest.mark.req("S08")
def test_the_chain_ends_at_a_brain_that_is_not_found() -> None:
    brains = chain("a", "b", "c", "d")
    del brains["repo/c"]
    assert [each.id for each in follow_parents(brains["repo/a"], brains.get)] == ["repo/b"]


@pytest.mark.req("S08")
@pytest.mark.parametrize("back_to", ["a", "b", "c"])
def test_a_circle_ends_where_it_meets_itself(back_to: str) -> None:
    brains = chain("a", "b", "c")
    brains["repo/c"] = brain_of("c", parent=f"repo/{back_to}")
    assert [each.id for each in follow_parents(brains["repo/a"], brains.get)] == ["repo/b", "repo/c"]


@pytest.mark.req("S08")
def test_a_brain_that_names_itself_has_no_parent() -> None:
    alone = brain_of("a", parent="repo/a")
    assert follow_parents(alone, {"repo/a": alone}.get) == ()


@pytest.mark.req("S08")
def test_a_chain_of_thousands_is_cut() -> None:
    brains = chain(*(f"b{number}" for number in range(5000)))
    assert len(follow_parents(brains["repo/b0"], brains.get)) == MOST_PARENTS


@pytest.mark.req("S08")
def test_a_missing_document_is_covered_by_what_parents_have_on_its_domains() -> None:
    near = brain_of(
        "near",
        document("filled", written=True, deepens=(7, 8)),
        document("other", written=True, deepens=(9,)),
        document("empty", deepens=(7,)),
        document("declined", declined="No.", deepens=(7,)),
        document("old", written=True, checked="2020-01-01", days=1, deepens=(7,)),
    )
    far = brain_of("far", document("checked", written=True, checked="2026-11-01", days=90, deepens=(6, 7)), repo="other")
    covers = cover_document(document("offer", deepens=(6, 7)), (near, far), "2026-11-30")
    assert covers == (
        Cover("repo/near", "Filled", "repo/b/filled.md", "filled", (7,)),
        Cover("other/far", "Checked", "other/b/checked.md", "checked", (6, 7)),
    )


@pytest.mark.req("S08")
@pytest.mark.parametrize("present", [document("offer", written=True), document("offer", declined="No.")])
def test_only_a_missing_document_is_covered(present: object) -> None:
    parent = brain_of("near", document("filled", written=True))
    assert cover_document(document("offer"), (parent,), None)
    assert cover_document(present, (parent,), None) == ()  # type: ignore[arg-type]


@pytest.mark.req("S08")
def test_a_document_without_domains_is_covered_by_nothing() -> None:
    parent = brain_of("near", document("filled", written=True, deepens=()))
    assert cover_document(document("offer", deepens=()), (parent,), None) == ()


@pytest.mark.req("S08")
def test_circles_are_found_without_those_that_only_lead_into_them() -> None:
    brains = [
        brain_of("a", parent="repo/b"),
        brain_of("b", parent="repo/c"),
        brain_of("c", parent="repo/b"),
        brain_of("d", parent="repo/a"),
        brain_of("e", parent="other/x"),
        brain_of("f"),
        brain_of("g", parent="repo/g"),
    ]
    for order in (brains, brains[::-1]):
        assert find_circles(order) == {"repo/b", "repo/c", "repo/g"}
