"""IndexResult → the website of one repo in a release (SPEC P08–P10). Called by the pipeline, which also runs the workers.

The order: plan every page as a job, compare its fingerprint with the last release, keep what is the same, write the rest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from indexer import __version__
from indexer.analysis.public_report import make_public_report
from indexer.analysis.report_csv import render_documents_csv
from indexer.model.finding import Finding
from indexer.model.job import PageJob
from indexer.model.progress import Progress
from indexer.model.result import IndexResult
from indexer.model.site import SiteView
from indexer.parse.batch import CACHE_VERSION
from indexer.publish import feeds
from indexer.publish.attachments import write_attachments
from indexer.publish.explorer import render_explorer
from indexer.publish.explorer_picture import Picture
from indexer.publish.frame_cache import load_frames, order_frames
from indexer.publish.jobs import BACKLINKS, JobMaker
from indexer.publish.line_ends import shows_line_ends
from indexer.publish.listings import MORE, backlinks_files, long_backlinks, make_listings, make_site_view
from indexer.publish.not_found import NOT_FOUND, render_not_found
from indexer.publish.release import ReleaseWriter
from indexer.publish.report_pages import DOCUMENTS_CSV, is_overview, make_report_pages
from indexer.publish.search_site import OpenSearch, begin_search
from indexer.publish.sections import Sections
from indexer.publish.shelves import Shelves, ShownBrain
from indexer.publish.state import BuildState
from indexer.publish.tags import TagPages
from indexer.publish.workers import Workers
from indexer.publish.write_pages import WriteOrder, write_pages
from indexer.sources import Source
from indexer.store.page_cache import PageCache

_CHUNK = 100
_NO_BRAINS: Mapping[str, ShownBrain] = {}
FULL_TEXT = "llms-full.txt"
VERSION = f"{__version__} {CACHE_VERSION}"


class Frames(Struct, frozen=True):
    """Where the frame of the pages comes from."""

    config_file: Path
    site_url: str
    """Absolute address of the site, slash at its end; empty when not known."""
    home_url: str = ""
    """Absolute address of the tenant's own page; empty when not known."""
    home_title: str = ""
    """Title of the tenant."""


class Written(Struct, frozen=True):
    """What was written."""

    state: BuildState
    changed: int
    """Files of the release that differ from the last one."""


class SitePlan(Struct, frozen=True):
    """The pages of a website before anything is written."""

    site: SiteView
    jobs: tuple[PageJob, ...]
    findings: tuple[Finding, ...]
    """Found while planning: embeds that were cut."""
    partial: bool
    """Only pages that may have changed were planned; all others are as in the last release."""
    brains: dict[str, ShownBrain]
    """What is shown of each brain, planned or not."""


class Pending(Struct):
    """What has to be written after comparing with the last release."""

    fingerprints: dict[str, str]
    """Of all pages of the release."""
    jobs: list[PageJob] = field(default_factory=list)


class Overviews(Struct, frozen=True):
    """Files about all pages that are no pages: feeds, redirects, graph. May come from another process."""

    files: frozenset[str]
    changed: frozenset[str]
    picture: Picture | None
    """Of the graph; None = the one of the last release."""


class OpenRelease(Struct, frozen=True):
    """A release whose pages are still being written by the workers."""

    result: IndexResult
    state: BuildState
    """Of the last release."""
    plan: SitePlan
    pending: Pending
    writer: ReleaseWriter
    pages: Iterator[list[tuple[str, int]]]
    shown: str
    copied: dict[str, str]
    search: OpenSearch
    overviews: "Future[Overviews]"


def begin_release(
    result: IndexResult,
    source: Source,
    cache: PageCache,
    state: BuildState,
    frames: Frames,
    writer: ReleaseWriter,
    workers: Workers,
    progress: Progress,
) -> OpenRelease:
    """Plan the whole website, set the workers to its pages, and write everything else meanwhile."""
    progress.stage(f"{result.repo}: plan the site")
    sections = Sections(result)
    shared = make_site_view(result, sections)
    site = replace(shared, home_url=frames.home_url, home_title=frames.home_title, line_ends=shows_line_ends(source))
    drawn = order_frames(writer.state_folder, frames.config_file, shared_view(site), count_depth(result))
    drawing = None if drawn.is_drawn else workers.start(drawn.draw, pages=len(result.pages))
    shown = digest_shared(result, site, drawn.file)
    writer.begin(state.manifest, state.delta, state.generation, workers.map)
    overview = partial(write_overviews, result, sections, state.picture, frames.site_url, writer)
    early = workers.start_copy(overview, pages=len(result.pages)) if workers.may_copy(len(result.pages)) else None
    search = begin_search(result, cache, state, writer, workers)
    plan = plan_site(result, site, sections, touched=result.touched if state.shown == shown else None, before=state.brains)
    pending = compare_jobs(plan, state, shown)
    if drawing is not None:
        drawing.result()
    progress.stage(f"{result.repo}: write pages", len(pending.jobs))
    pages = workers.begin(write_pages, order_chunks(pending.jobs, site, drawn.file, cache, writer))
    copied = write_statics(result, drawn.file, state, writer) | write_attachments(result, source, state, writer)
    pending.fingerprints[NOT_FOUND] = blake2b(f"{shown} {frames.site_url}".encode(), digest_size=12).hexdigest()
    if state.fingerprints.get(NOT_FOUND) != pending.fingerprints[NOT_FOUND]:
        writer.update(NOT_FOUND, render_not_found(load_frames(drawn.file), shared_view(site), frames.site_url))
    overviews = early or workers.start_copy(overview, pages=len(result.pages))
    return OpenRelease(result, state, plan, pending, writer, pages, shown, copied, search, overviews)


def finish_release(release: OpenRelease, progress: Progress) -> Written:
    """Wait for the pages and complete the release; it is not swapped in here."""
    result, state, writer = release.result, release.state, release.writer
    sizes = state.sizes | collect_pages(release.pages, release.pending.jobs, writer, progress)
    sizes = write_full_text(result, sizes, state, writer)
    search, overviews = release.search.files.result(), release.overviews.result()
    writer.changed |= search.changed | overviews.changed
    fingerprints = drop_stale(release.pending.fingerprints, result)
    manifest = frozenset({*fingerprints, *sizes, *release.copied, *overviews.files, *search.files, FULL_TEXT})
    writer.remove(state.manifest - manifest)
    new = BuildState(
        version=VERSION,
        generation=state.generation + 1,
        fingerprints=fingerprints,
        sources=release.copied,
        manifest=manifest,
        delta=frozenset(writer.changed),
        indexed=release.search.pages,
        sizes=sizes,
        revision=result.snapshot.revision,
        history=result.history,
        known=result.known,
        brains=release.plan.brains,
        picture=state.picture if overviews.picture is None else overviews.picture,
        shown=release.shown,
    )
    return Written(new, len(writer.changed))


def count_depth(result: IndexResult) -> int:
    """Return the greatest URL depth a page of the site may have, generated pages included."""
    deepest = max((address.url.count("/") for address in result.addresses.values()), default=0)
    tags = max((tag.count("/") for page in result.pages.values() for tag in page.tags), default=0)
    # The longest forms: `_/more/_/backlinks/…/2/` around a page's address, `_/more/_/tags/t/…/2/` around a tag, contents inside each other.
    return max(deepest + 5, tags + 7, 8)


def shared_view(site: SiteView) -> SiteView:
    """What pages show of the site: nothing that changes with every commit, or every commit would change every page."""
    return replace(site, revision="", counts=())


def digest_shared(result: IndexResult, site: SiteView, frames_file: Path) -> str:
    """Return a digest of what every page shows besides its own job."""
    shared = msgspec.msgpack.encode((VERSION, frames_file.name, shared_view(site), result.origin, result.title))
    return blake2b(shared, digest_size=16).hexdigest()


def plan_site(
    result: IndexResult,
    site: SiteView,
    sections: Sections,
    *,
    touched: frozenset[str] | None = None,
    before: Mapping[str, ShownBrain] = _NO_BRAINS,
) -> SitePlan:
    """Return the jobs of all pages of a site, or only of those that `touched` pages may have changed or brains that are not as `before`."""
    tags, shelves = TagPages(result), Shelves(result)
    maker = JobMaker(result, sections, tags, shelves)
    whole = touched is None or before.keys() != shelves.by_id.keys()
    changed = shelves.all if whole else tuple(shelves.find_changed(before))
    if touched is not None:
        touched |= shelves.spread(before)
    paths = result.graph.nodes if touched is None else maker.spread(touched, shelves.find_restated(before))
    jobs = [maker.make_job(path) for path in paths]
    jobs += make_listings(result, sections, tags, maker, touched)
    jobs += make_report_pages(result, shelves, maker, changed)
    brains = {shelf.brain.id: shelf.shown for shelf in shelves.all}
    return SitePlan(site, tuple(jobs), tuple(maker.find_cut_embeds()), partial=touched is not None, brains=brains)


def compare_jobs(plan: SitePlan, state: BuildState, shown: str) -> Pending:
    """Sort out the pages that are the same as in the last release."""
    pending = Pending(_keep_fingerprints(plan, state) if plan.partial else {})
    encoder = msgspec.msgpack.Encoder()
    for job in plan.jobs:
        fingerprint = blake2b(encoder.encode(job), digest_size=12, key=shown.encode()).hexdigest()
        pending.fingerprints[job.file] = fingerprint
        if state.fingerprints.get(job.file) != fingerprint:
            pending.jobs.append(job)
    return pending


def _keep_fingerprints(plan: SitePlan, state: BuildState) -> dict[str, str]:
    """Return those of pages that a partial plan leaves as they are; of a brain that changed, all that was made for it may be gone."""
    gone = {file for brain, shown in state.brains.items() if plan.brains.get(brain) != shown for file in shown.files}
    others = plan.brains.keys() != state.brains.keys()  # then all lists of brains were planned, and the last ones may be gone
    return {file: value for file, value in state.fingerprints.items() if file not in gone and not (others and is_overview(file))}


def drop_stale(fingerprints: dict[str, str], result: IndexResult) -> dict[str, str]:
    """After a partial plan, take out the lists of backlinks that are no longer long enough to have a page of their own."""
    wanted = {file for path in long_backlinks(result) for file in backlinks_files(result, path)}
    return {file: value for file, value in fingerprints.items() if not file.startswith((BACKLINKS, MORE + BACKLINKS)) or file in wanted}


def order_chunks(
    jobs: Sequence[PageJob], site: SiteView, frames_file: Path, cache: PageCache, writer: ReleaseWriter
) -> list[tuple[WriteOrder, Sequence[PageJob]]]:
    """Return the pages to write in chunks for the workers."""
    order = WriteOrder(writer.out, cache.file, cache.version, frames_file, shared_view(site))
    return [(order, jobs[start : start + _CHUNK]) for start in range(0, len(jobs), _CHUNK)]


def collect_pages(
    written: Iterable[list[tuple[str, int]]], jobs: Sequence[PageJob], writer: ReleaseWriter, progress: Progress
) -> dict[str, int]:
    """Wait for the workers; return the sizes of the twins that were written."""
    sizes: dict[str, int] = {}
    for start, chunk in zip(range(0, len(jobs), _CHUNK), written, strict=True):
        sizes.update(chunk)
        progress.advance(min(_CHUNK, len(jobs) - start))
    for job in jobs:
        writer.changed |= {job.file, job.twin} if job.twin else {job.file}
    return sizes


def write_statics(result: IndexResult, frames_file: Path, state: BuildState, writer: ReleaseWriter) -> dict[str, str]:
    """Copy what the frames load; return the files with their digests."""
    features = {feature for page in result.pages.values() if not page.hidden for feature in page.features}
    if not result.kept_as_is:
        features.add("explorer")
    copied: dict[str, str] = {}
    for file in load_frames(frames_file).files:
        if file.feature and file.feature not in features:
            continue
        copied[file.path] = file.sha256
        if state.sources.get(file.path) == file.sha256:
            continue
        if file.source:
            writer.copy(file.path, file.source)
        else:
            writer.write(file.path, file.content)
    return copied


def render_feeds(result: IndexResult, site_url: str) -> dict[str, bytes]:
    """Return the small files for programs, and the redirects of renamed pages (SPEC P15)."""
    files = {
        "llms.txt": feeds.render_llms(result, site_url),
        "sitemap.xml": feeds.render_sitemap(result, site_url),
        "feed.xml": feeds.render_feed(result, site_url),
        "report.json": feeds.to_json(make_public_report(result)),
    }
    if not result.kept_as_is:
        files["graph.json"] = feeds.render_graph(result)
    if result.brains:
        files[DOCUMENTS_CSV] = render_documents_csv(result).encode("utf-8", "replace")
    for file, url in result.redirects.items():
        files[file] = feeds.render_redirect("../" * file.count("/") + url or "./")
    return files


def write_overviews(result: IndexResult, sections: Sections, last: Picture, site_url: str, writer: ReleaseWriter) -> Overviews:
    """Write what is made of all pages, where it is not as in the last release."""
    picture, graph = render_explorer(result, sections, last)
    files = {**render_feeds(result, site_url), **graph}
    for name, content in files.items():
        writer.update(name, content)
    return Overviews(frozenset(files), frozenset(writer.changed), None if picture is last else picture)


def write_full_text(result: IndexResult, sizes: dict[str, int], state: BuildState, writer: ReleaseWriter) -> dict[str, int]:
    """Write llms-full.txt, all twins one after the other; what did not change is taken from the last one in long pieces.

    Returns twin → size for the twins that exist, in order.
    """
    twins = [result.addresses[path].file.removesuffix("index.html") + "index.md" for path in result.graph.nodes]
    ordered = {twin: sizes[twin] for twin in twins}
    if not writer.changed.intersection(ordered) and list(state.sizes) == twins:
        return ordered
    last = _cut_last(writer, state)
    parts: list[bytes | memoryview] = []
    for path, twin in zip(result.graph.nodes, twins, strict=True):
        kept = last.get(twin) if twin not in writer.changed else None
        if kept is not None:
            parts.append(kept)
        else:
            head = f"<!-- {path.replace('--', '- -')} -->\n".encode("utf-8", "replace")
            parts += (head, (writer.folder / twin).read_bytes(), b"\n\n")
    writer.write(FULL_TEXT, b"".join(parts))
    return ordered


def _cut_last(writer: ReleaseWriter, state: BuildState) -> dict[str, memoryview]:
    """Return the pieces of the last llms-full.txt by twin; empty when it is not what the state says."""
    data = memoryview(writer.read_last(FULL_TEXT) or b"")
    pieces: dict[str, memoryview] = {}
    position = 0
    for twin, size in state.sizes.items():
        comment = bytes(data[position : position + 8192]).find(b" -->\n")
        end = position + comment + 5 + size + 2
        if comment < 0 or end > len(data):
            return {}
        pieces[twin] = data[position:end]
        position = end
    return pieces if position == len(data) else {}
