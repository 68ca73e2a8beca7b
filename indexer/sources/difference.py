"""Two commits of one repository: where they parted, which files were renamed, which lines differ. Read-only; called by `brain check`.

Git compares; its answers are read by blob id, so no file name is taken out of a patch.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from indexer.errors import SourceError
from indexer.model.changes import Difference, Hunk
from indexer.sources.git import GitPipe, run_git
from indexer.sources.history import PATIENCE, RENAME_LIMIT, read_shallow
from indexer.sources.location import Location
from indexer.sources.objects import ObjectReader, is_partial
from indexer.sources.revision import Commit, resolve_commit

_INDEX = re.compile(rb"index ([0-9a-f]{40})\.\.([0-9a-f]{40})")
_HUNK = re.compile(rb"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
_DEEPEN = "Fetch the whole history: `fetch-depth: 0` at the checkout in GitHub Actions, `git fetch --unshallow` elsewhere."


class Span(Struct, frozen=True):
    """From where a branch left another one to where it is now."""

    base: Commit
    """Merge base of the two revisions that were named."""
    head: Commit
    tip: Commit
    """The first revision as named; the same as `base` unless others went on there."""


def resolve_span(location: Location, base: str, head: str | None) -> Span:
    """Return the commits to compare; None means HEAD. Raises SourceError for unknown revisions and for two without common history."""
    git_dir = location.git_dir
    with ObjectReader(git_dir) as reader:
        found = [_resolve(git_dir, reader, each) for each in (base, head)]
        tip, last = (commit for commit in found if commit is not None)
        common = _find_common_commit(git_dir, tip, last)
        if common is None:
            shown = f"`{base}` and `{head or 'HEAD'}` have no common history"
            if read_shallow(git_dir):
                raise SourceError(f"{shown} in this clone, which is shallow.", hint=_DEEPEN)
            raise SourceError(f"{shown}, so there is nothing to compare.", hint="Give two revisions of one line of work.")
        start = tip if common == tip.id else resolve_commit(git_dir, reader, common)
    if start is None:
        raise SourceError("BUG: a commit that git has just named is not there.")
    return Span(start, last, tip)


def _resolve(git_dir: Path, reader: ObjectReader, name: str | None) -> Commit:
    try:
        commit = resolve_commit(git_dir, reader, name)
    except SourceError as error:
        if read_shallow(git_dir):
            raise SourceError(error.message, hint=_DEEPEN) from error
        raise
    if commit is None:
        raise SourceError(f"{git_dir} has no commit yet.", hint="Commit something first.")
    return commit


def _find_common_commit(git_dir: Path, one: Commit, other: Commit) -> str | None:
    if one.id == other.id:
        return one.id
    found = run_git(git_dir, ("merge-base", one.id, other.id), accepted=(0, 1)).decode("ascii", "replace").split()
    return found[0] if found else None


def read_difference(location: Location, base: Commit, head: Commit) -> Difference:
    """Return what differs below the content root; raises SourceError."""
    if base.tree == head.tree:
        return Difference()
    return Difference(renames=dict(_read_renames(location, base, head)), hunks=dict(_read_hunks(location, base, head)))


def _ask(location: Location, form: tuple[str, ...], base: Commit, head: Commit) -> GitPipe:
    similar = "--find-renames=100%" if is_partial(location.git_dir) else "--find-renames"
    quiet = ("--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=myers")
    args = ("diff-tree", "-r", *form, similar, f"-l{RENAME_LIMIT}", *quiet)
    below = ("--", f"{location.folder}/") if location.folder else ()
    return GitPipe(location.git_dir, (*args, base.id, head.id, *below), patience=PATIENCE)


def _read_renames(location: Location, base: Commit, head: Commit) -> Iterator[tuple[str, str]]:
    """Yield (former path, path); `--raw -z` gives a line of modes, then one path, or two for a rename."""
    prefix = f"{location.folder}/" if location.folder else ""
    with _ask(location, ("--name-status", "-z", "--diff-filter=R"), base, head) as pipe:
        fields = pipe.out.read().split(b"\0")
        pipe.finish()
    names = [name.decode("utf-8", "surrogateescape").removeprefix(prefix) for name in fields]
    for place in range(0, len(names) - 2, 3):
        yield names[place + 1], names[place + 2]


def _read_hunks(location: Location, base: Commit, head: Commit) -> Iterator[tuple[tuple[str, str], tuple[Hunk, ...]]]:
    """Yield the lines that differ of each pair of blobs. Lines of files begin with `+`, `-` or `\\`, so none passes for a heading."""
    pair: tuple[str, str] | None = None
    hunks: list[Hunk] = []
    with _ask(location, ("--patch", "--unified=0", "--full-index"), base, head) as pipe:
        for line in pipe.out:
            if line.startswith(b"index ") and (found := _INDEX.match(line)):
                pair, hunks = (found[1].decode(), found[2].decode()), []
            elif line.startswith(b"@@ ") and (lines := _HUNK.match(line)):
                hunks.append(_parse_hunk(lines))
            elif line.startswith(b"diff --git "):
                if pair and hunks:
                    yield pair, tuple(hunks)
                pair = None
        pipe.finish()
    if pair and hunks:
        yield pair, tuple(hunks)


def _parse_hunk(found: re.Match[bytes]) -> Hunk:
    start, count, new_start, new_count = (int(each) if each is not None else 1 for each in found.groups())
    return Hunk(start, count, new_start, new_count)
