"""Which commit the content of a repo is from, whatever maps were committed on top of it, and whether its maps were made from that one.

Answered from git alone (SPEC T29): a commit that touches nothing but maps changes no answer, so a refresh is never triggered by its own.
Called by `refresh`, the worker and `brain refresh --status`.
"""

import re

from msgspec import Struct

from indexer.errors import SourceError
from indexer.model.maps import FOLDER, FRONT
from indexer.sources.branch import Branch, read_ref
from indexer.sources.git import run_git
from indexer.sources.objects import MissingObjectError, ObjectReader, hash_object
from indexer.writes.map_paths import differs_only_in_block

TRAILER, WAITING = "Brain-Refresh", "Brain-Relations: waiting"
"""Last lines of a refresh's commit: the revision that was read, and that relations are still to come."""

_TRAILED = re.compile(rf"^{TRAILER}: ([0-9a-f]{{40}})$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)
_FARTHEST = 1000
"""Commits of maps alone that are passed over, one after the other."""
_MAGIC = {"GIT_LITERAL_PATHSPECS": "0"}


class Content(Struct, frozen=True):
    """What a repo says at the head of a branch, without its maps."""

    revision: str
    """The commit that last changed it."""
    refreshed: bool
    """Whether the maps were made from that commit."""
    readable: bool = True
    """False in a shallow clone whose only commit is a refresh: what was read is not there, and need not be."""
    waiting: bool = False
    """Whether that refresh left relations for later."""


class LastRefresh(Struct, frozen=True):
    """The newest refresh in the history of a branch."""

    commit: str
    revision: str
    """What it read."""


def read_content(branch: Branch, head: str) -> Content:
    """Return from which commit the content at `head` is; SourceError where the content root holds nothing there."""
    at = head
    for _ in range(_FARTHEST):
        found = _last_touch(branch, at)
        parents, message = _read_commit(branch, found)
        only = _find_single_parent(branch, parents)
        if only is None:
            return _at_boundary(branch, head, found, parents, message)
        if not _touches_block_only(branch, only, found):
            return _judge(branch, head, found)
        at = only
    return _judge(branch, head, at)


def _last_touch(branch: Branch, at: str) -> str:
    folder = branch.location.folder
    root = f":(top,literal){folder}" if folder else ":(top)"
    paths = (root, f":(top,exclude,literal){branch.find(FOLDER)}")
    found = run_git(branch.git_dir, ("rev-list", "-1", "--end-of-options", at, "--", *paths), environment=_MAGIC).decode().strip()
    if not found:
        raise SourceError(f"Nothing but maps was ever committed to {folder or branch.git_dir}.", hint="Commit some pages first.")
    return found


def _read_commit(branch: Branch, commit: str) -> tuple[list[str], str]:
    with ObjectReader(branch.git_dir) as reader:
        (found,) = reader.read_all((commit.encode(),), b"commit")
    head, _, message = found.content.partition(b"\n\n")
    return [parent.decode() for parent in _PARENT.findall(head)], message.decode("utf-8", "replace")


def _find_single_parent(branch: Branch, parents: list[str]) -> str | None:
    """Return the only parent when it is there: that of a shallow clone's last commit is not."""
    if len(parents) != 1:
        return None
    with ObjectReader(branch.git_dir) as reader:
        return parents[0] if reader.resolve(parents[0]) is not None else None


def _at_boundary(branch: Branch, head: str, found: str, parents: list[str], message: str) -> Content:
    trailed = _TRAILED.search(message)
    if len(parents) == 1 and trailed is not None:
        return Content(trailed.group(1), refreshed=WAITING not in message, readable=False, waiting=WAITING in message)
    return _judge(branch, head, found)


def _touches_block_only(branch: Branch, parent: str, commit: str) -> bool:
    """Return whether a commit that touches the content touches no more of it than the marked block of its first page."""
    index = branch.find(FRONT)
    folder = branch.location.folder
    args = ("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", parent, commit, "--")
    paths = (f":(top,literal){folder}" if folder else ":(top)", f":(top,exclude,literal){branch.find(FOLDER)}")
    fields = run_git(branch.git_dir, (*args, *paths), environment=_MAGIC).split(b"\0")[:-1]
    if len(fields) != 2 or fields[1].decode("utf-8", "surrogateescape") != index:
        return False
    old_mode, new_mode, old, new, _ = fields[0].removeprefix(b":").split()
    if old_mode != new_mode or not old_mode.startswith(b"100"):
        return False
    with ObjectReader(branch.git_dir) as reader:
        before, after = reader.read_all((old, new), b"blob")
    return differs_only_in_block(before.content, after.content)


def _judge(branch: Branch, head: str, revision: str) -> Content:
    """Say whether a refresh of `revision` was committed since, or found nothing to commit, which only this repository knows."""
    if read_ref(branch.git_dir, name_mark(branch)) == revision:
        return Content(revision, refreshed=True)
    args = ("log", "-z", "-50", "--format=%B", "--no-show-signature", "--end-of-options", f"{revision}..{head}", "--")
    messages = run_git(branch.git_dir, (*args, branch.find(FOLDER), branch.find(FRONT))).decode("utf-8", "replace").split("\0")
    for message in messages:
        trailed = _TRAILED.search(message)
        if trailed is not None and trailed.group(1) == revision:
            return Content(revision, refreshed=WAITING not in message, waiting=WAITING in message)
    return Content(revision, refreshed=False)


def name_mark(branch: Branch) -> str:
    """Return the ref under which a repository remembers what was last read of a branch; it is never pushed."""
    key = f"{branch.name}\0{branch.location.folder}".encode("utf-8", "surrogateescape")
    return f"refs/brain/refreshed-{hash_object(b'blob', key)[:12]}"


def find_last_refresh(branch: Branch, head: str) -> LastRefresh | None:
    """Return the newest refresh that a branch has, None where there is none."""
    args = ("log", "-1", "--format=%H%n%B", "--no-show-signature", f"--grep=^{TRAILER}: ", "--end-of-options", head, "--")
    said = run_git(branch.git_dir, (*args, branch.find(FOLDER), branch.find(FRONT))).decode("utf-8", "replace")
    trailed = _TRAILED.search(said)
    return LastRefresh(said.partition("\n")[0], trailed.group(1)) if trailed else None


def is_refresh(branch: Branch, commit: str) -> str:
    """Return the parent of a commit that is a refresh; empty for any other."""
    parents, message = _read_commit(branch, commit)
    if _TRAILED.search(message) is None:
        return ""
    try:
        return _find_single_parent(branch, parents) or ""
    except MissingObjectError:
        return ""
