"""The block of a page that the program writes itself, between `<!-- brain:index -->` and `<!-- /brain:index -->` (SPEC T29).

What stands there is no content of the page: it is neither shown nor searched, and its links count nowhere (SPEC P06). Otherwise every page
would be linked, none an orphan, and a page hidden since the block was written would still be named. Used by `indexer.parse.page`, which
blanks it, by `indexer.publish.maps_block`, which writes it, and by refresh, which compares. Pure.
"""

import re

OPEN = "<!-- brain:index -->"
CLOSE = "<!-- /brain:index -->"
_LINE = re.compile(r"^(?:(?P<fence> {0,3}(?P<marks>`{3,}|~{3,}))(?P<rest>.*)|(?P<mark><!-- /?brain:index -->)[ \t\r]*)$", re.MULTILINE)


def find_block(text: str) -> tuple[int, int] | None:
    """Return where the lines between the markers begin and end; None unless there is one pair, each on a line of its own.

    Markers inside fenced code are text.
    """
    if OPEN not in text:
        return None
    marks: list[re.Match[str]] = []
    fence = ""
    for line in _LINE.finditer(text):
        if line["mark"]:
            marks += [] if fence else [line]
        elif not fence:
            fence = line["marks"]
        elif line["marks"].startswith(fence) and not line["rest"].strip():
            fence = ""
    if [line["mark"] for line in marks] != [OPEN, CLOSE]:
        return None
    return marks[0].end() + 1, marks[1].start()


def cut_block(text: str) -> str:
    """Return the text without the block and its markers; their line ends stay, so that lines keep their numbers."""
    span = find_block(text)
    if span is None:
        return text
    start, end = text.rindex(OPEN, 0, span[0]), span[1] + len(CLOSE)
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]


def without_block(page: bytes) -> bytes:
    """Return what people wrote of a page: with nothing between the markers. Two that are equal differ in maps only."""
    text = page.decode("utf-8", "surrogateescape")
    span = find_block(text)
    return page if span is None else (text[: span[0]] + text[span[1] :]).encode("utf-8", "surrogateescape")
