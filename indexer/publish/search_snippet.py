"""Text of a section → the stretch to show, with what matches marked. Pure; twin of `snippet.ts` in the site's code.

Positions are code points, so that both cut at the same places.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from indexer.model.search import Piece
from indexer.parse.tokens import find_words, fold_text, split_word

_LENGTH, _LEAD, _TAIL = 200, 60, 30
"""Code points of a snippet; before its first match, at most; in which its last word may be left out."""
_LONGEST_MARK = 120
_GAP = 2
"""Code points between neighbours."""


class Mark(Struct, frozen=True):
    """What counts as a match of one word of the query."""

    tokens: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()
    """Words that begin so match as well."""
    run: str = ""
    """Characters of a script without spaces, marked inside longer runs."""
    parts: frozenset[str] = frozenset()
    """Parts of the word, marked where the text has none of the others: of `example.com`, no other `com`."""


class _Span(Struct, frozen=True):
    start: int
    end: int
    word: int
    """Number of the mark."""


def cut_snippet(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """Return the stretch of about 200 characters with the most different matches, the first of equals; without any, the beginning."""
    spans = _find_spans(text, marks)
    first, last = _choose_window(spans)
    start = _find_start(text, spans[first].start) if spans else 0
    end = _find_end(text, start, spans[first : last + 1])
    pieces = _mark(text, spans, start, end)
    if start > 0:
        pieces = [Piece("…", False), *pieces]
    if end < len(text):
        pieces = [*pieces, Piece("…", False)]
    return _merge(pieces)


def count_neighbours(text: str, marks: Sequence[Mark]) -> int:
    """Return how many words of the query stand somewhere right behind the word before them, as they do in the query."""
    spans = _find_spans(text, marks)
    pairs = {second.word for first, second in pairwise(spans) if second.word == first.word + 1 and 0 <= second.start - first.end <= _GAP}
    return len(pairs)


def _find_spans(text: str, marks: Sequence[Mark]) -> list[_Span]:
    spans: list[_Span] = []
    of_parts: list[_Span] = []
    for found in find_words(text).finditer(text):
        word = split_word(found[0])
        if word is None:
            continue
        tokens = [token for token in (word.whole, *word.parts, *word.middle) if token]
        for number, mark in enumerate(marks):
            if word.run:
                spans += _find_run(found[0], found.start(), mark, number)
            elif found.end() - found.start() > _LONGEST_MARK:
                continue
            elif any(token in mark.tokens or token.startswith(mark.beginnings) for token in tokens):
                spans.append(_Span(found.start(), found.end(), number))
            elif not mark.parts.isdisjoint(tokens):
                of_parts.append(_Span(found.start(), found.end(), number))
    whole = {span.word for span in spans}
    spans += (span for span in of_parts if span.word not in whole)
    return sorted(spans, key=lambda span: (span.start, span.end, span.word))


def _find_run(raw: str, offset: int, mark: Mark, number: int) -> list[_Span]:
    folded = fold_text(raw)
    if not mark.run or mark.run not in folded:
        return []
    if len(folded) != len(raw):
        return [_Span(offset, offset + len(raw), number)]
    spans, at = [], folded.find(mark.run)
    while at >= 0:
        spans.append(_Span(offset + at, offset + at + len(mark.run), number))
        at = folded.find(mark.run, at + len(mark.run))
    return spans


def _choose_window(spans: Sequence[_Span]) -> tuple[int, int]:
    """Return the numbers of the first and last match of the best stretch."""
    best, chosen = (0, 0), (0, -1)
    for first, span in enumerate(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1].end <= span.start + _LENGTH - _LEAD:
            last += 1
        value = (len({other.word for other in spans[first : last + 1]}), last - first + 1)
        if value > best:
            best, chosen = value, (first, last)
    return chosen


def _find_start(text: str, first: int) -> int:
    start = max(0, first - _LEAD)
    if start == 0:
        return 0
    space = text.find(" ", start, first)
    if space >= 0:
        return space + 1
    while start > 0 and _continues(text, start):
        start -= 1
    return start


def _find_end(text: str, start: int, spans: Sequence[_Span]) -> int:
    needed = max((span.end for span in spans), default=start)
    end = max(needed, min(len(text), start + _LENGTH))
    if end == len(text):
        return end
    space = text.rfind(" ", max(needed, end - _TAIL), end + 1)
    if space > start:
        return space
    while end < len(text) and _continues(text, end):
        end += 1
    return end


def _continues(text: str, at: int) -> bool:
    """True when the character here belongs to what readers see as one with the character before: accents, vowel signs, joined emoji."""
    char = text[at]
    return (
        unicodedata.category(char)[0] == "M"
        or char == "\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or (at > 0 and text[at - 1] == "\u200d")
    )


def _mark(text: str, spans: Sequence[_Span], start: int, end: int) -> list[Piece]:
    pieces: list[Piece] = []
    at = start
    for span in spans:
        if span.start >= at and span.end <= end:
            pieces += (Piece(text[at : span.start], False), Piece(text[span.start : span.end], True))
            at = span.end
    return [*pieces, Piece(text[at:end], False)]


def _merge(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    merged: list[Piece] = []
    for piece in pieces:
        if merged and piece.text and merged[-1].hit == piece.hit and not piece.hit:
            merged[-1] = Piece(merged[-1].text + piece.text, False)
        elif piece.text:
            merged.append(piece)
    return tuple(merged)
