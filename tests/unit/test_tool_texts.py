"""Texts of pages as agents get them, cursors, and the arguments that tools take."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.publish.visible import clean_line, clean_text
from indexer.serve.cursor import make_cursor, parse_cursor
from indexer.serve.tool_arguments import LONGEST_QUERY, SearchBrain, parse_arguments
from indexer.serve.tool_error import ToolError
from indexer.serve.tool_search import LONGEST_SNIPPET, find_lines
from indexer.serve.tool_text import cut_around, fold_text, render_compact_json


@pytest.mark.threat(46)
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
        ("tag\U000e0041\U000e0042\U000e007f", "tag"),
        ("zero\u200bwidth\u2060\ufeff", "zerowidth"),
        ("turned \u202eround\u202c", "turned round"),
        ("escape\x1b[2Jed \x07\x00\x9b", "escape[2Jed "),
        ("smuggled\U000e0100\U000e0101 bytes", "smuggled bytes"),
        ("row\ufe00\ufe01\ufe02\ufe03 of selectors", "row\ufe00 of selectors"),
        ("می\u200cخواهم and 👩\u200d💻 and ❤\ufe0f", "می\u200cخواهم and 👩\u200d💻 and ❤\ufe0f"),
        ("line\u2028separator", "line separator"),
        ("next\x85line form\x0cfeed tab\x0bulator", "next line form feed tab ulator"),
        ("half \ud800 of a pair", "half  of a pair"),
    ],
)
def test_what_shows_nothing_is_taken_out_and_what_shapes_letters_stays(written: str, shown: str) -> None:
    assert clean_text(written) == shown


@given(st.text())
def test_cleaning_keeps_the_number_of_lines_and_does_nothing_the_second_time(text: str) -> None:
    cleaned = clean_text(text)
    assert cleaned.count("\n") == text.count("\n")
    assert clean_text(cleaned) == cleaned


def test_a_line_is_one_line() -> None:
    assert clean_line(" a\n b\t c ") == "a b c"
    assert clean_line("a" * 50, 10) == "a" * 9 + "…"


@pytest.mark.threat(46)
def test_paths_that_cannot_be_changed_are_shown_with_escapes() -> None:
    path = "odd\u200b\U000e0041.md"
    text = render_compact_json({"path": path, "title": "Ä"})
    assert "\u200b" not in text
    assert "\U000e0041" not in text
    assert "Ä" in text
    assert json.loads(text)["path"] == path


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("A Discount of 5%", "discount"),
        ("Café au lait", "CAFE"),
        ("Cafe\u0301 au lait", "café"),
        ("STRASSE und Straße", "straße und strasse"),
        ("two   words\tapart", "two words apart"),
        ("İstanbul", "istanbul"),
        ("ﬁne print", "fine"),
        ("東京タワー", "東京"),
    ],
)
def test_a_line_is_found_whatever_its_case_accents_and_spaces(line: str, query: str) -> None:
    text = f"first\n{line}\nlast"
    assert list(find_lines(text, fold_text(clean_line(query)))) == [(2, clean_line(line))]


def test_a_search_is_of_words_as_they_stand_in_one_line() -> None:
    assert list(find_lines("two\nwords", "two words")) == []
    assert [number for number, _ in find_lines("a.c\nabc\na.c", "a.c")] == [1, 3]


@pytest.mark.req("S10")
def test_a_snippet_is_one_short_line_around_the_words() -> None:
    line = "x" * 5 + " word" * 100 + " here Ünïque there" + " word" * 100
    ((number, snippet),) = find_lines(line, "unique")
    assert number == 1
    assert "Ünïque" in snippet
    assert len(snippet) <= LONGEST_SNIPPET
    assert snippet.startswith("…")
    assert snippet.endswith("…")


@given(st.text(alphabet=st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=600), st.data())
def test_every_snippet_is_short_and_holds_the_words(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line) - 1))
    words = fold_text(line[start : start + 20])
    line = clean_line(line)
    if not words or words not in fold_text(line):
        return
    snippet = cut_around(line, words, 200)
    assert len(snippet) <= 200
    assert words in fold_text(snippet)


@given(st.lists(st.one_of(st.text(), st.integers())))
def test_a_cursor_brings_back_what_it_was_made_of(parts: list[str | int]) -> None:
    if any(isinstance(part, str) and any("\ud800" <= char <= "\udfff" for char in part) for part in parts):
        return
    assert list(parse_cursor(make_cursor(*parts), tuple(type(part) for part in parts))) == parts


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    "cursor",
    ["", "x", "!!!", "é", "\x00", make_cursor(), make_cursor(5), make_cursor("a", "b"), make_cursor("a") + "=", "[" * 4000]
    + [
        base64.urlsafe_b64encode(raw).decode().rstrip("=")
        for raw in (b"{}", b"null", b"[" * 3000, b'[ "a"]', b'["a",]', b"\xff", b"[true]")
    ],
)
def test_a_cursor_that_no_answer_held_is_refused(cursor: str) -> None:
    with pytest.raises(ToolError, match="cursor"):
        parse_cursor(cursor, (str,))


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"brain": "a/b", "query": ""}, "The argument `query` is empty."),
        ({"brain": "a/b", "query": "q" * (LONGEST_QUERY + 1)}, "The argument `query` has more than 200 characters."),
        ({"query": "q"}, "The argument `brain` is missing. The arguments are: `brain`, `query`, `includeParents`."),
        (
            {"brain": "a/b", "query": "q", "limit": 5},
            "There is no argument `limit`. The arguments are: `brain`, `query`, `includeParents`.",
        ),
        ({"brain": 5, "query": "q"}, "The argument `brain` is of the wrong type: input should be a valid string."),
        ({"brain": "a/b", "query": "q", "includeParents": "yes"}, "The argument `includeParents` is of the wrong type: "),
        ([1], "The arguments must be an object. "),
    ],
)
def test_wrong_arguments_are_named(raw: object, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse_arguments(SearchBrain, raw)
    assert caught.value.message.startswith(said)
