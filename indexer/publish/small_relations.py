"""The relations of a brain, wherever it is read (SPEC T30): those that refresh has recorded, or that a small brain is quick to give.

Called by the pipeline and by commands that show them. What finds or reads them is loaded only where it is needed: after most edits of a
large brain it is not.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from indexer.analysis.index import sort_findings
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.maps import GRAPH
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.publish.workers import Workers
from indexer.sources import Source
from indexer.store.page_cache import PageCache

MOST_PAGES = 500
"""Published pages of a small brain."""
_LARGEST = 64 * 1024 * 1024
"""Bytes of a record; that of 40,000 pages has a fifth of it."""


def recall_relations(result: IndexResult, source: Source) -> IndexResult:
    """Return the result with the relations that its repo holds in `.brain/graph.json`, as far as they still do.

    A small brain that has changed since finds them anew; one that is kept as it is has none (SPEC T06).
    """
    data = None if result.kept_as_is else source.read_unlisted(GRAPH, _LARGEST)
    if data is None:
        return result
    from indexer.publish.recorded_relations import read_current, read_fitting  # noqa: PLC0415

    read = read_current if len(result.graph.nodes) <= MOST_PAGES else read_fitting
    return replace(result, relations=read(data, result, source))


def relate_small(result: IndexResult, cache: PageCache, workers: Workers | None = None) -> IndexResult:
    """Return the result with the relations between its pages, found now when none are recorded, and with what they give cause to tell.

    Those of a large brain without a record are not known.
    """
    relations = result.relations
    if relations is None and not result.kept_as_is and len(result.graph.nodes) <= MOST_PAGES:
        from indexer.publish.found_relations import find_relations  # noqa: PLC0415

        relations = find_relations(result, cache, workers or Workers(1))
    if relations is None:
        return result
    return replace(result, relations=relations, findings=sort_findings((*result.findings, *tell_copies(relations))))


def tell_copies(relations: Relations) -> Iterator[Finding]:
    """Yield what is to be said of near-copies."""
    for copies in relations.copies:
        for path, share in copies.others:
            words = "the same words" if share == 1 else f"{int(share * 100)}% of the words in common"
            yield make_finding("REL001", path, 0, f"Near-copy of {copies.path}: {words}.", "Keep one, and link to it.")
