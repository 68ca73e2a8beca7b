"""The files of a branch that is checked out: may they be replaced, and brought to what was committed beside them.

Called by `writes` before and after a branch moves. Touches the files it is told and no others, through no symbolic link; what people
have changed is left alone, and they are asked first.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct

from indexer.errors import SourceError
from indexer.sources.branch import Branch
from indexer.sources.commits import Change, explain_write, render_index_lines
from indexer.sources.git import WRITE_FILE_SIZE, GitError, run_git
from indexer.sources.names import show_name
from indexer.sources.objects import hash_object

_UNDER_WAY = (
    ("MERGE_HEAD", "A merge", "git merge --continue"),
    ("rebase-merge", "A rebase", "git rebase --continue"),
    ("rebase-apply", "A rebase", "git rebase --continue"),
    ("CHERRY_PICK_HEAD", "A cherry-pick", "git cherry-pick --continue"),
    ("REVERT_HEAD", "A revert", "git revert --continue"),
)
_LARGEST = 64 * 1024 * 1024
_SETTINGS = ("core.fsync=committed", "core.sharedRepository=false", "feature.manyFiles=false")


class Shown(Struct, frozen=True):
    """One file as the work tree has it."""

    staged: str | None
    """Blob in the index; None where it is not there, empty for what is no ordinary entry (a conflict, a link)."""
    left_out: bool
    """By a sparse checkout."""
    file: frozenset[str] | None
    """Blobs that the file may stand for, with and without line ends of Windows; None without a file, empty for what is none."""


def check_idle(branch: Branch) -> None:
    """Raise SourceError while a merge or the like is under way, or another git command holds the index."""
    for name, what, command in _UNDER_WAY:
        if (branch.git_dir / name).exists():
            raise SourceError(
                f"{what} is under way in {branch.location.top}, so nothing is committed there.",
                hint=f"Finish it (`{command}`), then run it again.",
            )
    if (branch.git_dir / "index.lock").exists():
        raise SourceError(
            f"Another git command works in {branch.location.top}.",
            hint=f"Wait until it is done. If none runs, one was killed: delete {branch.git_dir / 'index.lock'}.",
        )


def read_shown(branch: Branch, paths: list[str]) -> dict[str, Shown]:
    """Return path → how the work tree has it; paths are those of the repository."""
    top = _top(branch)
    listed = run_git(
        branch.git_dir, ("ls-files", "-z", "-t", "--stage", "--", *paths), work_tree=branch.location.top, folder=branch.location.top
    )
    staged: dict[str, str] = {}
    left_out: set[str] = set()
    for line in listed.split(b"\0")[:-1]:
        fields, _, name = line.partition(b"\t")
        tag, mode, blob, stage = fields.decode().split()
        path = name.decode("utf-8", "surrogateescape")
        staged[path] = blob if stage == "0" and mode in {"100644", "100755"} and path not in staged else ""
        left_out |= {path} if tag == "S" else set()
    with _opened(top) as folder:
        return {path: Shown(staged.get(path), path in left_out, _identify(folder, path)) for path in paths}


def refuse_changed(branch: Branch, allowed: Mapping[str, frozenset[str | None]]) -> dict[str, Shown]:
    """Return how the work tree has the files, or raise SourceError when somebody has changed one.

    `allowed` is path → the blobs under which it counts as unchanged, None among them = as absent.
    """
    shown = read_shown(branch, sorted(allowed))
    changed = [path for path, each in shown.items() if not _is_unchanged(each, allowed[path])]
    if changed:
        names = ", ".join(show_name(path.encode("utf-8", "surrogateescape")) for path in changed[:3]) + (
            " and more" if len(changed) > 3 else ""
        )
        raise SourceError(
            f"You have changes of your own in {names}, which a refresh would write.",
            hint="Commit them, or take them back (`git restore --staged --worktree` and the file), then run it again.",
        )
    left_out = [path for path, each in shown.items() if each.left_out]
    if left_out:
        raise SourceError(
            f"This sparse checkout leaves out {left_out[0]}, which a refresh would write.",
            hint="Add it (`git sparse-checkout add .brain`), or refresh a full clone.",
        )
    return shown


def _is_unchanged(shown: Shown, allowed: frozenset[str | None]) -> bool:
    # A map that was deleted by hand comes back; that harms nobody.
    return shown.staged in allowed and (shown.file is None or bool(shown.file & allowed))


def bring_up(branch: Branch, changes: tuple[Change, ...]) -> None:
    """Bring files of the work tree and of its index to what was committed. May be repeated after it was stopped."""
    top = _top(branch)
    try:
        with _opened(top) as folder:
            for change in changes:
                _apply(folder, change)
        _stage(branch, changes)
    except GitError as error:
        raise _left_behind(branch, explain_write(branch.git_dir, error)) from error
    except OSError as error:
        raise _left_behind(branch, SourceError(f"{error.filename or top} cannot be written: {error.strerror}.")) from error


def _stage(branch: Branch, changes: tuple[Change, ...]) -> None:
    run_git(
        branch.git_dir,
        ("update-index", "--add", "--replace", "--remove", "-z", "--index-info"),
        given=render_index_lines(changes),
        work_tree=branch.location.top,
        folder=branch.location.top,
        file_size=WRITE_FILE_SIZE,
        settings=_SETTINGS,
        environment=_silence_filters(branch),
    )


def _silence_filters(branch: Branch) -> dict[str, str]:
    """Return settings that make the filters of a repository do nothing: git runs them on files that changed in the moment of an earlier
    look, when it writes the index. Such a file then counts as not looked at, and whoever runs git next looks at it."""
    listed = run_git(branch.git_dir, ("config", "--includes", "-z", "--name-only", "--get-regexp", r"^filter\."), accepted=(0, 1))
    names = sorted({line.rpartition(".")[0] for line in listed.decode("utf-8", "surrogateescape").split("\0") if line})
    silent = [(f"{name}.{key}", value) for name in names for key, value in (("clean", ""), ("process", ""), ("required", "false"))]
    pairs = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(silent)}
    return (
        pairs | {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(silent)} | {"GIT_CONFIG_COUNT": str(len(silent))}
    )


def _left_behind(branch: Branch, why: SourceError) -> SourceError:
    hint = f"{why.hint} Running it again brings the files up.".strip()
    return SourceError(f"The maps are committed, but the files in {branch.location.top} are still the old ones: {why.message}", hint=hint)


def _top(branch: Branch) -> str:
    if branch.location.top is None:
        raise AssertionError("BUG: a bare repository has no work tree")
    return str(branch.location.top)


@contextmanager
def _opened(folder: str) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _parent(top: int, path: str, *, make: bool) -> Iterator[tuple[int, str]]:
    """Give the folder of a file, reached step by step through no symbolic link, and the file's name."""
    *folders, name = path.split("/")
    held = os.dup(top)
    try:
        for folder in folders:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=held)
            deeper = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=held)
            os.close(held)
            held = deeper
        yield held, name
    finally:
        os.close(held)


def _identify(top: int, path: str) -> frozenset[str] | None:
    try:
        with _parent(top, path, make=False) as (folder, name):
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            with os.fdopen(descriptor, "rb") as opened:
                known = os.fstat(descriptor)
                if not stat.S_ISREG(known.st_mode) or known.st_size > _LARGEST:
                    return frozenset()
                content = opened.read()
    except FileNotFoundError:
        return None
    except OSError:
        return frozenset()
    return frozenset({hash_object(b"blob", content), hash_object(b"blob", content.replace(b"\r\n", b"\n"))})


def _apply(top: int, change: Change) -> None:
    """Write beside, then swap in. The name beside is always the same, so that what a stopped run left is taken up by the next."""
    if change.content is None:
        with contextlib.suppress(FileNotFoundError), _parent(top, change.path, make=False) as (folder, name):
            os.unlink(name, dir_fd=folder)
        return
    with _parent(top, change.path, make=True) as (folder, name):
        beside = f".{name}.new"
        mode = 0o777 if change.mode == "100755" else 0o666
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(change.content)
            os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise
