"""A frame: the page around the content, rendered once per URL depth and cut at its slots.

Made by `mkdocs_frame`, filled by `render`, kept in the build cache between runs. Plain values only: nothing here knows MkDocs, so an
incremental build never imports it.
"""

import re
from collections.abc import Iterable
from hashlib import sha256

from msgspec import Struct

from indexer.errors import PublishError

SLOTS = ("head", "title", "tabs", "nav", "path", "actions", "toc", "article", "after")
"""Everything in a frame that depends on the page; each has a block of the same name in `overrides/brain/page.html`."""

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_SLOT = re.compile(f"{_OPEN}([a-z]+){_CLOSE}")
_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")


class Frame(Struct, frozen=True):
    """The frame of one URL depth."""

    parts: tuple[str, ...]
    """Text before, between and after the slots: one more than `slots`."""
    slots: tuple[str, ...]
    """Names of the slots in order."""


class StaticFile(Struct, frozen=True):
    """One file that every page may load; it is copied, never changed."""

    path: str
    """Where it goes, relative to the site's root: `_/theme/…` or `_/assets/…`."""
    source: str
    """Absolute path of the file it is copied from; empty when `content` holds it."""
    sha256: str
    """Hex digest of its bytes."""
    feature: str = ""
    """`math` or `mermaid`: only sites with such a page need it; empty = every site."""
    content: bytes = b""


class FrameSet(Struct, frozen=True):
    """All that MkDocs and Material contribute to one site."""

    version: str
    """Fingerprint of frames and files: a page is rendered again when it differs."""
    frames: dict[int, Frame]
    """URL depth (number of `/` in the URL) → frame."""
    files: tuple[StaticFile, ...]


def slot(name: str) -> str:
    """Return the token that marks a slot while MkDocs renders the frame."""
    return f"{_OPEN}{name}{_CLOSE}"


def drop_noncharacters(text: str) -> str:
    """Return text in which nobody can forge a slot."""
    return _NONCHARACTERS.sub("\ufffd", text)


def split_frame(text: str) -> Frame:
    """Cut a rendered frame at its slots.

    Raises PublishError when a slot is missing or unknown: an operator's template then dropped a part of the page.
    """
    pieces = _SLOT.split(text)
    names = tuple(pieces[1::2])
    missing = [name for name in SLOTS if name not in names]
    unknown = sorted(set(names) - set(SLOTS))
    if missing or unknown:
        raise PublishError(
            f"The frame of the website has no place for: {', '.join(missing) or '–'}; unknown places: {', '.join(unknown) or '–'}",
            hint="Compare the templates in site_templates/overrides with those that were shipped.",
        )
    return Frame(parts=tuple(pieces[0::2]), slots=names)


def fingerprint(frames: dict[int, Frame], files: Iterable[StaticFile]) -> str:
    """Return the version of a frame set: 16 hex digits over every text and every file digest."""
    digest = sha256()
    for depth in sorted(frames):
        digest.update(f"{depth}\n".encode())
        for part in frames[depth].parts:
            digest.update(part.encode() + b"\0")
        digest.update(",".join(frames[depth].slots).encode())
    for file in files:
        digest.update(f"{file.path} {file.sha256}\n".encode())
    return digest.hexdigest()[:16]
