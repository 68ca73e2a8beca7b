"""Inline syntax beyond CommonMark: wikilinks, embeds, tags, highlights, comments; and the place kept of every link and HTML tag.

Registered by `indexer.parse.markdown`; each rule has markdown-it's signature `(state, silent) -> matched`.
"""

import re
from collections.abc import Callable
from typing import Any

from markdown_it.rules_inline import StateInline

Rule = Callable[[StateInline, bool], bool]

_WIKILINK = re.compile(r"!?\[\[([^\[\]\n]*(?:\[(?!\[)[^\[\]\n]*\][^\[\]\n]*)*)\]\]")
# As in Obsidian, everything but spaces and punctuation, so vowel signs and emoji too. One character has to mean something by itself.
_NO_TAG = (
    r"\s!-,.:-@\[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u060c\u061b\u061f\u06d4\u0964\u0965\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f"
    r"\u3000-\u3003\u3008-\u3011\u3014-\u301f\ufdd0-\ufdef\ufe10-\ufe1f\ufe30-\ufe6b\ufeff\uff01-\uff0e\uff1a-\uff20\uff3b-\uff3e\uff40\uff5b-\uff65\ufff0-\uffff"
)
_TAG = re.compile(rf"#([\d_/-]*[^{_NO_TAG}\d_/\-\u0300-\u036f\u200d\u20d0-\u20ff\ufe00-\ufe0f][^{_NO_TAG}]*)")
_BAR = re.compile(r"\\?\|")
_LONGEST_LABEL = 1000


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
        token.meta = {"start": start, "end": match.end()}
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
    end = _find_outside_code(src, "==", start + 2, state.posMax)
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


def _find_outside_code(src: str, mark: str, start: int, limit: int) -> int:
    """Return where `mark` stands next with no code span open before it; -1 = nowhere."""
    end = src.find(mark, start, limit)
    ticks = src.count("`", start, end) if end >= 0 else 0
    while end >= 0 and ticks % 2:
        after = src.find(mark, end + len(mark), limit)
        ticks += src.count("`", end, after) if after >= 0 else 0
        end = after
    return end


def comment(state: StateInline, silent: bool) -> bool:
    """`%%not shown%%` inside one paragraph."""
    src, start = state.src, state.pos
    if not src.startswith("%%", start):
        return False
    end = src.find("%%", start + 2, state.posMax)
    if end < 0:
        _note_open(state, silent)
        return False
    if not silent:
        token = state.push("comment", "", 0)
        token.content = src[start : end + 2]
        token.meta = {"start": start, "end": end + 2}
    state.pos = end + 2
    return True


def _note_open(state: StateInline, silent: bool) -> None:
    """Note a mark that opens a comment and has no partner in its text: `indexer.parse.comments` looks for one in the blocks after it."""
    if not silent:
        state.env.setdefault("open_marks", {}).setdefault(state.src, set()).add(state.pos)


def make_simple_link(stops: str) -> Rule:
    """Return the rule for nearly all links: `[words](path)` with nothing in the words at which the parser stops.

    The library's rule, which is asked next, makes the same of them in ten times the time.
    """
    pattern = re.compile(rf"\[([^{re.escape(stops)}]+)\]\(([^\x00-\x20\x7f()<\\&]+)\)")

    def simple_link(state: StateInline, silent: bool) -> bool:
        start = state.pos
        match = pattern.match(state.src, start, state.posMax)
        if not match:
            return False
        if not silent:
            opening = state.push("link_open", "a", 1)
            opening.attrs = {"href": match[2]}
            opening.meta = {"start": start, "end": match.end(), "kind": "markdown"}
            state.append_pending(match[1])
            state.push("link_close", "a", -1)
        state.pos = match.end()
        return True

    return simple_link


def keep_place(rule: Any, kind: str) -> Rule:
    """Wrap a rule that makes links, images or HTML: its token gets `meta` with `start`, `end` and `kind`."""

    def wrapped(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        if not rule(state, silent):
            if kind == "html" and state.src.startswith("<!--", start):
                _note_open(state, silent)
            return False
        if not silent:
            token = state.tokens[count]
            if token.type == "text":  # what stood before
                token = state.tokens[count + 1]
            if kind == "bare":  # was recognised in its middle
                start = state.pos - len(state.tokens[-2].content)
            token.meta = {**token.meta, "start": start, "end": state.pos, "kind": _name_kind(kind, state.src[state.pos - 1])}
        return True

    return wrapped


def _name_kind(kind: str, last: str) -> str:
    if kind == "markdown" and last == "]":
        return "reference"
    return "autolink" if kind == "bare" else kind


def may_close(rule: Any) -> Rule:
    """Ask a rule that begins with `[` only where its end can follow: it looks for the end up to the end of the paragraph each time."""

    def wrapped(state: StateInline, silent: bool) -> bool:
        mark = "]" if state.env.get("references") else "]("
        return find_last(state, mark) > state.pos and bool(rule(state, silent))

    return wrapped


def near_bracket(rule: Any) -> Rule:
    """Ask the footnote rules only where a bracket closes soon: as long as labels of links may be, or anywhere for a note in the text."""

    def wrapped(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if state.src[start] == "[":
            if not state.src.startswith("[^", start) or state.src.find("]", start, min(start + _LONGEST_LABEL, state.posMax)) < 0:
                return False
        elif find_last(state, "]") < start:
            return False
        return bool(rule(state, silent))

    return wrapped


def find_last(state: StateInline, mark: str) -> int:
    """Return where `mark` stands last in the text; -1 = nowhere. Looked for once per text."""
    known: tuple[str, dict[str, int]] = state.env.get("last", ("", {}))
    if known[0] is not state.src:
        state.env["last"] = known = (state.src, {})
    if mark not in known[1]:
        known[1][mark] = state.src.rfind(mark)
    return known[1][mark]
