"""Reads the relations that refresh has recorded in `.brain/graph.json`. Called by `small_relations`; whatever is no such record is none."""

from indexer.analysis.relate import fit_relations
from indexer.model.maps import FRONT
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.parse.generated import without_block
from indexer.publish.maps_graph import digest_content, is_current, read_recorded
from indexer.sources import Source


def read_fitting(data: bytes, result: IndexResult, source: Source) -> Relations | None:  # noqa: ARG001 (the two are called alike)
    """Return what of a record still holds, whatever has changed since."""
    recorded = read_recorded(data, result.graph.nodes)
    return fit_relations(recorded, result) if recorded else None


def read_current(data: bytes, result: IndexResult, source: Source) -> Relations | None:
    """Return the same for a record of the very pages of the result; None for an older one."""
    return read_fitting(data, result, source) if is_current(data, _digest_content(result, source)) else None


def _digest_content(result: IndexResult, source: Source) -> str:
    fronts = [result.entries[FRONT]] if FRONT in result.graph.pagerank else []
    return digest_content(result, b"".join(without_block(content) for _, content in source.read(fronts)))
