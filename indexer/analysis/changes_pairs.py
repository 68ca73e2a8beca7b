"""Which page of one result is which page of another, and which of its lines differ. Used by the other `changes` modules. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from indexer.analysis.index import name_all
from indexer.analysis.names import Names
from indexer.model.changes import Difference, Hunk
from indexer.model.result import IndexResult


@dataclass(frozen=True)
class Pair:
    """Two results of one repo, and how their files belong together."""

    base: IndexResult
    head: IndexResult
    former: Mapping[str, str]
    """Path of a file in the head → its path in the base; files that were added are not in here."""
    hunks: Mapping[tuple[str, str], tuple[Hunk, ...]]
    renames: Mapping[str, str]
    """What git takes for the same file, also of files that are no content; findings name such."""

    @cached_property
    def now(self) -> dict[str, str]:
        """Path of a file in the base → its path in the head."""
        return {old: new for new, old in self.former.items()}

    @cached_property
    def base_names(self) -> Names:
        """Names of what the base published; a link is looked up in them as it was then."""
        return _name_published(self.base)

    @cached_property
    def head_names(self) -> Names:
        """Names of what the head publishes."""
        return _name_published(self.head)

    def follow(self, path: str) -> str:
        """Return the path in the head of what a finding of the base is about."""
        return self.now.get(path) or self.renames.get(path, path)

    def is_edited(self, path: str) -> bool:
        """Whether a file of the head has other bytes than before; a new one has."""
        old = self.former.get(path)
        return old is None or self.base.entries[old].blob != self.head.entries[path].blob

    def base_line(self, path: str, line: int) -> int | None:
        """Return the line of the base that a line of the head was; None for one that the change wrote."""
        old = self.former.get(path)
        if old is None or path not in self.head.entries:
            return None
        blobs = self.base.entries[old].blob, self.head.entries[path].blob
        if blobs[0] == blobs[1]:
            return line
        return _go_back(self.hunks[blobs], line) if blobs in self.hunks else None


def pair_results(base: IndexResult, head: IndexResult, difference: Difference) -> Pair:
    """Return which file of the head was which of the base: of the same path, else as git, the history or equal bytes say."""
    former = {path: path for path in head.entries if path in base.entries}
    gone = {path for path in base.entries if path not in head.entries}
    for source in (difference.renames, head.history.renames, _match_blobs(base, head, gone)):
        for old, new in sorted(source.items()):
            if old in gone and new in head.entries and new not in former:
                former[new] = old
                gone.discard(old)
    return Pair(base, head, former, difference.hunks, difference.renames)


def _match_blobs(base: IndexResult, head: IndexResult, gone: Iterable[str]) -> dict[str, str]:
    """Old path → new path of the files whose bytes no other file that came or went has."""
    old, new = defaultdict(list), defaultdict(list)
    for path in gone:
        old[base.entries[path].blob].append(path)
    for path, entry in head.entries.items():
        if path not in base.entries:
            new[entry.blob].append(path)
    return {paths[0]: new[blob][0] for blob, paths in old.items() if len(paths) == 1 and len(new.get(blob, ())) == 1}


def _go_back(hunks: Iterable[Hunk], line: int) -> int | None:
    moved = 0
    for hunk in hunks:
        first = hunk.new_start if hunk.new_count else hunk.new_start + 1
        if line < first:
            break
        if line < first + hunk.new_count:
            return None
        moved += hunk.new_count - hunk.count
    return line - moved


def _name_published(result: IndexResult) -> Names:
    paths = [path for path in result.entries if path not in result.pages or not result.pages[path].hidden]
    return name_all(paths, result.pages)
