"""Callouts as MkDocs, Docusaurus, VuePress and MyST write them, and the tabs of Material for MkDocs.

A block rule of markdown-it, registered by `indexer.parse.markdown`. Its tokens are those of callouts, so what reads and shows these knows
no difference.
"""

import re

from markdown_it.rules_block import StateBlock
from msgspec import Struct

from indexer.parse.clean import CALLOUT_KINDS

_INDENT = 4
_MARKED = re.compile(r"(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ \t]*(?P<words>[\w-]+(?:[ \t]+[\w-]+)*)?(?:[ \t]*\"(?P<title>.*)\")?[ \t]*$")
_PLACEMENT = frozenset(("inline", "end", "annotate"))
"""Words behind the kind that say where Material puts it."""
_FENCED = re.compile(
    r"(?P<mark>:{3,})[ \t]*(?:\{\.?(?:callout-)?(?P<class>[\w-]+)(?P<attributes>[^}]*)\}|(?P<kind>[\w-]+))"
    r"(?:\[(?P<label>.*)\])?[ \t]*(?P<rest>.*?)[ \t]*$"
)
_TITLE = re.compile(r"title=\"([^\"]*)\"")
_MARKS = re.compile(r"(:{3,}|`{3,}|~{3,})[ \t]*(.*)")
TYPES = {
    "summary": "abstract",
    "tldr": "abstract",
    "hint": "tip",
    "check": "success",
    "done": "success",
    "help": "question",
    "faq": "question",
    "attention": "warning",
    "fail": "failure",
    "missing": "failure",
    "error": "danger",
    "cite": "quote",
}
"""Other names of kinds of callouts."""
_FENCED_TYPES = CALLOUT_KINDS | TYPES.keys() | {"details", "secondary", "seealso"}


class _Opening(Struct, frozen=True):
    """What the first line of such a block says."""

    typed: str
    title: str
    fold: str
    """`+` or `-`; empty when it cannot be folded."""
    end: int
    """The line behind the last one of the block."""
    body_end: int
    indent: int
    """How far its lines are indented."""


def admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`!!! note "Title"`, `??? note`, `=== "Tab"` with their lines indented, `:::note[Title]` up to the next `:::`."""
    pos = state.bMarks[start] + state.tShift[start]
    if state.src[pos : pos + 3] not in {"!!!", "???", "===", ":::"} or state.is_code_block(start):
        return False
    opening = _read_fenced(state, start, end) if state.src[pos] == ":" else _read_marked(state, start, end)
    if opening is None:
        return False
    if not silent:
        _push(state, start, opening)
    return True


def _read_line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _read_marked(state: StateBlock, start: int, end: int) -> _Opening | None:
    match = _MARKED.match(_read_line(state, start))
    if not match:
        return None
    indent = state.sCount[start] + _INDENT
    last = _find_last_indented(state, start, end, indent)
    words = (match["words"] or "").split()
    if (last == start and match["title"] is None) or (not words and match["title"] is None):
        return None
    if match["mark"].startswith("="):
        return None if words or not match["title"] else _Opening("tab", match["title"], "", last + 1, last + 1, indent)
    if not words:
        return None
    fold = {"???": "-", "???+": "+"}.get(match["mark"], "")
    title = match["title"]
    if title is None:
        title = " ".join(word for word in words[1:] if word not in _PLACEMENT)
        title = title or _name(words[0])
    elif not title.strip() and fold:
        title = _name(words[0])
    return _Opening(words[0].lower(), title.strip(), fold, last + 1, last + 1, indent)


def _find_last_indented(state: StateBlock, start: int, end: int, indent: int) -> int:
    """Return the last line that is indented so far, with nothing but such lines and empty ones before it; `start` when there is none."""
    last = start
    for line in range(start + 1, end):
        if state.isEmpty(line):
            continue
        if state.sCount[line] < indent:
            break
        last = line
    return last


def _read_fenced(state: StateBlock, start: int, end: int) -> _Opening | None:
    match = _FENCED.match(_read_line(state, start))
    typed = (match["class"] or match["kind"]).lower() if match else ""
    if not match or typed not in _FENCED_TYPES:
        return None
    close = _find_closes(state, start, end).get(start)
    if close is None:
        return None
    given = _TITLE.search(match["attributes"] or match["rest"])
    rest = "" if match["rest"].startswith("{") else match["rest"]
    title = match["label"] or (given[1] if given else rest)
    return _Opening(typed, title.strip() or _name(typed), "-" if typed == "details" else "", close + 1, close, state.sCount[start])


def _find_closes(state: StateBlock, start: int, end: int) -> dict[int, int]:
    """Return the lines from `start` on in which colons open something, with those that close it. Looked for once per level and end."""
    known: dict[tuple[int, ...], dict[int, int]] = state.env.setdefault("colons", {})
    key = (end, state.level, state.blkIndent)
    if key not in known:
        known[key] = _pair_colons(state, start, end)
    return known[key]


def _pair_colons(state: StateBlock, start: int, end: int) -> dict[int, int]:
    """Pair them: colons close the last that as many, indented as far, have opened, else the last that fewer have. Code is passed over."""
    pairs, opened, fence = dict[int, int](), dict[int, list[tuple[int, int]]](), ""
    for line in range(start, end):
        match = _MARKS.match(_read_line(state, line))
        if not match or state.sCount[line] < state.blkIndent:
            continue
        mark, rest = match[1], match[2].strip()
        if fence:
            fence = "" if mark.startswith(fence) and not rest else fence
        elif mark[0] != ":":
            fence = mark
        elif rest:
            opened.setdefault(state.sCount[line], []).append((len(mark), line))
        elif (first := _pop_opened(opened.get(state.sCount[line], []), len(mark))) >= 0:
            pairs[first] = line
    return pairs


def _pop_opened(opened: list[tuple[int, int]], length: int) -> int:
    """Take what so many colons close off the list, with what was opened after it; return its line, -1 = nothing."""
    if opened and opened[-1][0] != length:
        lengths = [each for each, _ in opened]
        if length not in lengths:
            length = max((each for each in lengths if each < length), default=0)
    while length and opened:
        found, line = opened.pop()
        if found == length:
            return line
    return -1


def _name(typed: str) -> str:
    return typed.replace("-", " ").capitalize()


def _push(state: StateBlock, start: int, opening: _Opening) -> None:
    """Add the tokens of the block and of what is in it; the title follows with those of all callouts."""
    state.env["callouts"] = True
    tag = "details" if opening.fold else "div"
    token = state.push("callout_open", tag, 1)
    token.map = [start, opening.end]
    token.meta = {"kind": TYPES.get(opening.typed, opening.typed), "fold": opening.fold, "title": opening.title}
    parent, limit, indent = state.parentType, state.lineMax, state.blkIndent
    state.parentType, state.lineMax, state.blkIndent = "blockquote", opening.body_end, opening.indent
    state.md.block.tokenize(state, start + 1, opening.body_end)
    state.parentType, state.lineMax, state.blkIndent = parent, limit, indent
    state.push("callout_close", tag, -1)
    state.line = opening.end
