"""IndexResult → the owner's report as values (SPEC P11). Called by the pipeline and by `brain report`; pure."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import asdict

from indexer.analysis.completeness import FIGURES, make_completeness
from indexer.analysis.index import show_day
from indexer.analysis.inspection import show_relations
from indexer.model.index_views import TrendPoint
from indexer.model.result import IndexResult


def make_report(result: IndexResult, trend: Sequence[TrendPoint] = (), only: Collection[str] | None = None) -> dict[str, Any]:
    """Return report.json of one repo; `trend` are its last builds, oldest first, `only` the ids of brains to report on (None = all).

    It names hidden pages and depends on earlier builds, so it is the owner's and never part of a website.
    """
    graph = result.graph
    severities = Counter(finding.severity for finding in result.findings)
    statuses = Counter(target.status for targets in result.targets.values() for target in targets)
    return {
        "repo": result.repo,
        "title": result.title,
        "revision": result.snapshot.revision,
        "pages": len(graph.nodes),
        "hidden": [path for path, page in result.pages.items() if page.hidden],
        "links": {status: statuses[status] for status in sorted(statuses)},
        "edges": len(graph.edges),
        "hubs": list(graph.hubs),
        "orphans": list(graph.orphans),
        "dead_ends": list(graph.dead_ends),
        "stubs": [{"name": name, "links": links} for name, links in graph.stubs],
        **make_completeness(result, only),
        "relations": show_relations(result),
        "trend": [_show_point(point) for point in trend],
        "severities": {severity: severities[severity] for severity in ("error", "warning", "info")},
        "findings": [asdict(finding) for finding in result.findings],
    }


def _show_point(point: TrendPoint) -> dict[str, Any]:
    build, figures = point.build, point.figures
    return {
        "revision": build.revision,
        "date": show_day(build.committed_at),
        "pages": build.pages,
        "documents": {key: figures.get(name, 0) for key, name in FIGURES.items()} if "documents" in figures else None,
        "brokenLinks": build.broken_links,
        "orphans": build.orphans,
    }
