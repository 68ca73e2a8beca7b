"""Text → search words: the shared vectors, and what holds for any text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.parse.tokens import LONGEST, Word, count_tokens, find_words, fold_text, pair_run, split_word

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "search_tokens.json").read_text(encoding="utf-8"))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.text("aZ9_.-+#[] é漢ガก\u0301\u200d", max_size=40)


@pytest.mark.req("P09")
@pytest.mark.parametrize("vector", VECTORS, ids=[vector["title"] for vector in VECTORS])
def test_words_and_tokens_are_those_of_the_shared_vectors(vector: dict[str, Any]) -> None:
    found = []
    for raw in find_words(vector["text"]).findall(vector["text"]):
        word = split_word(raw)
        assert isinstance(raw, str)
        found.append({"raw": raw, "nothing": True} if word is None else {"raw": raw, **show(word)})
    assert found == vector["words"]
    assert count_tokens(vector["text"]) == vector["tokens"]


def show(word: Word) -> dict[str, Any]:
    shown: dict[str, Any] = {"whole": word.whole}
    shown |= {"parts": list(word.parts)} if word.parts else {}
    shown |= {"middle": list(word.middle)} if word.middle else {}
    return shown | ({"run": True} if word.run else {})


@given(TEXTS)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


@given(TEXTS)
def test_a_text_is_counted_as_the_sum_of_its_words(text: str) -> None:
    expected: dict[str, int] = {}
    for raw in find_words(text).findall(text):
        word = split_word(raw)
        if word is None:
            continue
        tokens = [(token, 2) for token in (word.whole, *(pair_run(word.whole) if word.run else ()))]
        if word.run:
            tokens = [(token, 2) for token in (*word.whole, *(pair_run(word.whole) if len(word.whole) > 1 else ()))]
        for token, halves in (*tokens, *((part, 1) for part in (*word.parts, *word.middle))):
            if token:
                expected[token] = expected.get(token, 0) + halves
    assert count_tokens(text) == expected


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_plain_text_has_the_same_words_beside_other_letters(text: str) -> None:
    # The faster pattern for ASCII must find what the general one finds.
    alone = find_words(text).findall(text)
    assert find_words("é").findall(text) == alone


@pytest.mark.threat(25)
@given(TEXTS)
def test_no_token_holds_what_json_or_html_would_escape(text: str) -> None:
    for token in count_tokens(text):
        assert 0 < len(token) <= LONGEST
        assert not set(token) & set("\"\\<>&'\u2028\u2029\n\x00")
        token.encode("utf-8")


@pytest.mark.parametrize("text", ["Crème brûlée", "ПОЧИНИЛ", "Straße", "한글"])
def test_composed_and_decomposed_text_have_the_same_tokens(text: str) -> None:
    import unicodedata

    assert count_tokens(unicodedata.normalize("NFD", text)) == count_tokens(unicodedata.normalize("NFC", text))


def test_long_repetitive_text_is_counted_in_time_that_grows_with_its_length() -> None:
    # Nested repetition in the pattern would take exponential time on such a text.
    assert count_tokens("a-" * 50_000) == {"a": 50_000}
    assert sum(count_tokens("é" + "x\u0301-" * 20_000 + "!").values()) > 0
