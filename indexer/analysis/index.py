"""Parsed pages → IndexResult: the second pass, when all pages are known. Called by the pipeline; pure."""

from collections.abc import Mapping
from dataclasses import replace

from indexer.analysis.addresses import assign_addresses
from indexer.analysis.graph import build_graph
from indexer.analysis.link_findings import check_links
from indexer.analysis.names import build_names, folder_of, is_page, nfc
from indexer.analysis.resolve import resolve_page
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.graph import Address, Target
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.model.snapshot import History, Origin, Snapshot


def build_index(
    repo: str,
    title: str,
    snapshot: Snapshot,
    origin: Origin,
    history: History,
    facts: Mapping[str, PageFacts],
) -> IndexResult:
    """Return the resolved repo; `facts` are by blob id."""
    entries = {entry.path: entry for entry in snapshot.entries}
    pages = {path: facts[entry.blob] for path, entry in entries.items() if is_page(path)}
    aliases = [(alias, path) for path, page in pages.items() for alias in page.aliases]
    titles = [(page.title, path) for path, page in pages.items() if page.title]
    names = build_names(entries, aliases, titles)
    targets = {path: resolve_page(path, page, pages, names) for path, page in pages.items()}
    published = [path for path, page in pages.items() if not page.hidden]
    assets = used_files(pages, targets)
    addresses, renamed = assign_addresses(published, assets, names)
    findings = [*snapshot.findings, *renamed]
    for path, page in pages.items():
        findings += [replace(finding, path=path) for finding in page.findings]
        findings += check_links(path, page, targets[path], names, pages)
        if page.hidden:
            findings.append(make_finding("PRV003", path, 0, "The page is not published."))
    return IndexResult(
        repo=repo,
        title=title,
        snapshot=snapshot,
        origin=origin,
        history=history,
        entries=entries,
        pages=pages,
        targets=targets,
        graph=build_graph(pages, targets),
        addresses=addresses,
        redirects=_find_redirects(history, addresses),
        findings=tuple(sorted(findings, key=_order)),
    )


def _order(finding: Finding) -> tuple[str, int, str, str]:
    return finding.path, finding.line, finding.code, finding.message


def used_files(pages: Mapping[str, PageFacts], targets: Mapping[str, tuple[Target, ...]]) -> list[str]:
    """Files that published pages show or link to; nothing else of a repo is published."""
    used = {
        target.path
        for path, resolved in targets.items()
        if not pages[path].hidden
        for target in resolved
        if target.status == "asset" and target.path is not None
    }
    return sorted(used)


def _find_redirects(history: History, addresses: Mapping[str, Address]) -> dict[str, str]:
    """Former page addresses that nothing has taken since (SPEC P15)."""
    taken = {address.file for address in addresses.values()}
    redirects: dict[str, str] = {}
    for old, new in sorted(history.renames.items()):
        if not is_page(old) or new not in addresses:
            continue
        folder, name = folder_of(nfc(old)), nfc(old).rsplit("/", 1)[-1].rsplit(".", 1)[0]
        is_index = name.lower() in {"index", "readme", "_index"}
        file = "/".join(part for part in (folder, "" if is_index else name, "index.html") if part)
        if file not in taken and not file.startswith("_/"):
            redirects[file] = addresses[new].url
    return redirects
