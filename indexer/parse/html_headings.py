"""Headings written in HTML, as many a README begins with one: they become headings like all others, with an id, as on GitHub.

A core rule of markdown-it, registered by `indexer.parse.markdown`. What is around such a heading in its block stays raw HTML.
"""

import html
import re
from collections.abc import Iterator

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from indexer.parse.html_tags import PIECE, read_attributes
from indexer.parse.slugs import guard_id

_OPENS = re.compile(r"<h[1-6][\s>]", re.IGNORECASE)
_HEADING = re.compile(r"h[1-6]")
_CODE_OR_COMMENT = re.compile(r"<pre\b|%%", re.IGNORECASE)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


def html_headings(state: StateCore) -> None:
    """Cut blocks of HTML at the headings in them; runs after the inline pass, for nothing in HTML is Markdown."""
    if not _OPENS.search(state.src):
        return
    tokens: list[Token] = []
    for token in state.tokens:
        tokens += _split(token) if token.type == "html_block" and _may_split(token.content) else (token,)
    state.tokens = tokens


def _may_split(content: str) -> bool:
    """Whether there is a heading, and neither code nor a comment that may end elsewhere."""
    closed = content.rfind("<!--") <= content.rfind("-->")
    return _OPENS.search(content) is not None and closed and not _CODE_OR_COMMENT.search(content)


def _split(block: Token) -> Iterator[Token]:
    content, position, line = block.content, 0, block.map[0] if block.map else 0
    for opening, closing, depth in _find_headings(content):
        inline = _make_inline(content[opening.end() : closing.start()])
        if not "".join(child.content for child in inline.children or () if child.type == "text").strip():
            continue  # a picture alone
        before = content[position : opening.start()]
        yield from _copy(block, before, line)
        line += before.count("\n")
        yield from _make_heading(opening, inline, line, block.level + depth)
        line += content.count("\n", opening.start(), closing.end())
        position = closing.end()
    yield from _copy(block, content[position:], line)


def _find_headings(content: str) -> Iterator[tuple["re.Match[str]", "re.Match[str]", int]]:
    """Yield the tags of each heading, and in how many other elements of the block it stands."""
    opening: re.Match[str] | None = None
    depth = 0
    for piece in PIECE.finditer(content):
        name = (piece["name"] or "").lower()
        if _HEADING.fullmatch(name):
            if piece["close"] and opening and name == opening["name"].lower():
                yield opening, piece, depth
            opening = None if piece["close"] else piece
        elif name and name not in _VOID and not piece[0].endswith("/>") and opening is None:
            depth = max(0, depth + (-1 if piece["close"] else 1))


def _make_heading(opening: "re.Match[str]", inline: Token, line: int, level: int) -> Iterator[Token]:
    tag = opening["name"].lower()
    attributes = read_attributes(opening["attributes"])
    wanted = attributes.pop("id", "") or attributes.pop("name", "")
    first = line + opening[0].count("\n")
    inline.map, inline.level = [first, first + inline.content.count("\n") + 1], level + 1
    start = Token("heading_open", tag, 1, map=inline.map, level=level, block=True)
    start.attrs = dict(attributes)
    start.meta = {"wanted": guard_id(wanted)} if wanted and not any(map(str.isspace, wanted)) else {}
    yield start
    yield inline
    yield Token("heading_close", tag, -1, level=level, block=True)


def _make_inline(content: str) -> Token:
    """Return the inside of a heading: text, and tags as they are."""
    children, position = list[Token](), 0
    for piece in PIECE.finditer(content):
        if piece[0] != "<":
            children += _make_text(content[position : piece.start()])
            meta = {"start": piece.start(), "end": piece.end(), "kind": "html"}
            children.append(Token("html_inline", "", 0, content=piece[0], meta=meta))
            position = piece.end()
    return Token("inline", "", 0, content=content, children=[*children, *_make_text(content[position:])])


def _make_text(content: str) -> list[Token]:
    return [Token("text", "", 0, content=html.unescape(content))] if content else []


def _copy(block: Token, content: str, line: int) -> list[Token]:
    """Return a part of a block of HTML, which begins in a line; nothing of empty lines."""
    bare = content.strip("\n")
    if not bare:
        return []
    first = line + len(content) - len(content.lstrip("\n"))
    return [Token("html_block", "", 0, content=bare + "\n", map=[first, first + bare.count("\n") + 1], level=block.level)]
