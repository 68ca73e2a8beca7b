"""Tables as vaults write them: the bar of a wikilink ends no cell, a block id below the last row is no row, and lost cells are noted.

Registered by `indexer.parse.markdown` around the library's rule, which does the rest.
"""

import re
from collections.abc import Callable

from markdown_it.rules_block import StateBlock

Rule = Callable[[StateBlock, int, int, bool], bool]

_LINK_WITH_BAR = re.compile(r"`[^`\n]*`|\[\[[^\[\]\n|]*[^\[\]\n|\\]\|[^\[\]\n]*\]\]")
_BAR = re.compile(r"(?<!\\)\|")
_BLOCK_ID = re.compile(r"\^[A-Za-z0-9_-]+[ \t]*$")
_COMMENT = re.compile(r"%%.*?(?:%%|$)|<!--.*?(?:-->|$)")
_MASK = "\x00"  # a page holds none when it comes here


def keep_links(rule: Rule) -> Rule:
    """Let the rule for tables see no bar in `[[page|words]]`; in code one ends the cell, as everywhere."""

    def wrapped(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        source, count = state.src, len(state.tokens)
        masked = _mask_bars(state)
        if masked is source:
            return rule(state, start, end, silent)
        state.src = masked
        matched = rule(state, start, end, silent)
        state.src = source
        for token in state.tokens[count:]:
            token.content = token.content.replace(_MASK, "|")
        return matched

    return wrapped


def _mask_bars(state: StateBlock) -> str:
    """Return the text with other characters for the bars in wikilinks, the text itself when it has none. Made once per text."""
    known: tuple[str, str] = state.env.get("masked", ("", ""))
    if known[0] is not state.src:
        text = state.src
        masked = _LINK_WITH_BAR.sub(lambda link: _BAR.sub(_MASK, link[0]) if link[0][0] == "[" else link[0], text) if "[[" in text else text
        state.env["masked"] = known = (text, text if masked == text else masked)
    return known[1]


def end_at_block_id(rule: Rule) -> Rule:
    """Take `^name` directly below a table for its block id, not for a row."""

    def wrapped(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        last = state.line - 1
        if silent or last < start + 2 or not _BLOCK_ID.match(state.src, state.bMarks[last] + state.tShift[last], state.eMarks[last]):
            return True
        del state.tokens[count:]
        return rule(state, start, last, silent)

    return wrapped


def note_lost_cells(rule: Rule) -> Rule:
    """Note in `meta["lost"]` of a table the rows (line, cells, columns) with more cells than columns: what is in these is not shown."""

    def wrapped(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        if not silent:
            columns = 0
            while state.tokens[count + 3 + 3 * columns].type == "th_open":
                columns += 1
            text = _mask_bars(state)
            for line in range(start + 2, state.line):
                cells = _count_cells(text[state.bMarks[line] + state.tShift[line] : state.eMarks[line]], columns)
                if cells > columns:
                    state.tokens[count].meta.setdefault("lost", []).append((line + 1, cells, columns))
        return True

    return wrapped


def _count_cells(row: str, columns: int) -> int:
    """Return how many cells a row has when something stands behind the last column; 0 when nothing does, or comments alone."""
    if row.count("|") < columns:
        return 0
    cells = _BAR.split(row.strip().removeprefix("|"))
    return len(cells) - (not cells[-1]) if _COMMENT.sub("", "".join(cells[columns:])).strip() else 0
