"""Where links lead → what their slots show. Called by `indexer.publish.jobs`; pure.

A hidden page and a page that does not exist look exactly the same to a reader: same element, same words.
"""

import re
from urllib.parse import quote

from indexer.analysis.addresses import encode_url
from indexer.analysis.link_findings import is_unsafe
from indexer.model.graph import Target
from indexer.model.job import SlotLink
from indexer.model.known import Picture
from indexer.model.page import Link
from indexer.model.result import IndexResult
from indexer.parse.destinations import TEXT_DIRECTIVE

_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".ico")
_VIDEOS = (".mp4", ".webm", ".ogv", ".mov")
_SOUNDS = (".mp3", ".wav", ".ogg", ".m4a", ".flac")
_NO_PART = re.compile(r"[\s\x00-\x1f\"<>\\`]")
"""What no address may hold; editors write it all the same, in angle brackets."""
_DEAD = "This page does not exist"
_DEAD_FILE = "This file does not exist"


def show_links(path: str, result: IndexResult) -> tuple[SlotLink, ...]:
    """Return what each link slot of a page shows."""
    page = result.pages[path]
    return tuple(_show(link, target, result) for link, target in zip(page.links, result.targets[path], strict=True))


def _show(link: Link, target: Target, result: IndexResult) -> SlotLink:
    width, height = link.size
    alt = link.label or ("" if link.kind == "image" else link.target)
    match target.status:
        case "external" if is_unsafe(link):
            return SlotLink("dead", title="This address is not allowed here", alt=alt)
        case "external":
            return SlotLink("image-link" if link.kind == "image" else "external", _encode(link.target), link.title, alt or link.target)
        case "missing" | "private":
            # The words on the page, never a path that only stands in the source: the page may be a hidden one.
            return SlotLink("dead", title=_DEAD, alt=link.label or (link.target if link.raw.startswith(("[[", "![[")) else ""))
        case "asset-missing":
            return SlotLink("dead", title=_DEAD_FILE, alt=alt or _name_file(link))
        case "asset":
            return _show_file(link, target, result, alt)
        case "folder":
            address = result.addresses.get(f"{target.path}/")
            return SlotLink("page", address.url, link.title, alt) if address else SlotLink("dead", title=_DEAD, alt=alt)
        case _:
            address = result.addresses[target.path or ""]
            return SlotLink("page", address.url + _point(target.fragment, link.anchor), link.title, alt, width, height)


def _encode(address: str) -> str:
    return _NO_PART.sub(lambda found: quote(found[0]), address)


def _show_file(link: Link, target: Target, result: IndexResult, alt: str) -> SlotLink:
    address = result.addresses.get(target.path or "")
    if address is None:
        return SlotLink("dead", title=_DEAD_FILE, alt=alt or _name_file(link))
    name = address.file.lower()
    kind = "image" if name.endswith(_IMAGES) else "video" if name.endswith(_VIDEOS) else "audio" if name.endswith(_SOUNDS) else "file"
    fragment = "" if kind == "image" else to_fragment(link.anchor)
    alt = link.label if kind == "image" and link.kind == "image" else (link.label or (target.path or "").rsplit("/", 1)[-1])
    size = _fit(link.size, result.known.pictures.get(target.path or "")) if kind == "image" else link.size
    return SlotLink(kind, address.url + fragment, link.title, alt, *size)


def _fit(wanted: tuple[int, int], picture: Picture | None) -> tuple[int, int]:
    """Return the sides of a picture: as the author wants them, in its own proportions where only one is said."""
    if picture is None or not picture.width or all(wanted):
        return wanted
    width, height = wanted
    if width:
        return width, max(1, round(width * picture.height / picture.width))
    return (max(1, round(height * picture.width / picture.height)), height) if height else picture.size


def _name_file(link: Link) -> str:
    """An image that is not there and has no description shows its name, or nobody would see that it is missing."""
    return link.target.rsplit("/", 1)[-1]


def _point(fragment: str, anchor: str) -> str:
    """The fragment of an address; with the words that the browser is to mark, if the author named some."""
    _, mark, words = anchor.partition(TEXT_DIRECTIVE)
    return f"#{encode_url(fragment)}{mark}{_encode(words)}" if mark else to_fragment(fragment)


def to_fragment(name: str) -> str:
    """`#` and the encoded id, empty for none."""
    return "#" + encode_url(name) if name else ""
