"""Search over several repos: each by its own index and its own statistics, then merged by rank alone (THREATS 31).

A repo's scores never meet those of another, so what somebody finds tells nothing of how frequent a word is elsewhere. Called by
`home_search` and `api_endpoints` with the repos that were decided for this request; what it is given is all that it opens.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from indexer.errors import PublishError
from indexer.model.search import SearchResult
from indexer.parse.tokens import fold_text
from indexer.publish.search_reader import SearchReader
from indexer.publish.search_site import FOLDER
from indexer.serve.releases import Release, Releases

MOST_REPOS = 100
PER_REPO, MOST_RESULTS = 10, 30
SECONDS = 3.0
_LARGEST_FILE = 8 * 1024 * 1024
_FLATTENING = 60
"""Added to each rank, as usual in reciprocal rank fusion."""


class Place(Struct, frozen=True):
    """A repo to search."""

    tenant: str
    repo: str
    title: str


class Hit(Struct, frozen=True):
    """One page that was found."""

    place: Place
    result: SearchResult


class Searched(Struct, frozen=True):
    """What a search led to."""

    hits: tuple[Hit, ...]
    unsearched: tuple[Place, ...]
    """Repos within reach for which there was no time, or that were too many."""


class _LateError(Exception):
    """Ends the search of a repo for which there is no more time."""


def search_places(
    releases: Releases, places: Sequence[Place], query: str, *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> Searched:
    """Search the repos in order and merge what was found; gives up after so many seconds, and says where it did not look."""
    deadline = clock() + seconds
    found: dict[Place, list[SearchResult]] = {}
    unsearched = list(places[MOST_REPOS:])
    for place in places[:MOST_REPOS]:
        try:
            found[place] = _search_place(releases, place, query, lambda: clock() > deadline)
        except _LateError:
            unsearched.append(place)
        except PublishError:
            continue  # no index, or one that is being replaced: as if it held nothing
    return Searched(tuple(merge_by_rank(found, query, MOST_RESULTS)), tuple(unsearched))


def merge_by_rank(found: Mapping[Place, Sequence[SearchResult]], query: str, most: int) -> list[Hit]:
    """Return the results of several repos as one list, best first.

    What counts is the rank in its own repo, and what anybody can see of a page alone: that it has all the words, and has them in its title.
    """
    words = [fold_text(word) for word in query.split()]
    ranked = [
        ((result.relaxed, -1 / (_FLATTENING + rank), not _is_titled(result, words), order), Hit(place, result))
        for order, (place, results) in enumerate(found.items())
        for rank, result in enumerate(results, 1)
    ]
    return [hit for _, hit in sorted(ranked, key=lambda pair: pair[0])[:most]]


def _is_titled(result: SearchResult, words: Iterable[str]) -> bool:
    title = fold_text(result.title)
    return all(word in title for word in words)


def _search_place(releases: Releases, place: Place, query: str, is_late: Callable[[], bool]) -> list[SearchResult]:
    if is_late():
        raise _LateError
    release = releases.peek(place.tenant, place.repo) or releases.load(place.tenant, place.repo)
    if release is None:
        return []

    def read(name: str) -> bytes | None:
        if is_late():
            raise _LateError
        return read_file(release, FOLDER + name)

    return SearchReader(read).search(query, PER_REPO)


def read_file(release: Release, file: str) -> bytes | None:
    """Return a file of a release's own list; None when it is not there."""
    opened = release.open(file) if file in release.files else None
    if opened is None:
        return None
    descriptor, size = opened
    try:
        return os.pread(descriptor, size, 0) if size <= _LARGEST_FILE else None
    finally:
        os.close(descriptor)
