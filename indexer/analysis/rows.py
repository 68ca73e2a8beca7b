"""IndexResult → the rows of the index file. Called by the pipeline; pure."""

from collections.abc import Iterator

from indexer.analysis.addresses import encode_url, former_file
from indexer.analysis.completeness import FIGURES, score_totals
from indexer.analysis.names import is_page
from indexer.model.blueprint import Brain
from indexer.model.index import (
    AliasRow,
    BlockRow,
    BrainRow,
    CandidateRow,
    DocumentRow,
    DroppedRow,
    EdgeRow,
    HeadingRow,
    LinkRow,
    PageRow,
    RedirectRow,
    RepoRows,
    ScoreRow,
    TagRow,
    WarningRow,
)
from indexer.model.result import IndexResult


def make_rows(result: IndexResult) -> RepoRows:
    """Return everything the index holds of one repo."""
    pages = result.pages.items()
    return RepoRows(
        name=result.repo,
        title=result.title,
        revision=result.snapshot.revision,
        committed_at=result.snapshot.committed_at,
        pages=tuple(_make_pages(result)),
        headings=tuple(
            HeadingRow(path, position, heading.level, heading.text, heading.id, heading.line)
            for path, page in pages
            for position, heading in enumerate(page.headings)
        ),
        tags=tuple(TagRow(path, tag) for path, page in pages for tag in page.tags),
        aliases=tuple(AliasRow(path, alias) for path, page in pages for alias in page.aliases),
        blocks=tuple(BlockRow(path, block) for path, page in pages for block in page.block_ids),
        links=tuple(_make_links(result)),
        candidates=tuple(
            CandidateRow(path, number, position, candidate)
            for path, targets in result.targets.items()
            for number, target in enumerate(targets)
            for position, candidate in enumerate(target.candidates)
        ),
        edges=tuple(EdgeRow(*edge) for edge in result.graph.edges),
        scores=tuple(_make_scores(result)),
        findings=result.findings,
        redirects=tuple(_make_redirects(result)),
        brains=tuple(BrainRow(b.card, b.id, b.folder, b.title, b.blueprint, b.known, b.parent) for b in result.brains),
        documents=tuple(row for brain in result.brains for row in _make_documents(brain)),
        dropped=tuple(
            DroppedRow(brain.card, position, each.id, each.file, each.title, each.reason)
            for brain in result.brains
            for position, each in enumerate(brain.dropped)
        ),
        warnings=tuple(WarningRow(brain.card, position, text) for brain in result.brains for position, text in enumerate(brain.warnings)),
        date=result.date,
        figures=tuple(_score_documents(result).items()),
    )


def _make_pages(result: IndexResult) -> Iterator[PageRow]:
    for path, page in result.pages.items():
        change = result.history.last.get(path)
        address = result.addresses.get(path)
        yield PageRow(  # by position: thousands of pages, and names take as long again
            path,
            address.url if address else "",
            result.title_of(path),
            not page.hidden,
            page.date,
            change.at if change else None,
            change.revision if change else None,
            page.words,
            result.entries[path].blob,
            page.summary,
            page.meta,
        )


def _make_links(result: IndexResult) -> Iterator[LinkRow]:
    for path, page in result.pages.items():
        for number, (link, target) in enumerate(zip(page.links, result.targets[path], strict=True)):
            yield LinkRow(
                path, number, link.line, link.raw, link.kind, target.status, link.target, target.path, target.fragment, link.label
            )


def _make_scores(result: IndexResult) -> Iterator[ScoreRow]:
    graph = result.graph
    hubs, orphans, dead_ends = set(graph.hubs), set(graph.orphans), set(graph.dead_ends)
    for path in graph.nodes:
        yield ScoreRow(
            path=path,
            in_degree=len(graph.backlinks.get(path, ())),
            out_degree=len(graph.outgoing.get(path, ())),
            pagerank=graph.pagerank[path],
            community=graph.communities[path],
            component=graph.components[path],
            is_hub=path in hubs,
            is_orphan=path in orphans,
            is_dead_end=path in dead_ends,
        )


def _make_redirects(result: IndexResult) -> Iterator[RedirectRow]:
    for old, new in sorted(result.history.renames.items()):
        file = former_file(old)
        address = result.addresses.get(new)
        if is_page(old) and address is not None and result.redirects.get(file) == address.url:
            yield RedirectRow(old, encode_url(file.removesuffix("index.html")), new, address.url)


def _make_documents(brain: Brain) -> Iterator[DocumentRow]:
    for position, document in enumerate(brain.documents):
        plan = document.plan
        yield DocumentRow(
            card=brain.card,
            position=position,
            id=plan.id,
            file=plan.file,
            title=plan.title,
            ring=plan.ring,
            deepens=plan.deepens,
            out_of_date_after_days=plan.out_of_date_after_days,
            asks=plan.asks,
            page=document.page,
            written=document.written,
            added=document.added,
            reason=document.reason,
            summary=document.summary,
            owner=document.owner,
            checked=document.checked or None,
            checked_by=document.checked_by,
            declined=document.declined,
            facts=document.facts,
        )


def _score_documents(result: IndexResult) -> dict[str, int]:
    """Return how many documents the brains of a repo have, by state, for its history; nothing where there is no brain."""
    totals = score_totals(result.brains, result.date) if result.brains else {}
    return {name: totals[key] for key, name in FIGURES.items() if totals}
