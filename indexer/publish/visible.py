"""Text that people wrote, made fit for whoever reads it without seeing it: what shows nothing is taken out (THREATS 46).

Used by the maps and by the read tools for texts, titles, summaries and names. Line ends and tabs stay where lines matter. Pure.
"""

import re

INVISIBLE = re.compile(
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
_BREAK = re.compile("[\x0b\x0c\x85\u2028\u2029]")
"""Breaks of lines and pages that count as no line here: words stay apart."""


def clean_text(text: str) -> str:
    """Return a text of many lines without characters that show nothing; the number of lines stays."""
    if text.isascii() and text.isprintable():
        return text
    return _RUN.sub(r"\1", INVISIBLE.sub("", _BREAK.sub(" ", text)))


def clean_line(text: str, most: int = 0) -> str:
    """Return a text as one line without characters that show nothing, cut to `most` characters when given."""
    line = " ".join(clean_text(text).split())
    return line if not most or len(line) <= most else line[: most - 1].rstrip() + "…"
