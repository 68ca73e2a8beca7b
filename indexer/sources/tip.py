"""The newest commit of a repository, without reading it: of a folder by git, of an address by asking its server (SPEC T16).

Called by `brain reach`. Writes nothing and keeps nothing.
"""

from pathlib import Path

from indexer.errors import SourceError
from indexer.sources.location import find_location
from indexer.sources.mirror import ask_tip
from indexer.sources.objects import ObjectReader
from indexer.sources.revision import resolve_commit


def find_tip(folder: Path) -> str | None:
    """Return the commit that a folder or bare repository is at; None when git does not know it or nothing is committed. SourceError."""
    location = find_location(folder.resolve())
    if location is None:
        return None
    with ObjectReader(location.git_dir) as reader:
        found = resolve_commit(location.git_dir, reader, None)
    return found.id if found else None


def find_remote_tip(address: str, branch: str, *, allow_private: bool = False) -> str:
    """Return the commit that a branch of a repository elsewhere is at; SourceError when it cannot be asked or has no such branch."""
    found = ask_tip(address, branch, allow_private=allow_private)
    if found is None:
        raise SourceError(f"{address} has no branch `{branch}`.", hint="Correct the branch where the repository is registered.")
    return found
