"""Text of pages, made fit for an agent: what nobody sees is taken out, so that a page cannot whisper to a program (THREATS 46).

Used by the read tools for everything that people wrote: texts, titles, summaries, names. Line ends and tabs stay where lines matter.
"""

import json
import re
import unicodedata

_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"  # fillers, direction marks; scripts need joiners
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"  # direction overrides, word joiners, interlinear marks
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # musical controls, tags, variation selectors that can carry whole messages
    "\ud800-\udfff"  # halves of surrogate pairs
    "]"
)
_RUN = re.compile("([\u200c\u200d\ufe00-\ufe0f])[\u200c\u200d\ufe00-\ufe0f]+")
"""Joiners and variation selectors shape the sign before them; a row of them shapes nothing."""
_BREAK = re.compile("[\u2028\u2029]")
_SPACES = re.compile(r"[^\S\n]+")


def clean_text(text: str) -> str:
    """Return a text of many lines without characters that show nothing; the number of lines stays."""
    if text.isascii() and text.isprintable():
        return text
    return _BREAK.sub(" ", _RUN.sub(r"\1", _INVISIBLE.sub("", text)))


def clean_line(text: str, most: int = 0) -> str:
    """Return a text as one line without characters that show nothing, cut to `most` characters when given."""
    line = " ".join(clean_text(text).split())
    return line if not most or len(line) <= most else line[: most - 1].rstrip() + "…"


def render_compact_json(value: object) -> str:
    """Return JSON on one line in which whatever shows nothing is written as an escape: in paths, which cannot be changed."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return text if text.isascii() else _INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def fold_text(text: str) -> str:
    """Return text for comparing: letter case and accents ignored, each stretch of spaces one space; lines stay apart."""
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char)).casefold()
    else:
        text = text.lower()
    return _SPACES.sub(" ", text)


def cut_around(line: str, folded: str, most: int) -> str:
    """Return the part of a clean line around the first place where the folded words stand, at most `most` characters."""
    if len(line) <= most:
        return line
    start, end = _find(line, folded)
    begin = max(0, min(start - (most - (end - start)) // 2, len(line) - most))
    begin = min(begin, start)
    if begin > 0:  # begin at a word where one begins nearby
        space = line.find(" ", begin, min(begin + 20, start))
        begin = space + 1 if space >= 0 else begin
    head = "…" if begin else ""
    room = most - len(head)
    tail = "…" if begin + room < len(line) else ""
    return head + line[begin : begin + room - len(tail)].rstrip() + tail


def _find(line: str, folded: str) -> tuple[int, int]:
    """Return where in the line, as written, the folded words stand; its beginning when they cannot be found again."""
    pieces = [fold_text(char) for char in line]
    at = "".join(pieces).find(folded)
    if at < 0:
        return 0, 0
    position, start = 0, 0
    for index, piece in enumerate(pieces):
        if position <= at:
            start = index
        if position >= at + len(folded):
            return start, index
        position += len(piece)
    return start, len(line)
