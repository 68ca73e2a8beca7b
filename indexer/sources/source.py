"""What the rest of the product sees of a repository or folder: a snapshot, its bytes, its history, its forge.

Implemented by `git_source.GitSource` and `folder.FolderSource`; made by `opening.open_source`.
"""

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from indexer.model.snapshot import Entry, History, Origin, Snapshot


class Source(Protocol):
    """One content root at one moment. Close it, or use it in a `with` block."""

    @property
    def snapshot(self) -> Snapshot:
        """Names, blob ids and sizes; read when the source was opened."""

    @property
    def origin(self) -> Origin:
        """Where people see and edit the files; empty fields where that is unknown."""

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yield each entry with its bytes, in the given order, one at a time; the bytes always match the entry's blob id.

        Raises SourceError where a file cannot be read any more or has changed since the snapshot.
        """

    def read_unlisted(self, path: str, largest: int) -> bytes | None:
        """Return an ordinary file that the snapshot passes over, such as `.brain/graph.json`; None when there is none of at most so many
        bytes. Nothing says what is in it: it is no content."""

    def history(self, known: History | None = None, since: str | None = None, conceals: Callable[[bytes], bool] | None = None) -> History:
        """Return the last change of each path and the renames. `known` is the history at commit `since`: where only commits on
        top of that one are new, just these are read. The result is the same as without. Empty for content outside git.

        `conceals` tells of the bytes of a page whether it is hidden; without it, no former path counts as concealed.
        """

    def close(self) -> None:
        """End what still runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...
