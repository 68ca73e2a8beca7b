"""Inline syntax beyond CommonMark: wikilinks, embeds, tags, highlights, comments; and raw text kept for every Markdown link.

Registered by `indexer.parse.markdown`; each rule has markdown-it's signature `(state, silent) -> matched`.
"""

import re
from collections.abc import Callable
from typing import Any

from markdown_it.rules_inline import StateInline

Rule = Callable[[StateInline, bool], bool]

_WIKILINK = re.compile(r"!?\[\[([^\[\]\n]*(?:\[(?!\[)[^\[\]\n]*\][^\[\]\n]*)*)\]\]")
_TAG = re.compile(r"#([^\W\d_][\w/-]*|[\d_/-]+[^\W\d_][\w/-]*)", re.UNICODE)
_BAR = re.compile(r"\\?\|")


def wikilink(state: StateInline, silent: bool) -> bool:
    """`[[target#anchor|label]]` and `![[target|size]]`."""
    src, start = state.src, state.pos
    if not (src.startswith("[[", start) or src.startswith("![[", start)):
        return False
    match = _WIKILINK.match(src, start, state.posMax)
    if not match:
        return False
    target, label = _split_bar(match.group(1))
    if not target and not label:
        return False
    if state.linkLevel > 0:
        return False  # a link inside a link stays text
    if not silent:
        embed = src[start] == "!"
        token = state.push("embed" if embed else "wikilink", "", 0)
        token.content = target
        token.info = label
        token.meta = {"raw": match.group(0), "offset": src.count("\n", 0, start)}
    state.pos = match.end()
    return True


def _split_bar(inner: str) -> tuple[str, str]:
    """Split at the first `|`; in tables it is written `\\|`, which some also write outside of tables."""
    parts = _BAR.split(inner, maxsplit=1)
    return parts[0].strip(), parts[1].strip() if len(parts) > 1 else ""


def tag(state: StateInline, silent: bool) -> bool:
    """`#project/alpha`: at the start of a word, not only digits."""
    src, start = state.src, state.pos
    if src[start] != "#" or state.linkLevel > 0 or (start > 0 and not (src[start - 1].isspace() or src[start - 1] in "(,;>*_")):
        return False
    match = _TAG.match(src, start, state.posMax)
    if not match or (match.end() < state.posMax and src[match.end()] == "#"):
        return False
    name = match.group(1).rstrip("/")
    if not silent:
        token = state.push("tag", "", 0)
        token.content = name
    state.pos = start + 1 + len(name)
    return True


def highlight(state: StateInline, silent: bool) -> bool:
    """`==text==`."""
    src, start = state.src, state.pos
    if not src.startswith("==", start) or start + 4 >= state.posMax or src[start + 2] in " =\n\t":
        return False
    end = src.find("==", start + 2, state.posMax)
    if end < 0 or src[end - 1].isspace():
        return False
    if not silent:
        outer = state.posMax
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = start + 2, end
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
        state.posMax = outer
    state.pos = end + 2
    return True


def comment(state: StateInline, silent: bool) -> bool:
    """`%%not shown%%` inside one paragraph."""
    src, start = state.src, state.pos
    if not src.startswith("%%", start):
        return False
    end = src.find("%%", start + 2, state.posMax)
    if end < 0:
        return False
    if not silent:
        token = state.push("comment", "", 0)
        token.content = src[start : end + 2]
        token.meta = {"offset": src.count("\n", 0, start)}
    state.pos = end + 2
    return True


def keep_raw(rule: Any, kind: str) -> Rule:
    """Wrap markdown-it's `link`, `image` or `autolink` rule: the first token it makes gets `meta["raw"]` and `meta["offset"]`."""

    def wrapped(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        first = state.src[start]
        if first not in "[!<":
            return False
        pending = bool(state.pending)
        if not rule(state, silent):
            return False
        if not silent:
            token = state.tokens[count + 1 if pending else count]
            raw = state.src[start : state.pos]
            token.meta = {"raw": raw, "offset": state.src.count("\n", 0, start), "kind": _name_kind(kind, raw)}
        return True

    return wrapped


def _name_kind(kind: str, raw: str) -> str:
    if kind == "markdown" and raw.endswith("]"):
        return "reference"
    return kind
