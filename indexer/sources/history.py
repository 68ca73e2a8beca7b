"""The history of a content root: the last change of each path, and where renamed pages are now.

One `git log` reads it; `fold` turns its commits, newest first, into a History. Called by `git_source`. Merges count with what they changed
against all their parents (`git log -c`), so a change belongs to the commit in which somebody made it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from indexer.errors import SourceError
from indexer.model.snapshot import Change, History, Limits
from indexer.sources.former import find_concealed
from indexer.sources.git import GitError, GitPipe, run_git
from indexer.sources.location import find_common
from indexer.sources.names import is_content_path
from indexer.sources.objects import is_partial

PATIENCE = 300.0
"""Seconds; one commit that renames thousands of files can take a while."""
RENAME_LIMIT = 1000
"""Files renamed *and* edited in one commit, past which only unedited ones are recognised; git's own default."""

_COMMIT = re.compile(rb"\x01([0-9a-f]{40}) ([^\x01]*)")
_SECONDS = re.compile(rb"[0-9]{1,18}")
_FULL_ID = re.compile(r"[0-9a-f]{40}")
_LIMITS = Limits()


class Move(Struct, frozen=True):
    """One line of a commit."""

    status: str
    """`A` added, `M` changed, `D` deleted, `R` renamed."""
    path: str
    former: str = ""
    """Path before a rename."""


class LoggedCommit(Struct, frozen=True):
    """One commit of the log, with what it did below the content root."""

    change: Change
    moves: tuple[Move, ...]


class Fold(Struct):
    """The state while commits are taken newest first. At each point `where` says what became of the file that had a path then."""

    present: frozenset[str]
    """Paths of the snapshot."""
    last: dict[str, Change] = field(default_factory=dict)
    where: dict[str, str | None] = field(default_factory=dict)
    """Path at this point of the past → path now, None when that file is gone. A path that is not in here has not moved since."""
    removed: set[str] = field(default_factory=set)
    """Paths whose latest removal or renaming was met."""
    renames: dict[str, str] = field(default_factory=dict)
    renamed_in: dict[str, str] = field(default_factory=dict)
    """Former path → the commit that renamed it."""

    def follow(self, path: str) -> str | None:
        """Return the path that the file at `path`, at this point of the past, has now."""
        return self.where.get(path, path if path in self.present else None)

    def take(self, commit: LoggedCommit) -> None:
        """Go back over one commit."""
        targets = [self.follow(move.path) for move in commit.moves]
        for move in commit.moves:
            if move.status != "D" and move.path in self.present:
                self.last.setdefault(move.path, commit.change)
            if move.status != "M":
                # Before this commit the path did not exist, or (deleted here) belonged to a file that is gone.
                self.where[move.path] = None
            if move.status == "D":
                self.removed.add(move.path)
        for move, target in zip(commit.moves, targets, strict=True):
            if move.status == "R":
                self._go_back(move.former, target, commit.change.revision)

    def _go_back(self, former: str, target: str | None, revision: str) -> None:
        if target is not None:
            self.where[former] = target
        else:
            self.where.setdefault(former, None)
        if former in self.removed:
            return
        self.removed.add(former)
        if target is not None and former not in self.present and is_content_path(former):
            self.renames[former] = target
            self.renamed_in[former] = revision

    def finish(self, known: History | None = None) -> History:
        """Return the history; `known` is what was known at the point that was reached."""
        last, renames = dict(self.last), dict(self.renames)
        for path, change in (known.last if known else {}).items():
            if path in self.present:
                last.setdefault(path, change)
        for former, path in (known.renames if known else {}).items():
            target = self.follow(path)
            if target is not None and former not in self.present and former not in self.removed:
                renames[former] = target
        concealed = frozenset(former for former in (known.concealed if known else ()) if former in renames and former not in self.renames)
        return History(dict(sorted(last.items())), dict(sorted(renames.items())), concealed)


def fold_commits(commits: Iterable[LoggedCommit], present: frozenset[str], known: History | None = None) -> History:
    """Return the history that commits, newest first, tell of the paths that are present, on top of what is known."""
    return _fold(commits, present).finish(known)


def _fold(commits: Iterable[LoggedCommit], present: frozenset[str]) -> Fold:
    fold = Fold(present)
    for commit in commits:
        fold.take(commit)
    return fold


def read_history(
    git_dir: Path,
    revision: str,
    folder: str,
    present: frozenset[str],
    *,
    known: History | None = None,
    since: str | None = None,
    conceals: Callable[[bytes], bool] | None = None,
    limits: Limits = _LIMITS,
) -> History:
    """Return the history of the content root `folder` up to `revision`; see `Source.history`. `limits` are those that `present` fits in."""
    reach = describe_reach(git_dir, folder, limits)
    revisions: tuple[str, ...] = (revision,)
    if known is not None and since is not None and known.reach == reach and lies_below(git_dir, since, revision):
        if since == revision:
            return replace(fold_commits((), present, known), reach=reach)
        revisions = (revision, f"^{since}")
    else:
        known = None
    fold = _fold(read_log(git_dir, revisions, folder), present)
    history = replace(fold.finish(known), reach=reach)
    if conceals is None or not fold.renamed_in:
        return history
    return replace(history, concealed=history.concealed | find_concealed(git_dir, folder, fold.renamed_in, conceals))


def describe_reach(git_dir: Path, folder: str, limits: Limits) -> str:
    """Return what a history depends on besides its revision: more of it may be fetched, and the next run may read another folder."""
    said = (folder, sorted(read_shallow(git_dir)), is_partial(git_dir), *astuple(limits))
    return blake2b(repr(said).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def lies_below(git_dir: Path, since: str, revision: str) -> bool:
    """Return whether every new commit was made on top of `since`: then, and only then, old history is a finished thing."""
    if not _FULL_ID.fullmatch(since):
        return False
    if since == revision:
        return True
    try:
        lines = run_git(git_dir, ("rev-list", "--parents", "--end-of-options", revision, f"^{since}")).decode("ascii").splitlines()
    except GitError:
        # The commit is gone: rewritten history, or another clone.
        return False
    family = [line.split() for line in lines]
    grounded = {since, *(commit for commit, *_ in family)}
    return bool(family) and all(parents and grounded.issuperset(parents) for _, *parents in family)


def read_shallow(git_dir: Path) -> frozenset[str]:
    """Return the commits whose parents a shallow clone lacks; empty for a whole one."""
    listed = find_common(git_dir) / "shallow"
    return frozenset(listed.read_text("ascii", "replace").split()) if listed.is_file() else frozenset()


def read_log(git_dir: Path, revisions: tuple[str, ...], folder: str) -> Iterator[LoggedCommit]:
    """Yield the commits, newest first, that changed something below `folder`; raises SourceError."""
    # A partial clone lacks old blobs, so edited files cannot be compared there: only unedited renames are found.
    similar = "--find-renames=100%" if is_partial(git_dir) else "--find-renames"
    args = ("log", "-z", "--name-status", similar, f"-l{RENAME_LIMIT}", "-c", "--full-history", "--format=%x01%H %ct")
    quiet = ("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "--end-of-options")
    shallow = read_shallow(git_dir)
    prefix = f"{folder}/" if folder else ""
    with GitPipe(git_dir, (*args, *quiet, *revisions, "--", *([prefix] if prefix else [])), patience=PATIENCE) as pipe:
        for commit in _parse_log(_read_fields(pipe), prefix):
            # To a commit at the edge of a shallow clone all files look new.
            if commit.change.revision not in shallow:
                yield commit


def _read_fields(pipe: GitPipe) -> Iterator[bytes]:
    """Yield what stands between NUL bytes; raise GitError at the end of a log that broke off."""
    rest = b""
    while chunk := pipe.out.read1(1 << 16):
        *fields, rest = (rest + chunk).split(b"\0")
        yield from fields
    pipe.finish()
    if rest:
        yield rest


def _parse_log(fields: Iterator[bytes], prefix: str) -> Iterator[LoggedCommit]:
    change: Change | None = None
    moves: list[Move] = []
    for piece in fields:
        word = piece.lstrip(b"\n")
        if start := _COMMIT.fullmatch(word):
            if change is not None:
                yield LoggedCommit(change, tuple(moves))
            # Programs that moved old repositories to git left dates that git itself takes for the epoch.
            seconds = int(start.group(2)) if _SECONDS.fullmatch(start.group(2)) else 0
            change, moves = Change(start.group(1).decode(), seconds), []
        elif word:
            moves.append(_parse_move(word, fields, prefix))
    if change is not None:
        yield LoggedCommit(change, tuple(moves))


def _parse_move(status: bytes, fields: Iterator[bytes], prefix: str) -> Move:
    """Return one line: its status stands before one path, or before two for `R087`. A merge has a letter per parent."""
    try:
        first = _below(next(fields), prefix)
        if status[:1] in {b"R", b"C"} and status[1:].isdigit():
            renamed = _below(next(fields), prefix)
            return Move("R" if status[:1] == b"R" else "A", renamed, first)
    except StopIteration as ended:
        raise SourceError("BUG: git log ended in the middle of a line.") from ended
    letters = set(status.decode("ascii", "replace"))
    if len(letters) == 1 and letters <= {"A", "D"}:
        return Move(letters.pop(), first)
    return Move("M", first)


def _below(path: bytes, prefix: str) -> str:
    return path.decode("utf-8", "surrogateescape").removeprefix(prefix)
