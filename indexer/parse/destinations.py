"""Link destinations as written → what they name. Used by `indexer.parse.outline` and `indexer.parse.html_tags`."""

import re
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_KEPT_ENCODED = re.compile(r"%(?=2[fF]|5[cC]|00)")


def split_destination(dest: str) -> tuple[str, str]:
    """`a%20b.md#part` → (`a b.md`, `part`).

    `%2F`, `%5C` and `%00` stay encoded: they are no folder separators and no ends of names. Addresses with a scheme stay whole.
    A query after the name (`page.md?plain=1`) is dropped, for files have none; a `?` that is part of a name must be written `%3F`.
    """
    if _SCHEME.match(dest):
        return dest, ""
    path, _, anchor = dest.partition("#")
    return _decode(path.partition("?")[0]), unquote(anchor)


def _decode(path: str) -> str:
    if "%" not in path:
        return path
    return unquote(_KEPT_ENCODED.sub("%25", path))
