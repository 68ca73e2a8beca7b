"""Whether a page may be published (SPEC P19). Fails closed: what cannot be read hides the page and says so.

Called by `indexer.parse.frontmatter`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from indexer.parse.dates import says_when
from indexer.parse.yaml_tree import Mapping, Node, Scalar, Sequence, is_null, read_linked

# key, as `_fold` gives it → what a true value means for being published
_FLAGS = {
    "draft": False,
    "drafts": False,
    "isdraft": False,
    "private": False,
    "isprivate": False,
    "hidden": False,
    "unlisted": False,
    "unpublished": False,
    "unpublish": False,
    "nopublish": False,
    "dontpublish": False,
    "donotpublish": False,
    "publish": True,
    "published": True,
    "ispublished": True,
    "public": True,
    "ispublic": True,
    "dgpublish": True,
}
_WORDS = {"visibility", "status", "access"}
_UNSURE = {"status", "access"}
"""Keys that say other things as well: only a word that conceals counts."""
_VISIBLE = {"public", "published", "visible", "everyone", "open"}
_CONCEALED = {"private", "hidden", "draft", "unlisted", "secret", "none", "internal", "restricted", "unpublished"}
_CONCEALED_FOR_SURE = {"private", "hidden", "unlisted", "unpublished"}
_TRUE = {"true", "yes", "on", "y", "1", "t"}
_FALSE = {"false", "no", "off", "n", "0", "f"}
_OPENLY = {"draft", "private", "publish", "published", "unpublished", "public"}
"""Keys that count outside of frontmatter as well, where other lines are only text."""
_SEPARATOR = r"[ _\-\u200b-\u200f\u2060\ufeff]*"
_NAMES = "|".join(_SEPARATOR.join(name) for name in sorted({*_FLAGS, "visibility"}, key=len, reverse=True))
_MENTION = rf"""(?im)(?:^[ \t\u00a0\u3000>{{,\u200b-\u200f\u2060\ufeff-]*|[{{,] ?)["']?(?:{_NAMES}){_SEPARATOR}["']?\s*[:=]"""
"""Compiled when it is needed: that takes longer than reading a page, and few frontmatters are broken."""
_LINE = re.compile(r"""[ \t>-]*["']?([\w -]{4,20})["']?[ \t]*(?:::|[:=：])[ \t]*["']?([\w ]{1,20})["']?[ \t,]*(?:#.*)?$""")


def read_flags(pairs: Iterable[tuple[str, Node]]) -> tuple[bool, list[tuple[str, str, int]]]:
    """Return (hidden, unreadable values as (key, text, line)) for the top-level pairs of a frontmatter, duplicates included."""
    hidden = False
    unreadable: list[tuple[str, str, int]] = []
    for key, node in _merge(pairs):
        name = _fold(key)
        if name not in _FLAGS and name not in _WORDS:
            continue
        verdict = _read_word(name, node) if name in _WORDS else _read_flag(name, node)
        if verdict is None:
            unreadable.append((key, node.text if isinstance(node, Scalar) else "a list or mapping", node.line))
        hidden = hidden or verdict is not True
    return hidden, unreadable


def _merge(pairs: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, Node]]:
    """Yield the pairs, and those of mappings that YAML merges into them (`<<`), for these count to other programs."""
    for key, node in pairs:
        if key == "<<":
            for each in node.nodes if isinstance(node, Sequence) else [node]:
                yield from ((inner.text, value) for inner, value in each.pairs) if isinstance(each, Mapping) else ()
        else:
            yield key, node


def _fold(key: str) -> str:
    """Return the key as people may write it too: `isDraft`, `is-draft`, `Draft` with a character that nobody sees."""
    text = key if key.isascii() else unicodedata.normalize("NFKC", key)
    return "".join(char for char in text.casefold() if char.isalnum())


def _read_flag(name: str, node: Node) -> bool | None:
    """True = may be published, False = hidden, None = unreadable."""
    if is_null(node):
        return True
    # `published: 2024-05-01` is the usual way to say when, not whether
    if name in {"publish", "published"} and says_when(read_linked(node) or ""):
        return True
    if not isinstance(node, Scalar):
        return None
    text = node.text.strip().lower()
    if text == "":
        return True
    if text in _TRUE:
        return _FLAGS[name]
    return not _FLAGS[name] if text in _FALSE else None


def _read_word(name: str, node: Node) -> bool | None:
    if is_null(node):
        return True
    if isinstance(node, Sequence) and name in _UNSURE:
        return all(_read_word(name, each) for each in node.nodes)
    text = node.text.strip().lower() if isinstance(node, Scalar) else "?"
    if name in _UNSURE:
        return text not in _CONCEALED_FOR_SURE
    if text in _VISIBLE or text == "":
        return True
    return False if text in _CONCEALED else None


def mentions_privacy(text: str) -> bool:
    """Whether frontmatter that cannot be parsed holds a key that decides about publishing."""
    return re.search(_MENTION, text if text.isascii() else unicodedata.normalize("NFKC", text)) is not None


def says_hidden(text: str) -> bool:
    """Whether one of the lines says by itself that the page is hidden, as `draft: true` or `publish:: no` does."""
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match and (name := _fold(match[1])) in _OPENLY and _read_flag(name, Scalar(match[2], True, 0)) is False:
            return True
    return False
