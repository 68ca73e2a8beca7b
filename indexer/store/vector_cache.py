"""Vectors of texts by model and text (SPEC T30), so that a text is sent to the embedding server once. Used by `indexer.sources.embedding`.

One SQLite file beside the page cache. It holds digests and numbers, no text, and can be thrown away at any time; a file that cannot be
read is begun anew.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from indexer.errors import StoreError

_CHUNK = 500


class VectorCache:
    """The open cache file. Use as a context manager."""

    def __init__(self, file: Path) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = _open(file)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The vector cache {file} cannot be opened: {error}", hint="Delete the file and run again.") from error

    def __enter__(self) -> "VectorCache":
        return self

    def __exit__(self, *exc: object) -> None:
        self._db.close()

    def load(self, model: str, digests: Collection[bytes]) -> dict[bytes, bytes]:
        """Return digest of a text → vector, for those that are cached."""
        wanted = sorted(digests)
        found: dict[bytes, bytes] = {}
        for start in range(0, len(wanted), _CHUNK):
            part = wanted[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            query = f"select digest, numbers from vector where model = ? and digest in ({marks})"  # noqa: S608 (question marks only)
            found.update(self._db.execute(query, (model, *part)))
        return found

    def store(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Keep vectors for good: what was paid for is not lost when a later text fails."""
        self._write("insert or replace into vector values (?, ?, ?)", ((model, digest, numbers) for digest, numbers in vectors.items()))

    def forget(self, model: str) -> None:
        """Drop all vectors of a model: another one has taken its name."""
        self._write("delete from vector where model = ?", [(model,)])

    def drop_except(self, model: str, digests: Collection[bytes]) -> None:
        """Forget texts that no longer exist, and other models, once they are more than those that do."""
        known: list[tuple[str, bytes]] = self._db.execute("select model, digest from vector").fetchall()
        if len(known) > 2 * len(digests) + 1000:
            gone = [(name, digest) for name, digest in known if name != model or digest not in digests]
            self._write("delete from vector where model = ? and digest = ?", gone)

    def _write(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        try:
            with self._db:
                self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            full = "full" in str(error)
            message = "The disk is full: the vector cache could not be written." if full else f"The vector cache failed: {error}."
            raise StoreError(message, hint="Free some space and run again." if full else "Delete it and run again.") from error


def _open(file: Path) -> sqlite3.Connection:
    try:
        return _prepare(file)
    except sqlite3.OperationalError:
        raise  # locked, or not to be opened at all: nothing is wrong with its content
    except sqlite3.DatabaseError:
        file.unlink(missing_ok=True)
        return _prepare(file)


def _prepare(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=30)
    db.execute("pragma synchronous = off")
    db.execute("create table if not exists vector(model text, digest blob, numbers blob, primary key (model, digest)) without rowid")
    db.commit()
    return db
