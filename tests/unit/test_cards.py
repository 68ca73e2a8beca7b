"""A card's frontmatter → which documents its brain is to hold, and what is wrong with the card."""

from typing import Any

import pytest

from indexer.analysis.card_entries import MOST_ENTRIES
from indexer.analysis.cards import Card, parse_card
from indexer.model.blueprint import Blueprint, Dropped
from tests.tools.planned import BLUEPRINTS, LAND, SCOPE, make_brain, plan

ADD = {"id": "careers", "title": "Careers", "ring": "Flow", "deepens": [3], "asks": "Which jobs?", "reason": "We hire."}


def parse(**keys: Any) -> Card:
    return parse_card({"blueprint": "site@1", **keys}, "repo/site", BLUEPRINTS)


def texts(card: Card) -> list[str]:
    return [problem.text for problem in card.problems]


def ids(card: Card) -> list[str]:
    return [each.plan.id for each in card.documents]


@pytest.mark.req("S05")
def test_without_differences_the_documents_are_those_of_the_blueprint() -> None:
    card = parse()
    assert [each.plan for each in card.documents] == list(BLUEPRINTS["site@1"].documents)
    assert (card.known, card.dropped, card.problems) == (True, (), ())
    assert not any(each.added for each in card.documents)


@pytest.mark.req("S05")
def test_documents_are_the_blueprint_without_drop_and_with_add() -> None:
    entry = {**ADD, "ring": "public context", "outOfDateAfterDays": 90, "deepens": [4, 3, 3]}
    card = parse(add=[entry], drop=[{"id": "prices", "reason": "No prices online."}])
    assert ids(card) == ["offer", "careers", "team"]
    added = card.documents[1]
    assert (added.added, added.reason) == (True, "We hire.")
    assert (added.plan.file, added.plan.title, added.plan.ring) == ("careers.md", "Careers", SCOPE)
    assert (added.plan.deepens, added.plan.out_of_date_after_days, added.plan.asks) == ((3, 4), 90, "Which jobs?")
    assert card.dropped == (Dropped("prices", "prices.md", "Prices", "No prices online."),)
    assert card.problems == ()


@pytest.mark.req("S05")
def test_an_add_with_the_id_of_a_dropped_document_replaces_it_in_its_file() -> None:
    blueprint = Blueprint("site@1", "Site", "", (plan("offer", file="sales/offer.md"), plan("team", LAND)))
    card = parse_card(
        {"blueprint": "site@1", "add": [{**ADD, "id": "offer"}], "drop": [{"id": "offer", "reason": "Ours differs."}]},
        "repo/site",
        {"site@1": blueprint},
    )
    assert [(each.plan.id, each.plan.file, each.added) for each in card.documents] == [
        ("team", "team.md", False),
        ("offer", "sales/offer.md", True),
    ]
    assert [each.id for each in card.dropped] == ["offer"]
    assert card.problems == ()


@pytest.mark.req("S05")
@pytest.mark.parametrize(
    ("name", "ring"),
    [
        ("Organisational Knowledge", LAND),
        ("ORGANISATIONAL  knowledge", LAND),
        ("Organizational Knowledge", LAND),
        ("land", LAND),
        ("Scope", SCOPE),
    ],
)
def test_a_ring_is_known_in_any_case_and_by_its_stage(name: str, ring: str) -> None:
    card = parse(add=[{**ADD, "ring": name}])
    assert {each.plan.ring for each in card.documents if each.added} == {ring}


@pytest.mark.req("S12")
@pytest.mark.parametrize(
    ("value", "ref", "text"),
    [
        (None, "", "the card names no blueprint"),
        ("", "", "the card names no blueprint"),
        (["site@1"], "", "the card names no blueprint: a list is no name with a version"),
        ({"site": 1}, "", "the card names no blueprint: a mapping is no name with a version"),
        (1, "", "the card names no blueprint: `1` is no name with a version"),
        (True, "", "the card names no blueprint: `true` is no name with a version"),
        ("site", "site", "the blueprint `site` is no name with a version such as `site@1`, so no documents are expected"),
        ("site@", "site@", "the blueprint `site@` is no name with a version such as `site@1`, so no documents are expected"),
        ("Site@1", "Site@1", "the blueprint `Site@1` is no name with a version such as `site@1`, so no documents are expected"),
        ("../site@1", "../site@1", "the blueprint `../site@1` is no name with a version such as `site@1`, so no documents are expected"),
        ("site@2", "site@2", "there is no blueprint `site@2`, so no documents are expected"),
    ],
)
def test_a_card_without_a_blueprint_that_exists_has_no_documents_and_says_why(value: object, ref: str, text: str) -> None:
    card = parse(blueprint=value, add=[ADD], drop=[{"id": "offer", "reason": "No."}])
    assert (card.blueprint, card.known, card.documents, card.dropped) == (ref, False, (), ())
    assert texts(card) == [text]


@pytest.mark.req("S12")
def test_the_nearest_blueprint_is_suggested() -> None:
    assert parse(blueprint="busines@1").problems[0].hint == "Did you mean `business@1`?"
    assert parse(blueprint="zzz@9").problems[0].hint == "Write one of: business@1, site@1."


def test_a_huge_ref_is_cut() -> None:
    assert len(parse(blueprint="x" * 50_000).blueprint) <= 100


@pytest.mark.req("S12")
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"id": "offer"}, "add `offer`: site@1 has a document of this id; drop that one to replace it"),
        ({"title": None}, "add `careers`: title is missing or no text"),
        ({"asks": []}, "add `careers`: asks is missing or no text"),
        ({"title": "", "ring": {}}, "add `careers`: title, ring are missing or no text"),
        ({"ring": "Outer"}, "add `careers`: ring `Outer` is none of the five rings"),
        ({"deepens": 3}, "add `careers`: deepens is no list of whole numbers from 1 to 20"),
        ({"deepens": "3"}, "add `careers`: deepens is no list of whole numbers from 1 to 20"),
        ({"deepens": [0]}, "add `careers`: deepens holds `0`, which is no whole number from 1 to 20"),
        ({"deepens": [1, 21]}, "add `careers`: deepens holds `21`, which is no whole number from 1 to 20"),
        ({"deepens": ["3"]}, "add `careers`: deepens holds `3`, which is no whole number from 1 to 20"),
        ({"deepens": [True]}, "add `careers`: deepens holds `true`, which is no whole number from 1 to 20"),
        ({"deepens": [2.0]}, "add `careers`: deepens holds `2.0`, which is no whole number from 1 to 20"),
        ({"deepens": [[1]]}, "add `careers`: deepens holds a list, which is no whole number from 1 to 20"),
        ({"deepens": [1] * 21}, "add `careers`: deepens has more than 20 numbers"),
        ({"outOfDateAfterDays": 0}, "add `careers`: outOfDateAfterDays `0` is no whole number of days from 1 to 36500"),
        ({"outOfDateAfterDays": -3}, "add `careers`: outOfDateAfterDays `-3` is no whole number of days from 1 to 36500"),
        ({"outOfDateAfterDays": True}, "add `careers`: outOfDateAfterDays `true` is no whole number of days from 1 to 36500"),
        ({"outOfDateAfterDays": "soon"}, "add `careers`: outOfDateAfterDays `soon` is no whole number of days from 1 to 36500"),
        ({"outOfDateAfterDays": 1.5}, "add `careers`: outOfDateAfterDays `1.5` is no whole number of days from 1 to 36500"),
        ({"outOfDateAfterDays": 10**9}, "add `careers`: outOfDateAfterDays `1000000000` is no whole number of days from 1 to 36500"),
        ({"id": None}, "entry 1 of add: it has no id"),
        ({"id": ""}, "entry 1 of add: it has no id"),
        ({"id": ["x"]}, "entry 1 of add: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"id": "../x"}, "add `../x`: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"id": "a/b"}, "add `a/b`: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"id": "Careers"}, "add `Careers`: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"id": "x\n"}, "add `x`: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"id": "x" * 64}, f"add `{'x' * 59}…`: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"id": "con"}, "add `con`: the id is reserved"),
        ({"id": "brain"}, "add `brain`: the id is reserved"),
        ({"id": "index"}, "add `index`: the id is reserved"),
        (
            {"ring": "Outer", "deepens": 3, "asks": None},
            (
                "add `careers`: asks is missing or no text; ring `Outer` is none of the five rings; "
                "deepens is no list of whole numbers from 1 to 20"
            ),
        ),
    ],
)
def test_a_bad_add_is_skipped_and_named_with_the_reason(change: dict[str, Any], text: str) -> None:
    card = parse(add=[{**ADD, **change}, {**ADD, "id": "good"}])
    assert texts(card) == [text]
    assert ids(card) == ["offer", "prices", "team", "good"]
    assert {problem.code for problem in card.problems} == {"BPR003"}


@pytest.mark.req("S12")
@pytest.mark.parametrize(
    ("keys", "hint", "place"),
    [
        ({"add": [ADD, {**ADD, "id": "Team Page"}]}, "Write `id: team-page`.", ("add", 2)),
        ({"drop": [{"id": "offer.md", "reason": "x"}]}, "Write `id: offer`.", ("drop", 1)),
        ({"drop": [{"id": "zzz", "reason": "x"}]}, "Its documents are called offer, prices, team.", ("drop", 1)),
        ({"drop": ["offer"]}, "An entry under `drop` is a line `- id: …` and, below it, a line `reason: …` that says why.", ("drop", 1)),
        ({"drop": [{"id": "offers", "reason": "x"}]}, "", ("drop", 1)),  # its text asks what was meant
        ({"drop": 7}, "An entry under `drop` is a line `- id: …` and, below it, a line `reason: …` that says why.", ("drop", 0)),
        ({"add": [{**ADD, "id": "offer"}]}, "Write `offer` under `drop` as well, with a reason, or take another id.", ("add", 1)),
        ({"parent": ["repo/a", "repo/b"]}, "Name one brain, such as `handbook/brains/business`.", ("parent", 0)),
    ],
)
def test_a_problem_says_what_to_write_and_in_which_entry(keys: dict[str, Any], hint: str, place: tuple[str, int]) -> None:
    (problem,) = parse(**keys).problems
    assert (problem.hint, (problem.key, problem.entry)) == (hint, place)


@pytest.mark.req("S12")
def test_a_misspelt_key_of_a_card_is_told_and_one_that_is_another_word_is_not() -> None:
    card = parse_card({"bluprint": "site@1", "drops": [], "Parents": "x", "address": "x", "topic": "x"}, "repo/site", BLUEPRINTS)
    assert texts(card) == [
        "the card names no blueprint",
        "`Parents` is no key of a card; did you mean `parent`?",
        "`bluprint` is no key of a card; did you mean `blueprint`?",
        "`drops` is no key of a card; did you mean `drop`?",
    ]
    assert parse(parents="Ann and Bo", parent="repo/a").problems == ()


@pytest.mark.req("S12")
def test_of_two_adds_with_one_id_the_first_counts() -> None:
    card = parse(add=[ADD, {**ADD, "title": "Jobs"}])
    assert [each.plan.title for each in card.documents if each.added] == ["Careers"]
    assert texts(card) == ["add `careers`: another entry has this id; the first one counts"]


@pytest.mark.req("S12")
def test_a_skipped_add_does_not_take_its_id() -> None:
    card = parse(add=[{**ADD, "ring": "Outer"}, ADD])
    assert ids(card)[-1] == "careers"


@pytest.mark.req("S12")
def test_an_add_may_not_take_the_file_of_another_document() -> None:
    blueprint = Blueprint("site@1", "Site", "", (plan("people", file="Careers.md"),))
    card = parse_card({"blueprint": "site@1", "add": [ADD]}, "repo/site", {"site@1": blueprint})
    assert texts(card) == ["add `careers`: its file `careers.md` is that of the document `people`"]


@pytest.mark.req("S12")
@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"id": "careers", "reason": "x"}, "drop `careers`: site@1 has no such document"),
        ({"id": "offers", "reason": "x"}, "drop `offers`: site@1 has no such document; did you mean `offer`?"),
        ({"id": "offer"}, "drop `offer`: it gives no reason"),
        ({"id": "offer", "reason": "  "}, "drop `offer`: it gives no reason"),
        ({"id": "offer", "reason": ["x"]}, "drop `offer`: it gives no reason"),
        ("offer", "drop `offer`: it gives no reason"),
        ({"id": "../offer", "reason": "x"}, "drop `../offer`: the id must be 1 to 63 lower-case letters, digits and dashes"),
        ({"reason": "x"}, "entry 1 of drop: it has no id"),
        (7, "entry 1 of drop: it is no mapping with an id"),
        (None, "entry 1 of drop: it is no mapping with an id"),
    ],
)
def test_a_bad_drop_is_skipped_and_named_with_the_reason(entry: object, text: str) -> None:
    card = parse(drop=[entry, {"id": "team", "reason": "One person."}])
    assert texts(card) == [text]
    assert ids(card) == ["offer", "prices"]


@pytest.mark.req("S12")
def test_a_document_is_dropped_once() -> None:
    card = parse(drop=[{"id": "offer", "reason": "First."}, {"id": "offer", "reason": "Second."}])
    assert [each.reason for each in card.dropped] == ["First."]
    assert texts(card) == ["drop `offer`: another entry drops it already"]


@pytest.mark.req("S12")
@pytest.mark.parametrize("value", ["careers", 7, True, {"id": "careers"}])
def test_add_and_drop_that_are_no_lists_are_named(value: object) -> None:
    card = parse(add=value, drop=value)
    assert texts(card) == [
        "drop: it is no list of entries, each of which begins with a dash",
        "add: it is no list of entries, each of which begins with a dash",
    ]
    assert ids(card) == ["offer", "prices", "team"]


@pytest.mark.req("S12")
def test_thousands_of_entries_are_cut_with_one_warning() -> None:
    card = parse(add=[{**ADD, "id": f"d{number}"} for number in range(5000)])
    assert len(ids(card)) == 3 + MOST_ENTRIES
    assert texts(card) == [f"add: it has 5000 entries; only the first {MOST_ENTRIES} count"]


@pytest.mark.req("S12")
def test_huge_texts_are_cut_with_a_warning_and_the_entry_counts() -> None:
    card = parse(add=[{**ADD, "title": "T" * 60_000, "asks": "a " * 30_000}])
    added = card.documents[-1].plan
    assert (len(added.title), len(added.asks)) == (200, 500)
    assert texts(card) == ["add `careers`: title is longer than 200 characters and is cut; asks is longer than 500 characters and is cut"]


@pytest.mark.req("S12")
def test_an_add_without_a_reason_and_one_with_unknown_keys_count_with_a_warning() -> None:
    card = parse(add=[{**ADD, "reason": None}, {**ADD, "id": "jobs", "file": "x/jobs.md"}])
    assert ids(card)[-2:] == ["careers", "jobs"]
    assert texts(card) == ["add `careers`: it counts, but gives no reason", "add `jobs`: unknown key `file`, left out"]


@pytest.mark.req("S12")
def test_signs_that_break_a_line_or_turn_text_around_never_reach_a_warning() -> None:
    card = parse(add=[{**ADD, "ring": "a\n\x1b[31m`b`\u202e\ud800"}])
    assert texts(card) == ["add `careers`: ring `a \ufffd[31m b \ufffd\ufffd` is none of the five rings"]


@pytest.mark.req("S08")
@pytest.mark.parametrize(
    "value", ["business", "/", "Repo/x", "repo/../x", "repo//x", "repo/a\\b", "../x", 7, ["repo/x"], {"a": 1}, "r/" + "x" * 2000]
)
def test_a_parent_that_is_no_id_is_none_and_is_not_repeated(value: object) -> None:
    card = parse(parent=value)
    assert card.parent == ""
    assert texts(card) == ["parent: it is no id of a brain, which is the repository, a slash and the folder"]


@pytest.mark.req("S08")
def test_a_brain_is_not_its_own_parent() -> None:
    card = parse(parent="repo/site/")
    assert card.parent == ""
    assert texts(card) == ["parent: the brain names itself"]


@pytest.mark.req("S08")
def test_a_parent_in_any_repo_is_kept_as_named_without_a_warning() -> None:
    assert [(parse(parent=value).parent, parse(parent=value).problems) for value in ("repo/gone", "other/a/b")] == [
        ("repo/gone", ()),
        ("other/a/b", ()),
    ]


@pytest.mark.req("S05")
def test_keys_are_known_in_other_spellings() -> None:
    entry = {"Id": "careers", "TITLE": "Careers", "ring": "Flow", "asks": "?", "out-of-date-after-days": 30, "reason": "r"}
    card = parse_card({"Blueprint": "site@1", "ADD": [entry]}, "repo/site", BLUEPRINTS)
    assert card.documents[-1].plan.out_of_date_after_days == 30
    assert card.problems == ()


@pytest.mark.req("S05", "S12")
def test_a_card_as_written_in_a_file() -> None:
    card = """---
title: Northwind website
blueprint: site@1
parent: repo/business
add:
  - id: 2026
    title: 2026
    ring: flow
    deepens: [1, 2]
    outOfDateAfterDays: 30
    asks: "See [[secret/Plan|the plan]]: what is next?"
    reason: yes
  - id: careers
    title: Careers
    ring: Outer
    asks: Which?
    reason: We hire.
drop:
  - id: team
    reason: One person.
---
"""
    brain = make_brain({"site/brain.md": card})
    assert (brain.title, brain.parent, brain.warnings) == (
        "Northwind website",
        "repo/business",
        ("add `careers`: ring `Outer` is none of the five rings",),
    )
    added = brain.documents[-1]
    assert (added.plan.id, added.plan.file, added.plan.title, added.reason) == ("2026", "2026.md", "2026", "yes")
    assert added.plan.asks == "See the plan: what is next?"
