"""Frontmatter, Markdown and hidden pages as people write them, beyond the cases of other programs. Our own inputs, one brain per test."""

import pytest

from tests.conftest import BuildFactory
from tests.tools.built import Built
from tests.tools.pages import find_article, read_html
from tests.tools.trees import find_bytes
from tests.tools.vaults import PNG


def check_sound(built: Built) -> None:
    """The crawl of the site found nothing wrong."""
    assert built.crawl.problems == []


@pytest.mark.req("P03")
def test_windows_line_ends_with_unclosed_frontmatter_keep_the_body(build: BuildFactory) -> None:
    built = build(
        {"a.md": b"---\r\ntitle: Lost\r\ntags: [x]\r\n\r\n# Heading\r\n\r\nBODY-TEXT\r\n", "b.md": b"---\r\n---\r\n# Empty frontmatter\r\n"}
    )
    assert "BODY-TEXT" in built.article("a.md").text
    assert built.page("b.md")["title"] == "Empty frontmatter"
    assert "FMT005" in built.codes("a.md")
    assert built.codes("b.md") == []
    check_sound(built)


@pytest.mark.req("P03")
def test_rules_and_setext_headings_are_not_frontmatter(build: BuildFactory) -> None:
    built = build(
        {
            "rule.md": "Intro\n\n---\n\ntitle: not frontmatter\n\n---\n\nEnd\n",
            "setext.md": "Great title\n===========\n\nSub part\n--------\n\nText\n",
            "late.md": "\n---\ntitle: Late\n---\nBODY\n",
        }
    )
    assert built.page("rule.md")["title"] == "rule"
    assert "title: not frontmatter" in built.article("rule.md").text
    assert built.page("setext.md")["title"] == "Great title"
    assert built.page("setext.md")["heading_ids"] == ["great-title", "sub-part"]
    assert "BODY" in built.article("late.md").text
    check_sound(built)


@pytest.mark.req("P03")
@pytest.mark.threat(12)
@pytest.mark.threat(13)
def test_hostile_yaml_costs_a_finding_and_nothing_else(build: BuildFactory) -> None:
    laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(8)
    )
    heads = {
        "tag.md": "title: !!python/object/apply:os.system ['echo pwned']",
        "laughs.md": laughs,
        "deep.md": "k: " + "[" * 5000 + "]" * 5000,
        "digits.md": f"n: {'9' * 5000}",
        "inf.md": "n: .inf\nm: -.NaN\ntitle: Fine",
        "twice.md": "title: One\ntitle: Two",
        "list.md": "- a\n- b",
        "scalar.md": "just words",
        "binary.md": "x: !!binary aGVsbG8=",
        "merge.md": "base: &b {x: 1}\nreal:\n  <<: *b",
        "keys.md": "? [a, b]\n: c\n1: one\nnull: two",
    }
    built = build({name: f"---\n{head}\n---\n# H {name}\n\nBODY-{name}\n" for name, head in heads.items()})
    for name in heads:
        assert f"BODY-{name}" in built.article(name).text
    for name in ("tag.md", "laughs.md", "deep.md", "twice.md", "list.md", "scalar.md", "merge.md"):
        assert any(code.startswith("FMT") for code in built.codes(name)), name
    assert built.page("inf.md")["title"] == "Fine"
    check_sound(built)


@pytest.mark.req("P03")
def test_values_of_the_wrong_kind_become_sensible_text(build: BuildFactory) -> None:
    built = build(
        {
            "a.md": "---\ntitle: 20240425\ntags: [a, null, '', 3.50, on, [x], {k: v}]\naliases: {a: b}\ndate: 2026-02-30\n---\nx\n",
            "b.md": "---\ntitle: ''\ntags: '#one, two three'\nalias: Bee\ndate: 2026-04-05T10:00:00+02:00\n---\n# Bee page\n",
            "c.md": "---\ntitle: |\n  Two\n  lines\ndescription: 12\ncreated: 5.4.2026\n---\nx\n",
        }
    )
    assert built.page("a.md")["title"] == "20240425"
    assert {"a", "3.50", "on"} <= set(built.page("a.md")["tags"])
    assert "" not in built.page("a.md")["tags"]
    assert built.page("a.md")["date"] is None
    assert built.page("b.md")["title"] == "Bee page"
    assert built.page("b.md")["date"] == "2026-04-05"
    assert "\n" not in built.page("c.md")["title"]
    assert "FMT010" in built.codes("a.md")
    check_sound(built)


HIDING = {
    "Draft: TRUE": "a",
    "draft: 'on'": "b",
    "private: 1": "c",
    "publish: 0": "d",
    "published: 'NO'": "e",
    "publish: off": "f",
    "draft: [true]": "g",
    "draft: maybe": "h",
    "private: {a: b}": "i",
    "draft: true # soon": "j",
    "'draft': yes": "k",
    'publish: "False"': "l",
    "draft: !!bool 'true'": "m",
    "draft: true\ndraft: false": "n",
    "title: a: b\nprivate: true": "o",
}
SHOWING = {
    "draft: no": "p",
    "private: 'false'": "q",
    "publish: 1": "r",
    "meta: {draft: true}": "s",
    "draft_of: true": "t",
    "title: 'draft: true'": "u",
}


@pytest.mark.req("P19")
def test_every_spelling_of_a_flag_hides_or_shows_as_it_says(build: BuildFactory) -> None:
    files: dict[str, str | bytes] = {
        f"{name}.md": f"---\n{head}\n---\n# Page {name}\n\nHIDDEN-{name}-CANARY\n" for head, name in HIDING.items()
    }
    files |= {f"{name}.md": f"---\n{head}\n---\n# Page {name}\n\nSHOWN-{name}\n" for head, name in SHOWING.items()}
    files["bom.md"] = b"\xef\xbb\xbf---\r\ndraft: true\r\n---\r\nHIDDEN-bom-CANARY\r\n"
    files["unclosed.md"] = "---\ndraft: true\n\nHIDDEN-unclosed-CANARY\n"
    files["toml.md"] = "+++\ndraft = true\n+++\nHIDDEN-toml-CANARY\n"
    built = build(files)
    published = {p["path"].removesuffix(".md") for p in built.inspected["pages"] if p["published"]}
    assert published == set(SHOWING.values())
    assert find_bytes(built.site, "-CANARY") == []
    for name in ("g", "h", "i", "o", "unclosed", "toml"):
        assert {"PRV001", "PRV002", "FMT009"} & set(built.codes(f"{name}.md")), name
    check_sound(built)


@pytest.mark.req("P04")
def test_callouts_tasks_definitions_and_highlights_are_rendered(build: BuildFactory) -> None:
    page = (
        "# M\n\n> [!warning]- Folded *title*\n> body one\n>\n> > [!tip]+\n> > nested\n\n> [!UNKNOWN-kind]\n> odd\n\n"
        "- [ ] open\n- [x] done\n"
        "\t- tabbed child\n\nTerm\n: Meaning\n\n==bright== ~~gone~~ H~2~O and 2^10\n\n- a\n\n\t\tindented code in list\n"
    )
    built = build({"m.md": page})
    article = built.article("m.md")
    assert len(article.find_all("details")) >= 1
    assert "Folded title" in article.words
    assert [box.get("type") for box in article.find_all("input")] == ["checkbox", "checkbox"]
    assert [m.text for m in article.find_all("mark")] == ["bright"]
    assert article.find_all("dd")[0].words == "Meaning"
    assert [s.text for s in article.find_all("s") + article.find_all("del")] == ["gone"]
    assert "[!" not in article.text
    check_sound(built)


@pytest.mark.req("P04")
def test_footnotes_used_twice_unused_and_undefined(build: BuildFactory) -> None:
    page = "# F\n\nOne[^a] two[^a] three[^none] inline^[now *here*].\n\n[^a]: First note\n\n    second paragraph `code`\n[^unused]: never\n"
    built = build({"f.md": page})
    text = built.article("f.md").words
    assert "First note" in text
    assert "second paragraph code" in text
    assert "three[^none]" in text
    check_sound(built)


@pytest.mark.req("P04")
@pytest.mark.threat(20)
def test_formulas_and_diagrams_are_kept_as_text_for_the_browser(build: BuildFactory) -> None:
    page = (
        "# X\n\nInline $a_{1} < b$ but $5 and $6 are money.\n\n$$\n\\href{javascript:alert(1)}{x}\n$$\n\n"
        '```mermaid\n%%{init: {"securityLevel": "loose"}}%%\ngraph TD; A["<img src=x onerror=alert(1)>"] --> B\n'
        'click A "javascript:alert(1)"\n```\n'
    )
    built = build({"x.md": page})
    article = built.article("x.md")
    assert "a_{1} < b" in article.text
    assert "$5 and $6 are money" in article.text
    assert "graph TD" in article.text
    assert article.find_all("img") == []
    assert [e for e in article.walk() if any(name.startswith("on") for name in e.attributes)] == []
    assert [a for a in article.find_all("a") if "javascript" in a.get("href")] == []
    check_sound(built)


@pytest.mark.req("P04")
@pytest.mark.threat(17)
@pytest.mark.threat(18)
@pytest.mark.threat(24)
@pytest.mark.threat(27)
def test_html_and_addresses_that_could_run_code_are_taken_out(build: BuildFactory) -> None:
    page = (
        "# X\n\n<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)><a href='&#106;avascript:alert(4)'>t</a>\n\n"
        "[a](javascript:alert(5)) [b](JaVa\tScript:alert) [c](data:text/html,<script>) [d](vbscript:x) <javascript:alert(6)>\n\n"
        "[e]: javascript:alert(7)\n\n[e] ![p](https://tracker.example/p.png) <form action=x><input name=q></form><base href=//evil.example>"
        "<meta http-equiv=refresh content=0><iframe src=//evil.example></iframe><style>*{display:none}</style>"
        "<p style='position:fixed'>styled</p>\n\n"
        '## search\n\n## __proto__\n\n<div id="brain-search" class="md-search">clobber</div><a name="location">x</a>\n'
    )
    built = build({"x.md": page})
    article = built.article("x.md")
    tags = {e.tag for e in article.walk()}
    assert not tags & {"script", "svg", "form", "base", "meta", "iframe", "style", "object"}
    assert [
        a.get("href") for a in article.find_all("a") if ":" in a.get("href").split("/")[0] and not a.get("href").startswith("http")
    ] == []
    assert [e.attributes for e in article.walk() if any(n.startswith("on") or n == "style" for n in e.attributes)] == []
    assert [i for i in article.find_all("img") if "tracker" in i.get("src")] == []
    assert "styled" in article.words
    check_sound(built)


@pytest.mark.req("P04")
def test_tags_are_words_after_a_hash_and_nothing_else(build: BuildFactory) -> None:
    page = (
        "---\ntags: [Front/End, '#two']\n---\n# Heading with #inhead\n\n#plain #a/b/c #Über #日本 not#this #123 #1a `#code` [x](y.md#frag) "
        "https://example.org/#web \\#escaped (#paren) #end.\n\n```\n#fenced\n```\n"
    )
    built = build({"t.md": page, "y.md": "# Y\n\n## frag\n", "u.md": "# U\n\n#PLAIN #a\n"})
    tags = built.page("t.md")["tags"]
    assert {"Front/End", "two", "inhead", "plain", "a/b/c", "Über", "日本", "1a", "paren", "end"} == set(tags)
    urls = [name for name in built.crawl.pages if name.startswith("tags/")]
    assert len({url.casefold() for url in urls}) == len(urls)
    check_sound(built)


@pytest.mark.req("P13")
@pytest.mark.threat(14)
@pytest.mark.threat(15)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 200_000, id="brackets"),
        pytest.param("![[" * 60_000, id="embeds"),
        pytest.param("*_" * 100_000 + "x", id="emphasis"),
        pytest.param("> " * 20_000 + "quoted", id="quotes"),
        pytest.param("".join("  " * i + "- x\n" for i in range(1500)), id="lists"),
        pytest.param("`" * 100_001 + "x", id="backticks"),
        pytest.param("word " * 400_000, id="long line"),
        pytest.param("<" * 100_000, id="angles"),
        pytest.param("[a](" * 50_000, id="link starts"),
        pytest.param("|a" * 20_000 + "\n" + "|-" * 20_000 + "\n" + "|b" * 20_000, id="wide table"),
        pytest.param("$" * 100_001, id="dollars"),
        pytest.param("[^1]" * 30_000 + "\n\n[^1]: x", id="footnotes"),
        pytest.param("".join(f"[l{i}]: x{i}.md\n" for i in range(20_000)) + "".join(f"[l{i}] " for i in range(20_000)), id="references"),
        pytest.param("%%" * 100_001, id="comments"),
        pytest.param("#" * 100_000 + " x #a" * 10_000, id="hashes"),
    ],
)
def test_one_costly_page_costs_that_page_only(build: BuildFactory, text: str) -> None:
    built = build({"costly.md": f"# Costly\n\n{text}\n\nLAST-LINE\n", "fine.md": "# Fine\n\n[[costly]]\n"})
    costly, fine = (read_html(built.site / name / "index.html") for name in ("costly", "fine"))
    assert "Costly" in costly.text
    assert "LAST-LINE" in costly.text
    assert [a.get("href") for a in find_article(fine).find_all("a") if a.words in ("costly", "Costly")] == ["../costly/"]


@pytest.mark.req("P04")
@pytest.mark.threat(16)
def test_broken_encodings_are_shown_with_replacement_and_reported(build: BuildFactory) -> None:
    built = build(
        {
            "latin.md": "# Café\n".encode("latin-1"),
            "half.md": b"# Cut \xe2\x82\n\nfine\n",
            "nul.md": b"# N\x00ul\n\n\x00\n",
            "surrogate.md": b"# S \xed\xa0\x80 x\n",
            "noncharacter.md": "# \ufdd0o0\ufdd1 forged \ufffe\n".encode(),
            "utf16.md": "# Sixteen\n\nBODY16\n".encode("utf-16-le"),
            "utf16bom.md": b"\xfe\xff" + "# Big\n\nBODYBE\n".encode("utf-16-be"),
            "control.md": b"# C\x01\x02\x1b[31m red\n",
        }
    )
    assert len([p for p in built.inspected["pages"] if p["published"]]) == 8
    for name in ("latin.md", "half.md", "nul.md", "surrogate.md", "noncharacter.md", "utf16bom.md"):
        assert any(code.startswith("FMT") for code in built.codes(name)), name
    assert "BODYBE" in built.article("utf16bom.md").text
    hits = find_bytes(built.site, "\x00", "\ufdd0", "\x1b")
    assert [hit for hit in hits if hit.split(":")[0].endswith((".html", ".json", ".xml"))] == []
    check_sound(built)


@pytest.mark.req("P13")
@pytest.mark.threat(19)
@pytest.mark.threat(21)
@pytest.mark.threat(22)
@pytest.mark.threat(23)
def test_nothing_in_a_repository_configures_or_runs_anything(build: BuildFactory) -> None:
    built = build(
        {
            "mkdocs.yml": "site_name: EVIL\nhooks: [hook.py]\nplugins: [macros]\nINHERIT: /etc/passwd\ntheme: {custom_dir: over}\n",
            "hook.py": "open('pwned', 'w')\nraise SystemExit('hooked')\n",
            "over/main.html": "{{ 7 * 7 }} EVIL-TEMPLATE",
            "page.md": "---\ntemplate: over/main.html\n---\n# P\n\n"
            '{{ 7 * 191 }} {% include "x" %} --8<-- "/etc/hostname"\n\n!include /etc/hostname\n\n![s](x.svg)\n',
            "x.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
            "conf.py": "raise SystemExit\n",
            "_config.yml": "title: EVIL\n",
        }
    )
    assert "{{ 7 * 191 }}" in built.article("page.md").text
    assert find_bytes(built.site, "1337", "EVIL") == []
    assert not list(built.site.rglob("x.svg"))  # an SVG with a script is withheld, and its place says so
    assert not built.article("page.md").find_all("img")
    assert not (built.source / "pwned").exists()
    check_sound(built)


@pytest.mark.req("P04")
def test_pages_without_words_headings_or_titles_are_still_pages(build: BuildFactory) -> None:
    built = build(
        {
            "empty.md": "",
            "spaces.md": "  \n\n\t\n",
            "only-image.md": "![[pic.png]]\n",
            "h3-first.md": "### Third\n\n# First\n",
            "two-h1.md": "# One\n\n# Two\n",
            "empty-heading.md": "# \n\n## \n\ntext\n",
            "Some Name.markdown": "# Other extension\n",
            "pic.png": PNG,
        }
    )
    titles = {p["path"]: p["title"] for p in built.inspected["pages"]}
    assert titles["empty.md"] == "empty"
    assert titles["h3-first.md"] == "First"
    assert titles["two-h1.md"] == "One"
    assert titles["empty-heading.md"] == "empty-heading"
    for path in titles:
        assert built.document(path).find_all("h1"), path
    check_sound(built)
