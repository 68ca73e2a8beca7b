"""Facts on which documents of a brain and its parents differ."""

import pytest

from indexer.analysis.conflicts import MOST_CLAIMS, find_conflicts, list_facts
from indexer.model.blueprint import Claim
from tests.tools.planned import brain_of, document, documents_of, make_brain


@pytest.mark.req("S16")
def test_child_and_parent_that_disagree_are_both_named_with_their_paths() -> None:
    child = brain_of("site", document("offer", written=True, facts=(("discount", "10 %"),)))
    parent = brain_of("firm", document("pricing", page="firm/pricing.md", written=True, facts=(("Discount", "15 %"),)), repo="other")
    (conflict,) = find_conflicts(child, (parent,))
    assert conflict.fact == "discount"
    assert conflict.claims == (
        Claim("repo/site", "repo/b/offer.md", "Offer", "10 %"),
        Claim("other/firm", "other/firm/pricing.md", "Pricing", "15 %"),
    )


@pytest.mark.req("S16")
def test_letter_case_white_space_and_composition_make_no_difference() -> None:
    child = brain_of("site", document("offer", written=True, facts=(("city", "Orléans  Nord"), ("unit_price", "1"))))
    parent = brain_of("firm", document("pricing", written=True, facts=(("City", "orle\u0301ans nord"), ("unit price", "2"))))
    assert [each.fact for each in find_conflicts(child, (parent,))] == ["unit_price"]


@pytest.mark.req("S16")
def test_two_documents_of_one_brain_can_disagree() -> None:
    brain = brain_of(
        "site", document("offer", written=True, facts=(("price", "1"),)), document("prices", written=True, facts=(("price", "2"),))
    )
    (conflict,) = find_conflicts(brain, ())
    assert [claim.value for claim in conflict.claims] == ["1", "2"]


@pytest.mark.req("S16")
def test_what_only_parents_disagree_on_is_not_told() -> None:
    parents = (
        brain_of("near", document("a", written=True, facts=(("price", "1"),))),
        brain_of("far", document("b", written=True, facts=(("price", "2"),))),
    )
    assert find_conflicts(brain_of("site", document("offer", written=True, facts=(("city", "Y"),))), parents) == ()
    assert find_conflicts(brain_of("site"), parents) == ()


@pytest.mark.req("S16")
def test_a_conflict_of_thousands_of_claims_is_cut_but_keeps_both_values() -> None:
    same = [document(f"d{number}", written=True, facts=(("price", "1"),)) for number in range(200)]
    parent = brain_of("firm", *(document(f"p{number}", written=True, facts=(("price", "2"),)) for number in range(200)))
    (conflict,) = find_conflicts(brain_of("site", *same), (parent,))
    assert len(conflict.claims) == MOST_CLAIMS + 1
    assert {claim.value for claim in conflict.claims} == {"1", "2"}


@pytest.mark.req("S16")
def test_what_brains_say_can_be_remembered() -> None:
    child = brain_of("site", document("offer", written=True, facts=(("price", "1"),)))
    parent = brain_of("firm", document("pricing", written=True, facts=(("price", "2"),)))
    known = {each.id: list_facts(each) for each in (child, parent)}
    assert find_conflicts(child, (parent,), lambda brain: known[brain.id]) == find_conflicts(child, (parent,))


@pytest.mark.req("S16")
def test_facts_are_keys_with_one_plain_value_that_do_not_describe_the_page() -> None:
    page = """---
title: Offer
summary: Ours.
Owner: Anna
checked: 2026-01-01
checked_by: Ben
tags: [a]
date: 2026-01-01
publish: true
cssclasses: wide
price: 10
Discount: 12.5
refundable: true
since: 2020-01-01
phone:
list: [1]
map: {a: 1}
Price: 11
contact: "[[people/secret|Anna]]"
story: %s
---
Text.
""" % ("word " * 100)
    brain = make_brain({"site/brain.md": "---\nblueprint: site@1\n---\n", "site/offer.md": page})
    assert documents_of(brain)["offer"].facts == (
        ("Discount", "12.5"),
        ("Price", "11"),
        ("contact", "Anna"),
        ("refundable", "true"),
        ("since", "2020-01-01"),
    )
