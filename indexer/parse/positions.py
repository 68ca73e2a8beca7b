"""Where the parser's texts stand in the file: links are quoted, and comments taken out, exactly as they were written.

Used by `indexer.parse.outline` and `indexer.parse.html_tags`. The parser hands over lines without the marks of quotes and lists before
them, and table cells with `\\|` turned into `|`; here each of these lines is found again in the line of the file that it came from.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct

_PREFIX = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*")
_LIST_MARK = re.compile(r"[^ \t>]")


class Placement(Struct, frozen=True):
    """One text of the parser, laid over the file."""

    source: str
    content: str
    line: int
    """1-based line of the file where the text begins."""
    rows: Sequence[int]
    """Where each line of the text begins in the text."""
    starts: Sequence[int]
    """Where each line of the text begins in the file; -1 = not found."""
    bars: Sequence[int]
    """Positions in the text of bars that are escaped in the file."""

    def find_line(self, position: int) -> int:
        """Return the 1-based line of the file at a position of the text."""
        return self.line + bisect_right(self.rows, position) - 1

    def find_offset(self, position: int) -> int:
        """Return the offset in the file of a position of the text; -1 = not found."""
        row = bisect_right(self.rows, position) - 1
        if self.starts[row] < 0:
            return -1
        begin = self.rows[row]
        return self.starts[row] + position - begin + bisect_left(self.bars, position) - bisect_left(self.bars, begin)

    def find_span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a piece of the text stands in the file."""
        first, last = self.find_offset(start), self.find_offset(end - 1)
        return None if first < 0 or last < first else (first, last + 1)

    def quote(self, start: int, end: int) -> str:
        """Return a piece of the text as it is written in the file."""
        span = self.find_span(start, end)
        return self.source[span[0] : span[1]] if span else self.content[start:end]


class SourceMap:
    """The lines of one page. Texts must be placed in the order in which they stand in the file."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._starts = [0]
        for row in source.split("\n"):
            self._starts.append(self._starts[-1] + len(row) + 1)
        self._passed: dict[int, int] = {}

    def place(self, content: str, line: int, *, again: bool = False) -> Placement:
        """Lay a text over the lines that begin with `line` (1-based); `again` when the line was passed before, as by inline footnotes."""
        pieces = content.split("\n")
        rows, starts, bars = [], [], []
        begin = 0
        for number, piece in enumerate(pieces, line):
            start, escaped = self._find(piece, number, again=again)
            rows.append(begin)
            starts.append(start)
            bars += [begin + index for index in escaped]
            begin += len(piece) + 1
        return Placement(self._source, content, line, rows, starts, bars)

    def pass_over(self, end: int) -> None:
        """Note that what comes next stands behind an offset of the file."""
        self._passed[bisect_right(self._starts, end - 1)] = end

    def _find(self, piece: str, line: int, *, again: bool) -> tuple[int, list[int]]:
        """Return where a line of a text begins in the file's line, and the positions in the text of bars that are escaped there."""
        if not 0 < line < len(self._starts):
            return -1, []
        begin, end = self._starts[line - 1], self._starts[line] - 1
        cursor = begin if again else self._passed.get(line, begin)
        bare = piece.strip(" \t")
        indent = len(piece) - len(piece.lstrip(" \t"))
        found, length, escaped = self._source.find(bare, cursor, end), len(bare), list[int]()
        if found < 0 and "|" in bare:
            cell = re.compile(r"(\\?)\|".join(map(re.escape, bare.split("|")))).search(self._source, cursor, end)
            if cell:
                found, length = cell.start(), cell.end() - cell.start()
                bars = (index for index, char in enumerate(piece) if char == "|")
                escaped = [index for index, mark in zip(bars, cell.groups(), strict=True) if mark]
        if found < 0:
            return -1, []
        self._passed[line] = max(found + length, self._passed.get(line, 0))
        return found - indent, escaped


def cut_spans(text: str, spans: Sequence[tuple[int, int]], shift: int) -> str:
    """Return the text without the spans, each moved by `shift`. Line ends in them stay, so that lines keep their numbers."""
    kept, position = [], 0
    for start, end in sorted(spans):
        kept.append(text[position : max(position, start + shift)])
        kept.append("\n" * text.count("\n", max(position, start + shift), max(position, end + shift)))
        position = max(position, end + shift)
    kept.append(text[position:])
    return "".join(kept)


def cut_over_blocks(body: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the body without the spans, which are in order and hold whole lines. Line ends stay, so that lines keep their numbers.

    So do the marks of a quote that goes on around a span, and the indent of what follows it in a list entry.
    """
    kept, position = [], 0
    for first, end in spans:
        if end <= position:
            continue  # inside another
        start = max(first, position)
        begin = max(position, _find_begin(body, start) if "\n" in body[start:end] else start)
        kept += [body[position:begin], _carry_on(body, start, end)]
        position = end
        if "\n" in kept[-1]:
            while body[position : position + 1] in {" ", "\t"}:
                position += 1
    return "".join([*kept, body[position:]])


def begins_line(text: str, position: int) -> bool:
    """Whether nothing but marks of quotes and lists stands before a position in its line."""
    return _PREFIX.fullmatch(text, text.rfind("\n", 0, position) + 1, position) is not None


def _find_begin(body: str, start: int) -> int:
    """Return where to begin to cut: before the mark of a list entry when it would be left alone, where it might underline a text."""
    begin = body.rfind("\n", 0, start) + 1
    mark = _LIST_MARK.search(body, begin, start) if begins_line(body, start) else None
    return mark.start() if mark else start


def _carry_on(body: str, start: int, end: int) -> str:
    """Return what stays of a comment: its line ends, the marks of quotes that go on, and the indent of the text after it."""
    if "\n" not in body[start:end]:
        return ""
    begin = body.rfind("\n", 0, start) + 1
    prefix = _PREFIX.match(body, begin, start)
    around = re.sub("[^>]", " ", prefix[0] if prefix else "")
    rows = [_match_prefix(around, row) for row in body[start:end].split("\n")[1:]]
    quoted, depth = True, around.count(">")
    for number, row in enumerate(rows):
        quoted = quoted and depth > 0 and row.count(">") == depth
        if not quoted and (number + 1 < len(rows) or body[end : end + 1] in {"", "\n"}):
            rows[number] = ""
    return "\n".join(["", *rows])


def _match_prefix(around: str, row: str) -> str:
    """Return as much of a row's beginning as carries on what is around: `>` for `>`, white space for white space or a list's mark."""
    length = 0
    for wanted, char in zip(around, row, strict=False):
        if char != wanted and not (wanted == " " and char == "\t"):
            break
        length += 1
    return row[:length]
