"""The report of a site, of each of its brains, and a page for each missing document, as jobs (SPEC P11, S06–S08, S16).

Called by `indexer.publish.website`; pure. After an edit only the brains that changed are planned; the first page of the report always is.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from indexer.analysis.completeness import place_document
from indexer.model.blueprint import Conflict
from indexer.model.job import PageJob
from indexer.model.result import IndexResult
from indexer.model.site import PageView, Ref
from indexer.publish.brain_fragments import (
    BrainReport,
    ClaimLine,
    ConflictLine,
    CoverLine,
    MissingPage,
    Standing,
    render_brain_report,
    render_missing,
)
from indexer.publish.jobs import JobMaker, make_generated
from indexer.publish.link_lists import check_pages
from indexer.publish.listings import GRAPH, MORE
from indexer.publish.looks import LOOKS
from indexer.publish.relation_lists import list_relations
from indexer.publish.report_fragments import SiteReport, render_report, render_standings
from indexer.publish.report_values import (
    FIRST_RING,
    SHOWN,
    Listed,
    begin_document,
    cut,
    draw_bar,
    draw_bars,
    list_declined,
    list_due,
    list_missing,
    list_outdated,
    say_brain,
)
from indexer.publish.shelves import REPORT, Placed, Shelf, Shelves
from indexer.publish.starts import write_start

PART = 100
"""Brains on one page of the report."""
DOCUMENTS_CSV = "_/documents.csv"
_WITH_RINGS = 8
"""Up to so many brains, the first page shows each ring of each."""


def make_report_pages(result: IndexResult, shelves: Shelves, maker: JobMaker, planned: Collection[Shelf]) -> Iterator[PageJob]:
    """Yield the jobs of the report, and of the brains in `planned` with their missing documents and the lists they stand in."""
    yield _report_site(result, shelves, maker)
    yield from _list_brains(result, shelves, {shelf.brain.id for shelf in planned})
    for shelf in planned:
        section = tuple(Ref(placed.document.plan.title, placed.url) for placed in shelf.documents)
        yield _report_brain(result, shelf, shelves, section)
        for placed in shelf.documents:
            if placed.file:
                yield _show_missing(result, shelf, placed, shelves, section)


def is_overview(file: str) -> bool:
    """Whether an HTML file is a page of the report that lists brains."""
    return file == f"{REPORT}index.html" or file.startswith(MORE + REPORT)


def _cut_parts(shelves: Shelves) -> tuple[list[tuple[Shelf, ...]], list[str]]:
    """Return the brains of each page that lists them, and the addresses of these pages."""
    parts = [shelves.all[start : start + PART] for start in range(0, len(shelves.all), PART)] or [()]
    return parts, [REPORT, *(f"{MORE}{REPORT}{number}/" for number in range(2, len(parts) + 1))]


def _list_brains(result: IndexResult, shelves: Shelves, planned: Collection[str]) -> Iterator[PageJob]:
    """Yield the further pages that list brains, where one of these is in `planned`."""
    parts, urls = _cut_parts(shelves)
    crumbs = (Ref(result.title, ""), Ref("Report", REPORT))
    for number, (part, url) in enumerate(zip(parts[1:], urls[1:], strict=True), 2):
        if any(shelf.brain.id in planned for shelf in part):
            content = render_standings([_stand(shelf, rings=False) for shelf in part], urls, number, at=url)
            yield make_generated(PageView("report", url, f"Report, part {number}", content, has_h1=False, breadcrumbs=crumbs))


def _report_site(result: IndexResult, shelves: Shelves, maker: JobMaker) -> PageJob:
    parts, urls = _cut_parts(shelves)

    def count(figure: str) -> int:
        return sum(shelf.count(figure) for shelf in shelves.all)

    report = SiteReport(
        day=result.date or "",
        standings=tuple(_stand(shelf, rings=len(shelves.all) <= _WITH_RINGS) for shelf in parts[0]),
        parts=tuple(urls),
        brains=len(shelves.all),
        documents=count("documents"),
        filled=count("filled"),
        missing=Listed(tuple(islice(list_missing(shelves.all, result.origin), SHOWN)), count("missing")),
        first_missing=sum(ring.missing for shelf in shelves.all for ring in shelf.depth if ring.ring == FIRST_RING),
        outdated=cut(list_outdated(shelves.all, result.date)),
        due=cut(list_due(shelves.all)),
        declined=Listed(tuple(islice(list_declined(shelves.all), SHOWN)), count("declined")),
        conflicts=cut(_list_conflicts(shelves.all, shelves, result)),
        warnings=cut((Ref(shelf.brain.title, shelf.url), warning) for shelf in shelves.all for warning in shelf.brain.warnings),
        links=check_pages(result, maker.links),
        relations=list_relations(result),
        csv=DOCUMENTS_CSV,
        graph="" if result.kept_as_is else GRAPH,
    )
    content, toc = render_report(report, at=REPORT)
    return make_generated(PageView("report", REPORT, "Report", content, has_h1=False, toc=toc, breadcrumbs=(Ref(result.title, ""),)))


def _report_brain(result: IndexResult, shelf: Shelf, shelves: Shelves, section: tuple[Ref, ...]) -> PageJob:
    alone = (shelf,)
    report = BrainReport(
        standing=_stand(shelf, rings=True),
        parents=tuple(shelves.refer(parent.id) for parent in shelf.parents),
        missing=cut(list_missing(alone, result.origin, name_brains=False)),
        outdated=cut(list_outdated(alone, None, name_brains=False)),
        due=cut(list_due(alone, name_brains=False)),
        declined=cut(list_declined(alone, name_brains=False)),
        dropped=shelf.brain.dropped,
        conflicts=cut(_list_conflicts(alone, shelves, result)),
        warnings=cut(shelf.brain.warnings),
    )
    content, toc = render_brain_report(report, at=shelf.report_url)
    view = PageView(
        kind="report",
        url=shelf.report_url,
        title=f"Report: {shelf.brain.title}",
        content=content,
        has_h1=False,
        toc=toc,
        breadcrumbs=(Ref(result.title, ""), Ref("Report", REPORT), shelves.refer(shelf.brain.id)),
        section=section,
        section_title=shelf.brain.title,
    )
    return PageJob(view=view, file=shelf.report_file)


def _show_missing(result: IndexResult, shelf: Shelf, placed: Placed, shelves: Shelves, section: tuple[Ref, ...]) -> PageJob:
    plan = placed.document.plan
    brain = shelves.refer(shelf.brain.id)
    page = MissingPage(
        brain=brain,
        report_url=shelf.report_url,
        asks=plan.asks,
        ring=plan.ring,
        stage=plan.stage,
        deepens=plan.deepens,
        days=plan.out_of_date_after_days,
        reason=placed.document.reason if placed.document.added else "",
        covers=tuple(
            CoverLine(Ref(cover.title, _address(cover.path, result)), shelves.refer(cover.brain), LOOKS[cover.state], cover.deepens)
            for cover in shelf.covers(placed.document, result.date)
        ),
        path=place_document(shelf.brain, placed.document),
        exists=bool(placed.document.page),
        start=begin_document(shelf, placed, result.origin),
        forge=result.origin.kind,
        text=write_start(plan),
    )
    view = PageView(
        kind="missing",
        url=placed.url,
        title=plan.title,
        content=render_missing(page, at=placed.url),
        has_h1=False,
        breadcrumbs=(Ref(result.title, ""), brain),
        section=tuple(Ref(ref.title, ref.url, current=ref.url == placed.url) for ref in section),
        section_title=shelf.brain.title,
    )
    return PageJob(view=view, file=placed.file)


def _stand(shelf: Shelf, *, rings: bool) -> Standing:
    bars = draw_bars(shelf.depth) if rings else ()
    whole = draw_bar(shelf.depth, shelf.brain.title) if shelf.depth else None
    return Standing(Ref(shelf.brain.title, shelf.url), shelf.report_url, shelf.brain.blueprint, say_brain(shelf), bars, whole)


def _list_conflicts(shown: Iterable[Shelf], shelves: Shelves, result: IndexResult) -> Iterator[ConflictLine]:
    for shelf in shown:
        for conflict in shelf.conflicts:
            yield ConflictLine(conflict.fact, _list_claims(conflict, shelves, result))


def _list_claims(conflict: Conflict, shelves: Shelves, result: IndexResult) -> tuple[ClaimLine, ...]:
    return tuple(
        ClaimLine(Ref(claim.title, _address(claim.path, result)), shelves.refer(claim.brain), _inside(claim.path, result), claim.value)
        for claim in conflict.claims
    )


def _inside(path: str, result: IndexResult) -> str:
    return path.removeprefix(f"{result.repo}/")


def _address(path: str, result: IndexResult) -> str:
    return result.addresses[_inside(path, result)].url
