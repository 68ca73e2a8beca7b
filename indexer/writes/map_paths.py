"""Which files of a repo a refresh may write (SPEC T29). Pure; used by `content` and `map_plan`."""

from indexer.model.maps import FOLDER, FRONT, GRAPH, HUBS, INDEX, ORPHANS
from indexer.parse.generated import without_block


def is_map(path: str) -> bool:
    """Return whether a path, below the content root, is one that a refresh may write; for FRONT, `differs_only_in_block` says how."""
    return path.startswith(f"{FOLDER}/") or path == FRONT


def is_made(path: str) -> bool:
    """Return whether a file is one that only a refresh makes, so that it goes when no map of that name is made any more."""
    return path in {INDEX, ORPHANS, GRAPH} or path.startswith(HUBS)


def differs_only_in_block(before: bytes, after: bytes) -> bool:
    """Return whether two versions of FRONT say the same outside the marked block."""
    return without_block(before) == without_block(after)
