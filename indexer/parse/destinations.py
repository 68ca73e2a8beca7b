"""Link destinations as written → what they name. Used by the rules of this room, `indexer.parse.outline` and `indexer.parse.html_tags`."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from indexer.model.page import PAGE_SUFFIXES

TEXT_DIRECTIVE = ":~:"
"""Ends the id in a fragment: what follows is for the browser alone, which looks for words on the page."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_TEMPLATE = re.compile(r"\{[{%]|<%|\$\{")
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|tiff?|mp4|webm|ogv|mov|mkv|mp3|wav|ogg|m4a|flac|3gp|pdf|canvas|base|csv|txt|zip|docx?|xlsx?|pptx?)$",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<!\\)!?\[([^\[\]\n]*)\]\((?=\S)([^()<>\n]*(?:\([^()<>\n]*\)[^()<>\n]*)*)\)")
_KEPT_ENCODED = re.compile(r"%(?=2[fF]|5[cC]|00)")


def split_destination(dest: str) -> tuple[str, str]:
    """`a%20b.md#part` → (`a b.md`, `part`).

    `%2F`, `%5C` and `%00` stay encoded: they are no folder separators and no ends of names. Addresses with a scheme stay whole.
    What a browser is to mark (`#part:~:text=some%20words`) stays encoded, too.
    A query after the name (`page.md?plain=1`) is dropped, for files have none; a `?` that is part of a name must be written `%3F`.
    """
    if _SCHEME.match(dest):
        return dest, ""
    path, _, fragment = dest.partition("#")
    anchor, mark, directive = fragment.partition(TEXT_DIRECTIVE)
    return _decode(path.partition("?")[0]), unquote(anchor) + mark + directive


def is_template(dest: str) -> bool:
    """Whether a destination, other than an address, is still to be filled in by another program: `{{ url }}`, `<% tp.date.now() %>`."""
    return _TEMPLATE.search(dest) is not None and not _SCHEME.match(dest)


def names_page(target: str) -> bool:
    """Whether what stands in `[[…]]` before the bar names anything: `#` alone does not, nor a template."""
    return target.strip("#^ ") != "" and not is_template(target)


def is_media(target: str) -> bool:
    """Whether the name of an embed is that of a file to show or to offer, not of a page."""
    return _MEDIA.search(target) is not None


def find_spaced(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield what was meant as a link to a file and is none, for its address holds a space: where, as written, and what would be one."""
    for match in _SPACED.finditer(text):
        address = match[2]
        if address[-1:] in {'"', "'"}:  # a title
            address = address[: address.find(address[-1])]
        words = address.split()
        size = words.pop() if len(words) > 1 and words[-1][0] == "=" else ""
        bare = address.rstrip().removesuffix(size).rstrip()
        path = bare.partition("#")[0].rstrip().lower()
        if (len(words) < 2 and not size) or _SCHEME.match(bare) or not (path.endswith(PAGE_SUFFIXES) or is_media(path)):
            continue
        label = f"{match[1]}|{size[1:].strip('x')}" if size else match[1]
        mark = "!" if match[0][0] == "!" else ""
        yield match.start(), match[0], f"{mark}[{label}]({f'<{bare}>' if len(words) > 1 else bare})"


def _decode(path: str) -> str:
    if "%" not in path:
        return path
    return unquote(_KEPT_ENCODED.sub("%25", path))
