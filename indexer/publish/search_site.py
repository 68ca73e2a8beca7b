"""The search index of one site. Called by `website`."""

from indexer.model.result import IndexResult
from indexer.publish.release import ReleaseWriter
from indexer.publish.state import BuildState, IndexedPage
from indexer.store.page_cache import PageCache


def write_search(result: IndexResult, cache: PageCache, state: BuildState, writer: ReleaseWriter) -> dict[str, IndexedPage]:
    """Pending."""
    return {}
