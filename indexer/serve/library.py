"""The build output of one tenant, opened for reading: index, blueprints and the texts of pages. Used by the read tools; decides nothing.

A file of the site is opened only by the address that the index holds of a published page, never by what a caller sent.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar
from urllib.parse import unquote

from indexer.errors import ConfigError, StoreError
from indexer.model.blueprint import Blueprints
from indexer.model.index import PageRow
from indexer.registry.blueprint_set import FILE_NAME, parse_set
from indexer.store.read import IndexReader, open_index
from indexer.store.statements import INDEX_FILE

Value = TypeVar("Value")
Stamp = tuple[int, int, int, int]

_LARGEST_TEXT = 64 * 1024 * 1024


def stamp_file(path: Path) -> Stamp:
    """Return what changes when a file is written or replaced; raises OSError when there is none."""
    status = path.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


class Library:
    """One build output. Its methods may be called from several threads."""

    def __init__(self, out: Path, *, single: bool) -> None:
        self._out = out
        self._single = single
        self._lock = Lock()
        self._index: IndexReader | None = None
        self._blueprints: tuple[Stamp, Blueprints] | None = None

    def open_index(self) -> IndexReader:
        """Return the index as it is now. Whoever holds an older one can go on with it; it is closed when nobody does."""
        with self._lock:
            if self._index is None or not self._index.is_current():
                self._index = open_index(self._out / INDEX_FILE)
            return self._index

    def load_blueprints(self) -> Blueprints:
        """Return the blueprints that the build used, ref → blueprint. Raises StoreError when their file cannot be read."""
        path = self._out / FILE_NAME
        with self._lock:
            try:
                stamp = stamp_file(path)
                if self._blueprints is None or self._blueprints[0] != stamp:
                    self._blueprints = stamp, parse_set(path.read_bytes())
            except (OSError, ValueError, TypeError, ConfigError) as error:
                raise StoreError(f"{path} cannot be read.", hint="Run `brain build` again.") from error
            return self._blueprints[1]

    def read_text(self, repo: str, page: PageRow) -> str | None:
        """Return the Markdown of a published page as the site shows it; None while the site is being replaced."""
        if not page.published:
            return None
        parts = [part for part in unquote(page.url, errors="surrogateescape").split("/") if part]
        if any(part in {".", ".."} or "\0" in part for part in parts):
            return None
        site = self._out / "site" if self._single else self._out / repo / "site"
        file = site.joinpath(*parts, "index.md")
        return _retry(lambda: _read_capped(file))


def _read_capped(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            return stream.read(_LARGEST_TEXT).decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"A page of the site cannot be read: {error.strerror}.", hint="Run `brain build` again.") from error


def _retry(read: Callable[[], Value | None]) -> Value | None:
    """A new site takes the place of the old one in two steps; between them there is none."""
    for _ in range(3):
        value = read()
        if value is not None:
            return value
    return None
