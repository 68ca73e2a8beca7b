"""Inline syntax beyond CommonMark: wikilinks, embeds, tags, highlights, comments; and the place kept of every link and HTML tag.

Registered by `indexer.parse.markdown`; each rule has markdown-it's signature `(state, silent) -> matched`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from markdown_it.rules_inline import StateInline

from indexer.parse.destinations import is_media, names_page
from indexer.parse.html_tags import PLAYERS, RAW_TEXT

Rule = Callable[[StateInline, bool], bool]

_WIKILINK = re.compile(r"!?\[\[(?!\[[^\[\]\n]*\]\]\])([^\[\]\n]*(?:\[(?!\[)[^\[\]\n]*\][^\[\]\n]*)*)\]\]")
_ADDRESS = re.compile(r"\((?:<|[a-z][a-z0-9+.-]+:|[#/]|\.\.?/)[^()\s]*\)|\([^()\s]+\.md(?:#[^()\s]*)?\)", re.IGNORECASE)
_NAMED = re.compile(r"\[([^\[\]\n]+)\]\(\[\[([^\[\]\n|]+)\]\]\)")
_TEMPLATES = (
    ("{{", "}}", re.compile(r"\{\{(?!c\d+::|embed\b).*?\}\}", re.DOTALL)),  # a cloze and an embed hold words of the page
    ("{%", "%}", re.compile(r"\{%.*?%\}", re.DOTALL)),
    ("<%", "%>", re.compile(r"<%.*?%>", re.DOTALL)),
    ("{", "}", re.compile(r"\{:?[ \t]*[#.][^{}\n]*\}")),
)
_CONDITION = re.compile(r"\s+(?:-[A-Za-z]{1,2}\s|!\s|[\"']?\$)")
_CONTENTS = re.compile(r"\[\[_toc_\]\]", re.IGNORECASE)
_SHOWS_CODE = re.compile(r"<(?P<close>/?)(?:code|kbd|samp|tt|pre)\b[^<>]*>", re.IGNORECASE)
_MARK_END = re.compile(r"`+[^`]+`+|\$[^$\s](?:[^$]*[^$\s])?\$(?!\d)|(?P<end>(?<![\s<])==)")
# As in Obsidian, everything but spaces and punctuation, so vowel signs and emoji too. One character has to mean something by itself.
_NO_TAG = (
    r"\s!-,.:-@\[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u060c\u061b\u061f\u06d4\u0964\u0965\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f"
    r"\u3000-\u3003\u3008-\u3011\u3014-\u301f\ufdd0-\ufdef\ufe10-\ufe1f\ufe30-\ufe6b\ufeff\uff01-\uff0e\uff1a-\uff20\uff3b-\uff3e\uff40\uff5b-\uff65\ufff0-\uffff"
)
_TAG = re.compile(rf"#([\d_/-]*[^{_NO_TAG}\d_/\-\u0300-\u036f\u200d\u20d0-\u20ff\ufe00-\ufe0f][^{_NO_TAG}]*)")
_BAR = re.compile(r"\\?\|")
_MARKUP = re.compile(r"(?!.*(?:[<\[@]|://|www\.)).*[$&*=\\`~]")
"""Labels that hold markup and nothing that could be a link itself."""
_LONGEST_LABEL = 1000
_OPENS_RAW = re.compile(rf"<({RAW_TEXT}|{PLAYERS})\b", re.IGNORECASE)
_CLOSES_RAW = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in f"{RAW_TEXT}|{PLAYERS}".split("|")}


def wikilink(state: StateInline, silent: bool) -> bool:
    """`[[target#anchor|label]]` and `![[target|size]]`."""
    src, start = state.src, state.pos
    if not (src.startswith("[[", start) or src.startswith("![[", start)):
        return False
    match = _WIKILINK.match(src, start, state.posMax)
    if not match:
        return False
    if _CONTENTS.match(match[0]) or _CONDITION.match(match[1]):  # no words of a page, nor those of a shell
        return _keep_text(state, match[0], silent)
    bar = _BAR.search(match[1])
    target = match[1][: bar.start()].strip() if bar else match[1].strip()
    embed = src[start] == "!"
    if not _is_link(state, target, match.end(), embed=embed):
        return False
    if not silent:
        label = match[1][bar.end() :].strip() if bar else ""
        meta = {"start": start, "end": match.end()}
        if not embed and _MARKUP.match(label):
            _push_marked(state, target, src.index(label, match.start(1) + bar.end() if bar else 0), len(label), meta)
        else:
            token = state.push("embed" if embed else "wikilink", "", 0)
            token.content, token.info, token.meta = target, label, meta
    state.pos = match.end()
    return True


def named_link(state: StateInline, silent: bool) -> bool:
    """`[label]([[target]])`, as Logseq writes a wikilink with other words."""
    start = state.pos
    match = _NAMED.match(state.src, start, state.posMax) if find_last(state, "]([[") > start else None
    if not match or state.linkLevel > 0 or not names_page(match[2]) or _shows_code(state):
        return False
    if not silent:
        _push_marked(state, match[2].strip(), match.start(1), len(match[1]), {"start": start, "end": match.end()})
    state.pos = match.end()
    return True


def _is_link(state: StateInline, target: str, end: int, *, embed: bool) -> bool:
    """Whether brackets with this target name a page: not `[[#]]`, `[[{{date}}]]`, `[[1]](https://…)`, nor what stands in `<code>`."""
    if not names_page(target):
        return False
    if state.linkLevel > 0 and not (embed and is_media(target)):
        return False  # a link inside a link stays text
    if not embed and _ADDRESS.match(state.src, end, state.posMax):
        return False  # a link of Markdown whose words stand in brackets
    return not _shows_code(state)


def _push_marked(state: StateInline, target: str, start: int, length: int, meta: dict[str, int]) -> None:
    """Add a wikilink whose label holds markup."""
    outer = state.posMax
    token = state.push("wikilink_open", "a", 1)
    token.content, token.meta = target, meta
    state.pos, state.posMax = start, start + length
    state.linkLevel += 1
    state.md.inline.tokenize(state)
    state.linkLevel -= 1
    state.push("link_close", "a", -1)
    state.posMax = outer


def _shows_code(state: StateInline) -> bool:
    """Whether the text stands in an HTML element for code."""
    if "<" not in state.src:
        return False
    known: tuple[str, list[int]] = state.env.get("code_tags", ("", []))
    if known[0] is not state.src:
        state.env["code_tags"] = known = (state.src, _find_code(state.src))
    return bisect_right(known[1], state.pos) % 2 == 1


def _find_code(src: str) -> list[int]:
    """Return where HTML for code begins and ends, in turn; what is never closed shows none."""
    bounds, depth = list[int](), 0
    for tag in _SHOWS_CODE.finditer(src):
        if not tag["close"]:
            bounds += [] if depth else [tag.start()]
            depth += 1
        elif depth:
            depth -= 1
            bounds += [] if depth else [tag.start()]
    return bounds[: len(bounds) // 2 * 2]


def template(state: StateInline, silent: bool) -> bool:
    """Expressions that another program fills in, `{{ … }}`, `{% … %}`, `<% … %>`, and attribute lists, `{: #id .class }`: text as it is."""
    src, start = state.src, state.pos
    for mark, end, pattern in _TEMPLATES:
        if src.startswith(mark, start) and find_last(state, end) > start:
            match = pattern.match(src, start, state.posMax)
            if match:
                return _keep_text(state, match[0], silent)
    return False


def _keep_text(state: StateInline, text: str, silent: bool) -> bool:
    """Take what stands here for text as it is."""
    if not silent:
        state.append_pending(text)
    state.pos += len(text)
    return True


def tag(state: StateInline, silent: bool) -> bool:
    """`#project/alpha`: at the start of a word, not only digits."""
    src, start = state.src, state.pos
    if src[start] != "#" or state.linkLevel > 0 or not _begins_word(src, start):
        return False
    match = _TAG.match(src, start, state.posMax)
    if not match or src[match.end() : state.posMax][:1] == "#" or _shows_code(state):
        return False
    name = match[1].rstrip("/")
    if not silent:
        token = state.push("tag", "", 0)
        token.content = name
    state.pos = start + 1 + len(name)
    return True


def _begins_word(src: str, start: int) -> bool:
    return start == 0 or src[start - 1].isspace() or src[start - 1] in "(,;>*_" or src[max(0, start - 2) : start] in {"==", "~~"}


def highlight(state: StateInline, silent: bool) -> bool:
    """`==text==`."""
    src, start = state.src, state.pos
    if not src.startswith("==", start) or start + 4 >= state.posMax or src[start + 2] in " =>\n\t":
        return False
    end = _find_mark_end(state, start + 2)
    if end < 0:
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


def _find_mark_end(state: StateInline, start: int) -> int:
    """Return where the next `==` stands that is not in code or a formula, and not a sign between spaces or an arrow; -1 = nowhere."""
    none_from: tuple[str, int, int] = state.env.get("no_mark_end", ("", 0, 0))
    if none_from[0] is state.src and none_from[1] == state.posMax and none_from[2] <= start:
        return -1
    for piece in _MARK_END.finditer(state.src, start, state.posMax):
        if piece["end"]:
            return piece.start()
    state.env["no_mark_end"] = (state.src, state.posMax, start)
    return -1


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
    pattern = re.compile(rf"\[([^{re.escape(stops)}]+)\]\(([^\x00-\x20\x7f()<\\&{{$]+)\)")

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


def take_whole(rule: Any) -> Rule:
    """Wrap the rule for HTML tags: an element that is not published, or plays a file, is one with what it holds, as in blocks."""

    def wrapped(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        opening = _OPENS_RAW.match(state.src, start, state.pos)
        if opening and not state.src.endswith("/>", start, state.pos):
            end = _find_raw_end(state, opening[1].lower())
            if end > 0:
                state.pos = end
                if not silent:
                    state.tokens[-1].content = state.src[start:end]
        return True

    return wrapped


def _find_raw_end(state: StateInline, name: str) -> int:
    """Return where the element that opened before `state.pos` ends; -1 = nowhere. What is closed nowhere is looked for once."""
    known: tuple[str, dict[tuple[str, int], int]] = state.env.get("raw_ends", ("", {}))
    if known[0] is not state.src:
        state.env["raw_ends"] = known = (state.src, {})
    key = (name, state.posMax)
    if known[1].get(key, state.posMax) <= state.pos:
        return -1
    closing = _CLOSES_RAW[name].search(state.src, state.pos, state.posMax)
    if not closing:
        known[1][key] = state.pos
    return closing.end() if closing else -1


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
