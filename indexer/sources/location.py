"""Where the git repository of a folder lies, found by looking at files only: git's own search asks who owns a folder, ours need not.

Called by `opening`. Runs nothing and reads no configuration.
"""

from pathlib import Path

from msgspec import Struct

from indexer.errors import SourceError

_LONGEST_POINTER = 8192


class Location(Struct, frozen=True):
    """A content root inside a repository."""

    git_dir: Path
    """Folder that holds HEAD."""
    common_dir: Path
    """Folder that holds objects and refs; another one than `git_dir` for a linked work tree."""
    top: Path | None
    """Top of the work tree; None for a bare repository."""
    folder: str
    """Content root relative to the top of the repository, `/` separated; empty = the top."""


def find_location(path: Path, folder: str = "") -> Location | None:
    """Return where the repository of an absolute, resolved path lies; None when it is in none. Raises SourceError for a broken one
    and PermissionError.

    `folder` is the content root inside a bare repository.
    """
    if is_git_dir(path):
        return Location(path, find_common(path), None, folder)
    if (path / "HEAD").is_file() and (path / "config").is_file():
        refuse_damaged(path)
    for top in (path, *path.parents):
        git_dir = _find_git_dir(top)
        if git_dir is not None:
            below = path.relative_to(top).as_posix()
            return Location(git_dir, find_common(git_dir), top, "" if below == "." else below)
    return None


def _find_git_dir(top: Path) -> Path | None:
    pointer = top / ".git"
    if pointer.is_dir():
        if is_git_dir(pointer):
            return pointer
        refuse_damaged(pointer)
        return None
    return _follow_pointer(pointer) if pointer.is_file() else None


def refuse_damaged(folder: Path) -> None:
    """Raise SourceError when a folder was a repository and has lost a part.

    Read as plain files, it would publish what was never committed.
    """
    missing = [name for name in ("HEAD", "objects", "refs") if not (folder / name).exists()]
    if missing and len(missing) < 3:
        raise SourceError(
            f"{folder} is a damaged repository: it has no {' and no '.join(missing)}.",
            hint="Clone the repository again, or restore what is missing.",
        )


def _follow_pointer(pointer: Path) -> Path:
    """Return the folder that a `.git` file names: linked work trees and submodules have one."""
    with pointer.open("rb") as opened:
        text = opened.read(_LONGEST_POINTER).decode("utf-8", "surrogateescape")
    named = text.removeprefix("gitdir:").strip()
    if text.startswith("gitdir:") and named and "\0" not in named:
        git_dir = (pointer.parent / named).resolve()
        if is_git_dir(git_dir):
            return git_dir
    raise SourceError(
        f"{pointer} should name the folder of a repository, but what it names is not there.",
        hint="A linked work tree or submodule was moved: run `git worktree repair`, or read the files as they lie with --uncommitted.",
    )


def is_git_dir(folder: Path) -> bool:
    """Return whether a folder is a repository by itself: a bare one, or the `.git` of a work tree."""
    if not (folder / "HEAD").is_file():
        return False
    common = find_common(folder)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def find_common(git_dir: Path) -> Path:
    """Return the folder that holds objects and refs: the same one, but for a linked work tree."""
    pointer = git_dir / "commondir"
    if not pointer.is_file():
        return git_dir
    with pointer.open("rb") as opened:
        named = opened.read(_LONGEST_POINTER).decode("utf-8", "surrogateescape").strip()
    return git_dir if not named or "\0" in named else (git_dir / named).resolve()
