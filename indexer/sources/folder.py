"""A content root outside git, or the files of a work tree as they lie there: nothing of it is committed.

Made by `opening.open_source`. Never writes into the folder.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct

from indexer.errors import SourceError
from indexer.model.finding import Finding
from indexer.model.snapshot import Entry, History, Limits, Origin, Snapshot
from indexer.sources.folder_walk import FolderWalk, Remembered, read_below, read_file
from indexer.sources.names import show_name
from indexer.sources.objects import hash_object
from indexer.sources.symlinks import follow_symlinks

RACY_NS = 2_000_000_000
"""A file changed so shortly before it was read may change again within the same tick of the file system's clock."""


class FolderSource(Struct, frozen=True):
    """See `source.Source`."""

    root: Path
    snapshot: Snapshot
    origin: Origin

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yield each entry with its bytes, in the given order."""
        root = os.fsencode(self.root)
        for entry in entries:
            try:
                content = read_file(root + b"/" + entry.path.encode(), entry.size + 1)
            except OSError as error:
                raise _changed(entry, error.strerror or "cannot be read") from error
            if hash_object(b"blob", content) != entry.blob:
                raise _changed(entry, "other content")
            yield entry, content

    def read_unlisted(self, path: str, largest: int) -> bytes | None:
        """Return an ordinary file that the snapshot passes over; None when there is none of at most so many bytes."""
        return read_below(self.root, path, largest)

    def history(  # nothing was committed
        self,
        known: History | None = None,  # noqa: ARG002
        since: str | None = None,  # noqa: ARG002
        conceals: Callable[[bytes], bool] | None = None,  # noqa: ARG002
    ) -> History:
        """Return an empty history."""
        return History()

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_folder(
    root: Path,
    limits: Limits,
    *,
    stat_cache: Path | None = None,
    ignored: Set[bytes] = frozenset(),
    origin: Origin | None = None,
    told: tuple[Finding, ...] = (),
) -> FolderSource:
    """Return the source for the files below `root`; raises SourceError when it cannot be read or is over a cap. `told` are findings
    about the folder as a whole."""
    started = time.time_ns()
    remembered = _load(stat_cache, root)
    walk = FolderWalk(str(root), limits, remembered, ignored)
    try:
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            walk.visit(opened)
        finally:
            os.close(opened)
    except OSError as error:
        raise SourceError(
            f"{root} cannot be read: {error.strerror}.", hint="Give the user who runs this the right to list and read that folder."
        ) from error
    _store(stat_cache, root, walk.files, remembered, started)
    paths = sorted(path for path, known in walk.files.items() if not known.pointer)
    entries = tuple(Entry(path.decode(), walk.files[path].blob, walk.files[path].size) for path in paths)
    walk.findings.sort(key=lambda found: found[0])
    findings = (*told, *(finding for _, finding in walk.findings))
    return FolderSource(root, Snapshot(None, None, entries, findings, follow_symlinks(walk.named, entries)), origin or Origin())


def _load(cache: Path | None, root: Path) -> dict[bytes, Remembered]:
    if cache is None:
        return {}
    # Loaded only when asked for: its import takes as long as all others of this room together.
    from indexer.sources.stat_cache import load_stats  # noqa: PLC0415

    return load_stats(cache, root)


def _store(cache: Path | None, root: Path, files: Mapping[bytes, Remembered], before: Mapping[bytes, Remembered], started: int) -> None:
    settled = {path: known for path, known in files.items() if max(known.changed, known.touched) < started - RACY_NS}
    if cache is None or settled == before:
        return
    from indexer.sources.stat_cache import store_stats  # noqa: PLC0415 (as above)

    store_stats(cache, root, settled)


def _changed(entry: Entry, how: str) -> SourceError:
    return SourceError(
        f"{show_name(entry.path.encode())} changed while the folder was being read ({how}).",
        hint="Run it again; commit the files to read them at one moment.",
    )
