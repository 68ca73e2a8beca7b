"""Links as people write them: what `brain inspect` says and where the built page really leads. Our own inputs, one brain per test.

Every test also follows all references of its site, so an address that leads nowhere fails it wherever it stands.
"""

from unicodedata import normalize

import pytest

from tests.conftest import BuildFactory
from tests.tools.built import Built
from tests.tools.vaults import PNG

pytestmark = pytest.mark.req("P05")


def check_sound(built: Built) -> None:
    """The crawl of the site found nothing wrong."""
    assert built.crawl.problems == []
    assert built.crawl.followed > 0


def test_padding_inside_wikilinks_does_not_count(build: BuildFactory) -> None:
    built = build({"index.md": "# Home\n\n[[ guide ]] [[guide |the guide]] [[guide# Set up ]]\n", "guide.md": "# Guide\n\n## Set up\n"})
    assert built.link("index.md", "[[ guide ]]") == ("page", "guide.md")
    assert built.link("index.md", "[[guide |the guide]]") == ("page", "guide.md")
    assert built.link("index.md", "[[guide# Set up ]]") == ("page", "guide.md#set-up")
    assert built.target("index.md", "the guide") == ("guide/index.html", "")
    check_sound(built)


def test_paths_with_dots_stay_inside_the_repository(build: BuildFactory) -> None:
    page = (
        "# Deep\n\n[a](./../x.md) [b](../../../../etc/passwd) [c](../../../outside.md) [[../../../outside]]"
        " ![p](../../../../p.png) [d](.././../x.md)\n"
    )
    built = build({"x.md": "# X\n", "one/two/deep.md": page})
    assert built.link("one/two/deep.md", "[a](./../x.md)")[0] == "missing"
    assert built.link("one/two/deep.md", "[d](.././../x.md)") == ("page", "x.md")
    for raw in ("[b](../../../../etc/passwd)", "[c](../../../outside.md)", "[[../../../outside]]"):
        assert built.link("one/two/deep.md", raw) == ("missing", None)
    assert built.link("one/two/deep.md", "![p](../../../../p.png)")[0] == "asset-missing"
    assert built.codes("one/two/deep.md").count("LNK007") == 2
    check_sound(built)


def test_reference_links_ignore_letter_case_and_white_space(build: BuildFactory) -> None:
    page = (
        "# R\n\n[one][The  Guide] [two][THE GUIDE] [the guide][] [The Guide] [none][nowhere]\n\n"
        "[the guide]: guide.md#set-up 'T'\n[unused]: gone.md\n"
    )
    built = build({"r.md": page, "guide.md": "# Guide\n\n## Set up\n"})
    links = [link for link in built.inspected["links"] if link["from"] == "r.md"]
    assert {(link["kind"], link["status"], link["to"]) for link in links} == {("reference", "page", "guide.md#set-up")}
    assert len(links) == 4
    assert "[none][nowhere]" in built.article("r.md").words
    check_sound(built)


def test_autolinks_are_external_and_nothing_is_loaded_from_them(build: BuildFactory) -> None:
    page = "# A\n\n<https://example.org/a?b=1&c=2> <ada@example.org> www.example.org/x_y_z. https://example.org/(q) and page.md alone\n"
    built = build({"a.md": page, "page.md": "# P\n"})
    hrefs = {a.get("href") for a in built.article("a.md").find_all("a")}
    assert {"https://example.org/a?b=1&c=2", "mailto:ada@example.org", "http://www.example.org/x_y_z"} <= hrefs
    assert built.backlinks("page.md") == []
    assert all(link["status"] == "external" for link in built.inspected["links"])
    check_sound(built)


def test_names_with_hash_question_mark_and_percent_keep_their_addresses(build: BuildFactory) -> None:
    page = (
        "# Home\n\n[sharp](C%23%20notes.md) [why](why%3F.md) [[why?]] [half](50%25.md) [[50%]] [plus](a+b.md)"
        " [amp](<r&d.md>) [quote](it's.md) [semi](<a;b.md>)\n"
    )
    names = {
        "C# notes.md": "sharp",
        "why?.md": "why",
        "50%.md": "half",
        "a+b.md": "plus",
        "r&d.md": "amp",
        "it's.md": "quote",
        "a;b.md": "semi",
    }
    built = build({"index.md": page, **{name: f"# About {words}\n" for name, words in names.items()}})
    for name, words in names.items():
        assert built.target("index.md", words) == (built.page(name)["file"], "")
        assert built.article(name).find_all("h1")[0].words.startswith(f"About {words}")
    assert all(link["status"] == "page" for link in built.inspected["links"])
    check_sound(built)


def test_wikilinks_to_nested_headings_take_the_right_one(build: BuildFactory) -> None:
    lib = "# Lib\n\n## North\n\n### Prices\n\none\n\n## South\n\n### Prices\n\ntwo\n"
    built = build({"index.md": "# I\n\n[[lib#North#Prices|n]] [[lib#South#Prices|s]] [[lib#Prices|p]]\n", "lib.md": lib})
    assert built.page("lib.md")["heading_ids"] == ["lib", "north", "prices", "south", "prices-1"]
    assert built.link("index.md", "[[lib#North#Prices|n]]") == ("page", "lib.md#prices")
    assert built.link("index.md", "[[lib#South#Prices|s]]") == ("page", "lib.md#prices-1")
    assert built.link("index.md", "[[lib#Prices|p]]") == ("page", "lib.md#prices")
    check_sound(built)


def test_headings_with_emoji_markup_and_signs_get_the_ids_of_github(build: BuildFactory) -> None:
    headings = {
        "🚀 Launch plan": "-launch-plan",
        "What's *new* in `v2.0`?": "whats-new-in-v20",
        "A [link](other.md) inside": "a-link-inside",
        "Größe & Maß": "größe--maß",
        "snake_case and kebab-case": "snake_case-and-kebab-case",
        "日本語 の 見出し": "日本語-の-見出し",
        "1. Numbers / 2": "1-numbers--2",
    }
    page = (
        "# Top\n\n"
        + "".join(f"## {text}\n\nx\n\n" for text in headings)
        + "".join(f"[{i}](#{id_})\n" for i, id_ in enumerate(headings.values()))
    )
    built = build({"page.md": page, "other.md": "# Other\n"})
    assert built.page("page.md")["heading_ids"] == ["top", *headings.values()]
    ids = [h.get("id") for h in built.article("page.md").find_all("h2")]
    assert [i.removeprefix("h-") for i in ids[: len(headings)]] == list(headings.values())
    assert "LNK002" not in built.codes("page.md")
    assert built.backlinks("other.md") == ["page.md"]
    check_sound(built)


def test_decomposed_headings_and_names_meet_composed_links(build: BuildFactory) -> None:
    name, text = normalize("NFD", "Über uns.md"), normalize("NFD", "# Über uns\n\n## Café Zürich\n\nx\n")
    built = build({"index.md": "# I\n\n[[Über uns#Café Zürich|c]] [d](%C3%9Cber%20uns.md#caf%C3%A9-z%C3%BCrich)\n", name: text})
    assert built.link("index.md", "[[Über uns#Café Zürich|c]]")[0] == "page"
    assert built.link("index.md", "[d](%C3%9Cber%20uns.md#caf%C3%A9-z%C3%BCrich)")[0] == "page"
    assert built.target("index.md", "c") == built.target("index.md", "d")
    assert built.target("index.md", "c")[1] in built.document(normalize("NFC", name)).words or built.target("index.md", "c")[1]
    check_sound(built)


def test_titles_and_aliases_are_found_after_names(build: BuildFactory) -> None:
    built = build(
        {
            "a.md": "# A\n\n[[The long title]] [[Nick]] [[plan]]\n",
            "2024-01.md": "---\ntitle: The long title\naliases: [Nick]\n---\nBody\n",
            "plan.md": "# Real plan\n",
            "other.md": "---\ntitle: plan\n---\nBody\n",
        }
    )
    assert built.link("a.md", "[[The long title]]") == ("page", "2024-01.md")
    assert built.link("a.md", "[[Nick]]") == ("page", "2024-01.md")
    assert built.link("a.md", "[[plan]]") == ("page", "plan.md")
    check_sound(built)


def test_markdown_links_are_not_searched_by_name_but_wikilinks_are(build: BuildFactory) -> None:
    built = build(
        {"a/x.md": "# X\n\n[m](glossary.md) [[glossary]] [r](/b/glossary.md) [c](../B/Glossary.md)\n", "b/glossary.md": "# Glossary\n"}
    )
    assert built.link("a/x.md", "[m](glossary.md)") == ("missing", None)
    assert built.link("a/x.md", "[[glossary]]") == ("page", "b/glossary.md")
    assert built.link("a/x.md", "[r](/b/glossary.md)") == ("page", "b/glossary.md")
    assert built.link("a/x.md", "[c](../B/Glossary.md)") == ("page", "b/glossary.md")
    assert built.codes("a/x.md") == ["LNK001", "LNK008"]
    assert built.dead("a/x.md") == ["m"]
    check_sound(built)


def test_dead_links_show_their_words_and_have_no_address(build: BuildFactory) -> None:
    built = build({"index.md": "# I\n\n[[No such page]] [text](gone.md) ![[gone.png]] ![alt words](gone.png) ![[Missing embed]]\n"})
    article = built.article("index.md")
    assert [a for a in article.find_all("a") if "gone" in a.get("href") or "No" in a.get("href")] == []
    assert {"No such page", "text"} <= set(built.dead("index.md"))
    assert "alt words" in article.words
    assert built.codes("index.md").count("LNK001") == 3
    assert built.codes("index.md").count("LNK004") == 2
    assert "no such page" in [stub.lower() for stub in built.inspected["graph"]["stubs"]]
    check_sound(built)


def test_links_count_wherever_prose_stands(build: BuildFactory) -> None:
    page = (
        "# [[h]]\n\n> quote [[q]]\n\n> [!note] Title [[t]]\n> body [[c]]\n\n- item [[i]]\n  - nested [[n]]\n\n"
        "| a |\n| - |\n| [[cell]] |\n\n"
        "Text.[^1]\n\nTerm\n: definition [[d]]\n\n**bold [[b]]** ~~[[s]]~~ ==[[m]]==\n\n[^1]: Foot [[f]].\n"
    )
    names = ("h", "q", "t", "c", "i", "n", "cell", "d", "b", "s", "m", "f")
    built = build({"page.md": page, **{f"{name}.md": f"# {name}\n" for name in names}})
    found = {link["raw"]: link for link in built.inspected["links"]}
    assert {raw: link["status"] for raw, link in found.items()} == {f"[[{name}]]": "page" for name in names}
    lines = page.split("\n")
    assert {raw: lines[link["line"] - 1].find(raw) >= 0 for raw, link in found.items()} == dict.fromkeys(found, True)
    for name in names:
        assert built.backlinks(f"{name}.md") == ["page.md"]
    check_sound(built)


def test_code_and_comments_hold_no_links_and_code_is_shown_as_written(build: BuildFactory) -> None:
    page = (
        "# Page\n\n``[[ghost]] ` x`` and `![[ghost]]`\n\n~~~sh\nif [[ -f \"$x\" ]]; then echo '<b>' && [y](ghost.md); fi\n~~~\n\n"
        "1. list\n\n   ```\n   [[ghost]]\n   ```\n\n"
        "<!-- one\n\n[[ghost]]\n\nHTML-SECRET -->\n\n%% two\n\n[[nowhere]]\n\nNOTE-SECRET\n%%\n\n"
        "Escaped \\[[ghost]] and \\[x](ghost.md).\n\n```\nunclosed [[ghost]]\n"
    )
    built = build({"page.md": page, "ghost.md": "# Ghost\n"})
    assert [link for link in built.inspected["links"] if link["from"] == "page.md"] == []
    assert built.inspected["graph"]["orphans"] == ["ghost.md", "page.md"]
    article = built.article("page.md")
    assert "if [[ -f \"$x\" ]]; then echo '<b>' && [y](ghost.md); fi" in article.text
    assert "[[ghost]] ` x" in [c.text for c in article.find_all("code")]
    assert "SECRET" not in article.text
    check_sound(built)


def test_brackets_in_labels_titles_and_images_in_links(build: BuildFactory) -> None:
    page = "# P\n\n[a [b] c](x.md \"say <hi> & 'yes'\") [![logo](pic.png)](x.md) [[x|<b>bold</b> & more]] [](x.md) ![](pic.png)\n"
    built = build({"p.md": page, "x.md": "# X page\n", "pic.png": PNG})
    article = built.article("p.md")
    first = next(a for a in article.find_all("a") if a.words == "a [b] c")
    assert first.get("title") == "say <hi> & 'yes'"
    assert any(a.find_all("img") for a in article.find_all("a"))
    assert "<b>bold</b> & more" in [a.words for a in article.find_all("a")]
    assert article.find_all("b") == []
    assert all(a.words or a.find_all("img") for a in article.find_all("a"))
    check_sound(built)


def test_embedded_pages_keep_their_links_pictures_and_unique_ids(build: BuildFactory) -> None:
    built = build(
        {
            "one/two/host.md": "# Host\n\n![[part]]\n\n![[part#Numbers]]\n\n![[part]]\n\n## Numbers\n\nown [x](#numbers)\n",
            "parts/part.md": "# Part\n\n![pic](img/p.png) [z](z.md) [self](#numbers)\n\n## Numbers\n\nPART-NUMBERS[^1]\n\n[^1]: note\n",
            "parts/z.md": "# Z\n",
            "parts/img/p.png": PNG,
        }
    )
    assert built.article("one/two/host.md").text.count("PART-NUMBERS") == 3
    assert built.target("one/two/host.md", "z") == (built.page("parts/z.md")["file"], "")
    assert len(built.article("one/two/host.md").find_all("img")) == 2
    assert built.backlinks("parts/part.md") == ["one/two/host.md"]
    check_sound(built)


def test_embeds_of_blocks_sizes_and_missing_parts(build: BuildFactory) -> None:
    host = "# H\n\n![[facts#^water]]\n\n![[pic.png|100x200]] ![[pic.png|64]] ![[facts#Nowhere]] ![[facts#^gone]]\n"
    built = build({"h.md": host, "facts.md": "# F\n\nWater is wet. ^water\n\nFire is hot. ^fire\n", "pic.png": PNG})
    text = built.article("h.md").words
    assert "Water is wet." in text
    assert "^water" not in text
    sizes = [(i.get("width"), i.get("height")) for i in built.article("h.md").find_all("img")]
    assert sizes == [("100", "200"), ("64", "64")]
    assert built.link("h.md", "![[facts#Nowhere]]") == ("anchor-missing", "facts.md")
    assert built.link("h.md", "![[facts#^gone]]") == ("anchor-missing", "facts.md")
    check_sound(built)


def test_block_ids_in_nested_lists_quotes_and_before_code(build: BuildFactory) -> None:
    page = (
        "# B\n\n- a\n  - inner item ^in-1\n    - deepest ^Deep2\n- b\n\n> quoted\n\n^quote\n\n```\ncode ^notid\n```\n\n"
        "^code\n\nText ^two words ^last\n\n"
        "[[#^in-1]] [[#^Deep2]] [[#^quote]] [[#^code]] [[#^last]] [[#^notid]]\n"
    )
    built = build({"b.md": page})
    assert sorted(built.page("b.md")["block_ids"]) == ["Deep2", "code", "in-1", "last", "quote"]
    for block in ("in-1", "Deep2", "quote", "code", "last"):
        assert built.link("b.md", f"[[#^{block}]]") == ("self", f"b.md#^{block}")
    assert built.link("b.md", "[[#^notid]]")[0] == "anchor-missing"
    code = next(c for c in built.article("b.md").find_all("code") if "notid" in c.text)
    assert code.text.strip() == "code ^notid"
    assert "Text ^two words" in built.article("b.md").words
    check_sound(built)


def test_tables_keep_their_cells_with_bars_in_links_and_code(build: BuildFactory) -> None:
    page = (
        "# T\n\n| a | b | c |\n|---|:-:|--:|\n"
        '| `x \\| y` | [[t\\|me]] | 1 |\n| [p](t.md "a \\| b") | ![[pic.png\\|20]] | <b>z</b> |\n| short |\n'
        "| [[t#T\\|top]] | **[[t\\|*em*]]** | 3 | 4 |\n"
    )
    built = build({"t.md": page, "pic.png": PNG})
    rows = built.article("t.md").find_all("table")[0].find_all("tr")
    assert [len(row.find_all("td")) + len(row.find_all("th")) for row in rows] == [3] * 5
    assert rows[1].find_all("code")[0].text == "x | y"
    assert [a.words for a in rows[1].find_all("a")] == ["me"]
    assert [link["status"] for link in built.inspected["links"]].count("missing") == 0
    check_sound(built)


def test_folders_with_and_without_pages_of_their_own(build: BuildFactory) -> None:
    built = build(
        {
            "index.md": "# Home\n\n[a](docs/) [b](docs) [c](plain/) [d](deep/er/) [e](empty/) [[docs/]]\n",
            "docs/README.md": "# Docs\n",
            "plain/x.md": "# X\n\n[up](../) [here](.)\n",
            "deep/er/y.md": "# Y\n",
        }
    )
    assert built.link("index.md", "[a](docs/)") == built.link("index.md", "[b](docs)") == ("page", "docs/README.md")
    assert built.link("index.md", "[c](plain/)") == ("folder", "plain/")
    assert built.link("index.md", "[e](empty/)") == ("missing", None)
    assert built.link("plain/x.md", "[up](../)") == ("page", "index.md")
    assert "X" in built.crawl.pages[built.target("index.md", "c")[0]].words
    assert built.target("index.md", "d")[0] in built.crawl.pages
    check_sound(built)


def test_assets_are_copied_when_a_page_uses_them_and_only_then(build: BuildFactory) -> None:
    files = {
        "files/Price list (v2) #1.pdf": b"%PDF-1.7 price",
        "used pic.png": PNG,
        "unused.png": PNG + b"x",
        "notes.txt": b"plain",
        "data.csv": b"a,b\n",
    }
    page = "# P\n\n[list](<files/Price list (v2) %231.pdf>)\n\n![[used pic.png]] [n](notes.txt)\n"
    built = build({"p.md": page, **files})
    assert built.link("p.md", "[list](<files/Price list (v2) %231.pdf>)") == ("asset", "files/Price list (v2) #1.pdf")
    assert (built.site / built.target("p.md", "list")[0]).read_bytes() == files["files/Price list (v2) #1.pdf"]
    copied = {p.read_bytes() for p in built.site.rglob("*") if p.is_file()}
    assert files["used pic.png"] in copied
    assert files["notes.txt"] in copied
    assert files["unused.png"] not in copied
    assert files["data.csv"] not in copied
    check_sound(built)


def test_ambiguous_links_name_all_candidates_and_do_not_depend_on_file_order(build: BuildFactory) -> None:
    files = {"z/n.md": "# ZN\n", "a/n.md": "# AN\n", "m/k/n.md": "# MN\n", "index.md": "# I\n\n[[n]] [[k/n]]\n"}
    one, two = build(files), build(dict(reversed(list(files.items()))))
    link = one.links("index.md")["[[n]]"]
    assert link["status"] == "ambiguous"
    assert sorted(link["candidates"]) == ["a/n.md", "m/k/n.md", "z/n.md"]
    assert link["to"] == "a/n.md"
    assert one.link("index.md", "[[k/n]]") == ("page", "m/k/n.md")
    assert "LNK003" in one.codes("index.md")
    assert one.inspected == two.inspected
    check_sound(one)
