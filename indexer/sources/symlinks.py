"""Symbolic links as names: none is followed on the disk, but a file or folder that one of them names may be linked by that name.

Called by both walks (git trees and plain folders). Works on what the link says, never on the file system.
"""

import posixpath
from collections.abc import Iterable, Sequence

from indexer.model.snapshot import Entry
from indexer.sources.names import is_content_path

LONGEST_TARGET = 4096
"""Bytes of what a link may say."""
_LONGEST_CHAIN = 8


def name_target(path: bytes, target: bytes) -> str:
    """Return the path inside the content root that a symbolic link names, whatever lies there; empty when it leads out."""
    try:
        text = target.decode("utf-8")
        folder = posixpath.dirname(path.decode("utf-8"))
    except UnicodeDecodeError:
        return ""
    if not text or len(target) > LONGEST_TARGET or text.startswith("/"):
        return ""
    inside = posixpath.normpath(posixpath.join(folder, text))
    return inside if is_content_path(inside) else ""


def follow_symlinks(named: Iterable[tuple[bytes, str]], entries: Sequence[Entry]) -> dict[str, str]:
    """Return link → file or folder for the links that name one, be it over other links; `named` are links and the paths that they name."""
    links = {path.decode("utf-8"): target for path, target in named if target}
    if not links:
        return {}
    there = {entry.path for entry in entries}
    for folder in {posixpath.dirname(path) for path in there}:
        while folder and folder not in there:
            there.add(folder)
            folder = posixpath.dirname(folder)  # noqa: PLW2901 (up to the top)
    found: dict[str, str] = {}
    for link in sorted(links):
        path = link
        for _ in range(_LONGEST_CHAIN):
            path = links.get(path, path)
        if path in there:
            found[link] = path
    return found
