"""From a revision as people write it to one commit: branch, tag or (abbreviated) commit id, checked before git sees it.

Called by `opening`. Reads refs and the commit object; changes nothing.
"""

import re
from pathlib import Path

from msgspec import Struct

from indexer.errors import SourceError
from indexer.sources.git import run_git
from indexer.sources.names import show_name
from indexer.sources.objects import Found, ObjectReader, damaged, hash_object, missing_object

_ANCESTOR = re.compile(r"(?:[~^][0-9]{0,6}){1,20}$")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{")
_LONGEST = 250
_FULL_ID = re.compile(r"[0-9a-f]{40}")
_COMMITTER = re.compile(rb"^committer .*> ([0-9]{1,18})(?: |$)", re.MULTILINE)
_TREE = re.compile(rb"tree ([0-9a-f]{40})\n")


class Commit(Struct, frozen=True):
    """The commit that is read."""

    id: str
    """40 hex digits."""
    tree: bytes
    """Id of its tree, 40 hex digits."""
    committed_at: int
    """Seconds since the epoch, UTC; 0 for a date that git cannot read either, such as one before 1970."""


def check_revision(at: str) -> str:
    """Return the revision, or raise SourceError when it is not the name of one commit (an option, a range, a search)."""
    name = _ANCESTOR.sub("", at)
    if not name or name.startswith("-") or len(at.encode("utf-8", "replace")) > _LONGEST or _FORBIDDEN.search(name) or not _is_text(at):
        raise SourceError(
            f"`{show_name(at.encode('utf-8', 'surrogateescape'))[:_LONGEST]}` is not the name of a revision.",
            hint="Give one branch, tag or commit id.",
        )
    return at


def _is_text(at: str) -> bool:
    try:
        at.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def resolve_commit(git_dir: Path, reader: ObjectReader, at: str | None) -> Commit | None:
    """Return the commit that `at` names (None: HEAD); None for a repository without any commit. Raises SourceError."""
    if at is None:
        found = reader.resolve("HEAD^{commit}")
        if found is None:
            _check_empty(git_dir)
        return _read_commit(git_dir, found) if found else None
    name = check_revision(at)
    for candidate in (name, f"refs/remotes/origin/{name}"):
        found = reader.resolve(f"{candidate}^{{commit}}")
        if found is not None:
            return _read_commit(git_dir, found)
    raise _unknown(git_dir, reader, name)


def read_branches(git_dir: Path, prefix: str = "refs/heads/") -> tuple[str, ...]:
    """Return the names of the branches, in order, without the prefix."""
    lines = run_git(git_dir, ("for-each-ref", "--format=%(refname)", "--", prefix.rstrip("/"))).decode("utf-8", "replace").splitlines()
    return tuple(line.removeprefix(prefix) for line in lines)


def read_head_branch(git_dir: Path) -> str:
    """Return the branch that HEAD names, whether or not it exists; empty when HEAD is a commit."""
    line = run_git(git_dir, ("symbolic-ref", "--quiet", "HEAD"), accepted=(0, 1)).decode("utf-8", "replace").strip()
    return line.removeprefix("refs/heads/") if line.startswith("refs/heads/") else ""


def _read_commit(git_dir: Path, found: Found) -> Commit:
    if not _FULL_ID.fullmatch(found.id.decode()):
        raise SourceError(
            f"{git_dir} names its objects by SHA-256, which is not supported yet.",
            hint="Use a repository of git's usual kind (`git init --object-format=sha1`).",
        )
    if hash_object(b"commit", found.content) != found.id.decode():
        raise damaged(git_dir, f"commit {found.id.decode()} does not match its id")
    head = found.content.partition(b"\n\n")[0]
    tree, committer = _TREE.match(head), _COMMITTER.search(head)
    if tree is None:
        raise damaged(git_dir, f"commit {found.id.decode()} cannot be read")
    return Commit(found.id.decode(), tree.group(1), int(committer.group(1)) if committer else 0)


def _check_empty(git_dir: Path) -> None:
    """Raise SourceError for a HEAD that names what is not there, unless nothing was committed yet."""
    named = run_git(git_dir, ("rev-parse", "--quiet", "--verify", "HEAD"), accepted=(0, 1, 128)).strip()
    if named:
        raise missing_object(git_dir, named)
    branches = read_branches(git_dir)
    if branches:
        shown = ", ".join(branches[:5]) + (" and more" if len(branches) > 5 else "")
        raise SourceError(
            f"HEAD of {git_dir} names the branch `{read_head_branch(git_dir)}`, which does not exist.",
            hint=f"Name a revision with --at; branches there: {shown}.",
        )


def _unknown(git_dir: Path, reader: ObjectReader, name: str) -> SourceError:
    found = reader.resolve(name)
    if found is not None:
        return SourceError(f"`{name}` names a {found.kind.decode()}, not a commit.", hint="Give one branch, tag or commit id.")
    pointed = run_git(git_dir, ("rev-parse", "--quiet", "--verify", "--end-of-options", name), accepted=(0, 1, 128)).strip()
    if pointed and pointed.decode("utf-8", "replace") != name:
        return missing_object(git_dir, pointed)
    branches = ", ".join(read_branches(git_dir)[:5])
    return SourceError(
        f"There is no revision `{name}` in {git_dir}.",
        hint=f"Give a branch, a tag or a commit id of this repository; branches there: {branches or 'none'}.",
    )
