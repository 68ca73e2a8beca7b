"""IndexResult → the website of one repo in a release (SPEC P08–P10). Called by the pipeline, which also runs the workers.

The order: plan every page as a job, compare its fingerprint with the last release, keep what is the same, write the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import msgspec

from indexer import __version__
from indexer.model.finding import Finding
from indexer.model.job import PageJob
from indexer.model.progress import Progress
from indexer.model.result import IndexResult
from indexer.model.site import SiteView
from indexer.parse.batch import CACHE_VERSION
from indexer.publish import feeds
from indexer.publish.frame_cache import load_frames, prepare_frames
from indexer.publish.jobs import JobMaker
from indexer.publish.listings import make_listings, make_site_view
from indexer.publish.release import ReleaseWriter
from indexer.publish.search_site import write_search
from indexer.publish.sections import Sections
from indexer.publish.state import BuildState
from indexer.publish.tags import TagPages
from indexer.publish.workers import Workers
from indexer.publish.write_pages import WriteOrder, write_pages
from indexer.sources import Source
from indexer.store.page_cache import PageCache

_CHUNK = 100
VERSION = f"{__version__} {CACHE_VERSION}"


@dataclass(frozen=True, slots=True)
class Frames:
    """Where the frame of the pages comes from."""

    config_file: Path
    site_url: str
    """Absolute address of the site, slash at its end; empty when not known."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    state: BuildState
    findings: tuple[Finding, ...]
    changed: int
    """Files of the release that differ from the last one."""


@dataclass(frozen=True, slots=True)
class SitePlan:
    """Everything a website will hold, before anything is written."""

    site: SiteView
    jobs: tuple[PageJob, ...]
    findings: tuple[Finding, ...]
    """Found while planning: embeds that were cut."""
    deepest: int
    """Greatest URL depth."""


@dataclass(slots=True)
class Pending:
    """What has to be written after comparing with the last release."""

    jobs: list[PageJob] = field(default_factory=list)
    fingerprints: dict[str, str] = field(default_factory=dict)
    kept_sizes: dict[str, int] = field(default_factory=dict)


def write_release(
    result: IndexResult,
    source: Source,
    cache: PageCache,
    state: BuildState,
    frames: Frames,
    writer: ReleaseWriter,
    workers: Workers,
    progress: Progress,
) -> Written:
    """Write the whole website into `writer`'s folder; it is not swapped in here."""
    progress.stage(f"{result.repo}: plan the site")
    plan = plan_site(result)
    frames_file = prepare_frames(writer.state_folder, frames.config_file, shared_view(plan.site), plan.deepest)
    pending = compare_jobs(plan, state, load_frames(frames_file).version, writer)
    progress.stage(f"{result.repo}: write pages", len(pending.jobs))
    sizes = pending.kept_sizes | write_jobs(pending.jobs, plan, frames_file, cache, writer, workers, progress)
    files = write_statics(plan, frames_file, state, writer)
    files |= write_attachments(result, source, state, writer)
    write_feeds(result, frames.site_url, writer)
    write_redirects(result, writer)
    ordered = write_full_text(result, sizes, writer)
    progress.stage(f"{result.repo}: write the search index")
    indexed = write_search(result, cache, state, writer)
    changed = len(pending.jobs) + (state.files != files)
    new = BuildState(VERSION, pending.fingerprints, files, indexed, ordered, result.snapshot.revision, result.history)
    return Written(new, plan.findings, changed)


def write_jobs(
    jobs: Sequence[PageJob], plan: SitePlan, frames_file: Path, cache: PageCache, writer: ReleaseWriter, workers: Workers, progress: Progress
) -> dict[str, int]:
    """Write the pages that changed, in worker processes; return the sizes of their twins."""
    order = WriteOrder(writer.out, cache.file, cache.version, frames_file, shared_view(plan.site))
    sizes: dict[str, int] = {}
    chunks = [(order, jobs[start : start + _CHUNK]) for start in range(0, len(jobs), _CHUNK)]
    for written, (_, chunk) in zip(workers.map(write_pages, chunks), chunks, strict=True):
        sizes.update(written)
        progress.advance(len(chunk))
    return sizes


def plan_site(result: IndexResult) -> SitePlan:
    """Return the jobs of all pages of a site."""
    sections, tags = Sections(result), TagPages(result)
    maker = JobMaker(result, sections, tags)
    site = make_site_view(result, sections, tags)
    jobs = [maker.make_job(path) for path in result.graph.nodes]
    jobs += make_listings(result, sections, tags, maker)
    return SitePlan(site, tuple(jobs), tuple(maker.findings()), max((job.view.url.count("/") for job in jobs), default=0))


def shared_view(site: SiteView) -> SiteView:
    """What pages show of the site: nothing that changes with every commit, or every commit would change every page."""
    return replace(site, revision="", counts=())


def compare_jobs(plan: SitePlan, state: BuildState, frames_version: str, writer: ReleaseWriter) -> Pending:
    """Keep the pages that are the same as in the last release; return the others."""
    pending = Pending()
    encoder = msgspec.msgpack.Encoder()
    shared = encoder.encode((frames_version, shared_view(plan.site)))
    sizes = dict(state.sizes)
    for job in plan.jobs:
        fingerprint = blake2b(encoder.encode(job), digest_size=12, key=blake2b(shared).digest()).hexdigest()
        pending.fingerprints[job.file] = fingerprint
        same = state.fingerprints.get(job.file) == fingerprint and writer.keep(job.file)
        if same and job.twin:
            same = job.twin in sizes and writer.keep(job.twin)
        if not same:
            pending.jobs.append(job)
        elif job.twin:
            pending.kept_sizes[job.twin] = sizes[job.twin]
    return pending


def write_statics(plan: SitePlan, frames_file: Path, state: BuildState, writer: ReleaseWriter) -> dict[str, str]:
    """Copy what the frames load; return the files with their digests."""
    features = {feature for job in plan.jobs for feature in job.view.features}
    written: dict[str, str] = {}
    for file in load_frames(frames_file).files:
        if file.feature and file.feature not in features:
            continue
        written[file.path] = file.sha256
        if state.files.get(file.path) == file.sha256 and writer.keep(file.path):
            continue
        if file.source:
            writer.copy(file.path, file.source)
        else:
            writer.write(file.path, file.content)
    return written


def write_attachments(result: IndexResult, source: Source, state: BuildState, writer: ReleaseWriter) -> dict[str, str]:
    """Copy the files that published pages use; return them with their blob ids."""
    written: dict[str, str] = {}
    missing: dict[str, list[str]] = {}
    for path, address in result.addresses.items():
        if path in result.pages or path.endswith("/"):
            continue
        blob = result.entries[path].blob
        written[address.file] = blob
        if not (state.files.get(address.file) == blob and writer.keep(address.file)):
            missing.setdefault(path, []).append(address.file)
    for entry, content in source.read([result.entries[path] for path in missing]):
        for file in missing[entry.path]:
            writer.write(file, content)
    return written


def write_feeds(result: IndexResult, site_url: str, writer: ReleaseWriter) -> None:
    """Write the small files for programs."""
    writer.write("llms.txt", feeds.render_llms(result, site_url))
    writer.write("sitemap.xml", feeds.render_sitemap(result, site_url))
    writer.write("feed.xml", feeds.render_feed(result, site_url))
    writer.write("graph.json", feeds.render_graph(result))


def write_full_text(result: IndexResult, sizes: dict[str, int], writer: ReleaseWriter) -> list[tuple[str, int]]:
    """Write llms-full.txt, all twins one after the other."""
    order = [result.addresses[path].file.removesuffix("index.html") + "index.md" for path in result.graph.nodes]
    parts: list[bytes] = []
    for path, twin in zip(result.graph.nodes, order, strict=True):
        head = f"<!-- {path.replace('--', '- -')} -->\n".encode("utf-8", "replace")
        parts += (head, (writer.folder / twin).read_bytes(), b"\n\n")
    writer.write("llms-full.txt", b"".join(parts))
    return [(twin, sizes[twin]) for twin in order]


def write_redirects(result: IndexResult, writer: ReleaseWriter) -> None:
    """A page that was renamed leaves its old address behind as a redirect (SPEC P15)."""
    for file, url in result.redirects.items():
        target = "../" * file.count("/") + url or "./"
        writer.write(file, feeds.render_redirect(target))
