"""Pages mentioned and not linked: where, in which words, and what is no mention."""

import pytest

from indexer.model.relations import Mention
from tests.tools.results import find_relations
from tests.tools.vaults import Files


def mention(files: Files) -> list[Mention]:
    return list(find_relations(files).mentions)


def spell(files: Files) -> list[tuple[str, int, str, str]]:
    return [(each.path, each.line, each.words, each.target) for each in mention(files)]


TARGETS = {"cold-brew.md": "# Cold Brew\n", "violin.md": "---\naliases: [Fiddle, First instrument]\n---\n# Violin\n"}


@pytest.mark.req("T30")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("We drank cold brew.", 1, "cold brew"),
        ("\n\nCOLD\nBREW for all", 3, "COLD BREW"),
        ("A cold-brew day", 1, "cold-brew"),
        ("*Cold* **brew**", 1, "Cold brew"),
        ("> quoted\n> Cold brew", 2, "Cold brew"),
        ("- one\n- two\n  - cold brew", 3, "cold brew"),
        ("| a | b |\n|---|---|\n| x | cold brew |", 3, "cold brew"),
        ("---\ntitle: x\n---\n\n## Part\n\nText.\n\ncold brew", 9, "cold brew"),
        ("`cold brew` first\n\nthen cold brew", 3, "cold brew"),
        ("[cold brew](https://x.example)\n\nthen cold brew", 3, "cold brew"),
        ("```\ncold brew\n```\n\ncold brew", 5, "cold brew"),
        ("# Cold brew at home\n\nWe made cold brew.", 3, "cold brew"),
        ("cóld bréw", 1, "cóld bréw"),
        ("Text.[^1]\n\nMore.\n\n[^1]: A cold brew.", 5, "cold brew"),
    ],
)
def test_a_title_in_the_text_is_found_with_its_line_and_words(text: str, line: int, words: str) -> None:
    assert spell({"a.md": text, **TARGETS}) == [("a.md", line, words, "cold-brew.md")]


@pytest.mark.req("T30")
@pytest.mark.parametrize(
    "text",
    [
        "scold brew",
        "cold brewery",
        "cold. Brew",
        "cold (brew)",
        "`cold brew`",
        "```\ncold brew\n```",
        "    cold brew",
        "## Cold brew",
        "[[cold-brew]] is cold brew",
        "[Cold brew](https://x.example)",
        "![cold brew](x.png)",
        "%%cold brew%%",
        "<!-- cold brew -->",
        "https://x.example/cold-brew",
        "$cold brew$",
        "#cold-brew",
        "cold\n\nbrew",
        "cold [x](https://x.example) brew",
    ],
)
def test_parts_of_words_code_links_headings_and_comments_are_no_mention(text: str) -> None:
    assert spell({"a.md": text, **TARGETS}) == []


@pytest.mark.req("T30")
def test_aliases_and_distinctive_words_count_and_names_of_one_page_are_counted_together() -> None:
    (found,) = mention({"a.md": "A fiddle, a violin\n\nand my first instrument.", **TARGETS})
    assert found == Mention("a.md", 1, "fiddle", "violin.md", 3)


@pytest.mark.req("T30")
def test_a_word_that_many_pages_use_is_no_name_and_a_phrase_may_be_more_frequent() -> None:
    texts = {f"p{number}.md": f"The violin and cold brew {number}" for number in range(20)}
    rest = {f"r{number}.md": "Nothing." for number in range(80)}
    assert {each.target for each in mention(texts | rest | TARGETS)} == {"cold-brew.md"}
    assert mention(texts | TARGETS) == []


@pytest.mark.req("T30")
def test_the_longest_name_counts_and_a_shorter_one_inside_it_does_not() -> None:
    files = {"a.md": "Cold brew coffee, then a cold brew.", "b.md": "Cold brew coffee.", **TARGETS, "c.md": "# Cold brew coffee"}
    assert [(each.path, each.words, each.target, each.times) for each in mention(files)] == [
        ("a.md", "Cold brew coffee", "c.md", 1),
        ("a.md", "cold brew", "cold-brew.md", 1),
        ("b.md", "Cold brew coffee", "c.md", 1),
    ]


@pytest.mark.req("T30")
@pytest.mark.parametrize(
    ("title", "text", "words"),
    [
        ("小提琴", "我爱小提琴。", "小提琴"),
        ("行動規範", "すべての行動規範への違反", "行動規範"),
        ("設計", "設計を書く", "設計"),
        ("검색 색인", "이 검색 색인은 크다", "검색 색인"),
        ("Скрипка", "Моя скрипка стара", "скрипка"),
        ("वायलिन", "मेरा वायलिन पुराना है", "वायलिन"),
        ("Node.js guide", "Read the node.js guide", "node.js guide"),
        ("C++", "I write C++ here", "C++"),
        ("2026-04-13", "As on 2026-04-13, all is well", "2026-04-13"),
    ],
)
def test_titles_of_any_script_are_found(title: str, text: str, words: str) -> None:
    found = spell({"a.md": text, "t.md": f"# {title}\n"})
    assert found == ([("a.md", 1, words, "t.md")])


@pytest.mark.req("T30")
@pytest.mark.parametrize(
    ("title", "text"), [("計", "設計"), ("2026", "In 2026 and 2027"), ("Go", "We go"), ("!!!", "!!!"), ("कम", "कमल कमी")]
)
def test_titles_too_short_or_of_symbols_are_not_looked_for(title: str, text: str) -> None:
    assert spell({"a.md": text, "t.md": f"# {title}\n"}) == []


@pytest.mark.req("T30")
def test_a_name_of_several_pages_means_none_and_hidden_pages_neither_speak_nor_are_spoken_of() -> None:
    hidden = "---\nprivate: true\n---\n"
    assert spell({"a.md": "the old mill", "d/old mill.md": "", "e/old mill.md": ""}) == []
    assert spell({"a.md": "the old mill", "old mill.md": hidden}) == []
    assert spell({"a.md": f"{hidden}the old mill", "old mill.md": ""}) == []


@pytest.mark.req("T30")
def test_a_page_that_links_back_is_mentioned_all_the_same_and_a_page_does_not_mention_itself() -> None:
    files = {"a.md": "the old mill", "old mill.md": "The old mill of [[a]]."}
    assert spell(files) == [("a.md", 1, "old mill", "old mill.md")]
