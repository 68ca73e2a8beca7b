"""Folders with a card, and the findings about them."""

import pytest

from indexer.analysis.index import sort_findings
from tests.tools.planned import check_files, documents_of, list_codes, make_brain, make_brains
from tests.tools.vaults import Files

CARD = "---\nblueprint: site@1\n---\n"
HIDDEN = "---\nblueprint: site@1\nprivate: true\n---\n"


@pytest.mark.req("S01")
def test_a_card_in_a_folder_makes_it_a_brain_and_one_at_the_root_does_not() -> None:
    files: Files = {"brain.md": CARD, "b/brain.md": CARD, "a/c/brain.md": CARD, "d/page.md": CARD}
    assert [(each.id, each.folder, each.card) for each in make_brains(files)] == [
        ("repo/a/c", "a/c", "a/c/brain.md"),
        ("repo/b", "b", "b/brain.md"),
    ]


@pytest.mark.req("S01")
@pytest.mark.parametrize("name", ["Brain.md", "brain.markdown", "brain.MD", "xbrain.md", "brain.md.txt", "brain"])
def test_a_card_is_named_exactly_so(name: str) -> None:
    assert make_brains({f"a/{name}": CARD}) == ()


@pytest.mark.req("S01", "P19")
def test_a_hidden_card_makes_no_brain() -> None:
    files: Files = {"a/brain.md": CARD, "a/b/brain.md": HIDDEN}
    assert [each.id for each in make_brains(files)] == ["repo/a"]
    assert check_files(files) == check_files({"a/brain.md": CARD})


@pytest.mark.req("S01")
def test_the_title_is_the_cards_or_else_the_folders() -> None:
    titles = ["---\ntitle: Our site\nblueprint: site@1\n---\n# Heading", CARD + "# Heading", CARD]
    assert [make_brain({"a/site/brain.md": text}).title for text in titles] == ["Our site", "Heading", "site"]


@pytest.mark.req("S01")
def test_a_page_belongs_to_the_deepest_brain_above_it() -> None:
    inner = '---\nblueprint: site@1\ndrop:\n  - {id: team, reason: "Above."}\n---\n'
    outer = "---\nblueprint: site@1\n---\n"
    files: Files = {"a/brain.md": outer, "a/offer/brain.md": inner, "a/offer/index.md": "Text.", "a/offer/offer.md": "Text."}
    above, below = make_brains(files)
    assert documents_of(above)["offer"].page == ""
    assert documents_of(below)["offer"].page == "a/offer/offer.md"
    assert documents_of(make_brain({"a/brain.md": outer, "a/offer/index.md": "Text."}))["offer"].page == "a/offer/index.md"


@pytest.mark.req("S05", "S12")
def test_an_unknown_blueprint_leaves_a_brain_without_documents_and_its_siblings_alone() -> None:
    files: Files = {"a/brain.md": "---\nblueprint: site@9\n---\n", "b/brain.md": CARD, "c/brain.md": "", "d/brain.md": "---\n- x\n---\n"}
    a, b, c, d = make_brains(files)
    assert (a.blueprint, a.type, a.known, a.documents) == ("site@9", "site", False, ())
    assert (b.known, len(b.documents), b.warnings) == (True, 3, ())
    assert (c.blueprint, c.type, c.known) == (d.blueprint, d.type, d.known) == ("", "", False)
    assert a.warnings == ("there is no blueprint `site@9`, so no documents are expected",)
    assert c.warnings == d.warnings == ("the card names no blueprint",)


@pytest.mark.req("S12")
def test_every_warning_of_a_card_is_a_finding_on_it() -> None:
    card = "---\nblueprint: site@1\nparent: nowhere\nadd: 7\ndrop:\n  - id: x\n    reason: y\n---\n"
    files: Files = {"a/brain.md": card, "b/brain.md": "---\nblueprint: sit@1\n---\n", "c/brain.md": ""}
    findings = check_files(files)
    assert list_codes(findings) == [
        ("BPR001", "c/brain.md"),
        ("BPR002", "b/brain.md"),
        ("BPR003", "a/brain.md"),
        ("BPR003", "a/brain.md"),
        ("BPR004", "a/brain.md"),
    ]
    warnings = [text for brain in make_brains(files) for text in brain.warnings]
    assert sorted(finding.message.lower() for finding in findings) == sorted(f"{text}.".lower() for text in warnings)


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    ("lines", "code", "word"),
    [
        ("checked: soon\ncheckedBy: Ben", "BPR007", "`soon`"),
        ("checked: 2026-12-24\ncheckedBy: Ben", "BPR007", "2026-12-24"),
        ("checked: true\ncheckedBy: Ben", "BPR007", "`true`"),
        ("checked: [2026-01-01]\ncheckedBy: Ben", "BPR007", "a list"),
        ("checked: 2026-11-01", "BPR008", "`checkedBy`"),
        ("declined: true", "BPR009", "`true`"),
        ("declined: [a]", "BPR009", "a list"),
        ("checked: 2026-01-01\ncheckedBy: Ben", "BPR010", "since 2026-07-01"),
    ],
)
def test_what_a_document_says_wrongly_of_itself_is_a_finding(lines: str, code: str, word: str) -> None:
    (finding,) = check_files({"a/brain.md": CARD, "a/offer.md": f"---\n{lines}\n---\nText."})
    assert (finding.code, finding.path) == (code, "a/offer.md")
    assert word in finding.message


@pytest.mark.req("S06", "S12")
def test_a_finding_stands_in_the_line_that_it_is_about() -> None:
    card = """---
title: Site
blueprint: site@1
tags:
  - a
parent: ../firm/brain.md
drop:
  - id: offer
    reason: Ours differs.
  - id: prises
    reason: None.
---
"""
    files: Files = {
        "site/brain.md": card,
        "site/team.md": "<!-- ours -->\n---\nsummary: >\n  Two\n  lines\nchecked: soon\ncheckBy: Ben\ndeclined: true\nprice: 1\n---\nText.",
        "site/prices.md": "---\ntitle: Prices\nprice: 2\nchecked: 2020-01-01\n---\nText.",
        "firm/brain.md": "---\ntitle: Firm\nblueprint: site@1\nadd:\n- {id: x}\n- id: y\n---\n",
        "odd/Brain.md": "---\n\ntitle: x\nblueprint: site@1\n---\n",
        "toml/brain.md": '+++\ntitle = "x"\n\nblueprint = "sit@1"\n+++\n',
        "json/brain.md": '{"title": "x", "blueprint": "sit@1"}\n',
    }
    assert [(each.code, each.path, each.line) for each in sort_findings(check_files(files))] == [
        ("BPR003", "firm/brain.md", 5),
        ("BPR003", "firm/brain.md", 6),
        ("BPR002", "json/brain.md", 1),
        ("BPR012", "odd/Brain.md", 4),
        ("BPR004", "site/brain.md", 6),
        ("BPR003", "site/brain.md", 10),
        ("BPR011", "site/prices.md", 3),
        ("BPR008", "site/prices.md", 4),
        ("BPR007", "site/team.md", 6),
        ("BPR013", "site/team.md", 7),
        ("BPR009", "site/team.md", 8),
        ("BPR011", "site/team.md", 9),
        ("BPR002", "toml/brain.md", 4),
    ]


@pytest.mark.req("S08")
@pytest.mark.parametrize(
    ("parent", "hint"),
    [
        ('"[[firm/brain]]"', "Write `repo/plans/firm`, if that brain is meant."),
        ("../plans/firm/", "Write `repo/plans/firm`, if that brain is meant."),
        ("Firm", "Write `repo/plans/firm`, if that brain is meant."),
        ("twin", "Write it as `handbook/brains/business`."),  # there are two
        ("../hidden", "Write it as `handbook/brains/business`."),
    ],
)
def test_a_parent_that_is_no_id_is_found_where_one_brain_is_meant(parent: str, hint: str) -> None:
    files: Files = {f"{folder}/brain.md": CARD for folder in ("plans/firm", "a/twin", "b/twin")}
    (found,) = check_files({"site/brain.md": f"---\nblueprint: site@1\nparent: {parent}\n---\n", "hidden/brain.md": HIDDEN, **files})
    assert (found.code, found.line, found.hint) == ("BPR004", 3, hint)


@pytest.mark.req("S12")
def test_questions_end_without_a_full_stop_and_broken_frontmatter_is_said_to_be_so() -> None:
    files: Files = {"a/brain.md": "---\nblueprnt: site@1\n---\n", "b/brain.md": "---\nblueprint: site@1\n x: y: z\n---\n"}
    first, second, third = check_files(files)
    assert (first.code, second.message) == ("BPR001", "`blueprnt` is no key of a card; did you mean `blueprint`?")
    assert third.hint == "Repair its frontmatter, which cannot be read; another finding says where."


@pytest.mark.req("S06")
@pytest.mark.parametrize("lines", ["checked:", "checked: no", "declined:", "declined: false", "declined: Not ours.", "checkedBy: Ben"])
def test_what_says_nothing_is_no_finding(lines: str) -> None:
    assert check_files({"a/brain.md": CARD, "a/offer.md": f"---\n{lines}\n---\nText."}) == []


@pytest.mark.req("S06")
def test_without_a_date_no_finding_is_about_time() -> None:
    texts = {"old": "checked: 2020-01-01", "coming": "checked: 2099-01-01"}
    for line in texts.values():
        assert check_files({"a/brain.md": CARD, "a/offer.md": f"---\n{line}\ncheckedBy: B\n---\nText."}, date=None) == []


@pytest.mark.req("S08", "P19")
def test_a_parent_in_this_repo_that_is_hidden_or_missing_gets_the_same_finding() -> None:
    card = "---\nblueprint: site@1\nparent: repo/b\n---\n"
    hidden = check_files({"a/brain.md": card, "b/brain.md": HIDDEN})
    assert hidden == check_files({"a/brain.md": card})
    assert [(each.code, each.path, each.message) for each in hidden] == [
        ("BPR004", "a/brain.md", "Parent: there is no brain `repo/b` in this repository.")
    ]
    assert make_brains({"a/brain.md": card, "b/brain.md": HIDDEN}) == make_brains({"a/brain.md": card})


@pytest.mark.req("S08")
def test_a_parent_in_another_repo_is_never_a_finding() -> None:
    assert check_files({"a/brain.md": "---\nblueprint: site@1\nparent: secret/plans\n---\n"}) == []


@pytest.mark.req("S08")
@pytest.mark.parametrize("parent", ["repo/b", "repo/b/brain.md", "/repo/b/"])
def test_a_parent_may_be_named_by_the_path_of_its_card(parent: str) -> None:
    files: Files = {"a/brain.md": f"---\nblueprint: site@1\nparent: {parent}\n---\n", "b/brain.md": "---\nblueprint: site@1\n---\n"}
    assert [brain.parent for brain in make_brains(files)] == ["repo/b", ""]
    assert check_files(files) == []


@pytest.mark.req("S08")
def test_a_parent_that_is_named_by_its_folder_alone_is_told() -> None:
    card = "---\nblueprint: site@1\nparent: plans/firm\n---\n"
    (found,) = check_files({"a/brain.md": card, "plans/firm/brain.md": "---\nblueprint: site@1\n---\n"})
    assert (found.code, found.path, found.hint) == ("BPR004", "a/brain.md", "Write `repo/plans/firm`, if that brain is meant.")
    assert check_files({"a/brain.md": card, "plans/firm/brain.md": HIDDEN}) == []


@pytest.mark.req("S08")
def test_each_brain_of_a_circle_is_told_so() -> None:
    cards = {name: f"---\nblueprint: site@1\nparent: repo/{above}\n---\n" for name, above in (("a", "b"), ("b", "a"), ("c", "a"))}
    findings = check_files({f"{name}/brain.md": text for name, text in cards.items()})
    assert [(each.code, each.path) for each in findings] == [("BPR004", "a/brain.md"), ("BPR004", "b/brain.md")]
    assert findings[0].message == "Parent: the brain is above itself (repo/a → repo/b → repo/a)."


@pytest.mark.req("S08")
def test_a_long_circle_is_shown_in_part() -> None:
    files: Files = {f"b{n}/brain.md": f"---\nblueprint: site@1\nparent: repo/b{(n + 1) % 50}\n---\n" for n in range(50)}
    findings = check_files(files)
    assert len(findings) == 50
    assert findings[0].message.endswith("(repo/b0 → repo/b1 → repo/b2 → repo/b3 → repo/b4 → …).")


@pytest.mark.req("S16")
def test_documents_that_disagree_are_findings_on_the_brains_own_page() -> None:
    files: Files = {
        "firm/brain.md": "---\nblueprint: business@1\n---\n",
        "firm/pricing.md": "---\ndiscount: 15 %\n---\nText.",
        "site/brain.md": "---\nblueprint: site@1\nparent: repo/firm\n---\n",
        "site/offer.md": "---\ndiscount: 10 %\n---\nText.",
    }
    (finding,) = check_files(files)
    assert (finding.code, finding.path) == ("BPR011", "site/offer.md")
    assert finding.message == "`discount` is `10 %` here, but `15 %` in firm/pricing.md."


@pytest.mark.req("S16", "P19")
def test_a_hidden_document_contradicts_nobody() -> None:
    files: Files = {
        "site/brain.md": CARD,
        "site/offer.md": "---\nprice: 1\n---\nText.",
        "site/prices.md": "---\nprice: 2\nprivate: true\n---\nText.",
    }
    assert check_files(files) == []


@pytest.mark.req("S01")
@pytest.mark.parametrize("path", ["brain.md", "Brain.md", "a/Brain.md", "a/BRAIN.MD", "a/brain.markdown"])
def test_a_page_that_was_meant_as_a_card_is_told_so(path: str) -> None:
    assert list_codes(check_files({path: CARD})) == [("BPR012", path)]
    assert check_files({path: "# Brain"}) == []
    assert check_files({path: HIDDEN}) == []
