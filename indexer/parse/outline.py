"""Tokens → headings, links, tags, block ids and section texts; gives every link its slot. Called by `indexer.parse.page`.

Walks the token stream once, before rendering. It writes slot numbers into `token.meta`, which the renderer reads.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from indexer.model.page import Heading, Link, LinkKind, Section
from indexer.parse.destinations import split_destination
from indexer.parse.html_tags import HtmlTags
from indexer.parse.slugs import IdRegister, slugify

_CUSTOM_ID = re.compile(r"[ \t]*\{:?[ \t]*#([A-Za-z][\w.:-]*)[ \t]*\}$")
_SIZE = re.compile(r"(\d{1,5})(?:x(\d{1,5}))?$")
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|tiff?|mp4|webm|ogv|mov|mkv|mp3|wav|ogg|m4a|flac|3gp|pdf|canvas|base|csv|txt|zip|docx?|xlsx?|pptx?)$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Outline:
    """What a page holds besides its HTML."""

    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    block_ids: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    summary: str = ""
    comments: list[tuple[str, int]] = field(default_factory=list)
    """Comments as written with their 1-based line, to be taken out of the page's text."""
    ids: IdRegister = field(default_factory=IdRegister)
    html: HtmlTags = field(default_factory=HtmlTags)
    features: set[str] = field(default_factory=set)
    _texts: list[str] = field(default_factory=list)
    _section: tuple[int, int] = (-1, 1)


def read_outline(tokens: Sequence[Token], lines: Sequence[str]) -> Outline:
    """Return the outline; `lines` are the page's lines, to give links in tables their raw text back."""
    outline = Outline()
    _take_headings(outline, tokens)
    line = 1
    for index, token in enumerate(tokens):
        if token.map:
            line = token.map[0] + 1
        if token.type == "heading_open":
            _begin_section(outline, token)
        elif token.type == "inline":
            text = _read_inline(outline, token, line, lines)
            _add_text(outline, text)
            if not outline.summary and tokens[index - 1].type == "paragraph_open" and tokens[index - 1].level == 0:
                outline.summary = _first_sentence(text)
        elif token.type in {"fence", "code_block", "math_block", "math_block_eqno"}:
            _add_text(outline, token.content)
            _note_feature(outline, token)
        elif token.type == "html_block":
            token.content = _read_html(outline, token.content, line)
        elif token.type == "comment_block":
            outline.comments.append((token.content, line))
        for name in token.meta.get("blocks", ()) if token.meta else ():
            if name not in outline.block_ids:
                outline.block_ids.append(name)
    _end_section(outline)
    return outline


def _take_headings(outline: Outline, tokens: Sequence[Token]) -> None:
    """Headings come first: their ids have precedence over ids of raw HTML anywhere on the page."""
    for index, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        inline = tokens[index + 1]
        wanted = _take_custom_id(inline)
        text = plain_text(inline.children or ())
        identifier = outline.ids.take(wanted or slugify(text))
        token.meta["heading"] = len(outline.headings)
        token.meta["id"] = identifier
        line = token.map[0] + 1 if token.map else 1
        outline.headings.append(Heading(int(token.tag[1]), text, identifier, line, top=token.level == 0))


def _take_custom_id(inline: Token) -> str:
    """`## Title {#id}` as in kramdown, Pandoc and Python-Markdown."""
    last = inline.children[-1] if inline.children else None
    match = _CUSTOM_ID.search(last.content) if last is not None and last.type == "text" else None
    if not last or not match:
        return ""
    last.content = last.content[: match.start()]
    return match[1]


def plain_text(children: Iterable[Token]) -> str:
    """Return the text of inline tokens without markup."""
    parts: list[str] = []
    for token in children:
        if token.type in {"text", "code_inline", "text_special", "math_inline"}:
            parts.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif token.type == "image":
            parts.append(plain_text(token.children or ()))
        elif token.type == "wikilink":
            parts.append(token.info or show_target(token.content))
        elif token.type == "tag":
            parts.append("#" + token.content)
    return " ".join("".join(parts).split())


def show_target(target: str) -> str:
    """Text of a wikilink without a label: `page#heading` reads `page > heading`, as in Obsidian."""
    name, _, anchor = target.partition("#")
    parts = [part for part in (name.removesuffix(".md"), *anchor.split("#")) if part]
    return " > ".join(part.lstrip("^") for part in parts)


def _begin_section(outline: Outline, token: Token) -> None:
    _end_section(outline)
    outline._section = (token.meta["heading"], outline.headings[token.meta["heading"]].line)


def _end_section(outline: Outline) -> None:
    heading, line = outline._section
    if outline._texts or heading >= 0:
        outline.sections.append(Section(heading, line, " ".join(outline._texts)))
    outline._texts = []


def _add_text(outline: Outline, text: str) -> None:
    folded = " ".join(text.split())
    heading = outline._section[0]
    is_heading = heading >= 0 and not outline._texts and folded == outline.headings[heading].text
    if folded and not is_heading:
        outline._texts.append(folded)


def _first_sentence(text: str) -> str:
    match = re.match(r".{20,200}?(?:[.!?。！？](?=\s|$)|$)", text)
    return match.group(0) if match else text[:200]


def _note_feature(outline: Outline, token: Token) -> None:
    if token.type.startswith("math"):
        outline.features.add("math")
    elif token.info.strip().split(" ")[0].lower() == "mermaid":
        outline.features.add("mermaid")


def _read_inline(outline: Outline, inline: Token, line: int, lines: Sequence[str]) -> str:
    """Collect what stands in one inline token; return its plain text."""
    children = inline.children or []
    for index, token in enumerate(children):
        at = line + (token.meta.get("offset", 0) if token.meta else 0)
        match token.type:
            case "link_open" | "image":
                _add_markdown_link(outline, children, index, at, lines)
            case "wikilink" | "embed":
                _add_wikilink(outline, token, at, lines)
            case "tag":
                token.meta = {"tag": _add_tag(outline, token.content)}
            case "comment":
                outline.comments.append((token.content, at))
            case "math_inline" | "math_inline_double":
                outline.features.add("math")
            case "html_inline":
                token.content = _read_html(outline, token.content, at)
            case _:
                pass
    return plain_text(children)


def _add_tag(outline: Outline, name: str) -> int:
    if name not in outline.tags:
        outline.tags.append(name)
    return outline.tags.index(name)


def _add_markdown_link(outline: Outline, children: Sequence[Token], index: int, line: int, lines: Sequence[str]) -> None:
    token = children[index]
    image = token.type == "image"
    dest = str(token.attrs.get("src" if image else "href", ""))
    label = plain_text(token.children or ()) if image else plain_text(_until_close(children, index))
    raw = token.meta.get("raw", "") if token.meta else ""
    kind: LinkKind = token.meta.get("kind", "autolink") if token.meta else "autolink"
    if image:
        raw, label, size = restore_bars(raw, line, lines), *_split_size(label)
    else:
        raw, size = restore_bars(raw or label, line, lines), (0, 0)
    target, anchor = split_destination(dest)
    token.meta = {**token.meta, "slot": len(outline.links)}
    outline.links.append(Link(kind, raw, target, anchor, label, line, size, str(token.attrs.get("title") or "")))


def _until_close(children: Sequence[Token], index: int) -> list[Token]:
    depth, inner = 0, []
    for token in children[index:]:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if depth == 0:
            token.meta = {**token.meta, "slot_of": children[index]}
            break
        inner.append(token)
    return inner


def _split_size(label: str) -> tuple[str, tuple[int, int]]:
    """`![alt|300x200](…)` gives a size as `![[image|300]]` does."""
    text, bar, last = label.rpartition("|")
    match = _SIZE.match(last.strip()) if bar else None
    return (text.strip(), (int(match[1]), int(match[2] or 0))) if match else (label, (0, 0))


def _add_wikilink(outline: Outline, token: Token, line: int, lines: Sequence[str]) -> None:
    target, _, anchor = token.content.partition("#")
    raw = restore_bars(token.meta["raw"], line, lines)
    label, size = token.info, (0, 0)
    if token.type == "embed":
        match = _SIZE.match(label.rsplit("|", 1)[-1].strip())
        if match:
            size = (int(match[1]), int(match[2] or 0))
            label = label.rpartition("|")[0].strip()
    kind: LinkKind = "embed" if token.type == "embed" else "wikilink"
    token.meta = {"slot": len(outline.links), "media": _MEDIA.search(target) is not None}
    outline.links.append(Link(kind, raw, target.strip().removesuffix("\\"), anchor.strip(), label, line, size))


def restore_bars(raw: str, line: int, lines: Sequence[str]) -> str:
    """In a table the parser has turned `\\|` into `|`; a link's raw text is what stands in the file."""
    if "|" in raw and 0 < line <= len(lines) and raw not in lines[line - 1]:
        escaped = re.sub(r"(?<!\\)\|", r"\\|", raw)
        return escaped if escaped in lines[line - 1] else raw
    return raw


def _read_html(outline: Outline, content: str, line: int) -> str:
    return outline.html.rewrite(content, line, outline.links, outline.ids)
