"""markdown-it-py's two loops, asking at each place only the rules that can begin with the character there.

Used by `indexer.parse.markdown`.

Every rule looks at its first character and gives up; calling all of them at each stop took a quarter of the time of reading a page. A rule
that is not named here is asked everywhere, so a new one works before it is fast. Order of rules and results are those of the library.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TypeVar

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from indexer.parse.flanking import State

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
    "template": "{<",
    "wikilink": "[!",
    "named_link": "[",
    "simple_link": "[",
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
    "admonition": "!?=:",
}
_ON_PLAIN_LINES = ["table", "code", "lheading", "deflist", "paragraph"]
"""Rules that are not named above and that `_is_single_line` answers for."""


class QuickInline(ParserInline):
    """The inline loop. Rules must all be registered before the first page is read."""

    stops: str
    """Characters at which the text rule stops."""

    @cached_property
    def _by_char(self) -> dict[str, list[RuleFuncInlineType]]:
        named = name_rules(self.ruler)
        return {char: [rule for name, rule in named if char in _INLINE.get(name, char)] for char in self.stops}

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Generate the tokens of one text."""
        if not self.terminator_re.search(src):
            if src:
                tokens.append(Token("text", "", 0, content=src))
            return tokens
        state = State(src, md, env, tokens)
        self.tokenize(state)
        if state.delimiters or any(meta and meta["delimiters"] for meta in state.tokens_meta):
            for rule in self.ruler2.getRules(""):  # all of them pair delimiters or clean up after that
                rule(state)
        return state.tokens

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


class _BlockRuler(Ruler[RuleFuncBlockType]):
    """Gives the rules that may end a block as one, which asks those that can begin with the character at the line's start."""

    def __init__(self, ruler: Ruler[RuleFuncBlockType]) -> None:
        super().__init__()
        self.__rules__ = ruler.__rules__
        self._ends: dict[str, list[RuleFuncBlockType]] = {}

    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:  # noqa: N802, N803 (the library's names)
        """Return the rules of a chain; "" names the chain of all."""
        if not chainName:
            return super().getRules()
        if chainName not in self._ends:
            self._ends[chainName] = [self._join(super().getRules(chainName))]
        return self._ends[chainName]

    def _join(self, rules: list[RuleFuncBlockType]) -> RuleFuncBlockType:
        by_char, others = _sort_rules([(name, rule) for name, rule in name_rules(self) if rule in rules])

        def ends(state: StateBlock, start: int, end: int, silent: bool) -> bool:
            pos = state.bMarks[start] + state.tShift[start]
            return any(rule(state, start, end, silent) for rule in by_char.get(state.src[pos : pos + 1], others))

        return ends


class QuickBlock(ParserBlock):
    """The block loop. Rules must all be registered before the first page is read."""

    def __init__(self) -> None:
        super().__init__()
        self.ruler = _BlockRuler(self.ruler)

    @cached_property
    def _by_char(self) -> tuple[dict[str, list[RuleFuncBlockType]], list[RuleFuncBlockType], bool]:
        by_char, others = _sort_rules(name_rules(self.ruler))
        return by_char, others, [name for name, rule in name_rules(self.ruler) if rule in others] == _ON_PLAIN_LINES

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803 (the library's names)
        """Generate tokens for a range of lines."""
        by_char, others, known = self._by_char
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
            rules = by_char.get(state.src[state.bMarks[line] + state.tShift[line]])
            if rules is None and known and _is_single_line(state, line, endLine):
                _add_paragraph(state, line)
            else:
                for rule in others if rules is None else rules:
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


def _is_single_line(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line that begins with a plain character is a paragraph of its own: no code, no table, no term of a definition list."""
    if state.sCount[line] - state.blkIndent >= 4 or (line + 1 < state.lineMax and not state.isEmpty(line + 1)):
        return False
    after = line + 2
    return after >= end or state.src[(pos := state.bMarks[after] + state.tShift[after]) : pos + 1] not in {":", "~"}


def _add_paragraph(state: StateBlock, line: int) -> None:
    """Do what the library's rules would do with a paragraph of one line, parent type included."""
    content = mdTrim(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
    level = state.level
    state.tokens += (
        Token("paragraph_open", "p", 1, map=[line, line + 1], level=level, block=True),
        Token("inline", "", 0, map=[line, line + 1], level=level + 1, children=[], content=content, block=True),
        Token("paragraph_close", "p", -1, level=level, block=True),
    )
    state.parentType = "paragraph"
    state.line = line + 1


def _sort_rules(named: list[tuple[str, RuleFuncBlockType]]) -> tuple[dict[str, list[RuleFuncBlockType]], list[RuleFuncBlockType]]:
    """Return first character → rules to ask there, and the rules to ask at any other character; both in order."""
    chars = sorted({char for chars in _BLOCK.values() for char in chars})
    by_char = {char: [rule for name, rule in named if char in _BLOCK.get(name, char)] for char in chars}
    return by_char, [rule for name, rule in named if name not in _BLOCK]


def name_rules(ruler: Ruler[Rule]) -> list[tuple[str, Rule]]:
    """Return the active rules with their names, in order."""
    return list(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
