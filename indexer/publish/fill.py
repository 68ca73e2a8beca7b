"""Slots → finished content of one page (see `indexer.parse.slots`). Called by `indexer.publish.write_pages` in workers; pure."""

import html
import re
from collections.abc import Mapping, Sequence

from indexer.model.job import Embed, SlotLink
from indexer.model.page import PageBody
from indexer.parse.clean import balance_html
from indexer.parse.slots import CLOSE, OPEN, SLOT, slot

_FOOTNOTE_REFS = re.compile(r'<sup class="footnote-ref"[^>]*><a href="#([^"]*)">([^<]*)</a></sup>')
_ANCHOR_LINKS = re.compile(r'<a class="brain-anchor"[^>]*>[^<]*</a>|<a href="#[^"]*" class="brain-anchor"[^>]*>[^<]*</a>')
_EMPTY_LINK = re.compile(f"{OPEN}o([0-9]+){CLOSE}\\s*{OPEN}c\\1{CLOSE}")
_NO_LINKS = frozenset(("dead", "text"))
Bodies = Mapping[str, PageBody]


def fill_content(
    text: str,
    links: Sequence[SlotLink],
    tags: Sequence[tuple[str, str]],
    embeds: Mapping[int, Embed],
    bodies: Bodies,
    root: str,
) -> str:
    """Return `text` with every slot filled.

    `tags` are (name, address); `root` leads from the page to the site's root, such as `../../`.
    """

    inside = -1  # number of the open link: HTML knows no link in a link

    def fill(match: "re.Match[str]") -> str:
        nonlocal inside
        letter, number = match[1], int(match[2])
        if letter in "oc" and links[number].kind not in _NO_LINKS:
            outer, inside = inside, number if letter == "o" else -1
            if letter == "c":
                return "</a>" if outer == number else ""
            return ("</a>" if outer >= 0 else "") + _open_link(links[number], root)
        if letter == "o":
            return _open_link(links[number], root)
        if letter == "c":
            return _close_link(links[number])
        if letter == "i":
            return _show_media(links[number], root, in_link=inside >= 0)
        if letter == "e":
            return _show_embed(number, links[number], embeds, bodies, root)
        if letter == "t":
            return _show_tag(tags[number], root)
        return ""

    return SLOT.sub(fill, _EMPTY_LINK.sub(lambda match: _name_link(int(match[1]), links), text))


def _name_link(number: int, links: Sequence[SlotLink]) -> str:
    """A link without words shows what it names, or nobody could see or hear it."""
    return slot("o", number) + _escape(links[number].alt or links[number].href or "…") + slot("c", number)


def _escape(text: str) -> str:
    return html.escape(text, quote=True)


def _open_link(link: SlotLink, root: str) -> str:
    title = f' title="{_escape(link.title)}"' if link.title else ""
    if link.kind == "dead":
        return f'<span class="brain-dead"{title}>'
    if link.kind in {"external", "image-link"}:
        return f'<a class="brain-external" href="{_escape(link.href)}"{title} rel="noopener noreferrer nofollow">'
    if link.kind == "text":
        return ""
    return f'<a href="{_escape(root + link.href)}"{title}>'


def _close_link(link: SlotLink) -> str:
    return {"dead": "</span>", "text": ""}.get(link.kind, "</a>")


def _show_media(link: SlotLink, root: str, *, in_link: bool) -> str:
    label = _escape(link.alt or link.href.rsplit("/", 1)[-1])
    size = (f' width="{link.width}"' if link.width else "") + (f' height="{link.height}"' if link.height else "")
    source = _escape(root + link.href)
    if link.kind == "image":
        title = f' title="{_escape(link.title)}"' if link.title else ""
        return f'<img src="{source}" alt="{_escape(link.alt)}"{size}{title} loading="lazy">'
    if link.kind in {"video", "audio"}:
        instead = label if in_link else f'<a href="{source}">{label}</a>'
        return f'<{link.kind} controls preload="none" src="{source}"{size}>{instead}</{link.kind}>'
    if in_link and link.kind not in _NO_LINKS:
        return label
    return f"{_open_link(link, root)}{label}{_close_link(link)}"


def _show_tag(tag: tuple[str, str], root: str) -> str:
    name, href = tag
    return f'<a class="brain-tag" href="{_escape(root + href)}">#{_escape(name)}</a>'


def _show_embed(number: int, link: SlotLink, embeds: Mapping[int, Embed], bodies: Bodies, root: str) -> str:
    embed = embeds.get(number)
    body = bodies.get(embed.blob) if embed else None
    if embed is None or body is None:
        return f"<p>{_open_link(link, root)}{_escape(link.alt or link.title)}{_close_link(link)}</p>"
    part = _cut(body.html, embed.start, embed.end)
    # The notes stay on their own page: there each of them has its number and its place.
    page = _escape(root + embed.href.partition("#")[0])
    part = _FOOTNOTE_REFS.sub(lambda ref: f'<sup class="footnote-ref"><a href="{page}#{ref[1]}">{ref[2]}</a></sup>', part)
    part = _ANCHOR_LINKS.sub("", part)
    inner = fill_content(part, embed.links, embed.tags, embed.embeds, bodies, root)
    title = f'<p class="brain-embed-title"><a href="{_escape(root + embed.href)}">{_escape(embed.title)}</a></p>'
    return f'<div class="brain-embed">{title}{balance_html(inner)}</div>'


def _cut(text: str, start: str, end: str) -> str:
    begin = _find(text, start) if start else 0
    stop = _find(text, end, begin) if end else _find(text, "f0")
    begin, stop = max(begin, 0), len(text) if stop < 0 else stop
    return text[begin:stop]


def _find(text: str, name: str, start: int = 0) -> int:
    return text.find(f"{OPEN}{name}{CLOSE}", start)
