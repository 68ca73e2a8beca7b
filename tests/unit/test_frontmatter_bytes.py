"""Files whose bytes hide the frontmatter from a parser: marks twice or not at all, and characters that only YAML minds."""

import pytest

from indexer.model.page import ParsedPage
from indexer.parse.page import parse_page

pytestmark = pytest.mark.req("P03", "P19")

DRAFT = "---\ntitle: Tee\ntags: [x]\ndraft: true\n---\n# Heading é\n"


def _codes(page: ParsedPage) -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in page.findings]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
def test_wide_characters_are_read_with_and_without_a_mark(encoding: str) -> None:
    page = parse_page(DRAFT.encode(encoding))
    assert (page.title, page.tags, page.hidden, page.headings[0].text) == ("Tee", ("x",), True, "Heading é")
    assert _codes(page) == [("FMT002", 1)]


@pytest.mark.parametrize("lead", ["\ufeff", "\ufeff\ufeff", "\u200b", "\n\n", "\n \t\n", "\x0c", "<!-- a\nb -->\n", "  ", "\x00"])
def test_what_stands_before_the_frontmatter_does_not_publish_a_draft(lead: str) -> None:
    page = parse_page((lead + DRAFT).encode())
    assert (page.title, page.hidden, page.headings[0].text) == ("Tee", True, "Heading é")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_behind_the_frontmatter_hides_no_heading(end: str) -> None:
    page = parse_page(f"---{end}title: Tee{end}---{end}\ufeff# Heading{end}{end}\ufeff- [[b]]{end}".encode())
    assert [(heading.text, heading.line) for heading in page.headings] == [("Heading", 4)]
    assert [(link.raw, link.line) for link in page.links] == [("[[b]]", 6)]
    assert "\ufeff" not in page.html + page.text


@pytest.mark.parametrize("lead", ["\u200b", "\x0c", "\n\u200b ", "<!-- a -->\n"])
@pytest.mark.parametrize("mark", ["----", "—", "---yaml", ";;;", "–--"])
def test_nor_do_other_marks_behind_it(lead: str, mark: str) -> None:
    assert parse_page(f"{lead}{mark}\ntitle: Tee\ndraft: true\n{mark}\nx\n".encode()).hidden


@pytest.mark.parametrize("lead", ["    ", "\t", "text\n", "<!-- never closed\n"])
def test_code_and_text_before_three_hyphens_make_them_no_frontmatter(lead: str) -> None:
    page = parse_page((lead + DRAFT.replace("draft: true\n", "")).encode())
    assert page.title != "Tee"
    assert "FMT012" not in dict(_codes(page))


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("a\u2028b", "a b"),
        ("a\u2029b", "a b"),
        ("a\x85b", "a b"),
        ("a\x0cb", "a b"),
        ("it\x92s", "it�s"),
        ("a\ufffeb", "a�b"),
        ("\u00a0a", "a"),
        ("\u3000a", "a"),
    ],
)
def test_characters_that_only_yaml_minds_cost_nothing(value: str, title: str) -> None:
    page = parse_page(f"---\ntitle: {value}\nbad: x: y\n---\n".encode())
    assert _codes(page)[-1] == ("FMT004", 3), "the line is that of the file, not one counted by YAML's line ends"
    page = parse_page(f"---\ntitle: {value}\ntags: [x]\n---\n".encode())
    assert (page.title, page.tags) == (title, ("x",))


@pytest.mark.parametrize(
    "block",
    [
        '---\ntitle: "A\\0\\e\\uFFFE\\uFDD0"\n---\n',
        '+++\ntitle = "A\\u0000\\u001b\\uFFFE\\uFDD0"\n+++\n',
        '{"title": "A\\u0000\\u001b\\ufffe\\ufdd0"}\n',
    ],
)
def test_escapes_cannot_write_what_a_file_may_not_hold(block: str) -> None:
    assert parse_page(block.encode()).title == "A����"


@pytest.mark.parametrize(
    "key",
    [
        "draft",
        "Draft",
        "DRAFT",
        "isDraft",
        "is_draft",
        "is-draft",
        "\u200bdraft",
        "\u00a0draft",
        "ｄｒａｆｔ",
        "unlisted",
        "nopublish",
        "no_publish",
        "dont-publish",
        "'draft '",
    ],
)
def test_keys_that_hide_are_known_in_every_spelling(key: str) -> None:
    assert parse_page(f"---\n{key}: true\n---\nx".encode()).hidden
    assert not parse_page(f"---\n{key}: false\n---\nx".encode()).hidden
    assert parse_page(f'---\n{key}: true\ntitle: "never closed\n---\nx'.encode()).hidden, "nor does a mistake elsewhere publish it"


def test_a_long_line_of_marks_is_read_in_a_moment() -> None:
    for text in (",{" * 40_000, "\n" * 80_000, "draft" * 16_000, "- " * 40_000, "<!--" * 20_000, "\u200b" * 40_000):
        parse_page(f'---\na: "\n{text}\n---\nx'.encode())
        parse_page(f"\n{text}\n---\nx".encode())
