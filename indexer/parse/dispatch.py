"""markdown-it-py's two loops, asking at each place only the rules that can begin with the character there.

Used by `indexer.parse.markdown`.

Every rule looks at its first character and gives up; calling all of them at each stop took a quarter of the time of reading a page. A rule
that is not named here is asked everywhere, so a new one works before it is fast. Order of rules and results are those of the library.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TypeVar

from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

Rule = TypeVar("Rule")
_INLINE: Mapping[str, str] = {
    "text": "",  # only where no other rule can begin
    "linkify": "",
    "newline": "\n",
    "math_inline": "$",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "highlight": "=",
    "tag": "#",
    "comment": "%",
    "wikilink": "[!",
    "link": "[",
    "image": "!",
    "footnote_inline": "^",
    "footnote_ref": "[",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "gfm_autolink_www": "w",
    "gfm_autolink_protocol": ":",
    "gfm_autolink_email": "@",
}
_BLOCK: Mapping[str, str] = {
    "math_block": "$",
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "footnote_def": "[",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
    "block_comment": "%",
}


class QuickInline(ParserInline):
    """The inline loop. Rules must all be registered before the first page is read."""

    stops: str
    """Characters at which the text rule stops."""

    @cached_property
    def _by_char(self) -> dict[str, list[RuleFuncInlineType]]:
        named = name_rules(self.ruler)
        return {char: [rule for name, rule in named if char in _INLINE.get(name, char)] for char in self.stops}

    def skipToken(self, state: StateInline) -> None:  # noqa: N802 (the library's name)
        """Step over one token, as when the end of a link's label is looked for."""
        pos, cache = state.pos, state.cache
        if pos in cache:
            state.pos = cache[pos]
            return
        rules = self._by_char.get(state.src[pos])
        if rules is None:
            stop = self.terminator_re.search(state.src, pos, state.posMax)
            state.pos = stop.start() if stop else state.posMax
        elif state.level >= state.md.options["maxNesting"]:
            state.pos = state.posMax
        else:
            state.level += 1
            matched = any(rule(state, True) for rule in rules)
            state.level -= 1
            state.pos = state.pos if matched else pos + 1
        cache[pos] = state.pos

    def tokenize(self, state: StateInline) -> None:
        """Generate tokens for the rest of the state's text."""
        by_char, text, source = self._by_char, self.terminator_re, state.src
        deepest = state.md.options["maxNesting"]
        end = state.posMax
        while state.pos < end:
            pos = state.pos
            rules = by_char.get(source[pos])
            if rules is None:
                stop = text.search(source, pos, end)
                state.pos = stop.start() if stop else end
                state.append_pending(source[pos : state.pos])
                continue
            matched = False
            if state.level < deepest:
                for rule in rules:
                    matched = rule(state, False)
                    if matched:
                        break
            if not matched:
                state.append_pending(source[pos])
                state.pos = pos + 1
        if state.pending:
            state.pushPending()


class QuickBlock(ParserBlock):
    """The block loop. Rules must all be registered before the first page is read."""

    @cached_property
    def _by_char(self) -> tuple[dict[str, list[RuleFuncBlockType]], list[RuleFuncBlockType]]:
        named = name_rules(self.ruler)
        chars = sorted({char for chars in _BLOCK.values() for char in chars})
        by_char = {char: [rule for name, rule in named if char in _BLOCK.get(name, char)] for char in chars}
        return by_char, [rule for name, rule in named if name not in _BLOCK]

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803 (the library's names)
        """Generate tokens for a range of lines."""
        by_char, others = self._by_char
        deepest = state.md.options["maxNesting"]
        line, has_empty_lines = startLine, False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= deepest:
                # The library drops what is nested deeper; here nobody's words get lost.
                token = state.push("code_block", "code", 0)
                token.content = state.getLines(line, endLine, state.blkIndent, False)
                token.map = [line, endLine]
                state.line = endLine
                break
            first = state.src[state.bMarks[line] + state.tShift[line]]
            for rule in by_char.get(first, others):
                if rule(state, line, endLine, False):
                    break
            state.tight = not has_empty_lines
            line = state.line
            if (line - 1) < endLine and state.isEmpty(line - 1):
                has_empty_lines = True
            if line < endLine and state.isEmpty(line):
                has_empty_lines = True
                line += 1
                state.line = line


def name_rules(ruler: Ruler[Rule]) -> list[tuple[str, Rule]]:
    """Return the active rules with their names, in order."""
    return list(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
