"""Finds the relations of a small brain (SPEC T30). Called by `small_relations`, which alone waits for the libraries that this needs.

What was found is kept beside the parse cache: after an edit only the edited page is read for mentions, and with the same pages and links
nothing is found anew. Losing the file costs time only.
"""

import os
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from indexer import __version__
from indexer.analysis.mentions import NOTHING, Said, Spoken, Unread, find_unread, judge_mentions, read_unread
from indexer.analysis.relate import pair_pages
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.parse.batch import CACHE_VERSION
from indexer.publish.release import translate_errors
from indexer.publish.workers import Workers
from indexer.store.page_cache import PageCache

_FILE = "relations.msgpack"
_VERSION = f"{__version__} {CACHE_VERSION} 1"
"""Its last number is raised when the same pages come to other relations."""
_PART = 60
"""Pages that are worth another process."""


class _Kept(Struct, frozen=True):
    """What was found the last time."""

    version: str = ""
    pages: str = ""
    """Digest of the pages and links that the relations are of."""
    relations: Relations = field(default_factory=Relations)
    spoken: Spoken = NOTHING


class _Part(Struct, frozen=True):
    """Pages that one process reads."""

    unread: Unread
    file: Path
    version: str


def find_relations(result: IndexResult, cache: PageCache, workers: Workers) -> Relations:
    """Return the relations: those of the last time if nothing has changed."""
    file = cache.file.with_name(_FILE)
    kept = _load(file)
    pages = _digest_pages(result)
    if kept.pages != pages:
        unread = find_unread(result, kept.spoken)
        started = _start_reading(unread, cache, workers)
        paired = pair_pages(result, cache.load_page_terms)  # while others read
        spoken = Spoken(unread.digest, {**unread.known, **{blob: said for part in started for blob, said in part.items()}})
        kept = _Kept(_VERSION, pages, replace(paired, mentions=judge_mentions(result, spoken)), spoken)
        _store(file, kept)
    return kept.relations


def _digest_pages(result: IndexResult) -> str:
    """Return a digest of all that relations depend on."""
    blobs = [(path, result.entries[path].blob) for path in result.graph.nodes]
    return blake2b(msgspec.msgpack.encode((result.title, blobs, result.graph.edges)), digest_size=16).hexdigest()


def _start_reading(unread: Unread, cache: PageCache, workers: Workers) -> Iterator[dict[str, tuple[Said, ...]]]:
    """Begin to read pages for mentions, beside what goes on here if they are many."""
    pages = iter(unread.pages.items())
    parts: list[_Part] = []
    while some := dict(islice(pages, _PART)):
        parts.append(_Part(replace(unread, known={}, pages=some), cache.file, cache.version))
    return workers.begin(_read_part, parts)


def _read_part(part: _Part) -> dict[str, tuple[Said, ...]]:
    with PageCache(part.file, part.version) as cache:
        return read_unread(part.unread, cache.load_bodies)


def _load(file: Path) -> _Kept:
    try:
        kept = msgspec.msgpack.decode(file.read_bytes(), type=_Kept)
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return _Kept()
    return kept if kept.version == _VERSION else _Kept()


def _store(file: Path, kept: _Kept) -> None:
    fresh = file.with_name(f"{_FILE}.{os.getpid()}")  # commands that read the same repo may run at once
    with translate_errors(file):
        fresh.write_bytes(msgspec.msgpack.encode(kept))
        fresh.replace(file)
