"""What holds for every page, whatever its bytes: nothing raises, and its HTML can do nothing but look like a document."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer.parse.page import parse_page
from indexer.parse.slots import NONCHARACTERS
from tests.tools.harmless import check_page

FRAGMENTS = (
    "# ", "## ", "- ", "1. ", "> ", "    ", "\n", "\n\n", "| a | b |\n|---|---|\n", "|", "\\|", "\\", "`", "```\n",
    "```mermaid\n", "~~~\n", "$", "$$\n", "*", "**", "_", "~~", "==", "%%", "<!--", "-->", "[", "]", "[[", "]]", "![[", "![",
    "](", "](b.md)", ")", "[x](<a b.md> 'c')", "[[a#b|c]]", "![[i.png|30]]", "^id", " ^id\n", "^[", "[^1]", "[^1]: ", "[r]: u\n",
    "[r]", ": ", "> [!note]- t\n> ", "- [ ] ", "#tag", "{#id}", "https://example.org/a", "me@example.org", "<https://a.b>",
    "<a href='x'>", "</a>", "<a name=n>", "<img src=x>", "<div id=__search>", "</div>", '<div title="', "<p onclick=x>",
    "<script>", "</script>", "<style>", "<svg onload=x>", "<title>", "<details>", "<table>", '<b a=x"y', "javascript:x",
    "[x](javascript:y)", "&#xFDD0;o0&#xFDD1;", "&#64976;p0&#64977;", "\ufdd0o9\ufdd1", "&lt;", "&", "\x00", "\t", "é", "中",
    "word", " ", "---\n", "---\ntitle: a\n---\n", "+++\n", "title: b\n", "'", '"', "(", "<", ">",
)  # fmt: skip
pages = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
QUICK = settings(max_examples=250, deadline=None)


@pytest.mark.req("P04")
@pytest.mark.threat(17)
@given(pages)
@example('<div title="\n\n[a](<https://e/ onmouseover=x>) text\n\n">')
@example("<p>&#xFDD0;o7&#xFDD1;&#xFDD<!-- -->0;p3&#xFDD1;</p>")
@example("a ^x\n\nb ^x\n\n<p id='^x'>")
@example("# A\n\n<p id=a x'y>")
@QUICK
def test_any_markdown_becomes_harmless_html_with_known_slots_and_unique_ids(written: str) -> None:
    check_page(parse_page(written.encode()))


@pytest.mark.req("P13")
@pytest.mark.threat(16)
@given(st.binary(max_size=300))
@QUICK
def test_any_bytes_become_a_page(written: bytes) -> None:
    check_page(parse_page(written))


@pytest.mark.req("P03")
@given(st.sampled_from(("---\n", "+++\n")), st.text(max_size=200), st.text(max_size=50))
@QUICK
def test_any_frontmatter_becomes_a_page(mark: str, block: str, body: str) -> None:
    check_page(parse_page(f"{mark}{block}\n{mark}{body}".encode(errors="replace")))


@pytest.mark.req("P05")
@given(pages)
@example("> text [a\n> b](c.md)")
@example("| a |\n|---|\n| [[x\\|y]] ![[z\\|3]] |")
@example("[a %%b%% c](d.md)")
@QUICK
def test_every_link_is_quoted_as_it_stands_in_its_line(written: str) -> None:
    page = parse_page(written.encode())
    rows = NONCHARACTERS.sub("�", written.replace("\x00", "�")).split("\n")
    for link in page.links:
        assert link.raw in page.text or "%%" in written or "<!--" in written, link
        assert 1 <= link.line <= len(rows)
        first = re.split("%%|<!--|\n", link.raw)[0]
        assert first in rows[link.line - 1] or "%%" in written or "<!--" in written, link


@pytest.mark.req("P03")
@given(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.from_regex(r"[a-z]{1,8}", fullmatch=True), pages)
@QUICK
def test_valid_frontmatter_is_never_shown(key: str, value: str, body: str) -> None:
    page = parse_page(f"---\nzz{key}: qq{value}qq\n---\n\n{body}".encode())
    assert f"qq{value}qq" not in page.html
    assert page.meta[f"zz{key}"] == f"qq{value}qq"


@pytest.mark.req("P14")
@given(pages)
@settings(max_examples=100, deadline=None)
def test_a_page_parses_the_same_twice(written: str) -> None:
    assert parse_page(written.encode()) == parse_page(written.encode())


@pytest.mark.req("P04")
@given(
    st.lists(st.sampled_from(("a", "`", "x `c` ", "\n\n", "- ", "> ", "| ", "[l](m.md) ", "# ", "*", "==")), max_size=12)
    .map("".join)
    .filter(lambda text: "```" not in text)
)
@example("`")
@QUICK
def test_a_comment_that_is_none_of_code_is_nowhere(before: str) -> None:
    page = parse_page(f"{before}\n\nend\n\n%% zqsecret %%\n\nafter <!-- zqsecret --> it".encode())
    assert "zqsecret" not in page.html
    assert "zqsecret" not in page.text
