"""A content root at one commit of a git repository, read from the object store: no checkout, no work tree, no index.

Made by `opening.open_source`. Writes nothing into the repository.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct, field

from indexer.errors import SourceError
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.snapshot import Entry, History, Limits, Origin, Snapshot
from indexer.sources.history import read_history, read_shallow
from indexer.sources.location import Location
from indexer.sources.names import show_name
from indexer.sources.objects import ObjectReader, is_partial, read_sizes
from indexer.sources.origin import read_origin
from indexer.sources.revision import Commit
from indexer.sources.tree import FOLDER, REGULAR, SUBMODULE, parse_tree, read_entries


class GitSource(Struct):
    """See `source.Source`."""

    location: Location
    snapshot: Snapshot
    origin: Origin
    root: bytes
    """Id of the tree of the content root."""
    limits: Limits
    """What the snapshot fits in."""
    _readers: set[ObjectReader] = field(default_factory=set)
    """Of loops over `read` that have not ended yet."""

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yield each entry with its bytes, in the given order."""
        if not entries:
            return
        largest = max(entry.size for entry in entries)
        reader = ObjectReader(self.location.git_dir, once=True)
        self._readers.add(reader)
        try:
            blobs = reader.read_all([entry.blob.encode() for entry in entries], b"blob", largest)
            for entry, blob in zip(entries, blobs, strict=True):
                yield entry, blob.content
        finally:
            self._readers.discard(reader)
            reader.close()

    def read_unlisted(self, path: str, largest: int) -> bytes | None:
        """Return an ordinary file that the snapshot passes over; None when there is none of at most so many bytes."""
        git_dir = self.location.git_dir
        with ObjectReader(git_dir) as reader:
            kind, blob = find_entry(git_dir, reader, self.root, path.encode())
            if kind != REGULAR or read_sizes(git_dir, [blob])[0] > largest:
                return None
            (found,) = reader.read_all((blob,), b"blob", largest)
        return found.content

    def history(self, known: History | None = None, since: str | None = None, conceals: Callable[[bytes], bool] | None = None) -> History:
        """Return the last change of each path and the renames."""
        present = frozenset(entry.path for entry in self.snapshot.entries)
        revision = self.snapshot.revision or "HEAD"
        return read_history(
            self.location.git_dir,
            revision,
            self.location.folder,
            present,
            known=known,
            since=since,
            conceals=conceals,
            limits=self.limits,
        )

    def close(self) -> None:
        """End what still runs."""
        while self._readers:
            self._readers.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_commit(location: Location, reader: ObjectReader, commit: Commit, root: bytes, *, at: str | None, limits: Limits) -> GitSource:
    """Return the source for the tree `root` of a commit; raises SourceError for a damaged repository or over a cap."""
    found = read_entries(location.git_dir, reader, root, limits)
    snapshot = Snapshot(commit.id, commit.committed_at, found.entries, (*_check_completeness(location), *found.findings), found.symlinks)
    return GitSource(location, snapshot, read_origin(location.git_dir, location.folder, at), root, limits)


def find_root(location: Location, reader: ObjectReader, commit: Commit) -> bytes | None:
    """Return the id of the tree of the content root in a commit; None where the commit has no such folder."""
    folder = location.folder.encode("utf-8", "surrogateescape")
    if not folder:
        return commit.tree
    kind, tree = find_entry(location.git_dir, reader, commit.tree, folder)
    if kind == SUBMODULE:
        raise SourceError(
            f"`{show_name(folder)}` is a submodule, which is another repository.",
            hint="Fetch it (`git submodule update --init`) and give its own folder.",
        )
    return tree if kind == FOLDER else None


def find_entry(git_dir: Path, reader: ObjectReader, tree: bytes, path: bytes) -> tuple[int, bytes]:
    """Return kind and id of what lies at a path below a tree, or of the first on the way that is no folder; kind 0 = nothing."""
    kind = FOLDER
    for name in path.split(b"/"):
        (found,) = reader.read_all((tree,), b"tree")
        kinds = {line_name: (line_kind, identity) for line_kind, line_name, identity in parse_tree(git_dir, found.content)}
        kind, tree = kinds.get(name, (0, b""))
        if kind != FOLDER:
            break
    return kind, tree


def _check_completeness(location: Location) -> tuple[Finding, ...]:
    if read_shallow(location.git_dir):
        message = "The clone is shallow: last changes and renames are known only as far back as it reaches."
        return (make_finding("SRC008", "", 0, message, "Fetch the whole history (`git fetch --unshallow`)."),)
    if is_partial(location.git_dir):
        message = "The clone is partial: a page that was renamed and edited in one commit leaves no redirect."
        return (make_finding("SRC008", "", 0, message, "Clone the repository without --filter."),)
    return ()
