"""IndexResult → the report that every reader of the site may have: nothing in it comes from a page that is not published (SPEC P19).

Called by `indexer.publish.website`; pure. The owner's report is made in `indexer.analysis.report`.
"""

from collections import Counter
from typing import Any

from indexer.analysis.completeness import make_completeness
from indexer.analysis.index import look_around, name_shown, sort_findings
from indexer.analysis.inspection import show_finding, show_relations
from indexer.analysis.link_findings import check_link
from indexer.analysis.resolve import resolve_link
from indexer.model.finding import Finding
from indexer.model.result import IndexResult

_OF_HIDDEN = ("PRV", "LNK006")
"""Codes of findings that say that a hidden page exists."""


def make_public_report(result: IndexResult) -> dict[str, Any]:
    """Return report.json of a site: as the owner's, without hidden pages and what tells of them; so without stubs too."""
    graph = result.graph
    statuses = Counter(_say_status(target.status) for path in graph.nodes for target in result.targets[path])
    findings = sort_findings([*(finding for finding in result.findings if _is_public(finding, result)), *_find_as_missing(result)])
    severities = Counter(finding.severity for finding in findings)
    return {
        "repo": result.repo,
        "title": result.title,
        "revision": result.snapshot.revision,
        "pages": len(graph.nodes),
        "links": {status: statuses[status] for status in sorted(statuses)},
        "edges": len(graph.edges),
        "hubs": list(graph.hubs),
        "orphans": list(graph.orphans),
        "dead_ends": list(graph.dead_ends),
        **make_completeness(result),
        "relations": show_relations(result),
        "severities": {severity: severities[severity] for severity in ("error", "warning", "info")},
        "findings": [show_finding(finding) for finding in findings],
    }


def _say_status(status: str) -> str:
    """A link to a hidden page looks like one to a page that does not exist."""
    return "missing" if status == "private" else status


def _find_as_missing(result: IndexResult) -> list[Finding]:
    """What would be said of links to hidden pages if these did not exist: a link that nothing is said of would tell that they do."""
    concealed = [
        (path, link)
        for path in result.graph.nodes
        for link, target in zip(result.pages[path].links, result.targets[path], strict=True)
        if target.status == "private"
    ]
    if not concealed:
        return []
    names = name_shown(result.snapshot, result.pages, None)
    around = look_around(result.entries, result.pages, result.targets, names, result.known.assets)
    judged = (check_link(path, link, resolve_link(path, link, result.pages, names), around) for path, link in concealed)
    return [finding for finding in judged if finding]


def _is_public(finding: Finding, result: IndexResult) -> bool:
    page = result.pages.get(finding.path)
    return page is not None and not page.hidden and not finding.code.startswith(_OF_HIDDEN)
