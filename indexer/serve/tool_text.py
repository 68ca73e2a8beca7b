"""Text of pages as the read tools answer with it: compact JSON, comparing, cutting. What nobody sees is taken out in `publish.visible`."""

import json
import re
import unicodedata

from indexer.publish.visible import INVISIBLE

_SPACES = re.compile(r"[^\S\n]+")


def render_compact_json(value: object) -> str:
    """Return JSON on one line in which whatever shows nothing is written as an escape: in paths, which cannot be changed."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return text if text.isascii() else INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


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
