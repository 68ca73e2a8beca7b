"""The search index of one site: built whole the first time, afterwards only what an edit changes. Called by `website`."""

from collections.abc import Callable, Mapping

from indexer.errors import PublishError
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.model.search import SearchChange, SearchDocument
from indexer.publish.release import ReleaseWriter
from indexer.publish.search_build import build_search
from indexer.publish.search_update import update_search
from indexer.publish.state import BuildState, IndexedPage
from indexer.store.page_cache import PageCache

FOLDER = "_/search/"
_UPDATE_SHARE = 5
"""When more than one page in so many has changed, building the whole index is quicker."""


def write_search(
    result: IndexResult, cache: PageCache, state: BuildState, writer: ReleaseWriter
) -> tuple[dict[str, IndexedPage], set[str]]:
    """Write the index; return the pages in it and its files, relative to the site's folder."""
    indexed = _list_pages(result)
    files = {file for file in state.manifest if file.startswith(FOLDER)}
    changed = sorted(path for path in indexed.keys() | state.indexed.keys() if indexed.get(path) != state.indexed.get(path))
    if files and not changed:
        return indexed, files
    load = _make_loader(result, cache, indexed)
    if not files or len(changed) * _UPDATE_SHARE > len(indexed):
        return indexed, _write_whole(build_search(list(indexed), load), writer)
    old = _make_old_loader(cache, state, changed)
    changes = [SearchChange(old(path), load(path) if path in indexed else None) for path in changed]
    try:
        update = update_search(lambda name: writer.read_last(FOLDER + name), changes, list(indexed), load)
    except PublishError:  # the index is of another version, or was damaged: it is only derived, so it is made anew
        return indexed, _write_whole(build_search(list(indexed), load), writer)
    for name, data in update.files.items():
        writer.write(FOLDER + name, data)
    return indexed, (files | {FOLDER + name for name in update.files}) - {FOLDER + name for name in update.removed}


def build_site_search(result: IndexResult, cache: PageCache) -> dict[str, bytes]:
    """Return the files of the whole index by their names below `_/search/`, without writing them."""
    indexed = _list_pages(result)
    return build_search(list(indexed), _make_loader(result, cache, indexed))


def _list_pages(result: IndexResult) -> dict[str, IndexedPage]:
    return {path: IndexedPage(result.entries[path].blob, result.addresses[path].url, result.title_of(path)) for path in result.graph.nodes}


def _write_whole(files: Mapping[str, bytes], writer: ReleaseWriter) -> set[str]:
    for name, data in files.items():
        writer.update(FOLDER + name, data)
    return {FOLDER + name for name in files}


def _make_loader(result: IndexResult, cache: PageCache, indexed: Mapping[str, IndexedPage]) -> Callable[[str], SearchDocument]:
    def load(path: str) -> SearchDocument:
        return _make_document(path, indexed[path], result.pages[path], cache)

    return load


def _make_old_loader(cache: PageCache, state: BuildState, changed: list[str]) -> Callable[[str], SearchDocument | None]:
    pages = {path: state.indexed[path] for path in changed if path in state.indexed}
    facts = cache.load_facts([page.blob for page in pages.values()])

    def load(path: str) -> SearchDocument | None:
        page = pages.get(path)
        return _make_document(path, page, facts[page.blob], cache) if page and page.blob in facts else None

    return load


def _make_document(path: str, page: IndexedPage, facts: PageFacts, cache: PageCache) -> SearchDocument:
    terms, sections = cache.load_terms(page.blob)
    return SearchDocument(path, page.url, page.title, facts.aliases, facts.tags, sections, terms)
