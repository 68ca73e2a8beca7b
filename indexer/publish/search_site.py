"""The search index of one site: built whole the first time, afterwards only what an edit changes. Called by `website`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from msgspec import Struct

from indexer.errors import PublishError
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.model.search import SearchChange, SearchDocument
from indexer.publish.release import ReleaseWriter
from indexer.publish.search_build import build_search, write_search
from indexer.publish.search_update import update_search
from indexer.publish.state import BuildState, IndexedPage
from indexer.publish.workers import Workers
from indexer.store.page_cache import PageCache

FOLDER = "_/search/"
_UPDATE_SHARE = 5
"""When more than one page in so many has changed, building the whole index is quicker."""


class SearchFiles(Struct, frozen=True):
    """The index of a release; its files are named relative to the site's folder."""

    files: frozenset[str]
    changed: frozenset[str] = frozenset()
    """Files written, if by another process."""


class OpenSearch(Struct, frozen=True):
    """An index that may still be being written."""

    pages: dict[str, IndexedPage]
    files: "Future[SearchFiles]"


class SearchedPage(Struct, frozen=True):
    """What the index says of one page besides its text."""

    page: IndexedPage
    aliases: tuple[str, ...]
    tags: tuple[str, ...]


class SearchOrder(Struct, frozen=True):
    """What another process needs to write the whole index."""

    out: Path
    cache_file: Path
    cache_version: str
    pages: dict[str, SearchedPage]


def begin_search(result: IndexResult, cache: PageCache, state: BuildState, writer: ReleaseWriter, workers: Workers) -> OpenSearch:
    """Write what changes in the index, or begin to write the whole index beside this process."""
    indexed = _list_pages(result)
    files = frozenset(file for file in state.manifest if file.startswith(FOLDER))
    last = state.indexed
    changed = sorted([*(path for path, page in indexed.items() if last.get(path) != page), *(last.keys() - indexed.keys())])
    if not files or len(changed) * _UPDATE_SHARE > len(indexed):
        order = SearchOrder(writer.out, cache.file, cache.version, list_searched(result))
        return OpenSearch(indexed, workers.start(partial(write_whole, order), pages=len(indexed)))
    written: Future[SearchFiles] = Future()
    written.set_result(_update(result, cache, state, writer, indexed, changed, files) if changed else SearchFiles(files))
    return OpenSearch(indexed, written)


def write_whole(order: SearchOrder) -> SearchFiles:
    """Write the whole index into the release that is being made."""
    writer = ReleaseWriter(order.out)
    with PageCache(order.cache_file, order.cache_version) as cache:
        names = []
        for name, data in write_search(order.pages, _make_loader(order.pages.__getitem__, cache)):
            writer.update(FOLDER + name, data)
            names.append(FOLDER + name)
    return SearchFiles(frozenset(names), frozenset(writer.changed))


def _update(
    result: IndexResult,
    cache: PageCache,
    state: BuildState,
    writer: ReleaseWriter,
    indexed: Mapping[str, IndexedPage],
    changed: Sequence[str],
    files: frozenset[str],
) -> SearchFiles:
    """Write what some changed pages change; `files` are those of the last release."""
    load = _make_loader(lambda path: _describe(result, path, indexed[path]), cache)
    old = _make_old_loader(cache, state, changed)
    changes = [SearchChange(old(path), load(path) if path in indexed else None) for path in changed]
    try:
        update = update_search(lambda name: writer.read_last(FOLDER + name), changes, list(indexed), load)
    except PublishError:  # the index is of another version, or was damaged: it is only derived, so it is made anew
        return write_whole(SearchOrder(writer.out, cache.file, cache.version, list_searched(result)))
    for name, data in update.files.items():
        writer.write(FOLDER + name, data)
    return SearchFiles((files | {FOLDER + name for name in update.files}) - {FOLDER + name for name in update.removed})


def build_site_search(result: IndexResult, cache: PageCache) -> dict[str, bytes]:
    """Return the files of the whole index by their names below `_/search/`, without writing them."""
    searched = list_searched(result)
    return build_search(searched, _make_loader(searched.__getitem__, cache))


def list_searched(result: IndexResult) -> dict[str, SearchedPage]:
    """Return path → what the index says of each published page besides its text."""
    return {path: _describe(result, path, page) for path, page in _list_pages(result).items()}


def _describe(result: IndexResult, path: str, page: IndexedPage) -> SearchedPage:
    return SearchedPage(page, result.pages[path].aliases, result.pages[path].tags)


def _list_pages(result: IndexResult) -> dict[str, IndexedPage]:
    return {path: IndexedPage(result.entries[path].blob, result.addresses[path].url, result.title_of(path)) for path in result.graph.nodes}


def _make_loader(describe: Callable[[str], SearchedPage], cache: PageCache) -> Callable[[str], SearchDocument]:
    def load(path: str) -> SearchDocument:
        return _make_document(path, describe(path), cache)

    return load


def _make_old_loader(cache: PageCache, state: BuildState, changed: Collection[str]) -> Callable[[str], SearchDocument | None]:
    pages = {path: state.indexed[path] for path in changed if path in state.indexed}
    facts: dict[str, PageFacts] = cache.load_facts([page.blob for page in pages.values()])

    def load(path: str) -> SearchDocument | None:
        page = pages.get(path)
        if page is None or page.blob not in facts:
            return None
        return _make_document(path, SearchedPage(page, facts[page.blob].aliases, facts[page.blob].tags), cache)

    return load


def _make_document(path: str, searched: SearchedPage, cache: PageCache) -> SearchDocument:
    terms, sections = cache.load_terms(searched.page.blob)
    return SearchDocument(path, searched.page.url, searched.page.title, searched.aliases, searched.tags, sections, terms)
