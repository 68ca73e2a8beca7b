"""Commits made without a work tree: blobs, a tree by way of an index of our own, the commit, and the move of the branch.

Called by `writes`. No hook runs, no filter, no program that a configuration names, and nothing is signed. The repository gains objects
until `move_branch`, which changes the branch only if it still is where it was read: whoever is stopped before has changed nothing.
"""

import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from indexer.errors import SourceError
from indexer.sources.branch import Branch, read_ref
from indexer.sources.git import WRITE_FILE_SIZE, GitError, run_git
from indexer.sources.objects import damaged, hash_object

NAME = "Brainpress"
MAIL = "brainpress@noreply.invalid"
"""Nobody's: the domain cannot exist."""

_LATEST = 4_102_444_799
"""End of 2099, the last second that every git takes."""
_NOTHING, _NO_ID = "0", "0" * 40
_SETTINGS = (
    "commit.gpgSign=false",
    "core.fsync=committed",
    "core.ignoreCase=false",
    "core.precomposeUnicode=false",
    "core.sharedRepository=false",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "feature.manyFiles=false",
    "i18n.commitEncoding=utf-8",
    "index.sparse=false",
    "index.threads=1",
)


class Change(Struct, frozen=True):
    """One file of a commit that is to be made."""

    path: str
    """From the top of the repository."""
    content: bytes | None
    """None = the file goes."""
    mode: str = "100644"
    """As git writes it; 100755 for a file that was executable."""

    @property
    def blob(self) -> str | None:
        """Id of the content."""
        return None if self.content is None else hash_object(b"blob", self.content)


class LostRaceError(SourceError):
    """Somebody moved the branch since it was read. Reading again helps."""


def commit_changes(git_dir: Path, parent: str, changes: tuple[Change, ...], message: str, at: int) -> str:
    """Store a commit on top of `parent` that changes these files alone, and return its id; no branch moves.

    `at` is its time, seconds since the epoch. The same arguments give the same id.
    """
    with _translated(git_dir), tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
        _write_blobs(git_dir, Path(scratch), changes)
        tree = _write_tree(git_dir, Path(scratch) / "index", parent, changes)
        args = ("commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree)
        return _write(git_dir, args, message.encode(), environment=name_committer(at)).decode().strip()


def name_committer(at: int) -> dict[str, str]:
    """Return who makes a commit, and when, as variables for git."""
    person = {"NAME": NAME, "EMAIL": MAIL, "DATE": f"@{min(max(at, 0), _LATEST)} +0000"}
    return {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}


def _write_blobs(git_dir: Path, scratch: Path, changes: tuple[Change, ...]) -> None:
    """Store what the files hold. They go through a folder of ours under numbers, so no name and no attribute of theirs counts."""
    contents = [change for change in changes if change.content is not None]
    for number, change in enumerate(contents):
        (scratch / str(number)).write_bytes(change.content or b"")
    names = b"".join(b"%d\n" % number for number in range(len(contents)))
    args = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    stored = _write(git_dir, args, names, folder=scratch).decode().split() if names else []
    if stored != [change.blob for change in contents]:
        raise damaged(git_dir, "what was stored is not what was given")


def _write_tree(git_dir: Path, index: Path, parent: str, changes: tuple[Change, ...]) -> str:
    environment = {"GIT_INDEX_FILE": str(index)}
    _write(git_dir, ("read-tree", f"{parent}^{{tree}}"), environment=environment)
    _write(git_dir, ("update-index", "-z", "--index-info"), render_index_lines(changes), environment=environment)
    return _write(git_dir, ("write-tree",), environment=environment).decode().strip()


def render_index_lines(changes: tuple[Change, ...]) -> bytes:
    """Return what `git update-index -z --index-info` reads: first what goes, then what comes."""
    gone = [f"{_NOTHING} {_NO_ID}\t{change.path}\0" for change in changes if change.content is None]
    written = [f"{change.mode} {change.blob}\t{change.path}\0" for change in changes if change.content is not None]
    return "".join(gone + written).encode("utf-8", "surrogateescape")


def move_branch(branch: Branch, new: str, old: str, at: int, marks: Mapping[str, str | None] | None = None) -> None:
    """Move a branch from `old` to `new`, and set refs beside it (`marks`: name → commit, None = gone), all or nothing.

    Raises LostRaceError when the branch is not at `old` any more; one that is at `new` already is fine.
    """
    lines = [f"update {branch.ref}\0{new}\0{old}\0"] if new != old else []
    lines += [f"update {ref}\0{commit}\0\0" if commit else f"delete {ref}\0\0" for ref, commit in sorted((marks or {}).items())]
    text = "".join(["start\0", *lines, "prepare\0", "commit\0"]).encode("utf-8", "surrogateescape")
    try:
        _write(branch.git_dir, ("update-ref", "-m", "brain refresh", "-z", "--stdin"), text, environment=name_committer(at))
    except GitError as error:
        now = read_ref(branch.git_dir, branch.ref)
        if new != old and now == new:
            return
        if now != old:
            raise LostRaceError(f"`{branch.name}` was moved by somebody else while it was read.", hint="Run it again.") from error
        raise explain_write(branch.git_dir, error) from error


def _write(
    git_dir: Path,
    args: tuple[str, ...],
    given: bytes | None = None,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    return run_git(git_dir, args, given=given, folder=folder, file_size=WRITE_FILE_SIZE, settings=_SETTINGS, environment=environment)


@contextmanager
def _translated(git_dir: Path) -> Iterator[None]:
    """Say in one sentence why a repository cannot be written to."""
    try:
        yield
    except GitError as error:
        raise explain_write(git_dir, error) from error
    except OSError as error:
        raise SourceError(f"Nothing can be written for {git_dir}: {error.strerror}.", hint="Free some space, then run it again.") from error


def explain_write(git_dir: Path, error: GitError) -> SourceError:
    """Return the error for a git command that could not write."""
    said = error.diagnosis.lower()
    if any(words in said for words in ("no space left", "file too large", "disk quota")) or error.status == -signal.SIGXFSZ:
        why, hint = "the disk is full.", "Free some space, then run it again; nothing has changed."
    elif ".lock" in said and "file exists" in said:
        why = error.message
        hint = "Another git command is at work there: wait until it is done. If none runs, one was killed: delete that file."
    elif any(words in said for words in ("permission denied", "insufficient permission", "read-only")):
        why, hint = "it may not be written to.", "Run it as the user whom the repository belongs to."
    else:
        why, hint = error.message, "`git fsck` in that folder says whether it is damaged."
    return SourceError(f"{git_dir} cannot be committed to: {why}", hint=hint)
