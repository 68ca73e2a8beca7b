"""The main job: repositories of Markdown in, index and websites out.

    read → parse → resolve → analyse → store → publish

Each stage takes values and returns values; each is one call below, in a module that does one thing. Pages are parsed by blob id and only
once (`parse_pages`); everything that depends on neighbours comes after all pages are known (`build_index`); pages are written only where
what they show has changed (`begin_release`). A repo that cannot be read keeps its last index and release.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.analysis.index import build_index, judge_brains, sort_findings
from indexer.analysis.names import is_page
from indexer.analysis.report import make_report
from indexer.analysis.report_csv import render_documents_csv
from indexer.analysis.rows import make_rows
from indexer.errors import BrainpressError, SourceError, UsageError
from indexer.model.blueprint import Blueprints
from indexer.model.codes import make_finding
from indexer.model.index import RepoRows
from indexer.model.known import Known
from indexer.model.page import PageFacts
from indexer.model.progress import Progress, Silent
from indexer.model.result import Built, IndexResult, Leftover, RepoOutcome
from indexer.model.site import SiteContent
from indexer.model.snapshot import Entry, History, Snapshot
from indexer.parse.batch import CACHE_VERSION, is_hidden, parse_batch
from indexer.publish.attachments import withhold_active_svg
from indexer.publish.feeds import to_json
from indexer.publish.leftovers import find_left_tenants, mark_made, remove_leftovers
from indexer.publish.live import make_content
from indexer.publish.output_lock import hold_output
from indexer.publish.picture_sizes import measure_pictures
from indexer.publish.release import STATE_FILE, check_output, find_lost, open_release, prepare_output, translate_errors
from indexer.publish.signals import uninterrupted
from indexer.publish.small_relations import recall_relations, relate_small
from indexer.publish.staging import Staging, open_staging
from indexer.publish.state import drop_state, encode_state, forget_release, load_state
from indexer.publish.website import VERSION, Frames, OpenRelease, begin_release, finish_release
from indexer.publish.workers import Workers, open_workers
from indexer.registry.blueprint_set import FILE_NAME, render_set
from indexer.resources import find_resource
from indexer.sources import Source, open_source
from indexer.sources.mirror import fetch_mirror
from indexer.sources.orders import STATE_FOLDER, BuildOptions, RepoOrder, TenantOrder, plan_build, plan_single
from indexer.store.page_cache import PageCache
from indexer.store.statements import INDEX_FILE
from indexer.store.trend import Trends, read_trends
from indexer.store.write import NewIndex, begin_index

_PARSE_CHUNK = 40


class Run(Struct):
    """What a run over the repos of one tenant has come to."""

    outcomes: list[RepoOutcome] = field(default_factory=list)
    """Of repos that failed."""
    rows: list[RepoRows] = field(default_factory=list)
    open: list[tuple[RepoOrder, IndexResult, OpenRelease]] = field(default_factory=list)
    """Releases that the workers are still writing."""


def build_tenant(tenant: TenantOrder, options: BuildOptions, progress: Progress | None = None) -> Built:
    """Build the repos of one tenant and their common index; every file is written before any is swapped in.

    One repo alone raises BrainpressError when it cannot be read; one of several is marked failed and keeps its last state. What was built
    of repos that the tenant names no more is removed once all others are built. BusyError when another run is at work there for too long.
    """
    progress = progress or Silent()
    with ExitStack() as stack:
        if tenant.id:
            stack.enter_context(hold_output(tenant.out, options.wait, progress))
        outcomes = _build_repos(tenant, options, progress)
        if not tenant.id:
            return Built(outcomes)
        mark_made(tenant.out, tenant.id)
        leftovers: list[Leftover] = []
        if all(outcome.status != "failed" for outcome in outcomes):
            leftovers = remove_leftovers(tenant, options.in_use)
    return Built(outcomes, tuple(leftovers))


def _build_repos(tenant: TenantOrder, options: BuildOptions, progress: Progress) -> tuple[RepoOutcome, ...]:
    index_file = tenant.out / INDEX_FILE
    with ExitStack() as stack:
        workers = stack.enter_context(open_workers(options.processes))
        run = Run()
        for order in tenant.repos:
            try:
                build_repo(order, tenant.blueprints, options, workers, progress, stack, run)
            except BrainpressError as error:
                if not tenant.id:
                    raise
                _mark_failed(order, error, run, progress)
        with translate_errors(tenant.out):
            tenant.out.mkdir(parents=True, exist_ok=True)
        index = stack.enter_context(begin_index(index_file, run.rows, previous=index_file))
        staging = stack.enter_context(open_staging())
        plans = tenant.out / FILE_NAME
        staging.add(plans, render_set(tenant.blueprints, plans.read_bytes() if plans.exists() else b""))
        trends = read_trends(index.file, [rows.name for rows in run.rows])
        done = [complete_repo(*opened, trends, staging, progress) for opened in run.open]
        for order, _, _ in run.open:
            mark_made(order.out, f"{tenant.id}/{order.repo}" if tenant.id else "")
        swap_in(index, run, staging)
    outcomes = {outcome.repo: replace(outcome, tenant=tenant.id) for outcome in (*run.outcomes, *done)}
    return tuple(outcomes[order.repo] for order in tenant.repos)


def build_repo(
    order: RepoOrder, plans: Blueprints, options: BuildOptions, workers: Workers, progress: Progress, stack: ExitStack, run: Run
) -> None:
    """Build one repo up to a release that the workers are writing: the six stages."""
    if not order.address and not order.path.exists():
        raise SourceError(f"There is no folder {order.path}.", hint="Check the spelling of the path.")
    _refuse_inside(order)
    check_output(order.out)
    stack.enter_context(hold_output(order.out, options.wait, progress))
    prepare_output(order.out)
    state = load_state(order.out / STATE_FOLDER, VERSION)
    lost = workers.start_copy(partial(find_lost, order.out, state.manifest), pages=len(state.manifest))
    progress.stage(f"{order.repo}: read")
    with read_repo(order, options) as source, PageCache(order.out / STATE_FOLDER / "pages.sqlite", CACHE_VERSION) as cache:
        facts = parse_pages(source, cache, workers, progress, order.repo)
        if not facts:
            raise SourceError(f"{order.path} holds no Markdown page.", hint="Pages end in .md; files of hidden folders do not count.")
        cache.drop_except([*facts, *(page.blob for page in state.indexed.values())])
        history = source.history(state.history, state.revision, is_hidden)
        progress.stage(f"{order.repo}: resolve links")
        result = resolve_repo(order, source, facts, history, plans, options, state.known, state.history)
        result = measure_pictures(result, source, state.known)
        progress.stage(f"{order.repo}: find what belongs together")
        result = relate_small(result, cache, workers)
        state = forget_release(state) if lost.result() else state
        writer = stack.enter_context(open_release(order.out))
        frames = Frames(options.config_file or find_resource("mkdocs.yml"), order.site_url, order.home_url, order.home_title)
        release = begin_release(result, source, cache, state, frames, writer, workers, progress)
    result = replace(result, findings=sort_findings((*result.findings, *release.plan.findings)))
    run.rows.append(make_rows(result))
    run.open.append((order, result, release))


def read_repo(order: RepoOrder, options: BuildOptions) -> Source:
    """Open the repo at its commit. Refuses an output folder inside it: what is read is never written to."""
    if order.address:
        fetch_mirror(order.address, order.path, order.branch, allow_private=options.allow_private)
        # Named in full: a tag of the same name would be read in its place.
        return open_source(order.path, at=options.at or f"refs/heads/{order.branch}", folder=order.folder, limits=options.limits)
    _refuse_inside(order)
    stat_cache = order.out / STATE_FOLDER / "stat.msgpack"
    return open_source(
        order.path, at=options.at, uncommitted=options.uncommitted, folder=order.folder, limits=options.limits, stat_cache=stat_cache
    )


def _refuse_inside(order: RepoOrder) -> None:
    path, out = order.path.resolve(), order.out.resolve()
    if not order.address and (out == path or path in out.parents):
        beside = path.parent / f"{path.name}-site"
        hint = f"Choose a folder elsewhere, such as --out {beside}" if path.name else "Give the folder that holds your pages."
        raise UsageError(f"The output {order.out} lies inside {order.path}, which is only read.", hint=hint)


def parse_pages(source: Source, cache: PageCache, workers: Workers, progress: Progress, repo: str) -> dict[str, PageFacts]:
    """Return the facts of all pages by blob id; only blobs that this version of the parser has not seen are parsed."""
    entries = {entry.blob: entry for entry in source.snapshot.entries if is_page(entry.path)}
    missing = [entries[blob] for blob in sorted(cache.find_missing(entries), key=lambda blob: entries[blob].path)]
    progress.stage(f"{repo}: parse", len(missing))
    for pages in workers.map(parse_batch, _read_chunks(source, missing)):
        cache.store(pages)
        progress.advance(len(pages))
    cache.commit()
    return cache.load_facts(list(entries))


def _read_chunks(source: Source, entries: Sequence[Entry]) -> Iterator[list[tuple[str, bytes]]]:
    chunk: list[tuple[str, bytes]] = []
    size = 0
    for entry, data in source.read(entries):
        chunk.append((entry.blob, data))
        size += len(data)
        if len(chunk) == _PARSE_CHUNK or size > 512 * 1024:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def resolve_repo(
    order: RepoOrder,
    source: Source,
    facts: Mapping[str, PageFacts],
    history: History,
    plans: Blueprints,
    options: BuildOptions,
    known: Known,
    before: History,
) -> IndexResult:
    """Return the repo with links, graph, brains and the relations that it has recorded; `known` and `before` are those of the last run."""
    result = build_index(order.repo, order.title, source.snapshot, source.origin, history, facts, known, before)
    result = judge_brains(withhold_active_svg(result, source, known), plans, options.date)
    return recall_relations(replace(result, kept_as_is=order.kept_as_is), source)


def complete_repo(
    order: RepoOrder, result: IndexResult, release: OpenRelease, trends: Trends, staging: Staging, progress: Progress
) -> RepoOutcome:
    """Wait for the release of a repo, and write the owner's report and what the next build wants to know."""
    written = finish_release(release, progress)
    staging.add(order.out / "report.json", to_json(make_report(result, trends.get(order.repo, ()))))
    staging.add(order.out / "report.csv", render_documents_csv(result).encode())
    staging.add(order.out / STATE_FOLDER / STATE_FILE, encode_state(written.state))
    return RepoOutcome(
        repo=order.repo,
        status="built" if written.changed else "unchanged",
        files=len(result.pages),
        pages=len(result.graph.nodes),
        hidden=sum(page.hidden for page in result.pages.values()),
        links=sum(len(targets) for targets in result.targets.values()),
        written=written.changed,
        findings=result.findings,
        site=str(order.out / "site"),
        revision=result.snapshot.revision,
    )


def swap_in(index: NewIndex, run: Run, staging: Staging) -> None:
    """Show what the run has written: only names change hands, and Ctrl-C waits for it."""
    with uninterrupted():
        for order, _, _ in run.open:
            drop_state(order.out / STATE_FOLDER)
        index.swap_in()
        for _, _, release in run.open:
            release.writer.swap_in()
        staging.place()


def _mark_failed(order: RepoOrder, error: BrainpressError, run: Run, progress: Progress) -> None:
    progress.note(f"{order.repo}: {error.message}")
    finding = make_finding("IDX001", "", 0, f"{order.repo} could not be built: {error.message}", error.hint)
    run.outcomes.append(RepoOutcome(order.repo, "failed", findings=(finding,), error=error.message, hint=error.hint))
    run.rows.append(RepoRows(order.repo, title=order.title, status="failed", failed_reason=error.message))


def build_all(path: Path, out: Path, options: BuildOptions, progress: Progress | None = None) -> Built:
    """Build a folder, a repository, or every tenant of a workspace. Raises BrainpressError when nothing could be built."""
    tenants = plan_build(path, out, options)
    # A tenant whose last repo went still has the rows of its repos in an index.
    built = [build_tenant(tenant, options, progress) for tenant in tenants if tenant.repos or (tenant.out / INDEX_FILE).exists()]
    left = find_left_tenants(out, {tenant.id for tenant in tenants}) if tenants[0].id else []
    outcomes = tuple(outcome for each in built for outcome in each.outcomes)
    return Built(outcomes, (*(leftover for each in built for leftover in each.leftovers), *left))


def build_path(path: Path, out: Path, options: BuildOptions, progress: Progress | None = None) -> list[RepoOutcome]:
    """Do the same, and return how each repo ended."""
    return list(build_all(path, out, options, progress).outcomes)


def read_snapshot(path: Path, options: BuildOptions, out: Path) -> tuple[Snapshot, ...]:
    """Return what a build of `path` would read now."""
    snapshots = []
    for order in [order for tenant in plan_build(path, out, options) for order in tenant.repos]:
        if not order.address:
            with read_repo(order, options) as source:
                snapshots.append(source.snapshot)
    return tuple(snapshots)


def has_changed(last: tuple[Snapshot, ...], now: tuple[Snapshot, ...]) -> bool:
    """Whether anything that is published may be another."""
    return [(each.entries, each.symlinks) for each in last] != [(each.entries, each.symlinks) for each in now]


def load_result(path: Path, options: BuildOptions, cache_folder: Path) -> tuple[IndexResult, PageCache]:
    """Read, parse, resolve and judge a folder or repository without publishing it: what `inspect`, `check` and `report` show."""
    tenant = plan_single(path, cache_folder, options)
    return load_order(tenant.repos[0], tenant.blueprints, options, cache_folder)


def load_order(
    order: RepoOrder, plans: Blueprints, options: BuildOptions, cache_folder: Path, last: IndexResult | None = None
) -> tuple[IndexResult, PageCache]:
    """Do the same for one repo of a plan. Closing the cache is up to the caller.

    `last` is the same repo at another commit, from which what is the same is taken over; the result is the same without it.
    """
    known, before, since = (last.known, last.history, last.snapshot.revision) if last else (Known(), History(), None)
    cache = PageCache(cache_folder / "pages.sqlite", CACHE_VERSION)
    with open_workers(options.processes) as workers, read_repo(order, options) as source:
        facts = parse_pages(source, cache, workers, Silent(), order.repo)
        history = source.history(before, since, is_hidden)
        return resolve_repo(order, source, facts, history, plans, options, known, before), cache


def load_site_views(path: Path) -> SiteContent:
    """Return a whole site as values, for plain `mkdocs serve` (see `indexer.publish.mkdocs_live`): the files as they lie there."""
    with tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
        options = BuildOptions(uncommitted=True)
        result, cache = load_result(path, options, Path(scratch))
        with cache, open_source(path, uncommitted=True) as source:
            return make_content(relate_small(result, cache), source, cache)
