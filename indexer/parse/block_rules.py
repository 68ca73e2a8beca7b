"""Block syntax beyond CommonMark: `%%` comments, callouts, task boxes, block ids.

Registered by `indexer.parse.markdown`. Comments are a block rule; the rest are core rules that rewrite the token stream.
"""

import re
from itertools import pairwise

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore, text_join
from markdown_it.token import Token

from indexer.parse.admonitions import TYPES

_CALLOUT = re.compile(r"\[!([^\s\[\]|][^\[\]|\n]*)(?:\|[^\]\n]*)?\]([+-]?)(?![(\[:])(.*)")
_BLOCK_ID = re.compile(r"(?:^|[ \t\n])\^([A-Za-z0-9_-]+)[ \t]*$")
_FENCE = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>.*)", re.MULTILINE)
_FENCE_OR_PERCENTS = re.compile(_FENCE.pattern + "|%%", re.MULTILINE)
_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_ATTRIBUTE = r"(?:\.[\w:-]+|[\w:-]+=(?:\"[^\"\n]*\"|[^\s{}\"]+))"
_CUSTOM_ID = re.compile(rf"(?<!\\)\{{:?[ \t]*(?:{_ATTRIBUTE}[ \t]+)*#([^\W\d_][\w.:-]*)(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}$")
_TASK = re.compile(r"\[([ xX/><!?*\"lbiSIpcfkwudn~+@“”-])\](?:[ \t\n]|$)")
_OWNERS = frozenset(
    "paragraph_open heading_open list_item_open bullet_list_open ordered_list_open table_open blockquote_open callout_open dl_open dt_open "
    "fence code_block math_block html_block hr".split()
)
"""What a block id can belong to: each of them is rendered with its ids."""


def block_comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`%%` at the start of a line up to the next `%%`, over any number of blocks."""
    if state.is_code_block(start):
        return False
    pos = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("%%", pos):
        return False
    if silent and _count_before(state, pos) % 2:
        return False  # it ends a comment of the paragraph, and the paragraph goes on
    limit = state.eMarks[end - 1]
    close = _find_end(state.src, pos + 2, limit)
    if close < 0:
        return False
    line = start
    while state.eMarks[line] < close + 2:
        line += 1
    follows = bool(state.src[close + 2 : state.eMarks[line]].strip())
    if follows and not _EMPTY_LINE.search(state.src, pos, close):
        return False  # one paragraph: the inline rule takes it
    if silent:
        return True
    token = state.push("comment_block", "", 0)
    token.meta = {"span": (pos, close + 2)}
    token.map = [start, line + 1]
    state.line = line + 1
    if follows:
        _begin_after(state, line, close + 2)
    return True


def _count_before(state: StateBlock, pos: int) -> int:
    """Return how many `%%` stand between the beginning of the block that is being read and a line of it."""
    begin = state.bMarks[state.line]
    known, seen, count = state.env.get("percents", (begin, begin, 0))
    if known != begin or seen > pos:
        seen, count = begin, 0
    count += state.src.count("%%", seen, pos)
    state.env["percents"] = (begin, pos, count)
    return int(count)


def _find_end(src: str, start: int, limit: int) -> int:
    """Return where the next `%%` stands; one in code that begins and ends inside the comment is part of it. -1 = nowhere."""
    close = src.find("%%", start, limit)
    if close < 0 or not _FENCE.search(src, start, close):
        return close
    fence = ""
    for mark in _FENCE_OR_PERCENTS.finditer(src, start, limit):
        if not mark["fence"]:
            if not fence:
                return mark.start()
        elif not fence:
            fence = mark["fence"]
        elif mark["fence"].startswith(fence) and not mark["info"].strip():
            fence = ""
    return close


def _begin_after(state: StateBlock, line: int, position: int) -> None:
    """Let the block parser go on in the middle of a line."""
    while state.src[position] in " \t":
        position += 1
    state.bMarks[line], state.tShift[line], state.sCount[line] = position, 0, state.blkIndent
    state.line = line


def callouts(state: StateCore) -> None:
    """Turn quotes that begin with `[!note]` into callouts; runs between the block and the inline pass."""
    if "[!" not in state.src and "callouts" not in state.env:
        return
    tokens = state.tokens
    for index in range(len(tokens) - 2):
        token = tokens[index]
        if token.type != "blockquote_open" or tokens[index + 1].type != "paragraph_open":
            continue
        inline = tokens[index + 2]
        match = _CALLOUT.match(inline.content)
        if match:
            _open_callout(tokens, index, match)
    state.tokens = [token for token in tokens if token.type != "dropped"]
    state.tokens = _insert_titles(state.tokens)


def _open_callout(tokens: list[Token], index: int, match: "re.Match[str]") -> None:
    opening, paragraph, inline = tokens[index : index + 3]
    close = _find_close(tokens, index)
    typed = match[1].rstrip().lower()
    kind = TYPES.get(typed, typed)
    rest = inline.content[match.end() :].lstrip("\n")
    fold = match[2] if rest or close > index + 4 else ""  # without content there is nothing to fold
    for token in (opening, tokens[close]):
        token.type = token.type.replace("blockquote", "callout")
        token.tag = "details" if fold else "div"
    opening.meta = {"kind": kind, "fold": fold, "title": match[3].strip() or typed.replace("-", " ").capitalize()}
    if rest:
        lines = inline.content[: match.end()].count("\n") + 1
        inline.content = rest
        inline.map = [inline.map[0] + lines, inline.map[1]] if inline.map else None
    else:
        for token in (paragraph, inline, tokens[index + 3]):
            token.type = "dropped"


def _find_close(tokens: list[Token], index: int) -> int:
    depth = 0
    for position in range(index, len(tokens)):
        if tokens[position].type in {"blockquote_open", "callout_open"}:
            depth += 1
        elif tokens[position].type in {"blockquote_close", "callout_close"}:
            depth -= 1
            if depth == 0:
                return position
    raise AssertionError("BUG: a quote without an end")


def _insert_titles(tokens: list[Token]) -> list[Token]:
    result: list[Token] = []
    for token in tokens:
        result.append(token)
        if token.type == "callout_open" and token.meta["title"]:
            tag = "summary" if token.meta["fold"] else "p"
            title = Token("inline", "", 0, content=token.meta["title"], children=[], level=token.level + 2)
            title.map = [token.map[0], token.map[0] + 1] if token.map else None
            opening = Token("callout_title_open", tag, 1, level=token.level + 1)
            result += [opening, title, Token("callout_title_close", tag, -1, level=token.level + 1)]
    return result


def task_boxes(state: StateCore) -> None:
    """Mark list items that begin with `[ ]`; runs before the inline pass."""
    tokens = state.tokens
    for index in range(len(tokens) - 2):
        if tokens[index].type != "list_item_open" or tokens[index + 1].type != "paragraph_open":
            continue
        inline = tokens[index + 2]
        match = _TASK.match(inline.content)
        if match:
            inline.content = inline.content[match.end() :].lstrip(" \t")
            if inline.map and match[0].endswith("\n"):
                inline.map = [inline.map[0] + 1, inline.map[1]]
            tokens[index].meta = {"task": match[1]}


def block_ids(state: StateCore) -> None:
    """Take `^id` off the end of blocks and set it as `meta["block"]` of the block's opening token; runs before the inline pass."""
    if "^" not in state.src:
        return
    tokens, seen = state.tokens, set[str]()
    for index, token in enumerate(tokens):
        if token.type != "inline" or "^" not in token.content:
            continue
        match = _BLOCK_ID.search(token.content)
        if not match or _in_code(token.content, match.start()):
            continue
        owner = _find_owner(tokens, index, alone=match.start() == 0)
        if owner is None:
            continue
        if match[1] not in seen:  # the first block of a name has it
            seen.add(match[1])
            owner.meta.setdefault("blocks", []).append(match[1])
        token.content = token.content[: match.start()]
        if match.start() == 0 and tokens[index - 1].type == "paragraph_open":
            for each in tokens[index - 1 : index + 2]:
                each.type, each.meta = "dropped", {"owner": owner}
    state.tokens = [token for token in tokens if token.type != "dropped"]


def custom_ids(state: StateCore) -> None:
    """Take `{#id}` off the end of headings, as in kramdown, Pandoc and Python-Markdown, and set it as `meta["wanted"]`."""
    if "#" not in state.src or "}" not in state.src:
        return
    for opening, inline in pairwise(state.tokens):
        match = _CUSTOM_ID.search(inline.content) if opening.type == "heading_open" else None
        if match and not _in_code(inline.content, match.start()):
            opening.meta["wanted"] = match[1]
            inline.content = inline.content[: match.start()].rstrip(" \t")


def join_escapes(state: StateCore) -> None:
    """Join what stood behind a backslash or in an entity with the text around it; runs after the inline pass."""
    if "\\" in state.src or "&" in state.src:
        text_join(state)


def _in_code(content: str, position: int) -> bool:
    return content.count("`", 0, position) % 2 == 1


def _find_owner(tokens: list[Token], index: int, *, alone: bool) -> Token | None:
    """The opening token that an id belongs to: the previous block when it stands alone, else the block around it."""
    parent = tokens[index - 1]
    if alone:
        owner = _find_before(tokens, index)
    elif (parent.type == "paragraph_open" and tokens[index - 2].type == "list_item_open") or parent.type == "callout_title_open":
        owner = tokens[index - 2]
    else:
        owner = parent
    return owner if owner and owner.type in _OWNERS else None


def _find_before(tokens: list[Token], index: int) -> Token | None:
    """The block before the one that the text at `index` is; comments are passed over."""
    position = index - 2
    while position >= 0 and (tokens[position].level > tokens[index - 1].level or tokens[position].type == "comment_block"):
        position -= 1
    if position < 0 or tokens[position].level < tokens[index - 1].level:
        return None
    if tokens[position].type == "dropped":  # another id of the same block
        owner: Token = tokens[position].meta["owner"]
        return owner
    if tokens[position].nesting < 0:
        kind, level = tokens[position].type.replace("_close", "_open"), tokens[position].level
        while tokens[position].type != kind or tokens[position].level != level:
            position -= 1
    return tokens[position]
