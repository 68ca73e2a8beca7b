"""Which files of a repo are maps: what a refresh may write, and what never triggers one (SPEC T29).

Pure; used by `content`, `refresh` and `map_log`.
"""

import re

from indexer.parse.generated import find_block

FOLDER = ".brain"
"""Holds the maps, below the content root. Everything in it is passed over as content."""
LOG = f"{FOLDER}/log.md"
INDEX = "index.md"
"""Page of the content root that may hold a marked block."""

_MADE = re.compile(rf"{re.escape(FOLDER)}/(?:hubs/.+|index\.md|orphans\.md|graph\.json)")


def is_map(path: str) -> bool:
    """Return whether a path, below the content root, is one that a refresh may write; for INDEX, `differs_only_in_block` says how."""
    return path.startswith(f"{FOLDER}/") or path == INDEX


def is_made(path: str) -> bool:
    """Return whether a file of FOLDER is one that only a refresh makes, so that it goes when no map of that name is made any more."""
    return _MADE.fullmatch(path) is not None


def empty_block(page: bytes) -> bytes:
    """Return a page with nothing between the markers of its index."""
    text = page.decode("utf-8", "surrogateescape")
    span = find_block(text)
    return page if span is None else (text[: span[0]] + text[span[1] :]).encode("utf-8", "surrogateescape")


def differs_only_in_block(before: bytes, after: bytes) -> bool:
    """Return whether two versions of INDEX say the same outside the marked block."""
    return empty_block(before) == empty_block(after)
