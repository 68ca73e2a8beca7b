"""Tokens → headings, links, tags, block ids and section texts; gives every link its slot. Called by `indexer.parse.page`.

Walks the token stream once, before rendering. It writes slot numbers into `token.meta`, which the renderer reads.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from markdown_it.token import Token
from msgspec import Struct, field

from indexer.model.page import Heading, Link, LinkKind, Section
from indexer.parse.code_blocks import DRAWN, read_language, read_title
from indexer.parse.destinations import find_spaced, is_media, split_destination
from indexer.parse.html_tags import HtmlTags, ends_word, plain_html
from indexer.parse.positions import Placement, SourceMap
from indexer.parse.slugs import IdRegister, slugify

_SIZE = re.compile(r"(\d{1,5})(?:x(\d{1,5}))?$")

_PLACED = set("link_open image wikilink wikilink_open embed tag comment math_inline math_inline_double html_inline footnote_ref".split())
_NO_PROSE = {"code_inline", "image", "tag", "comment", "softbreak", "hardbreak"}


class Outline(Struct):
    """What a page holds besides its HTML."""

    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    block_ids: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    summary: str = ""
    has_text: bool = False
    """Whether there is anything to read or see besides headings and comments."""
    comments: list[tuple[int, int]] = field(default_factory=list)
    """Where `%%…%%` comments stand in the file; those of HTML are in `html`."""
    lost_cells: list[tuple[int, int, int]] = field(default_factory=list)
    """Rows of tables that have more cells than the table has columns: (line, cells, columns)."""
    open_fences: list[tuple[int, int]] = field(default_factory=list)
    """Code blocks without an end: (line, lines with text that they take in)."""
    spaced: list[tuple[int, str, str]] = field(default_factory=list)
    """What is no link because its address holds a space: (line, as written, what would be one)."""
    open_marks: list[int] = field(default_factory=list)
    """Where `%%` or `<!--` stands in a text without the mark that would end the comment there."""
    ids: IdRegister = field(default_factory=IdRegister)
    html: HtmlTags = field(default_factory=HtmlTags)
    features: set[str] = field(default_factory=set)
    _noted: Mapping[str, Set[int]] = field(default_factory=dict)
    """The same by text, as the parser notes them."""
    _tag_numbers: dict[str, int] = field(default_factory=dict)
    _note_lines: dict[int, int] = field(default_factory=dict)
    """Footnotes written in the text, by number: the line where they stand."""
    _texts: list[str] = field(default_factory=list)
    _section: tuple[int, int] = (-1, 1)
    _quoted: str = ""
    """First sentence of the first quote."""


def read_outline(tokens: Sequence[Token], source: str, open_marks: Mapping[str, Set[int]]) -> Outline:
    """Return the outline; `source` is the text that `indexer.parse.markdown` made the tokens and the marks of."""
    outline = Outline(_noted=open_marks)
    _take_headings(outline, tokens)
    places = SourceMap(source)
    line, again = 1, False
    for index, token in enumerate(tokens):
        if token.nesting < 0:
            continue
        if token.map:
            line, again = token.map[0] + 1, False
        elif token.type == "footnote_open" and token.meta["id"] in outline._note_lines:
            line, again = outline._note_lines[token.meta["id"]], True
        links = len(outline.links)
        if token.type == "inline":
            opening = tokens[index - 1]
            text = _read_inline(outline, token, line, places, again=again)
            if opening.type != "heading_open":  # a section's own heading is no text of it
                _add_text(outline, text, links)
            if not outline.summary and opening.type == "paragraph_open":
                _note_summary(outline, token, opening.level, tokens[index - 2].type, text)
        elif token.nesting == 0:
            _add_text(outline, _read_block(outline, token, line, places), links)
        elif token.type == "heading_open":
            _begin_section(outline, token)
        if token.meta:
            outline.block_ids += token.meta.get("blocks", ())
            outline.lost_cells += token.meta.get("lost", ())
    _end_section(outline)
    outline.summary = outline.summary or outline._quoted
    return outline


def _note_summary(outline: Outline, inline: Token, level: int, around: str, text: str) -> None:
    """Take the first sentence of the page; of a quote that it begins with where nothing else is said in sentences."""
    if not _has_prose(inline):
        return
    if level == 0:
        outline.summary = _first_sentence(text)
    elif around == "blockquote_open" and level == 1:
        outline._quoted = outline._quoted or _first_sentence(text)


def _has_prose(inline: Token) -> bool:
    """Whether a paragraph says anything: one of code, pictures or tags alone is no summary."""
    return any(
        token.type not in _NO_PROSE and (token.type != "text" or any(map(str.isalnum, token.content))) for token in inline.children or ()
    )


def _read_block(outline: Outline, token: Token, line: int, places: SourceMap) -> str:
    """Collect what stands in a block without inline markup; return its plain text."""
    if token.type in {"fence", "code_block", "math_block", "math_block_eqno"}:
        _note_feature(outline, token)
        _note_open_fence(outline, token, line)
        return " ".join([read_title(token.info), *token.content.split()]).lstrip()
    if token.type == "html_block":
        token.content = outline.html.rewrite(token.content, places.place(token.content, line), 0, outline.links, outline.ids)
        return plain_html(token.content)
    if token.type == "comment_block":
        outline.comments.append(token.meta["span"])
        places.pass_over(token.meta["span"][1])
    return ""


def _note_open_fence(outline: Outline, token: Token, line: int) -> None:
    lines = token.content.removesuffix("\n").split("\n") if token.content else []
    if token.type == "fence" and token.map and token.map[1] - token.map[0] == len(lines) + 1:  # with the line that ends it, one more
        outline.open_fences.append((line, sum(bool(each.strip()) for each in lines)))


def _take_headings(outline: Outline, tokens: Sequence[Token]) -> None:
    """Headings and blocks come first: their ids have precedence over ids of raw HTML anywhere on the page."""
    for index, token in enumerate(tokens):
        if token.meta:
            for name in token.meta.get("blocks", ()):
                outline.ids.take(f"^{name}")
        if token.type != "heading_open":
            continue
        inline = tokens[index + 1]
        text = plain_text(inline.children or ())
        written = "".join(_list_texts(inline.children or (), break_lines=False))
        identifier = outline.ids.take(token.meta.get("wanted") or slugify(written))  # on GitHub each of two spaces gives a dash
        token.meta["heading"] = len(outline.headings)
        token.meta["id"] = identifier
        line = token.map[0] + 1 if token.map else 1
        outline.headings.append(Heading(int(token.tag[1]), text, identifier, line, top=token.level == 0))


def plain_text(children: Iterable[Token]) -> str:
    """Return the text of inline tokens without markup, with single spaces."""
    return " ".join("".join(_list_texts(children)).split())


def _list_texts(children: Iterable[Token], *, break_lines: bool = True) -> list[str]:
    """Without `break_lines` as for ids, where GitHub takes `<br>` for nothing."""
    parts: list[str] = []
    for token in children:
        if token.type in {"text", "code_inline", "text_special", "math_inline", "math_inline_double"}:
            parts.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif token.type == "html_inline":
            parts.append(" " if break_lines and ends_word(token.content) else "")
        elif token.type == "image":
            parts.append(plain_text(token.children or ()))
        elif token.type == "wikilink":
            parts.append(token.info or show_target(token.content))
        elif token.type == "tag":
            parts.append("#" + token.content)
    return parts


def show_target(target: str) -> str:
    """Text of a wikilink without a label: `page#heading` reads `page > heading`, as in Obsidian."""
    name, mark, anchor = target.partition("#")
    if mark and not anchor.strip("^ "):  # `C#`
        return target.removesuffix("^")
    parts = [part for part in map(str.strip, (name.removesuffix(".md"), *anchor.split("#"))) if part]
    return " > ".join(part.lstrip("^") for part in parts)


def _begin_section(outline: Outline, token: Token) -> None:
    _end_section(outline)
    outline._section = (token.meta["heading"], outline.headings[token.meta["heading"]].line)


def _end_section(outline: Outline) -> None:
    heading, line = outline._section
    if outline._texts or heading >= 0:
        outline.sections.append(Section(heading, line, " ".join(outline._texts)))
    outline._texts = []


def _add_text(outline: Outline, text: str, links: int) -> None:
    """Add a text, white space folded, to the section; before it the page had so many links."""
    if text:
        outline._texts.append(text)
    outline.has_text |= bool(text) or len(outline.links) > links


def _first_sentence(text: str) -> str:
    match = re.match(r".{20,200}?(?:[.!?。！？](?=\s|$)|$)", text)
    return match.group(0) if match else text[:200]


def _note_feature(outline: Outline, token: Token) -> None:
    if token.type.startswith("math"):
        outline.features.add("math")
    elif (language := read_language(token.info)) in DRAWN:
        outline.features.add(language)


def _read_inline(outline: Outline, inline: Token, line: int, places: SourceMap, *, again: bool) -> str:
    """Collect what stands in one inline token; return its plain text."""
    children = inline.children or []
    unlinked = "](" in inline.content and any(token.type == "text" and "](" in token.content for token in children)
    if len(children) == 1 and children[0].type == "text" and not outline._noted and not unlinked:  # most are nothing else
        return " ".join(children[0].content.split())
    noted = outline._noted
    if unlinked or any(token.type in _PLACED for token in children) or (noted and inline.content in noted):
        place = places.place(inline.content, line, again=again)
        if unlinked:
            _read_spaced(outline, inline, place)
        if noted:
            _read_open_marks(outline, inline, place, 0)
        for index, token in enumerate(children):
            _read_child(outline, children, index, place)
            if token.type == "image":
                _read_comments(outline, token.children or (), place, token.meta["inside"])
                _read_open_marks(outline, token, place, token.meta["inside"])
    return plain_text(children)


def _read_spaced(outline: Outline, inline: Token, place: Placement) -> None:
    texts = [token.content for token in inline.children or () if token.type == "text"]
    for position, raw, better in find_spaced(inline.content):
        if any(raw in text for text in texts):  # and not in code
            outline.spaced.append((place.find_line(position), raw, better))


def _read_child(outline: Outline, children: Sequence[Token], index: int, place: Placement) -> None:
    token = children[index]
    match token.type:
        case "link_open" | "image":
            _add_markdown_link(outline, children, index, place)
        case "wikilink" | "wikilink_open" | "embed":
            _add_wikilink(outline, children, index, place)
        case "tag":
            token.meta = {"tag": _add_tag(outline, token.content)}
        case "comment":
            _read_comments(outline, (token,), place, 0)
        case "math_inline" | "math_inline_double":
            outline.features.add("math")
        case "html_inline":
            token.content = outline.html.rewrite(token.content, place, token.meta["start"], outline.links, outline.ids)
        case "footnote_ref" if "start" in token.meta:
            outline._note_lines.setdefault(token.meta["id"], place.find_line(token.meta["start"]))
        case _:
            pass


def _read_comments(outline: Outline, tokens: Iterable[Token], place: Placement, start: int) -> None:
    for token in tokens:
        if token.type == "comment" or (token.type == "html_inline" and start and token.content.startswith("<!--")):
            span = place.find_span(start + token.meta["start"], start + token.meta["end"])
            outline.comments += [span] if span else []


def _read_open_marks(outline: Outline, token: Token, place: Placement, start: int) -> None:
    for position in outline._noted.get(token.content, ()):
        found = place.find_offset(start + position)
        outline.open_marks += [found] if found >= 0 else []


def _add_tag(outline: Outline, name: str) -> int:
    if name not in outline._tag_numbers:
        outline._tag_numbers[name] = len(outline.tags)
        outline.tags.append(name)
    return outline._tag_numbers[name]


def _add_markdown_link(outline: Outline, children: Sequence[Token], index: int, place: Placement) -> None:
    token = children[index]
    image = token.type == "image"
    dest = str(token.attrs.get("src" if image else "href", ""))
    start, end = token.meta["start"], token.meta["end"]
    size = (0, 0)
    if image:
        label, size = _split_size(plain_text(token.children or ()))
    else:
        label = plain_text(_until_close(children, index))
    target, anchor = split_destination(dest)
    kind: LinkKind = token.meta["kind"]
    token.meta = {"slot": len(outline.links), "inside": start + 2}
    title = str(token.attrs.get("title") or "")
    outline.links.append(Link(kind, place.quote(start, end), target, anchor, label, place.find_line(start), size, title))


def _until_close(children: Sequence[Token], index: int) -> list[Token]:
    """Return the tokens of a link's label."""
    inner: list[Token] = []
    for position in range(index + 1, len(children)):
        if children[position].type == "link_close":  # links hold no links
            break
        inner.append(children[position])
    return inner


def _split_size(label: str) -> tuple[str, tuple[int, int]]:
    """`![alt|300x200](…)` gives a size as `![[image|300]]` does."""
    text, bar, last = label.rpartition("|")
    match = _SIZE.match(last.strip()) if bar else None
    return (text.strip(), (int(match[1]), int(match[2] or 0))) if match else (label, (0, 0))


def _add_wikilink(outline: Outline, children: Sequence[Token], index: int, place: Placement) -> None:
    token = children[index]
    target, _, anchor = token.content.partition("#")
    start, end = token.meta["start"], token.meta["end"]
    label, size = token.info, (0, 0)
    if token.type == "wikilink_open":
        label = plain_text(_until_close(children, index))
    elif token.type == "embed":
        match = _SIZE.match(label.rsplit("|", 1)[-1].strip())
        if match:
            size = (int(match[1]), int(match[2] or 0))
            label = label.rpartition("|")[0].strip()
    kind: LinkKind = "embed" if token.type == "embed" else "wikilink"
    token.meta = {"slot": len(outline.links), "media": is_media(target)}
    name = target.strip().removesuffix("\\")
    outline.links.append(Link(kind, place.quote(start, end), name, anchor.strip(), label, place.find_line(start), size))
