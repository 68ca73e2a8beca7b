"""Tokens → HTML with slots. Called by `indexer.parse.page` after the outline has numbered links, tags and headings.

Finished parts that the sanitiser must not touch (highlighted code, mathematics, task boxes) are set aside as `p` slots and put back by
`restore_parts` after cleaning: they are made here, from escaped text only.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from msgspec import Struct, field

from indexer.parse.clean import CALLOUT_KINDS
from indexer.parse.code_blocks import read_language, read_title, render_code
from indexer.parse.outline import show_target
from indexer.parse.slots import OWN, SLOT, slot

_OPTIONS = MarkdownIt("commonmark").options
_FIXED = {
    **{f"{tag}_{end}": f"<{'/' * (end == 'close')}{tag}>\n" for tag in ("thead", "tbody", "tr") for end in ("open", "close")},
    **{f"{tag}_{end}": f"<{'/' * (end == 'close')}{tag}>" for tag in ("strong", "em") for end in ("open", "close")},
    "td_close": "</td>\n",
    "th_close": "</th>\n",
    "softbreak": "\n",
    "hardbreak": "<br> ",  # no end of a line behind it: some sites show those
}
"""What the library makes of frequent tokens that look the same everywhere."""


class _Page(Struct):
    """State of one page's rendering."""

    block_numbers: Mapping[str, int]
    parts: list[str] = field(default_factory=list)
    open_links: list[int] = field(default_factory=list)


def render_tokens(tokens: Sequence[Token], block_ids: Sequence[str], *, embeds: bool = True) -> tuple[str, list[str]]:
    """Return HTML with slots and the finished parts of its `p` slots; `embeds` says whether the page has any."""
    page = _Page({name: number for number, name in enumerate(block_ids)})
    if block_ids:
        _close_blocks(tokens)
    return _RENDERER.render(_split_embeds(tokens) if embeds else tokens, _OPTIONS, {"page": page}), page.parts


def restore_parts(text: str, parts: Sequence[str]) -> str:
    """Put the finished parts back in place of their slots."""
    if not parts:
        return text
    return SLOT.sub(lambda match: parts[int(match[2])] if match[1] == "p" else match[0], text)


def _close_blocks(tokens: Sequence[Token]) -> None:
    """Give the closing token of each block with ids the same ids, so that both ends can be marked."""
    for index, token in enumerate(tokens):
        if not token.meta or "blocks" not in token.meta or token.nesting != 1:
            continue
        kind = token.type.replace("_open", "_close")
        close = next(t for t in map(tokens.__getitem__, range(index, len(tokens))) if t.type == kind and t.level == token.level)
        close.meta = {**close.meta, "blocks": token.meta["blocks"]}


def _split_embeds(tokens: Sequence[Token]) -> list[Token]:
    """Page embeds are blocks: a paragraph that holds one is split around it."""
    result: list[Token] = []
    for index, token in enumerate(tokens):
        if token.type == "inline" and tokens[index - 1].type == "paragraph_open" and _has_page_embed(token):
            result += _split_paragraph(result.pop(), token)
        elif token.type == "paragraph_close" and not token.meta and _is_empty(result[-2:]):
            del result[-2:]
        else:
            result.append(token)
    return result


def _is_empty(tokens: Sequence[Token]) -> bool:
    """Whether two tokens are the beginning of a paragraph and nothing in it."""
    return [token.type for token in tokens] == ["paragraph_open", "inline"] and not tokens[0].meta and not tokens[1].children


def _has_page_embed(token: Token) -> bool:
    return any(_is_page_embed(child) for child in token.children or ())


def _is_page_embed(token: Token) -> bool:
    return token.type == "embed" and not token.meta["media"] and token.level == 0


def _split_paragraph(opening: Token, inline: Token) -> list[Token]:
    """Return the paragraph without its end: it is closed by its own token afterwards, of a footnote behind its way back."""
    closing = Token("paragraph_close", opening.tag, -1, hidden=opening.hidden, level=opening.level)
    pieces = [opening]
    run: list[Token] = []
    for child in inline.children or ():
        if not _is_page_embed(child):
            run.append(child)
            continue
        pieces.append(_make_run(run))
        if _is_empty(pieces[-2:]):
            del pieces[-2:]
        else:
            pieces.append(closing)
        pieces += [Token("embed_block", "", 0, meta=child.meta, content=child.content, info=child.info), _copy_plain(opening)]
        run = []
    return [*pieces, _make_run(run)]


def _make_run(children: list[Token]) -> Token:
    while children and _is_blank(children[0]):
        children.pop(0)
    while children and _is_blank(children[-1]):
        children.pop()
    return Token("inline", "", 0, children=children)


def _is_blank(token: Token) -> bool:
    return token.type in {"softbreak", "hardbreak"} or (token.type == "text" and not token.content.strip())


def _copy_plain(token: Token) -> Token:
    return Token(token.type, token.tag, token.nesting, hidden=token.hidden, level=token.level)


class _Renderer(RendererHTML):
    """Rules by token type, called as `rule(tokens, index, options, env)`."""

    def render(self, tokens: Sequence[Token], options: OptionsDict, env: Any) -> str:
        """Do what the library's method does, the frequent cases first."""
        out: list[str] = []
        rules = self.rules
        for index, token in enumerate(tokens):
            children = token.children
            if token.type in _FIXED:
                out.append(_FIXED[token.type])
            elif token.type == "inline":
                if children and len(children) == 1 and children[0].type == "text":
                    out.append(html.escape(children[0].content, quote=False))
                elif children:
                    out.append(self.render(children, options, env))
            elif token.type in rules:
                out.append(rules[token.type](tokens, index, options, env))
            else:
                out.append(self.renderToken(tokens, index, options, env))
        return "".join(out)

    def text(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return html.escape(tokens[index].content, quote=False)

    def link_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        number: int = tokens[index].meta["slot"]
        env["page"].open_links.append(number)
        return slot("o", number)

    def link_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return slot("c", env["page"].open_links.pop())

    def image(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return slot("i", tokens[index].meta["slot"])

    def wikilink(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        label = html.escape(token.info or show_target(token.content), quote=False)
        return slot("o", token.meta["slot"]) + label + slot("c", token.meta["slot"])

    wikilink_open = link_open

    def embed(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        if token.meta["media"]:
            return slot("i", token.meta["slot"])
        if token.level == 0 and env.get("in_cell"):
            return slot("e", token.meta["slot"])
        return self.wikilink(tokens, index, options, env)

    def embed_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return slot("e", tokens[index].meta["slot"]) + "\n"

    def tag(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return slot("t", tokens[index].meta["tag"])

    def comment(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return ""

    comment_block = comment

    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        section = slot("s", token.meta["heading"]) if token.level == 0 else ""
        opening = f'<{token.tag} id="{OWN}{html.escape(token.meta["id"])}"{self.renderAttrs(token)}>'
        return f"{section}{_mark(token, 'b', env)}{opening}{_block_anchors(token)}"

    def heading_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        identifier = html.escape(tokens[index - 2].meta["id"])
        link = f'<a class="brain-anchor" href="{OWN}#{identifier}" title="Link to this section">¶</a>'
        return f"{link}</{tokens[index].tag}>{_mark(tokens[index], 'd', env)}\n"

    def paragraph_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        if not token.meta:
            return "" if token.hidden else "<p>"
        mark = _mark(token, "b", env)
        return mark + _block_anchors(token) if token.hidden else f"{mark}<p>{_block_anchors(token)}"

    def paragraph_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        mark = _mark(token, "d", env)
        return mark if token.hidden else f"</p>{mark}\n"

    def list_item_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        task = token.meta.get("task") if token.meta else None
        opening = '<li class="task-list-item">' if task else "<li>"
        return opening + _mark(token, "b", env) + _block_anchors(token) + (self._box(task, env) if task else "")

    def list_item_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return _mark(tokens[index], "d", env) + "</li>\n"

    def _box(self, task: str, env: Any) -> str:
        checked = "" if task == " " else " checked"
        label = "Done" if checked else "To do"
        return self._set_aside(f'<input type="checkbox" disabled{checked} aria-label="{label}"> ', env)

    def table_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        env["in_cell"] = True
        token = tokens[index]
        return f'{_mark(token, "b", env)}<div class="brain-table">{_block_anchors(token)}<table>\n'

    def table_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        env["in_cell"] = False
        return f"</table></div>{_mark(tokens[index], 'd', env)}\n"

    def th_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        if not token.attrs:
            return f"<{token.tag}>"
        style = str(token.attrs.get("style", ""))
        side = style.removeprefix("text-align:") if style else ""
        return f'<{token.tag} class="md-align-{side}">' if side else f"<{token.tag}>"

    td_open = th_open

    def callout_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        kind = token.meta["kind"] if token.meta["kind"] in CALLOUT_KINDS else "note"
        state = " open" if token.meta["fold"] == "+" else ""
        classes = f"brain-callout brain-callout-{kind}" if token.tag == "details" else f"admonition brain-callout brain-callout-{kind}"
        return f'{_mark(token, "b", env)}<{token.tag} class="{classes}"{state}>{_block_anchors(token)}\n'

    def callout_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"</{tokens[index].tag}>{_mark(tokens[index], 'd', env)}\n"

    def callout_title_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return '<p class="admonition-title">' if tokens[index].tag == "p" else "<summary>"

    def callout_title_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"</{tokens[index].tag}>\n"

    def blockquote_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"{_mark(tokens[index], 'b', env)}<blockquote>{_block_anchors(tokens[index])}\n"

    def blockquote_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"</blockquote>{_mark(tokens[index], 'd', env)}\n"

    def bullet_list_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        start = token.attrs.get("start")
        number = f' start="{int(start)}"' if start is not None else ""
        return f"{_mark(token, 'b', env)}{_block_anchors(token)}<{token.tag}{number}>\n"

    ordered_list_open = dl_open = bullet_list_open

    def bullet_list_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"</{tokens[index].tag}>{_mark(tokens[index], 'd', env)}\n"

    ordered_list_close = dl_close = bullet_list_close

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        token = tokens[index]
        language = read_language(token.info)
        if language == "math":
            return self.math_block(tokens, index, options, env)
        if language == "mermaid":
            block = f'<pre class="brain-mermaid" tabindex="0">{html.escape(token.content, quote=False)}</pre>\n'
        else:
            block = render_code(token.content, language, read_title(token.info))
        return _enclose(token, self._set_aside(block, env), env)

    def code_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return self.fence(tokens, index, options, env)

    def code_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"<code>{html.escape(tokens[index].content, quote=False)}</code>"

    def math_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return self._set_aside(f'<span class="brain-math">{html.escape(tokens[index].content, quote=False)}</span>', env)

    def math_inline_double(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        content = html.escape(tokens[index].content, quote=False)
        return self._set_aside(f'<span class="brain-math brain-math-display">{content}</span>', env)

    def math_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        content = html.escape(tokens[index].content.strip(), quote=False)
        return _enclose(tokens[index], self._set_aside(f'<div class="brain-math">{content}</div>\n', env), env)

    def html_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return _enclose(tokens[index], tokens[index].content, env)

    def hr(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return _enclose(tokens[index], "<hr>\n", env)

    def dt_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"{_mark(tokens[index], 'b', env)}<dt>{_block_anchors(tokens[index])}"

    def dt_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f"</dt>{_mark(tokens[index], 'd', env)}\n"

    def footnote_ref(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        meta = tokens[index].meta
        number, again = meta["id"] + 1, meta.get("subId", 0)
        anchor = f"__fnref-{number}" + (f"-{again}" if again else "")
        return f'<sup class="footnote-ref" id="{OWN}{anchor}"><a href="{OWN}#__fn-{number}">{number}</a></sup>'

    def footnote_block_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return slot("f", 0) + '<section class="footnotes">\n<ol>\n'

    def footnote_block_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return "</ol>\n</section>\n"

    def footnote_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return f'<li id="{OWN}__fn-{tokens[index].meta["id"] + 1}">'

    def footnote_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        return "</li>\n"

    def footnote_anchor(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
        meta = tokens[index].meta
        number, again = meta["id"] + 1, meta.get("subId", 0)
        anchor = f"__fnref-{number}" + (f"-{again}" if again else "")
        return f' <a class="footnote-backref" href="{OWN}#{anchor}" title="Back to the text">↩</a>'

    def _set_aside(self, part: str, env: Any) -> str:
        parts: list[str] = env["page"].parts
        parts.append(part)
        return slot("p", len(parts) - 1)


def _mark(token: Token, letter: str, env: Mapping[str, Any]) -> str:
    if not token.meta:
        return ""
    names = token.meta.get("blocks", ())
    return "".join(slot(letter, env["page"].block_numbers[name]) for name in names)


def _enclose(token: Token, block: str, env: Mapping[str, Any]) -> str:
    """Put the marks and anchors of a block of one token around it."""
    return _mark(token, "b", env) + _block_anchors(token) + block + _mark(token, "d", env)


def _block_anchors(token: Token) -> str:
    if not token.meta:
        return ""
    names = token.meta.get("blocks", ())
    return "".join(f'<span id="{OWN}^{html.escape(name)}"></span>' for name in names)


_RENDERER = _Renderer()
