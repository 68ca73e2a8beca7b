"""IndexResult → the owner's report as values (SPEC P11, the part that needs no blueprint). Called by the pipeline; pure."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from indexer.model.result import IndexResult


def make_report(result: IndexResult) -> dict[str, Any]:
    """Return report.json of one repo; it names hidden pages, so it is the owner's and never part of a website."""
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
        "severities": {severity: severities[severity] for severity in ("error", "warning", "info")},
        "findings": [asdict(finding) for finding in result.findings],
    }
