"""Parse results by blob id (SPEC P02): what was parsed once by this version of the parser is never parsed again.

One SQLite file beside the index, because single pages are read at random and several processes read at once. Its content can be thrown
away at any time; a file that cannot be read is begun anew. Called by the pipeline and its workers.
"""

import errno
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import msgspec

from indexer.errors import StoreError
from indexer.model.page import EncodedPage, PageBody, PageFacts
from indexer.model.search import PackedTerms, PageTerms, SearchSection, unpack_terms

_CHUNK = 500
_FACTS = msgspec.msgpack.Decoder(PageFacts)
_BODY = msgspec.msgpack.Decoder(PageBody)
SearchTerms = tuple[PageTerms, tuple[SearchSection, ...]]
_ONLY_TERMS = msgspec.msgpack.Decoder(tuple[tuple[PackedTerms, ...], msgspec.Raw])
_TERMS = msgspec.msgpack.Decoder(tuple[tuple[PackedTerms, ...], tuple[SearchSection, ...]])


P = ParamSpec("P")
T = TypeVar("T")


def _translated(method: Callable[P, T]) -> Callable[P, T]:
    """Turn failures of the cache into one clear sentence."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            if "full" in str(error):
                raise _explain_full("") from error
            hint = "Delete the folder `.brain` of the output and run again."
            raise StoreError(f"The parse cache could not be used: {error}.", hint=hint) from error

    return call


def _explain_full(where: str) -> StoreError:
    return StoreError(f"The disk is full: the parse cache{where} could not be written.", hint="Free some space and run again.")


class PageCache:
    """The open cache file. Use as a context manager; one per process."""

    def __init__(self, file: Path, version: str) -> None:
        self.file = file
        self.version = version
        try:
            self._db = self._open()
        except (sqlite3.Error, OSError) as error:
            if "full" in str(error) or (isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}):
                raise _explain_full(f" {file}") from error
            raise StoreError(f"The parse cache {file} cannot be opened: {error}", hint="Delete the file and run again.") from error

    def _open(self) -> sqlite3.Connection:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        try:
            return self._prepare()
        except sqlite3.OperationalError:
            raise  # locked by another run, or not to be opened at all: nothing is wrong with its content
        except sqlite3.DatabaseError:
            self.file.unlink(missing_ok=True)
            return self._prepare()

    def _prepare(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.file, timeout=30)
        db.execute("pragma journal_mode = delete")
        db.execute("pragma synchronous = off")
        db.execute("create table if not exists version(name text)")
        if [row[0] for row in db.execute("select name from version")] != [self.version]:
            db.executescript("drop table if exists page; delete from version;")
            db.execute("insert into version values (?)", (self.version,))
        db.execute("create table if not exists page(blob text primary key, facts blob, body blob, terms blob, retry integer)")
        db.commit()
        return db

    def __enter__(self) -> "PageCache":
        return self

    def __exit__(self, *exc: object) -> None:
        self._db.close()

    @_translated
    def find_missing(self, blobs: Iterable[str]) -> set[str]:
        """Return the blobs that are not cached."""
        known = {row[0] for row in self._db.execute("select blob from page where not retry")}
        return set(blobs) - known

    @_translated
    def store(self, pages: Iterable[EncodedPage]) -> None:
        """Add parse results; visible to other processes after `commit`."""
        rows = ((page.blob, page.facts, page.body, page.terms, page.retry) for page in pages)
        self._db.executemany("insert or replace into page values (?, ?, ?, ?, ?)", rows)

    @_translated
    def commit(self) -> None:
        """Make what was stored visible."""
        self._db.commit()

    @_translated
    def load_facts(self, blobs: Sequence[str]) -> dict[str, PageFacts]:
        """Return the facts of all given blobs that are cached."""
        wanted = set(blobs)
        if len(wanted) > 200:
            rows = self._db.execute("select blob, facts from page")
            return {blob: _FACTS.decode(facts) for blob, facts in rows if blob in wanted}
        return {blob: _FACTS.decode(facts) for blob, facts in self._select("facts", sorted(wanted))}

    @_translated
    def load_bodies(self, blobs: Iterable[str]) -> dict[str, PageBody]:
        """Return the bodies of the given blobs."""
        return {blob: _BODY.decode(body) for blob, body in self._select("body", sorted(set(blobs)))}

    @_translated
    def load_terms(self, blob: str) -> SearchTerms:
        """Return the search terms and sections of one page."""
        (terms,) = self._db.execute("select terms from page where blob = ?", (blob,)).fetchone()
        packed, sections = _TERMS.decode(terms)
        return unpack_terms(packed), sections

    @_translated
    def load_page_terms(self, blobs: Iterable[str]) -> dict[str, PageTerms]:
        """Return the search terms of the given blobs, without the texts of their sections."""
        return {blob: unpack_terms(_ONLY_TERMS.decode(terms)[0]) for blob, terms in self._select("terms", sorted(set(blobs)))}

    @_translated
    def drop_except(self, blobs: Iterable[str]) -> None:
        """Forget pages that no longer exist, once they are more than those that do."""
        wanted = set(blobs)
        known = [row[0] for row in self._db.execute("select blob from page")]
        if len(known) > 2 * len(wanted) + 1000:
            self._db.executemany("delete from page where blob = ?", [(blob,) for blob in known if blob not in wanted])
            self._db.commit()

    def _select(self, column: str, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for start in range(0, len(blobs), _CHUNK):
            part = blobs[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            yield from self._db.execute(f"select blob, {column} from page where blob in ({marks})", part)  # noqa: S608 (names are ours)
