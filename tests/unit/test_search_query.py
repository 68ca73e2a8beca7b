"""What people find: which pages, in which order, and where the result leads."""

import unicodedata
from collections.abc import Callable
from functools import cache

import pytest

from indexer.errors import PublishError
from indexer.publish.search_lookup import OWN_BYTES_OF_QUERY, TERMS_BYTES
from indexer.publish.search_query import QueryWord, near_forms, parse_query, spell_phrase
from indexer.publish.search_rank import weigh_rarity
from indexer.publish.search_reader import SearchReader
from tests.conftest import CorpusFactory
from tests.tools.search_vault import build_index, count_reads, find, find_paths, read_folder

LANGUAGES = {
    "zh.md": "# 无人机手册\n\n起飞前检查电池。人要站在后面。\n",
    "zh2.md": "# 菜谱\n\n把面粉和水混合。\n",
    "ja.md": "# 覚え書き\n\n引っ越して以来、自転車で通っている。\n",
    "ko.md": "# 일지\n\n자전거를 고쳤다.\n",
    "th.md": "# บันทึก\n\nวันนี้ซ่อมจักรยานแล้ว\n",
    "ar.md": "# مذكرات\n\nأصلحت الدراجة اليوم\n",
    "ru.md": "# Заметки\n\nПочинил велосипед\n",
    "mix.md": "# Mixed\n\n用Python写的ToolBox\n",
}


@pytest.mark.req("P08", "P09")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("无人机", ["zh.md"]),
        ("人", ["zh.md"]),
        ("飞", ["zh.md"]),
        ("て以来", ["ja.md"]),
        ("자전거", ["ko.md"]),
        ("จักรยาน", ["th.md"]),
        ("الدراجة", ["ar.md"]),
        ("велосипед", ["ru.md"]),
        ("ВЕЛОСИПЕД", ["ru.md"]),
        ("python", ["mix.md"]),
        ("toolbox", ["mix.md"]),
        ("box", ["mix.md"]),
        ("水人", []),
        ("机人", []),
        ("起前", []),
        ("", []),
        ("。 !", []),
    ],
)
def test_scripts_without_spaces_are_found_by_adjacent_characters(query: str, found: list[str]) -> None:
    index = build_index(LANGUAGES)
    assert find_paths(index, query) == found
    for result in find(index, query):
        assert any(piece.hit for piece in result.pieces) or query in result.title


def test_pairs_that_are_not_one_run_do_not_match_it() -> None:
    index = build_index({"apart.md": "# A\n\n无人和人机\n", "title.md": "# 无人机\n", "joined.md": "# B\n\n无人机\n"})
    assert find_paths(index, "无人机") == ["title.md", "joined.md"]


def test_a_long_run_that_nobody_wrote_is_searched_by_its_pairs_and_said_so() -> None:
    index = build_index({"zip.md": "# zip\n\n压缩一个文件或目录\n", "cp.md": "# cp\n\n复制文件\n"})
    assert [(r.path, r.relaxed, r.missing) for r in find(index, "压缩文件")] == [("zip.md", True, ("压缩文件",))]


@pytest.mark.req("P09")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("query", "path"), [("résumé", "Café.md"), ("resume", "Café.md"), ("학점", "한글 노트.md"), ("café", "Café.md")])
def test_composed_and_decomposed_text_find_each_other(form: str, query: str, path: str) -> None:
    def decompose(text: str) -> str:
        return unicodedata.normalize("NFD", text)

    typed = unicodedata.normalize("NFC", query) if form == "NFC" else decompose(query)

    index = build_index(
        {decompose("Café.md"): decompose("# Café\n\nrésumé body\n"), decompose("한글 노트.md"): decompose("# 한글\n\n학점인정\n")}
    )
    assert find_paths(index, typed) == [decompose(path)]


SHORT = {
    "if.md": "# If\n\nBranching.\n",
    "while.md": "# while\n\nLoops.\n",
    "go.md": "# Go\n\nA language.\n",
    "c.md": "# C\n\nAnother.\n",
    "ai.md": "# AI\n\nModels.\n",
    "might.md": "# Might\n\nAn attribute.\n",
    "noise.md": "# Noise\n\nIf you go there, a c and an ai might help while you wait. If if if go go while might.\n",
}


@pytest.mark.req("P08")
@pytest.mark.parametrize(
    ("query", "path"),
    [("if", "if.md"), ("while", "while.md"), ("go", "go.md"), ("C", "c.md"), ("AI", "ai.md"), ("might", "might.md")],
)
def test_the_page_whose_title_is_the_query_comes_first(query: str, path: str) -> None:
    found = find_paths(build_index(SHORT), query)
    assert found[0] == path
    assert "noise.md" in found


def test_a_title_that_is_the_query_beats_longer_titles_with_rich_text() -> None:
    files = {
        f"long{number}.md": f"# Knot tying basics {number}\n\n{'knot tying ' * 20}\n\n## Knot tying\n\nknot tying\n" for number in range(9)
    }
    index = build_index(
        {**files, "exact.md": "---\ntitle: Knot tying\n---\nNothing else.\n", "alias.md": "---\naliases: [Knot tying]\n---\n# X\n"}
    )
    assert find_paths(index, "knot tying")[:2] == ["exact.md", "alias.md"]
    assert find_paths(index, "tying knot")[:1] == ["exact.md"]


def test_names_count_more_than_headings_and_headings_more_than_text() -> None:
    index = build_index(
        {
            "text.md": "# A\n\nSome water here.\n",
            "heading.md": "# B\n\n## Water\n\nSome text here.\n",
            "tag.md": "---\ntags: [water]\n---\n# C\n\nSome text here.\n",
            "title.md": "# Water\n\nSome text here.\n",
        }
    )
    assert find_paths(index, "water") == ["title.md", "tag.md", "heading.md", "text.md"]


def test_words_in_one_section_come_before_words_in_two() -> None:
    index = build_index(
        {
            "apart.md": "# A\n\n## One\n\nA zeppelin rises.\n\n## Two\n\nA mooring mast.\n",
            "together.md": "# B\n\n## One\n\nA zeppelin at its mooring.\n\n## Two\n\nA mast.\n",
        }
    )
    assert find_paths(index, "zeppelin mooring") == ["together.md", "apart.md"]


@pytest.mark.req("P08")
def test_a_result_leads_to_the_section_and_line() -> None:
    index = build_index({"a/guide.md": "# Guide\n\nIntro about boats.\n\n## Mooring lines\n\nTie the zeppelin knot.\n"})
    result = find(index, "zeppelin")[0]
    assert (result.url, result.heading, result.line) == ("a/guide/#mooring-lines", "Mooring lines", 5)
    assert result.snippet == "Tie the zeppelin knot."
    assert result.breadcrumbs == ("a",)
    top = find(index, "guide")[0]
    assert (top.url, top.heading, top.line) == ("a/guide/", "", 1)


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("snake_case", {"snake.md"}),
        ("snake", {"snake.md"}),
        ("camelcase", {"camel.md"}),
        ("camelCase", {"camel.md"}),
        ("case", {"snake.md", "camel.md"}),
        ("v1.2.3", {"version.md"}),
        ("c++", {"cpp.md"}),
        ("C#", {"csharp.md"}),
        (".net", {"net.md"}),
        ("tar.gz", {"archive.md"}),
        ("gz", {"archive.md"}),
        ("self-hosted", {"hosted.md"}),
        ("__proto__", {"proto.md"}),
        ("proto", {"proto.md"}),
        ("constructor", {"proto.md"}),
        ("toString", {"proto.md"}),
    ],
)
@pytest.mark.threat(27)
def test_identifiers_are_found_whole_and_by_their_parts(query: str, paths: set[str]) -> None:
    texts = {
        "snake.md": "A snake_case name",
        "camel.md": "A camelCase name",
        "version.md": "Since v1.2.3 only",
        "cpp.md": "Written in C++ today",
        "csharp.md": "Written in C# today",
        "net.md": "Runs on .NET there",
        "archive.md": "Packed as backup.tar.gz here",
        "hosted.md": "A self-hosted thing",
        "proto.md": "In JavaScript \\_\\_proto\\_\\_ and constructor and toString",
    }
    index = build_index({path: f"{text}.\n" for path, text in texts.items()})
    assert {result.path for result in find(index, query) if not result.relaxed} == paths


def test_the_word_being_typed_is_completed_and_other_forms_are_found() -> None:
    index = build_index(
        {"a.md": "# A\n\nCompressing folders\n", "b.md": "# B\n\nThe folder is compressed\n", "c.md": "# C\n\nfolders only\n"}
    )
    assert set(find_paths(index, "compr")) == {"a.md", "b.md"}
    assert find_paths(index, "folders") == ["a.md", "c.md", "b.md"], "the word itself before its other form"
    complete = [result.path for result in find(index, "compressing folder") if not result.relaxed]
    assert complete[0] == "a.md"
    # A finished short word stays as it is; one being typed may become a longer one.
    assert find_paths(index, "the ") == ["b.md"]
    assert find_paths(index, "fol ") == find_paths(index, "fol"), "no page has the word itself"


def test_a_word_in_quotation_marks_is_taken_as_it_is() -> None:
    index = build_index({"a.md": "# A\n\nfolders\n", "b.md": "# B\n\nfolder\n"})
    assert find_paths(index, '"folder"') == ["b.md"]
    assert find_paths(index, "“folders”") == ["a.md"]


@pytest.mark.parametrize(
    ("query", "found"), [('"mast of iron"', ["phrase.md"]), ('"iron mast"', []), ('"MAST of"', ["phrase.md"]), ('"ast of"', [])]
)
def test_a_phrase_has_to_stand_together(query: str, found: list[str]) -> None:
    index = build_index({"phrase.md": "# P\n\n## X\n\nA mast of iron, old.\n", "apart.md": "# Q\n\nOf a mast, iron.\n"})
    assert find_paths(index, query) == found


def test_a_phrase_is_found_in_titles_and_leads_to_its_section_elsewhere() -> None:
    index = build_index(
        {"a.md": "# Mast of iron\n\nx\n", "b.md": f"# B\n\n## One\n\niron mast of of iron {'mast ' * 9}\n\n## Two\n\nmast of iron\n"}
    )
    assert {result.path: result.url for result in find(index, '"mast of iron"')} == {"a.md": "a/", "b.md": "b/#two"}


def test_a_query_that_no_page_matches_is_relaxed_and_says_what_is_missing() -> None:
    index = build_index({"a.md": "# Tar\n\nArchives.\n", "b.md": "# Zip\n\nArchives too.\n"})
    results = find(index, "tar unknownword")
    assert [(result.path, result.missing) for result in results] == [("a.md", ("unknownword",))]
    assert find(index, "unknownword otherword") == []
    assert not find(index, "tar archives")[0].relaxed


def test_complete_results_come_before_relaxed_ones_whatever_their_scores() -> None:
    index = build_index(
        {"both.md": f"# Both\n\n{'filler ' * 900} rope and anchor\n", "rope.md": "# Rope\n\nrope rope\n", "x.md": "# X\n\nanchor\n"}
    )
    results = find(index, "rope anchor")
    assert results[0].path == "both.md"
    assert [bool(result.missing) for result in results] == sorted(bool(result.missing) for result in results)


def test_results_are_limited_and_stable() -> None:
    index = build_index({f"n{number:02}.md": "# Same\n\nsame text\n" for number in range(30)})
    assert find_paths(index, "same", 5) == find_paths(index, "same", 5)
    assert len(find_paths(index, "same", 5)) == 5
    assert find_paths(index, "same", 30) == [f"n{number:02}.md" for number in range(30)]
    assert find(index, "same", 0) == []


def test_words_that_are_in_nearly_every_page_shut_no_page_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from indexer.publish import search_words

    monkeypatch.setattr(search_words, "MOST_PAGES", 5)
    monkeypatch.setattr(search_words, "OWN_BYTES", 50)
    files = {f"n{number}.md": f"# N{number}\n\nthe water {'the ' * (number % 9)}\n" for number in range(40)}
    index = build_index({**files, "rare.md": "# R\n\nthe zeppelin\n"})
    assert any(name.startswith("whole/") for name in index)
    assert find_paths(index, "the zeppelin")[:1] == ["rare.md"]
    assert not find(index, "the zeppelin")[0].relaxed
    assert len(find_paths(index, "the water")) >= 5, "both words are cut: the pages listed for either"


@pytest.mark.req("P08")
def test_one_query_reads_a_bounded_amount_of_a_large_index() -> None:
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("ra", "lo", "ne", "ti", "su")]
    files = {}
    for number in range(4000):
        chosen = " ".join(words[(number * 7 + place * place) % len(words)] for place in range(60))
        files[f"d{number % 20}/note {number}.md"] = f"# Note {number}\n\nthe file to a path {chosen} needle{number}\n"
    index = build_index(files)
    sentence = files["d0/note 0.md"].split("\n\n")[1]
    for query in ("needle3321", "the file to a path note", sentence, " ".join(words[:40]), "b", "note"):
        read, counted = count_reads(index)
        results = SearchReader(read).search(query, 10)
        assert results or query.startswith(words[0])
        own = sum(size for name, size in counted.items() if name.startswith("words/"))
        terms = sum(size for name, size in counted.items() if name.startswith("terms/"))
        assert own <= OWN_BYTES_OF_QUERY
        assert terms <= TERMS_BYTES + len(counted)
        assert sum(counted.values()) <= 300_000
        assert not any(name.startswith("whole/") for name in counted)
    assert find_paths(index, "needle3321") == ["d1/note 3321.md"]


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("folders", ["folder"]),
        ("boxes", ["boxe", "box"]),
        ("tying", ["ty", "tye"]),
        ("closed", ["clos", "close"]),
        ("gas", []),
        ("needle4s", []),
    ],
)
def test_other_forms_are_english_endings_of_plain_words(word: str, forms: list[str]) -> None:
    assert near_forms(QueryWord(word, word)) == forms


def test_a_query_is_read_within_bounds() -> None:
    many = parse_query(" ".join(f"w{number}" for number in range(200)))
    assert len(many.words) == 16
    assert parse_query("x" * 10_000).words[0].whole == "x" * 64
    assert [word.whole for word in parse_query("tar TAR Tar").words] == ["tar"]
    assert parse_query('one "two three').phrases == ()
    assert [(word.whole, word.last) for word in parse_query("tar extr").words] == [("tar", False), ("extr", True)]
    assert [word.last for word in parse_query("tar extr ").words] == [False, False]


def test_phrases_are_spelled_with_their_bounds() -> None:
    assert spell_phrase("Path/to, the FILE") == " path to the file "
    assert spell_phrase("用Python写") == "用 python 写"
    assert spell_phrase("...") == ""


def test_rarity_is_sixteen_times_the_logarithm() -> None:
    assert [weigh_rarity(pages, 1000) for pages in (1000, 500, 1)] == [16, 25, 159]


def test_a_damaged_or_missing_index_is_said() -> None:
    index = dict(build_index({"a.md": "# A\n\nwater\n"}))
    for broken in ({}, {**index, "index.json": b"{"}, {**index, "index.json": b'{"format":"other/9"}'}):
        with pytest.raises(PublishError, match="search index"):
            SearchReader(broken.get)
    del index["terms/t.json"]
    with pytest.raises(PublishError, match=r"terms/t\.json is missing"):
        find(index, "water")


GOOD = [
    ("obsidian-tasks-docs", "regular expressions", "Queries/Regular Expressions.md"),
    ("obsidian-tasks-docs", "recurring tasks", "Getting Started/Recurring Tasks.md"),
    ("obsidian-tasks-docs", "due date", "Getting Started/Dates.md"),
    ("obsidian-tasks-docs", "custom statuses", "Getting Started/Statuses/Custom Statuses.md"),
    ("obsidian-tasks-docs", "dataview", "Reference/Task Formats/Dataview Format.md"),
    ("ms-playbook-docs", "pull request template", "code-reviews/pull-request-template.md"),
    ("ms-playbook-docs", "unit testing", "automated-testing/unit-testing/README.md"),
    ("ms-playbook-docs", "secrets management", "CI-CD/dev-sec-ops/secrets-management/README.md"),
    ("ms-playbook-docs", "definition of done", "agile-development/team-agreements/definition-of-done.md"),
    ("ms-playbook-docs", "load testing", "automated-testing/performance-testing/load-testing.md"),
    ("ms-playbook-docs", "accessibility", "non-functional-requirements/accessibility.md"),
]


@pytest.fixture(scope="module")
def corpus_indexes(corpus: CorpusFactory) -> Callable[[str], dict[str, bytes]]:
    """`corpus_indexes("ms-playbook-docs")` returns the index of real documentation, built once."""

    @cache
    def build(name: str) -> dict[str, bytes]:
        return build_index(read_folder(corpus(f"small/{name}")))

    return build


@pytest.mark.req("P08")
@pytest.mark.parametrize(("name", "query", "path"), GOOD)
def test_real_documentation_gives_first_what_a_reader_expects(
    corpus_indexes: Callable[[str], dict[str, bytes]], name: str, query: str, path: str
) -> None:
    assert find_paths(corpus_indexes(name), query)[0] == path
