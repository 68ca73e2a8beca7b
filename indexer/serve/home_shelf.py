"""What the build says of the repos that somebody reaches: when they changed, whether they could be read, how deep they are (SPEC S07, T33).

Called by `home` after the decision, with the repos that were decided. Kept between requests is only how deep a repo is on a day in one
index file, which is the same for every reader; who may see it is asked each time.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock

from msgspec import Struct, field

from indexer.analysis.states import score_depth
from indexer.errors import StoreError
from indexer.model.blueprint import RINGS, RingDepth
from indexer.model.index_views import RepoEntry
from indexer.serve.context import report_seldom
from indexer.serve.library import Library
from indexer.sources.orders import STATE_FOLDER
from indexer.store.read import IndexReader

Depth = tuple[RingDepth, ...]


class Figures(Struct, frozen=True):
    """What is known of one repo."""

    entry: RepoEntry | None
    """None = it is not in the index."""
    released: datetime | None
    """When the site that is served was put in its place; None = there is none."""
    depth: Depth
    """All brains of the repo together, by ring."""


class _Kept(Struct):
    """Depths from one index file for one day."""

    index: IndexReader
    date: str
    depths: dict[str, Depth] = field(default_factory=dict)


class Shelf:
    """The indexes of one output folder. Its methods may be called from several threads."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._lock = Lock()
        self._libraries: dict[str, Library] = {}
        self._kept: dict[str, _Kept] = {}

    def read(self, tenant: str, repos: Collection[str], date: str) -> dict[str, Figures]:
        """Return repo → figures, with the states of documents judged for a date."""
        entries, depths = self._read_index(tenant, repos, date) if repos else ({}, {})
        return {repo: Figures(entries.get(repo), self._find_release(tenant, repo), depths.get(repo, ())) for repo in repos}

    def _read_index(self, tenant: str, repos: Collection[str], date: str) -> tuple[dict[str, RepoEntry], dict[str, Depth]]:
        """A tenant whose index cannot be read has its sites still; only the figures are missing."""
        try:
            with self._lock:
                library = self._libraries.setdefault(tenant, Library(self._out / tenant, single=False))
            index = library.open_index()
            entries = {entry.name: entry for entry in index.fetch_repos() if entry.name in repos}
            return entries, self._score(tenant, index, entries, date)
        except StoreError as error:
            if (self._out / tenant).is_dir():
                report_seldom(error.message)
            return {}, {}

    def _score(self, tenant: str, index: IndexReader, repos: Collection[str], date: str) -> dict[str, Depth]:
        with self._lock:
            kept = self._kept.get(tenant)
            if kept is None or kept.index is not index or kept.date != date:
                kept = self._kept[tenant] = _Kept(index, date)
            missing = [repo for repo in repos if repo not in kept.depths]
        if missing:
            scored: dict[str, list[RingDepth]] = {repo: [] for repo in missing}
            for brain in index.fetch_brains(missing):
                scored[brain.repo] += score_depth(brain.documents, date)
            kept.depths.update({repo: add_depths(rings) for repo, rings in scored.items()})
        return {repo: kept.depths[repo] for repo in repos}

    def _find_release(self, tenant: str, repo: str) -> datetime | None:
        try:
            status = (self._out / tenant / repo / STATE_FOLDER / "state.msgpack").stat()
        except OSError:
            return None
        return datetime.fromtimestamp(int(status.st_mtime), UTC)


@lru_cache(maxsize=4)
def open_shelf(out: Path) -> Shelf:
    """Return the shelf of an output folder, the same one each time."""
    return Shelf(out)


def add_depths(rings: Collection[RingDepth]) -> Depth:
    """Return the rings of several brains added up, one of each, from the outside in."""
    return tuple(_add_ring([ring for ring in rings if ring.ring == name]) for name, _ in RINGS if any(ring.ring == name for ring in rings))


def _add_ring(same: Collection[RingDepth]) -> RingDepth:
    first, *_ = same
    figures = {
        name: sum(getattr(ring, name) for ring in same) for name in ("documents", "filled", "checked", "declined", "out_of_date", "missing")
    }
    return RingDepth(first.ring, first.stage, **figures)
