"""Comments that begin in one block and end in another: cut out of the page before anything is made of it. Called by `indexer.parse.page`.

A comment inside one block is syntax like any other. One that reaches over blocks fits into no tree of them, so that the page is read again
without it; HTML, links, search, summary and Markdown twin are then all made of the same text. Pages without a mark left over are read once.

Obsidian's editor hides whatever stands between a `%%` and the next, its reading view only what begins a block or ends in the same one.
Where all marks of a page pair, the editor is followed. Where one is left over, what either of them hides is not published.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from markdown_it.token import Token
from msgspec import Struct
from msgspec.structs import replace

from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.parse.markdown import parse_tokens
from indexer.parse.outline import Outline, read_outline
from indexer.parse.positions import begins_line, cut_over_blocks

_READINGS = 20
"""How often a page is read again; nearly all need it once. What nobody writes is not worth more time."""
_CODE = {"fence", "code_block", "math_block", "math_block_eqno"}
_MARK_IN_ROW = re.compile(r"^[^|\n]*\|.*?(?:%%|<!--)", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_BEHIND = re.compile(r"`[^`\n]+`|(?P<mark>%%|<!--)")
_ARROW = re.compile(r"(`+)[^`\n]+\1|-->")
_PERCENTS = re.compile("%%")
_GAP = re.compile(r"\n(?=[ \t]*\n)")
_BEGINS_CODE = re.compile(r"^[ \t>]*(?:```|~~~|\$\$|<| {4}|\t)", re.MULTILINE)
_BEGINS_OTHER = re.compile(r"[`\\$<\[]|://|www\.")
"""What begins something inside a paragraph in which `%%` is no mark."""
_HIDES_REST = "A comment begins here and is never closed; nothing from here on is published."
_IS_TEXT = "A mark that begins a comment is never closed; it and what follows it are published."
_CLOSE = r"Close it with `%%` or `-->`; a mark that is meant as text stands in code or behind a backslash: `\%%`."
_ODD = "One mark of a comment from here on has no partner; nothing up to the last of them is published."

Span = tuple[int, int]


class Shown(Struct, frozen=True):
    """What of a page is published."""

    body: str
    """The text without comments that reach over blocks; lines have the numbers that they have in the file."""
    tokens: Sequence[Token]
    outline: Outline
    findings: Sequence[Finding]


class _Marks(Struct, frozen=True):
    """Where comments may begin and end, as one reading of the page has it; all in order."""

    body: str
    left: Sequence[int]
    """`%%` without a partner in its block."""
    inside: Sequence[Span]
    """Comments in `%%` that begin and end in one block."""
    html: Sequence[int]
    """`<!--` that does not end in its block."""
    arrows: Sequence[int]
    """`-->` outside code."""


def read_shown(body: str) -> Shown:
    """Parse a page, again for as long as comments that reach over blocks are found."""
    shown = _parse(body)
    if not shown.outline.open_marks and not shown.outline.html.open_marks and not _find_behind_rows(shown):
        return shown
    return _read_pairs(shown) or _read_left_over(shown)


def _parse(body: str, findings: Sequence[Finding] = ()) -> Shown:
    tokens, open_marks = parse_tokens(body)
    return Shown(body, tokens, read_outline(tokens, body, open_marks), findings)


def _read_pairs(shown: Shown) -> Shown | None:
    """Cut each comment from its mark to the next; None when a `%%` is left over at the end."""
    for _ in range(_READINGS):
        marks = _find_marks(shown)
        percents = sorted([*marks.left, *(mark for start, end in marks.inside for mark in (start, end - 2))])
        spans, alone = _pair(marks.body, sorted([*marks.html, *_leave_out_numbers(percents, marks)]), percents, marks.arrows)
        known = set(marks.inside)
        spans = [span for span in spans if span not in known]
        sure = _count_sure(spans, marks)
        findings: list[Finding] = []
        if sure == len(spans):
            if any(marks.body[mark] == "%" for mark in alone):
                return None
            spans, findings = _end_html(spans, alone, shown)
        if not spans:
            return replace(shown, findings=[*shown.findings, *findings])
        shown = _parse(cut_over_blocks(shown.body, spans[: sure + 1]), [*shown.findings, *_keep_lasting(findings)])
    return None


def _read_left_over(shown: Shown) -> Shown:
    """Cut what is hidden when some `%%` has no partner: then those count first that have one in their block."""
    for attempt in range(_READINGS + 1):
        marks = _find_marks(shown)
        html, alone = _pair(marks.body, marks.html, [], marks.arrows)
        free = replace(marks, left=[mark for mark in marks.left if not _stands_in(mark, html)])
        spans, findings = _pair_left_over(free, _find_in_broken_code(shown))
        spans, more = _end_html([*html, *spans], alone, shown)
        findings += more
        if not spans or attempt == _READINGS:
            return replace(shown, findings=[*shown.findings, *findings])
        if attempt == _READINGS - 1:
            spans, findings = [(spans[0][0], len(shown.body))], [_find_at(shown.body, spans[0][0], _HIDES_REST)]
        shown = _parse(cut_over_blocks(shown.body, spans), [*shown.findings, *_keep_lasting(findings)])
    raise AssertionError("BUG: the last attempt returns")


def _keep_lasting(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out what the next reading says again, or no more."""
    return [finding for finding in findings if finding.message != _IS_TEXT]


def _find_marks(shown: Shown) -> _Marks:
    body, outline = shown.body, shown.outline
    open_marks = sorted({*outline.html.open_marks, *outline.open_marks, *_find_behind_rows(shown)})
    html = [mark for mark in open_marks if body[mark] == "<"]
    return _Marks(
        body,
        left=[mark for mark in open_marks if body[mark] == "%"],
        inside=sorted(span for span in [*outline.comments, *outline.html.comments] if body.startswith("%%", span[0])),
        html=html,
        arrows=_find_arrows(shown) if html else [],
    )


def _pair(body: str, starts: Sequence[int], percents: Sequence[int], arrows: Sequence[int]) -> tuple[list[Span], list[int]]:
    """Pair each mark of `starts` that stands in no comment with the next that can end it; return the comments, and the marks left alone."""
    spans: list[Span] = []
    alone, end = [], 0
    for start in starts:
        if start < end:
            continue
        ends, length = (percents, 2) if body[start] == "%" else (arrows, 3)
        after = bisect_right(ends, start)
        if after < len(ends):
            end = ends[after] + length
            spans.append((start, end))
        else:
            alone.append(start)
    return spans, alone


def _leave_out_numbers(percents: Sequence[int], marks: _Marks) -> list[int]:
    """Leave out percentages as formatters want them, `100%%`: without a partner in their block they begin no comment."""
    numbers = {mark for mark in marks.left if marks.body[mark - 1 : mark].isdigit()}
    return [mark for mark in percents if mark not in numbers]


def _count_sure(spans: Sequence[Span], marks: _Marks) -> int:
    """Return how many comments come before the first whose end was read as the beginning of another that may have ended in code.

    The page must be read without it before the marks that follow are known.
    """
    body = marks.body
    gaps, blocks, words = (_find_all(pattern, body) for pattern in (_GAP, _BEGINS_CODE, _BEGINS_OTHER))
    for number, (_, end) in enumerate(spans):
        index = bisect_right(marks.inside, (end, 0)) - 1
        if index >= 0 and end < (last := marks.inside[index][1]):
            gap = bisect_right(gaps, last)
            paragraph = max(end, gaps[gap - 1] if gap else 0), gaps[gap] if gap < len(gaps) else len(body)
            if _has_between(blocks, end, last) or _has_between(words, *paragraph):
                return number
    return len(spans)


def _find_all(pattern: re.Pattern[str], body: str) -> list[int]:
    return [match.start() for match in pattern.finditer(body)]


def _has_between(positions: Sequence[int], start: int, end: int) -> bool:
    return bisect_left(positions, start) < bisect_left(positions, end)


def _pair_left_over(marks: _Marks, in_code: Sequence[int]) -> tuple[list[Span], list[Finding]]:
    body = marks.body
    spans, alone = _pair(body, _leave_out_numbers(marks.left, marks), marks.left, [])
    if not alone:
        return spans, []
    first, last = spans[0][0] if spans else alone[0], alone[0]
    in_broken_code = bisect_right(in_code, last)
    if in_broken_code < len(in_code):
        return [*spans, (last, in_code[in_broken_code] + 2)], []
    if begins_line(body, last):
        return [(first, len(body))], [_find_at(body, first, _HIDES_REST)]
    if spans:
        return [(first, last + 2)], [_find_at(body, first, _ODD)]
    return [], [_find_at(body, first, _IS_TEXT)]


def _end_html(spans: Sequence[Span], alone: Sequence[int], shown: Shown) -> tuple[list[Span], list[Finding]]:
    """Return the comments in order, with the HTML comment that is never closed: where it begins raw HTML it hides the rest of the page."""
    if not alone:
        return sorted(spans), []
    blocks = set(shown.outline.html.open_marks)
    rest = next((mark for mark in alone if mark in blocks), -1)
    if rest < 0:
        return sorted(spans), [_find_at(shown.body, alone[0], _IS_TEXT)]
    return sorted([*spans, (rest, len(shown.body))]), [_find_at(shown.body, rest, _HIDES_REST)]


def _stands_in(mark: int, spans: Sequence[Span]) -> bool:
    index = bisect_right(spans, (mark, mark)) - 1
    return index >= 0 and mark < spans[index][1]


def _find_behind_rows(shown: Shown) -> list[int]:
    """Return where comments begin and end behind the last column of a table, where nothing is shown and so nothing was read."""
    body = shown.body
    if ("%%" not in body and "<!--" not in body) or not _MARK_IN_ROW.search(body):
        return []
    found, columns = list[int](), 0
    starts: list[int] = []
    for token in shown.tokens:
        if token.type in {"table_open", "th_open"}:
            columns = 0 if token.type == "table_open" else columns + 1
        elif token.type == "tr_open" and token.map:
            starts = starts or [0, *(match.end() for match in re.finditer("\n", body)), len(body) + 1]
            start, end = starts[token.map[0]], starts[token.map[0] + 1] - 1
            bars = [match.start() for match in _BAR.finditer(body, start, end)]
            last = columns - 1 + (1 if bars and not body[start : bars[0]].strip(" \t>") else 0)
            if columns and last < len(bars):
                found += [match.start() for match in _BEHIND.finditer(body, bars[last], end) if match["mark"]]
    return found


def _find_in_broken_code(shown: Shown) -> list[int]:
    """Return where `%%` stands in fenced code when a fence on the page is not closed, as one is that begins inside a comment."""
    fences = [token for token in shown.tokens if token.type == "fence"]
    rows = [(token.map, token.content.removesuffix("\n").count("\n") + (token.content != "")) for token in fences]
    if not any(lines and lines[1] - lines[0] - 1 == count for lines, count in rows):
        return []  # the last line of all is a fence
    lines = _number_lines(fences)
    return [match.start() for match, line in _walk(_PERCENTS, shown.body) if line in lines]


def _find_arrows(shown: Shown) -> list[int]:
    lines = _number_lines(token for token in shown.tokens if token.type in _CODE)
    return [match.start() for match, line in _walk(_ARROW, shown.body) if not match[1] and line not in lines]


def _number_lines(tokens: Iterable[Token]) -> set[int]:
    return {line for token in tokens if token.map for line in range(*token.map)}


def _walk(pattern: re.Pattern[str], body: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield what a pattern finds, with the number of its line from 0."""
    line, seen = 0, 0
    for match in pattern.finditer(body):
        line, seen = line + body.count("\n", seen, match.start()), match.start()
        yield match, line


def _find_at(body: str, position: int, message: str) -> Finding:
    return make_finding("MDN007", "", body.count("\n", 0, position) + 1, message, _CLOSE)
