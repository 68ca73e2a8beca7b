"""IndexResult → the JSON of `brain inspect` (shape: see the handbook's reference, schema in `indexer/cli/schemas/`). Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from indexer.model.finding import Finding
from indexer.model.graph import Target
from indexer.model.page import Link
from indexer.model.result import IndexResult


def make_inspection(result: IndexResult, related: Mapping[str, Sequence[tuple[str, float]]]) -> dict[str, Any]:
    """Return pages, links, findings and graph of one repo, hidden pages included."""
    return {
        "revision": result.snapshot.revision,
        "pages": [_show_page(result, path) for path in result.pages],
        "links": [
            _show_link(path, link, target)
            for path, page in result.pages.items()
            for link, target in zip(page.links, result.targets[path], strict=True)
        ],
        "findings": [show_finding(finding) for finding in result.findings],
        "graph": _show_graph(result, related),
    }


def _show_page(result: IndexResult, path: str) -> dict[str, Any]:
    page = result.pages[path]
    address = result.addresses.get(path)
    return {
        "path": path,
        "title": result.title_of(path),
        "url": address.url if address else "",
        "file": address.file if address else None,
        "published": address is not None,
        "date": page.date,
        "tags": list(page.tags),
        "aliases": list(page.aliases),
        "heading_ids": [heading.id for heading in page.headings],
        "block_ids": list(page.block_ids),
    }


def _show_link(path: str, link: Link, target: Target) -> dict[str, Any]:
    to = target.path
    if to is not None and target.status == "folder":
        to += "/"
    if to is not None and target.fragment:
        to += "#" + target.fragment
    return {
        "from": path,
        "line": link.line,
        "raw": link.raw,
        "kind": link.kind,
        "status": target.status,
        "to": to,
        "candidates": list(target.candidates),
        "edge": target.edge,
        "rule": target.rule,
    }


def show_finding(finding: Finding) -> dict[str, Any]:
    """Return one finding as programs read it."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
        "hint": finding.hint,
    }


def show_relations(result: IndexResult) -> dict[str, Any] | None:
    """Return mentions without a link and near-copies as reports hold them; None when they are not known."""
    relations = result.relations
    if relations is None:
        return None
    return {
        "waiting": relations.waiting,
        "mentions": [asdict(mention) for mention in relations.mentions],
        "copies": [
            {"path": copies.path, "others": [{"path": path, "share": share} for path, share in copies.others]}
            for copies in relations.copies
        ],
    }


def _show_graph(result: IndexResult, related: Mapping[str, Sequence[tuple[str, float]]]) -> dict[str, Any]:
    graph = result.graph
    return {
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "edge_list": [[source, to] for source, to, _ in graph.edges],
        "backlinks": {path: list(sources) for path, sources in graph.backlinks.items()},
        "orphans": list(graph.orphans),
        "isolated": list(graph.isolated),
        "hubs": list(graph.hubs),
        "stubs": [name for name, _ in graph.stubs],
        "related": {path: [list(pair) for pair in pairs] for path, pairs in related.items()},
    }
