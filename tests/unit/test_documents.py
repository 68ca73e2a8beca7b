"""Which page is which document of a brain, and what it says of itself."""

import unicodedata

import pytest

from indexer.model.blueprint import Blueprint, BrainDocument
from tests.tools.planned import check_files, documents_of, list_codes, make_brain, plan

CARD = "---\nblueprint: site@1\n---\n"
HIDDEN = "---\nprivate: true\n---\nText."


def read_offer(text: str, name: str = "offer.md") -> BrainDocument:
    """Return the document `offer` whose page is this text."""
    return documents_of(make_brain({"site/brain.md": CARD, f"site/{name}": text}))["offer"]


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    "text",
    [
        "Word",
        "# Heading\n\nWord",
        "```\ncode\n```",
        "```mermaid\ngraph TD\n```",
        "$$\na = b\n$$",
        "![](picture.png)",
        "![[picture.png]]",
        "![[other page]]",
        "# Heading\n\n![](picture.png)",
        '<img src="picture.png">',
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- [x] done",
        "> [!note] Title",
        "日本語",
        ".",
        "[[link]]",
        "---\ntitle: T\n---\n# Heading\nWord",
        "# Heading\n\nHeading",
        "<p>Word</p>",
        '<div align="center">\n\n</div>\n<p>&#119;</p>',
    ],
)
def test_a_page_with_anything_to_read_or_see_is_written(text: str) -> None:
    assert read_offer(text).written


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n",
        "---\ntitle: T\nsummary: Much text here.\n---\n",
        "---\nparent: '[[page]]'\n---\n",
        "# Heading",
        "# Heading\n\n## Another\n",
        "---\ntitle: T\n---\n\n# [Heading](page.md)\n",
        "Heading\n=======\n",
        "%% a comment %%",
        "<!-- a comment -->",
        "---\nt: x\n---\n\n---\n",
        "<script>run()</script>",
        "# ![](picture.png)",
        "<div>\n<hr>\n<!-- a comment -->\n</div>",
    ],
)
def test_a_page_of_frontmatter_headings_and_comments_is_not(text: str) -> None:
    assert not read_offer(text).written


@pytest.mark.req("S06")
def test_a_document_says_of_itself_who_owns_and_checked_it() -> None:
    text = "---\nsummary: What we sell.\nowner: '[[people/anna|Anna]]'\nchecked: 2026-10-12\ncheckedBy: [Ben, Cleo]\n---\nText."
    found = read_offer(text)
    assert (found.page, found.written, found.summary) == ("site/offer.md", True, "What we sell.")
    assert (found.owner, found.checked, found.checked_by, found.declined) == ("Anna", "2026-10-12", "Ben, Cleo", "")


@pytest.mark.req("S06")
def test_without_a_summary_the_first_sentence_serves() -> None:
    assert read_offer("# Offer\n\nWe sell advice by the hour. And more.").summary == "We sell advice by the hour."


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    ("checked", "day"),
    [
        ('"[[2026-10-12]]"', "2026-10-12"),
        ('"[[daily/2026-10-12]]"', "2026-10-12"),
        ("none", ""),
        ("2026-10-12", "2026-10-12"),
        ("'2026-10-12'", "2026-10-12"),
        ("2026/1/2", "2026-01-02"),
        ("2026-10-12T23:30:00+02:00", "2026-10-12"),
        ("October 12th, 2026", "2026-10-12"),
        ("12 Oct 2026", "2026-10-12"),
        ("10/12/2026", ""),
        ("2026-02-30", ""),
        ("12.10.2026", ""),
        ("20261012", ""),
        ("true", ""),
        ("[2026-10-12]", ""),
        ("", ""),
    ],
)
def test_checked_counts_when_it_is_a_date(checked: str, day: str) -> None:
    found = read_offer(f"---\nchecked: {checked}\ncheckedBy: Ben\n---\nText.")
    assert (found.checked, found.checked_by) == (day, "Ben" if day else "")


@pytest.mark.req("S06")
@pytest.mark.parametrize("line", ["", "checkedBy:", "checkedBy: ''", "checkedBy: true", "checkedBy: {a: b}", "checkedBy: []"])
def test_checked_without_who_checked_does_not_count(line: str) -> None:
    assert read_offer(f"---\nchecked: 2026-10-12\n{line}\n---\nText.").checked == ""


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    ("declined", "reason"),
    [
        ("2026-10-12", ""),
        ("2026-10-12T10:00:00Z", ""),
        ("none", ""),
        ("'-'", ""),
        ("We sell none.", "We sell none."),
        ("売りません", "売りません"),
        ("We have no shop.", "We have no shop."),
        ("'  See\n\n  [[shop|the shop]].  '", "See the shop."),
        ("true", ""),
        ("yes", ""),
        ("false", ""),
        ("No", ""),
        ("7", ""),
        ("[a]", ""),
        ("", ""),
    ],
)
def test_declined_takes_a_reason(declined: str, reason: str) -> None:
    assert read_offer(f"---\ndeclined: {declined}\n---\n").declined == reason


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    "name", ["offer.md", "Offer.md", "OFFER.MD", "offer.markdown", "offer/index.md", "Offer/README.md", "offer/_index.md"]
)
def test_a_document_is_found_in_odd_places_and_cases_and_told_where_it_belongs(name: str) -> None:
    files = {"site/brain.md": CARD, f"site/{name}": "Text."}
    assert documents_of(make_brain(files))["offer"].page == f"site/{name}"
    assert list_codes(check_files(files)) == ([] if name == "offer.md" else [("BPR006", f"site/{name}")])
    assert all("site/offer.md" in finding.message for finding in check_files(files))


@pytest.mark.req("S06")
@pytest.mark.parametrize("name", ["sub/offer.md", "offer.txt", "offer/offer.md", "offers.md", "../offer.md", "offer"])
def test_a_page_elsewhere_is_not_the_document(name: str) -> None:
    assert read_offer("Text.", name).page == ""


@pytest.mark.req("S06")
def test_unicode_composition_of_a_file_name_makes_no_difference() -> None:
    composed = "préface.md"
    blueprints = {"site@1": Blueprint("site@1", "Site", "", (plan("preface", file=composed),))}
    files = {"site/brain.md": CARD, "site/" + unicodedata.normalize("NFD", composed): "Text."}
    assert make_brain(files, blueprints=blueprints).documents[0].written
    assert check_files(files, blueprints=blueprints) == []


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (["offer.md", "Offer.md", "offer/index.md"], "offer.md"),
        (["Offer.md", "OFFER.md", "offer.markdown"], "OFFER.md"),
        (["offer.markdown", "offer/index.md"], "offer.markdown"),
    ],
)
def test_of_several_pages_for_one_document_one_counts_and_the_others_are_told(names: list[str], counts: str) -> None:
    for order in (names, names[::-1]):
        files = {"site/brain.md": CARD, **{f"site/{name}": f"Text of {name}" for name in order}}
        assert documents_of(make_brain(files))["offer"].page == f"site/{counts}"
        told = [path for code, path in list_codes(check_files(files)) if code == "BPR005"]
        assert told == sorted(f"site/{name}" for name in names if name != counts)


@pytest.mark.req("S06")
def test_one_page_is_one_document_at_most() -> None:
    blueprints = {"site@1": Blueprint("site@1", "Site", "", (plan("offer"), plan("list", file="offer/index.md")))}
    files = {"site/brain.md": CARD, "site/offer/index.md": "Text."}
    found = documents_of(make_brain(files, blueprints=blueprints))
    assert (found["offer"].page, found["list"].page) == ("", "site/offer/index.md")


@pytest.mark.req("S06", "P19")
def test_a_hidden_page_is_the_same_as_none() -> None:
    for name in ("offer.md", "Offer.md"):
        with_hidden = {"site/brain.md": CARD, f"site/{name}": HIDDEN, "site/offer.markdown": "Text."}
        without = {"site/brain.md": CARD, "site/offer.markdown": "Text."}
        assert make_brain(with_hidden) == make_brain(without)
        assert check_files(with_hidden) == check_files(without)
