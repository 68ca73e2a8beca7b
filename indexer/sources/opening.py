"""From a path to a source: decides whether a repository is read at a commit or the files as they lie there.

The one way into this room for content; called by the pipeline, the command line and the checks. Writes nothing below the path.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from indexer.errors import SourceError, UsageError
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.snapshot import Limits
from indexer.sources.folder import open_folder
from indexer.sources.git import run_git
from indexer.sources.git_source import find_root, open_commit
from indexer.sources.location import Location, find_location, is_git_dir
from indexer.sources.names import refuse_name, show_name
from indexer.sources.objects import ObjectReader
from indexer.sources.origin import read_origin
from indexer.sources.revision import check_revision, resolve_commit
from indexer.sources.source import Source

DEFAULT_LIMITS = Limits()
_Answer = TypeVar("_Answer")


def open_source(
    path: Path,
    *,
    at: str | None = None,
    uncommitted: bool = False,
    folder: str = "",
    limits: Limits = DEFAULT_LIMITS,
    stat_cache: Path | None = None,
) -> Source:
    """Open a bare repository, a folder of a work tree, or a plain folder.

    A repository is read at the commit `at` (default: HEAD), never as its working files, unless `uncommitted` says so, or git does not know
    the folder, or nothing was committed yet. `folder` is the content root below `path`. `stat_cache` is a file outside `path`
    that speeds up reading the same plain folder again.

    Raises SourceError when it cannot be read, names no revision or is over a cap; UsageError when the arguments contradict each other.
    """
    if at is not None:
        check_revision(at)
        if uncommitted:
            raise UsageError("Uncommitted files belong to no revision.", hint="Leave out either --at or --uncommitted.")
    root = find_folder(path)
    bare = _ask(is_git_dir, root)
    if bare and uncommitted:
        raise UsageError(f"{path} is a bare repository: it has no uncommitted files.", hint="Leave out --uncommitted.")
    names = check_folder(folder)
    if names and not bare:
        root, names = _find_inside(root, names), ""
    location = _locate(root, names, uncommitted)
    if location is None or uncommitted:
        return _open_plain(root, location, at, limits, stat_cache)
    return _open_repository(root, location, at, limits, stat_cache)


def locate_repository(path: Path) -> Location:
    """Return where the git repository of a folder lies; raises SourceError when there is none."""
    location = _locate(find_folder(path), "", uncommitted=False)
    if location is None:
        raise SourceError(f"{path} has no revisions: it is not part of a git repository.", hint="Give the folder of a repository.")
    return location


def _open_repository(root: Path, location: Location, at: str | None, limits: Limits, stat_cache: Path | None) -> Source:
    with ObjectReader(location.git_dir) as reader:
        commit = resolve_commit(location.git_dir, reader, at)
        if commit is not None:
            tree = find_root(location, reader, commit)
            if tree is not None:
                return open_commit(location, reader, commit, tree, at=at, limits=limits)
            if at is not None or location.top is None:
                shown = show_name(location.folder.encode("utf-8", "surrogateescape"))
                raise SourceError(
                    f"There is no folder `{shown}` in {location.top or location.git_dir} at {at or 'HEAD'}.",
                    hint="Check the folder's name, or give a revision that has it.",
                )
    if location.top is None:
        raise SourceError(f"{root} has no commit yet.", hint="Push something to it first.")
    # Files of a repository without a commit, or a folder that git was told to ignore or has not been told of.
    return _open_plain(root, location, at, limits, stat_cache)


def _open_plain(root: Path, location: Location | None, at: str | None, limits: Limits, stat_cache: Path | None) -> Source:
    if at is not None:
        raise SourceError(
            f"{root} has no revisions: it is not part of a git repository.", hint="Leave out --at, or give the folder of a repository."
        )
    if location is None:
        return open_folder(root, limits, stat_cache=stat_cache)
    origin = read_origin(location.git_dir, location.folder, None)
    told = _check_sparse(location)
    return open_folder(root, limits, stat_cache=stat_cache, ignored=_read_ignored(location), origin=origin, told=told)


def _check_sparse(location: Location) -> tuple[Finding, ...]:
    """Say how many files a sparse checkout leaves out: they are committed, and not there to be read."""
    if not (location.git_dir / "info" / "sparse-checkout").exists():
        return ()
    args = ("ls-files", "-z", "-t", "--", *([location.folder] if location.folder else []))
    listed = run_git(location.git_dir, args, work_tree=location.top, folder=location.top).split(b"\0")
    count = sum(line.startswith(b"S ") for line in listed)
    if not count:
        return ()
    files = f"{count:,} committed files are" if count > 1 else "One committed file is"
    message = f"The checkout is sparse: {files} not in the work tree, so links to what they hold are dead here."
    return (make_finding("SRC008", "", 0, message, "Read what is committed, or bring the files back (`git sparse-checkout disable`)."),)


def _read_ignored(location: Location) -> frozenset[bytes]:
    """Return what git ignores below the content root, so that uncommitted content is what could be committed. A root that is itself ignored
    was meant by whoever named it: then nothing in it counts as ignored."""
    args = (
        "ls-files",
        "-z",
        "--others",
        "--ignored",
        "--exclude-standard",
        "--directory",
        "--",
        *([location.folder] if location.folder else []),
    )
    listed = run_git(location.git_dir, args, work_tree=location.top, folder=location.top).split(b"\0")
    root = os.fsencode(location.folder) + b"/" if location.folder else b""
    if any(root.startswith(line) for line in listed if line.endswith(b"/")):
        return frozenset()
    return frozenset(line.removeprefix(root).rstrip(b"/") for line in listed if line)


def find_folder(path: Path) -> Path:
    """Return the folder a person named, without symbolic links; raises SourceError."""
    try:
        root = path.resolve(strict=True)
        if root.is_dir():
            return root
    except FileNotFoundError as missing:
        raise SourceError(f"There is no folder {path}.", hint="Check the spelling of the path.") from missing
    except PermissionError as refused:
        raise _permission_denied(path) from refused
    except (OSError, RuntimeError, ValueError) as broken:
        raise SourceError(f"{show_name(os.fsencode(path))} cannot be read: {broken}", hint="Give the path of a folder.") from broken
    raise SourceError(f"{path} is a file, not a folder.", hint=f"Give the folder that holds it: {path.parent}")


def check_folder(folder: str) -> str:
    """Return the name of a folder inside a repository without slashes around it; raises SourceError for one that leads elsewhere."""
    names = os.fsencode(folder.strip("/"))
    if names and any(refuse_name(name) for name in names.split(b"/")):
        raise SourceError(f"`{show_name(names)}` is not the name of a folder inside a repository.", hint="Write it as `docs/notes`.")
    return folder.strip("/")


def _find_inside(root: Path, folder: str) -> Path:
    inside = find_folder(root / folder)
    if not inside.is_relative_to(root):
        raise SourceError(f"{root / folder} leads out of {root} by a symbolic link.", hint="Put the folder itself in its place.")
    return inside


def _locate(root: Path, folder: str, uncommitted: bool) -> Location | None:
    try:
        return _ask(lambda path: find_location(path, folder), root)
    except SourceError:
        if uncommitted:
            # Asked for the files as they lie there, so a broken repository around them does not matter.
            return None
        raise


def _ask(look: Callable[[Path], _Answer], path: Path) -> _Answer:
    try:
        return look(path)
    except PermissionError as refused:
        raise _permission_denied(refused.filename) from refused


def _permission_denied(path: object) -> SourceError:
    return SourceError(f"Permission denied: {path}", hint="Give the user who runs this the right to read it.")
