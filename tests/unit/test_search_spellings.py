"""What people type is not what was written: other letters, other forms, a hyphen more or less, a picture."""

import pytest

from indexer.publish.search_query import QueryWord, near_forms
from tests.tools.search_vault import build_index, find, find_paths

PAGES = {
    "pl.md": "# Łódź\n\nZażółć gęślą jaźń\n",
    "vi.md": "# Đường phố\n\nĐăng nhập\n",
    "da.md": "# Øre\n\nÆble og brød\n",
    "is.md": "# Þór\n",
    "tr.md": "# IŞIK\n\nDiyarbakır\n",
    "ar.md": "# أَحْمَد\n\nمدرسـة إلى ٢٠٢٤\n",
    "fa.md": "# کتاب\n\nفارسی ۱۴۰۳\n",
    "he.md": "# שָׁלוֹם\n",
}


@pytest.mark.req("P08", "P09")
@pytest.mark.parametrize(
    ("query", "path"),
    [
        *(("lodz", "pl.md"), ("ŁÓDŹ", "pl.md"), ("zazolc", "pl.md"), ("duong pho", "vi.md"), ("dang nhap", "vi.md"), ("ore", "da.md")),
        *(("aeble", "da.md"), ("brod", "da.md"), ("thor", "is.md"), ("ışık", "tr.md"), ("isik", "tr.md"), ("diyarbakir", "tr.md")),
        *(("احمد", "ar.md"), ("مدرسة", "ar.md"), ("مدرسه", "ar.md"), ("الى", "ar.md"), ("2024", "ar.md"), ("٢٠٢٤", "ar.md")),
        *(("كتاب", "fa.md"), ("فارسي", "fa.md"), ("1403", "fa.md"), ("שלום", "he.md")),
    ],
)
def test_letters_are_found_without_strokes_points_and_accents(query: str, path: str) -> None:
    assert [result.path for result in find(build_index(PAGES), query) if not result.relaxed] == [path]


@pytest.mark.req("P08", "P09")
@pytest.mark.parametrize(
    ("written", "typed"),
    [
        *(("e-mail", "email"), ("email", "e-mail"), ("node.js", "NodeJS"), ("nodejs", "node.js"), ("UTF-8", "utf8"), ("co-op", "coop")),
        *(("user_id", "userid"), ("userid", "user_id"), ("userId", "user_id"), ("user_id", "userId"), ("user_id", "USER_ID")),
        *(("1,000,000", "1000000"), ("1000000", "1,000,000"), ("2,500.75", "2500.75"), ("12,000", "12000")),
        *(("policies", "policy"), ("policy", "policies"), ("cities", "city"), ("tried", "try"), ("running", "run"), ("run", "running")),
    ],
)
def test_a_word_is_found_by_its_other_form(written: str, typed: str) -> None:
    index = build_index({"a.md": f"# A\n\nAbout {written} here.\n", "b.md": "# B\n\nNothing of it.\n"})
    results = find(index, typed)
    assert [result.path for result in results] == ["a.md"]
    assert any(piece.hit and piece.text.casefold() == written.casefold() for piece in results[0].pieces), "and marked"


NAMES = {
    "apos.md": "# A\n\nSince Musk’s word and Hume's Essays we don't know, said the doctor.\n",
    "rack.md": '# B\n\nA 19" rack with a 24" screen, צה"ל ועוד ארה״ב.\n',
    "version.md": "# C\n\nFrom v2.10.3 on, host 192.168.0.1, see example.com and github.com 1 2 10 times.\n",
    "numbers.md": "# D\n\n2 of 10, or 3 of 168 and 192: some are here.\n",
    "flag.md": "# E\n\nFrom 🇩🇪🇫🇷 with love.\n",
}


@pytest.mark.req("P08", "P09")
@pytest.mark.parametrize(
    ("query", "path", "marked"),
    [
        *(("hume's", "apos.md", ["Hume"]), ("MUSK’S", "apos.md", ["Musk"]), ("doctor's", "apos.md", ["doctor"])),
        *(("don't", "apos.md", ["don", "t"]), ('"hume\'s essays"', "apos.md", ["Hume", "Essays"])),
        *(('19" rack 24"', "rack.md", ["19", "rack", "24"]), ('"rack with" 24" s', "rack.md", ["rack", "with", "24", "screen"])),
        *(('צה"ל ארה"ב', "rack.md", ["צה", "ל", "ארה", "ב"]), ("2.10", "version.md", ["v2.10.3"]), ("2.10.3", "version.md", ["v2.10.3"])),
        *(("v2.10.3", "version.md", ["v2.10.3"]), ("192.168", "version.md", ["192.168.0.1"])),
        *(("example.com", "version.md", ["example.com"]), ("🇩🇪", "flag.md", ["🇩🇪"]), ("🇫🇷", "flag.md", ["🇫🇷"])),
    ],
)
def test_apostrophes_inches_versions_and_flags_are_found_and_nothing_else_is_marked(query: str, path: str, marked: list[str]) -> None:
    results = [result for result in find(build_index(NAMES), query) if not result.relaxed]
    assert [result.path for result in results] == [path]
    assert [piece.text for piece in results[0].pieces if piece.hit] == marked


def test_two_flags_do_not_make_a_third() -> None:
    assert find_paths(build_index(NAMES), "🇪🇫") == []


@pytest.mark.req("P09")
@pytest.mark.parametrize(("written", "typed"), [("الكتاب", "كتاب"), ("كتاب", "الكتاب"), ("서버에", "서버를"), ("자전거를", "자전거가")])
def test_a_word_is_found_with_another_article_or_particle(written: str, typed: str) -> None:
    index = build_index({"a.md": f"# A\n\n{written}\n", "b.md": "# B\n\nمدرسة 학교에\n"})
    assert find_paths(index, typed) == ["a.md"]


def test_the_form_that_was_typed_comes_first() -> None:
    index = build_index({"a.md": "# A\n\nAn e-mail came.\n", "b.md": "# B\n\nAn email came.\n", "c.md": "# C\n\nOne mail, e and all.\n"})
    assert find_paths(index, "email") == ["b.md", "a.md"]
    assert find_paths(index, "e-mail") == ["a.md", "b.md", "c.md"]
    assert find_paths(index, '"e-mail"')[0] == "a.md"
    assert "b.md" not in find_paths(index, '"e-mail"')


def test_of_a_word_with_signs_nothing_less_is_marked() -> None:
    index = build_index({"a.md": "# A\n\nC++, C#, C and vitamin C.\n"})
    assert [piece.text for piece in find(index, "C++")[0].pieces if piece.hit] == ["C++"]


def test_numbers_are_not_read_as_one() -> None:
    index = build_index({"a.md": "# A\n\nVersion 1.2 and 10-20.\n", "b.md": "# B\n\n12 and 1020\n"})
    assert find_paths(index, "12") == ["b.md"]
    assert find_paths(index, "1020") == ["b.md"]


@pytest.mark.req("P09")
@pytest.mark.parametrize("query", ["🚀", "👍", "👍🏽", "❤", "❤️", "launch 🚀", "🇩🇪", "👩‍🚀"])
def test_pictures_are_found(query: str) -> None:
    index = build_index({"a.md": "# 🚀 Launch\n\n👍🏿 ❤️ 🇩🇪 👩🏽‍🚀\n", "b.md": "# Other\n\n🎉 Launch of nothing\n"})
    assert [result.path for result in find(index, query) if not result.relaxed] == ["a.md"]


def test_a_picture_in_a_title_takes_nothing_from_its_words() -> None:
    index = build_index({"a.md": "# 🚀 Launch\n", "b.md": "# Launch day\n\nLaunch, launch, launch.\n"})
    assert find_paths(index, "launch") == ["a.md", "b.md"]


def test_a_formula_in_a_line_is_found() -> None:
    index = build_index({"a.md": "# A\n\nHere $$\\mathcal{zeppelin}$$ and $\\mathrm{balloon}$.\n"})
    assert find_paths(index, "zeppelin") == find_paths(index, "balloon") == ["a.md"]


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        *(("query", ["queries", "queried"]), ("day", []), ("queries", ["query", "querie"]), ("applied", ["apply", "applie"])),
        *(("running", ["runn", "run", "runne"]), ("stopped", ["stopp", "stop", "stoppe"]), ("telling", ["tell", "telle"])),
    ],
)
def test_other_forms_know_how_english_spells_them(word: str, forms: list[str]) -> None:
    assert near_forms(QueryWord(word, word)) == forms


CONTRACTED = {
    "apart.md": "# Apart\n\nYou don't repeat what they've said; we can’t.\n",
    "as-one.md": "# As one\n\nYou dont repeat what theyve said.\n",
    "neither.md": "# Neither\n\nDon Quixote and cantilevers: they have said so.\n",
}


@pytest.mark.req("P08", "P09")
@pytest.mark.parametrize("query", ["don't", "dont", "Don’t", "DONT", "they've", "theyve", "don't repeat", '"don\'t repeat" dont'])
def test_a_contraction_is_found_with_and_without_its_apostrophe(query: str) -> None:
    found = {result.path for result in find(build_index(CONTRACTED), query) if not result.relaxed}
    assert found == ({"apart.md"} if '"' in query else {"apart.md", "as-one.md"})


@pytest.mark.req("P08", "P09")
def test_a_contraction_is_no_beginning_of_another_word() -> None:
    assert find_paths(build_index(CONTRACTED), "can't") == ["apart.md"]
    assert find_paths(build_index(CONTRACTED), "canti") == ["neither.md"]


@pytest.mark.req("P08", "P09")
def test_a_title_with_a_contraction_that_is_the_query_comes_first() -> None:
    pages = {"a.md": "# Don't repeat yourself\n", "b.md": "# Notes\n\n" + "dont repeat yourself. " * 9}
    for query in ("don't repeat yourself", "dont repeat yourself"):
        first, second = find(build_index(pages), query)
        assert (first.path, second.path) == ("a.md", "b.md")
        assert first.score > 2 * second.score


@pytest.mark.req("P08", "P09")
def test_the_groups_of_a_number_are_not_found_apart() -> None:
    pages = {"a.md": "# A\n\nIt costs 1,000,000.\n", "b.md": "# B\n\n1 of 20,000 and 3,000.\n"}
    assert find_paths(build_index(pages), "1,000,000") == ["a.md"]
    assert find_paths(build_index(pages), "1000000") == ["a.md"]
