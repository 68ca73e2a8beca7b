"""What a build remembers for the next one, in `.brain/` of the output. Losing it costs time, never content. Called by the pipeline."""

from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from indexer.model.known import Known
from indexer.model.snapshot import History
from indexer.publish.explorer_picture import Picture
from indexer.publish.release import STATE_FILE, translate_errors
from indexer.publish.shelves import ShownBrain


class IndexedPage(NamedTuple):
    """One page as it stands in the search index. A tuple, for an edit makes and compares those of all pages."""

    blob: str
    url: str
    title: str


class BuildState(Struct, frozen=True):
    """The last release as the next build sees it."""

    version: str = ""
    """Program, frames and formats; another version rebuilds everything."""
    generation: int = 0
    """Number of the release, counting up."""
    fingerprints: dict[str, str] = field(default_factory=dict)
    """HTML file → fingerprint of its job."""
    sources: dict[str, str] = field(default_factory=dict)
    """Theme file or attachment → what it was copied from (digest or blob id)."""
    manifest: frozenset[str] = frozenset()
    """All files of the release."""
    delta: frozenset[str] = frozenset()
    """Files in which the release differs from the one before."""
    indexed: dict[str, IndexedPage] = field(default_factory=dict)
    """Path → page in the search index."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Twin → its size in bytes, in the order of llms-full.txt."""
    revision: str | None = None
    history: History = field(default_factory=History)
    """History at `revision`."""
    known: Known = field(default_factory=Known)
    brains: dict[str, ShownBrain] = field(default_factory=dict)
    """Id → what the release shows of a brain: a later day alone may change it."""
    picture: Picture = field(default_factory=Picture)
    """The pictures of the graph that the explorer shows."""
    shown: str = ""
    """Digest of what all pages depend on besides their own job: title, origin, frames."""


def load_state(folder: Path, version: str) -> BuildState:
    """Return the last state; an empty one when there is none, when it cannot be read, or when it is of another version.

    What another version has resolved must not be taken over: it may have parsed the same bytes into other links.
    """
    try:
        state = msgspec.msgpack.decode((folder / STATE_FILE).read_bytes(), type=BuildState)
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return BuildState()
    return state if state.version == version else BuildState()


def drop_state(folder: Path) -> None:
    """Forget the last state before another release takes its place.

    A state that is not that of the website would make the next build keep wrong files; without one it writes everything.
    """
    with translate_errors(folder / STATE_FILE):
        (folder / STATE_FILE).unlink(missing_ok=True)


def forget_release(state: BuildState) -> BuildState:
    """Return what is left of a state whose release has lost files: everything is written again."""
    return BuildState(generation=state.generation)


def encode_state(state: BuildState) -> bytes:
    """Return the content of the state's file."""
    return msgspec.msgpack.encode(state)
