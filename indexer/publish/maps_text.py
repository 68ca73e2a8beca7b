"""Texts of the maps: links that stay links whatever a title holds, and sizes in tokens. Used by the `maps_*` modules; pure.

Tokens are estimated, for every model has its own: a quarter of the bytes for a page; for a map, which is full of paths and must not be too
long for any model, a third of the ASCII bytes and half of all others. The handbook's page on maps has what real tokenizers say.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote

from indexer.parse.tokens import fold_text
from indexer.publish.visible import INVISIBLE, clean_line

MOST_TOKENS = 6_000
"""Of one map (SPEC T07)."""
ROOM = MOST_TOKENS - 300
"""Tokens of a map without its heading."""
_PAGE_BYTES = 4
_ASCII = bytes(range(128))
_TITLE, _SUMMARY = 100, 160
_MARKUP = re.compile(r"[\\\[\]<>`*]|(?<![^\W_])_|_(?![^\W_])|~~|==|%%|\$|&(?=[#\w]+;)|!(?=$)")
_UNSAFE = re.compile('[\x00-\x20"#%()<>?\\\\^`{|}\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000]|&(?=[#\\w]+;)')
_EMPHASIS = re.compile(r"`+|\*\*|__(?=\S)|(?<=\S)__")
"""What frontmatter writes as markup and a line can do without."""
_WORDS = re.compile(r"\w+")


def count_map_tokens(text: str) -> int:
    """Return about how many tokens a piece of a map costs."""
    return count_bytes(text.encode("utf-8", "surrogateescape"))


def count_bytes(text: bytes) -> int:
    """Return about how many tokens a map costs."""
    other = 0 if text.isascii() else len(text.translate(None, _ASCII))
    return -(-(2 * (len(text) - other) + 3 * other) // 6)


def count_page_tokens(size: int) -> int:
    """Return about how many tokens a page of so many bytes costs."""
    return -(-size // _PAGE_BYTES)


def show_tokens(tokens: int) -> str:
    """Return a size such as `~300`: two digits at most, so that a small edit is seldom another size."""
    if tokens <= 100:
        return "~100"
    step = 10 ** max(2, len(str(tokens)) - 2)
    return f"~{-(-tokens // step) * step:,}"


def escape_markdown(text: str) -> str:
    """Return one line of text in which nothing is markup; what shows nothing is left out."""
    return _MARKUP.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), clean_line(text))


def link_to(title: str, target: str, most: int = _TITLE) -> str:
    """Return a Markdown link; `target` is a path relative to the map."""
    shown = escape_markdown(clean_line(title, most)) or escape_markdown(clean_line(target.rsplit("/", 1)[-1], most)) or "page"
    return f"[{shown}]({encode_target(target)})"


def encode_target(path: str) -> str:
    """Return a path as the destination of a link: letters of all scripts stay readable, what could end it or show nothing is encoded."""
    encoded = _UNSAFE.sub(lambda found: quote(found[0], safe=""), path)
    return INVISIBLE.sub(lambda found: quote(found[0], safe="", errors="surrogateescape"), encoded)


def show_summary(summary: str, title: str) -> str:
    """Return the summary for a line of a map, empty when it says no more than the title."""
    shown = clean_line(_EMPHASIS.sub("", summary), _SUMMARY)
    return "" if list_words(shown) == list_words(title) else escape_markdown(shown)


def list_words(text: str) -> list[str]:
    """Return the words of a text, letter case and accents folded."""
    return _WORDS.findall(fold_text(clean_line(text)))


def sort_key(title: str) -> str:
    """Return what titles are sorted by: their words; a title without any comes first, as it is written."""
    return " ".join(list_words(title)) or f" {fold_text(clean_line(title))}"


def join_lines(lines: Sequence[str]) -> bytes:
    """Return a map of these lines."""
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")
