"""Which words weigh how much, before any index is built."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.parse.page import parse_page
from indexer.parse.terms import HEAVIEST, PASSAGE, SECTIONS_PER_TOKEN, head_terms, page_sections, page_terms

FILLER = " ".join(f"word{number}" for number in range(400))


def weigh(markdown: str, token: str) -> int:
    """Weight of a word in the section where it weighs most; 0 = nowhere."""
    return max(section.get(token, 0) for section in page_terms(parse_page(markdown.encode())).sections)


def weigh_names(path: str, title: str = "", aliases: tuple[str, ...] = (), tags: tuple[str, ...] = ()) -> dict[str, int]:
    return {token: weight >> 4 for token, weight in head_terms(path, title, aliases, tags).items()}


def test_a_word_of_the_heading_weighs_more_than_one_of_the_text() -> None:
    assert weigh("## Mooring\n\nText.\n", "mooring") > weigh("## Text\n\nMooring.\n", "mooring") > 0


def test_words_of_raw_html_are_found_without_its_tags_comments_and_scripts() -> None:
    page = parse_page(
        b"# T\n\n<table><tr><td>one</td><td><b>t</b>wo &amp; a < b</td></tr></table>\n<!-- secret -->\n<script>code()</script>\n\n"
        b'<p title="x > y"><a href="p.md">three</a><br>four</p>\n'
    )
    (section,) = page_sections(page)
    assert section.text == "one two & a < b three four"
    assert page.words == 8


def test_a_paragraph_that_repeats_its_heading_is_text_all_the_same() -> None:
    page = parse_page(b"# Hi\n\nHi\n")
    assert [section.text for section in page.sections] == ["Hi"]
    assert page.words == 1


def test_a_repeated_word_weighs_more_but_never_beyond_the_scale() -> None:
    once, often, always = (weigh("knot " * times, "knot") for times in (1, 3, 3000))
    assert once < often <= always <= HEAVIEST


def test_a_word_says_less_in_a_long_section() -> None:
    assert weigh(f"knot {FILLER}", "knot") < weigh("knot once", "knot")


def test_a_part_of_an_identifier_weighs_less_than_a_word() -> None:
    assert 0 < weigh("Call tie_knot here", "knot") < weigh("Tie a knot here", "knot")


def test_names_weigh_in_order_title_alias_file_name_tag() -> None:
    title = weigh_names("x.md", "Knot")["knot"]
    alias = weigh_names("x.md", "Other", aliases=("Knot",))["knot"]
    file_name = weigh_names("knot.md", "Other")["knot"]
    tag = weigh_names("x.md", "Other", tags=("knot",))["knot"]
    assert title > alias > file_name > tag > 0


def test_a_longer_title_shares_its_weight_out() -> None:
    assert (
        weigh_names("x.md", "Knot")["knot"]
        > weigh_names("x.md", "Knot tying")["knot"]
        > weigh_names("x.md", "All about knot tying")["knot"]
    )


def test_a_readme_is_named_by_its_folder() -> None:
    assert "testing" in weigh_names("guides/testing/README.md", "Welcome")
    assert "readme" in weigh_names("README.md", "Welcome")


def test_of_equal_names_the_shorter_path_comes_first() -> None:
    assert head_terms("tar.md", "tar", (), ())["tar"] > head_terms("pages/other/deep/tar.md", "tar", (), ())["tar"]


def test_sections_and_terms_belong_together() -> None:
    page = parse_page(f"Before.\n\n# Title\n\nIntro.\n\n## Long\n\n{'water ' * 2000}\n\n## Empty\n\n## Last\n\nThe end.\n".encode())
    sections, terms = page_sections(page), page_terms(page).sections
    assert len(sections) == len(terms)
    assert [section.heading for section in sections][:3] == ["", "", "Long"]
    assert max(len(section.text) for section in sections) <= PASSAGE
    assert sum(section.text.count("water") for section in sections) == 2000
    assert [(section.heading, section.id, section.text) for section in sections][-1] == ("Last", "last", "The end.")


def test_the_title_itself_leads_to_the_top_of_the_page() -> None:
    page = parse_page(b"# Knots\n\nIntro.\n\n## Bowline\n\nText.\n")
    assert [(s.heading, s.id, s.line) for s in page_sections(page)] == [("", "", 1), ("Bowline", "bowline", 5)]
    renamed = parse_page(b"---\ntitle: All knots\n---\n# Knots\n\nIntro.\n")
    assert [(s.heading, s.id) for s in page_sections(renamed)] == [("Knots", "")]


def test_an_empty_page_has_one_section() -> None:
    page = parse_page(b"")
    assert [(s.heading, s.text) for s in page_sections(page)] == [("", "")]
    assert page_terms(page).sections == ({},)


def test_a_long_passage_without_spaces_is_cut_nevertheless() -> None:
    page = parse_page(("水" * (PASSAGE * 2 + 5)).encode())
    assert [len(section.text) for section in page_sections(page)] == [PASSAGE, PASSAGE, 5]


def test_a_word_in_very_many_sections_is_kept_for_the_best_ones() -> None:
    plain = "".join(f"## Part {number}\n\nwater and {FILLER}\n\n" for number in range(40))
    best = "## Best\n\nwater water water\n\n"
    terms = page_terms(parse_page((plain + best + plain).encode())).sections
    with_water = [number for number, section in enumerate(terms) if "water" in section]
    assert len(with_water) == SECTIONS_PER_TOKEN
    assert 40 in with_water


@pytest.mark.req("P13")
@given(st.binary(max_size=200))
def test_any_bytes_give_sections_with_weights_on_the_scale(data: bytes) -> None:
    page = parse_page(data)
    terms = page_terms(page)
    assert len(terms.sections) == len(page_sections(page)) > 0
    assert all(1 <= weight <= HEAVIEST for section in terms.sections for weight in section.values())
    assert all(16 <= weight < 1024 for weight in head_terms("a/b.md", page.title, page.aliases, page.tags).values())


@pytest.mark.req("P09")
def test_words_on_both_sides_of_a_line_break_are_found() -> None:
    text = "# Two<br>lines\n\n| a |\n|---|\n| before<br>behind<ul><li>entry</li></ul> |\n\nun<b>broken</b>\n"
    for word in ("two", "lines", "before", "behind", "entry", "unbroken"):
        assert weigh(text, word) > 0, word


@pytest.mark.req("P09")
def test_the_title_of_a_block_of_code_is_found_and_that_of_a_diagram_is_not_shown_either() -> None:
    text = '```js title="mooring.js"\nx\n```\n\n```mermaid title="anchor"\ngraph TD\n```\n'
    assert weigh(text, "mooring") > 0
    assert weigh(text, "anchor") == 0
    assert "anchor" not in parse_page(text.encode()).html
