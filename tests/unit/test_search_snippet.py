"""Snippets: the right stretch, marked, and cut where readers do not stumble."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.model.search import Piece
from indexer.publish.search_snippet import Mark, count_neighbours, cut_snippet

LONG = " ".join(f"word{number}" for number in range(300))


def mark(*tokens: str, beginnings: tuple[str, ...] = (), run: str = "") -> Mark:
    return Mark(frozenset(tokens), beginnings, run)


def show(pieces: tuple[Piece, ...]) -> str:
    return "".join(f"[{piece.text}]" if piece.hit else piece.text for piece in pieces)


def test_what_matches_is_marked_as_it_is_written() -> None:
    assert show(cut_snippet("The Café, the CAFE\u0301 and a cafeteria", [mark("cafe")])) == "The [Café], the [CAFE\u0301] and a cafeteria"
    assert show(cut_snippet("tar, tarball", [mark("tar", beginnings=("tar",))])) == "[tar], [tarball]"
    assert show(cut_snippet("backup.tar.gz", [mark("tar")])) == "[backup.tar.gz]"


def test_the_stretch_with_the_most_different_words_is_shown() -> None:
    text = f"tar {LONG} extract with tar {LONG} tar tar tar"
    shown = show(cut_snippet(text, [mark("tar"), mark("extract")]))
    assert "[extract] with [tar]" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "tar tar" not in shown


def test_words_are_not_cut_in_two() -> None:
    shown = cut_snippet(f"{LONG} needle {LONG}", [mark("needle")])
    words = "".join(piece.text for piece in shown).strip("…").split()
    assert set(words) <= {*LONG.split(), "needle"}
    assert 150 <= len("".join(piece.text for piece in shown)) <= 210


def test_without_a_match_the_beginning_is_shown() -> None:
    assert show(cut_snippet(LONG, [mark("absent")])).startswith("word0 word1 ")
    assert cut_snippet("", [mark("absent")]) == ()


def test_characters_of_scripts_without_spaces_are_marked_inside_runs() -> None:
    assert show(cut_snippet("起飞前检查电池。", [mark(run="电池")])) == "起飞前检查[电池]。"
    assert show(cut_snippet("人人", [mark(run="人")])) == "[人][人]"
    decomposed = "\u1112\u1161\u11ab\u1100\u1173\u11af"
    assert show(cut_snippet(f"x {decomposed}", [mark(run="한글")])) == f"x [{decomposed}]"


@pytest.mark.parametrize("letter", ["กี้", "e\u0301\u0302", "👩🏽\u200d🚀"])
def test_a_snippet_is_not_cut_inside_a_character(letter: str) -> None:
    for shift in range(len(letter)):
        text = "ก" * shift + letter * 200 + "无人" + letter * 200
        inner = "".join(piece.text for piece in cut_snippet(text, [mark(run="无人")])).strip("…")
        before, _, after = inner.partition("无人")
        assert before == letter * (len(before) // len(letter))
        assert after == letter * (len(after) // len(letter))


def test_neighbours_are_words_in_the_order_of_the_query() -> None:
    marks = [mark("disk"), mark("usage")]
    assert count_neighbours("Show disk usage", marks) == 1
    assert count_neighbours("Show usage, disk", marks) == 0
    assert count_neighbours("Show disk space usage", marks) == 0


@given(st.text(st.characters(codec="utf-8"), max_size=700), st.lists(st.text("abé漢ก ", min_size=1, max_size=3), max_size=3))
def test_a_snippet_is_always_a_stretch_of_its_text(text: str, tokens: list[str]) -> None:
    marks = [mark(token, beginnings=(token,), run=token) for token in tokens]
    pieces = cut_snippet(text, marks)
    shown = "".join(piece.text for piece in pieces)
    assert shown in text or shown.removeprefix("…") in text or shown.removesuffix("…") in text or shown[1:-1] in text
    assert len(shown) <= 700
    assert all(piece.text for piece in pieces)
