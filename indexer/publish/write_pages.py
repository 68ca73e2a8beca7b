"""PageJobs → files: the step that runs in worker processes. Reads bodies from the page cache, writes HTML and twins into the release."""

import copyreg
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from indexer.model.job import Embed, PageJob
from indexer.model.page import PageBody
from indexer.model.site import SiteView
from indexer.publish.fill import fill_content
from indexer.publish.frame_cache import load_frames
from indexer.publish.release import ReleaseWriter
from indexer.publish.render import render_page, root_of
from indexer.store.page_cache import PageCache

_ENCODER, _DECODER = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(PageJob)
_REFERENCE = re.compile(r"\[((?:[^\[\]\\]|\\.)+)\](?:\[\])?\Z")


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """What every chunk of pages needs; sent with each."""

    out: Path
    cache_file: Path
    cache_version: str
    frames_file: Path
    site: SiteView


def _unpack_job(data: bytes) -> PageJob:
    return _DECODER.decode(data)


def _pack_job(job: PageJob) -> tuple[Callable[[bytes], PageJob], tuple[bytes]]:
    return _unpack_job, (_ENCODER.encode(job),)


# On its way to another process a job is one string of bytes, not hundreds of objects.
copyreg.pickle(PageJob, _pack_job)


def write_pages(task: tuple[WriteOrder, Sequence[PageJob]]) -> list[tuple[str, int]]:
    """Write the files of some pages; return (twin, its size in bytes) for those that have one."""
    order, jobs = task
    frames = load_frames(order.frames_file)
    writer = ReleaseWriter(order.out)
    sizes: list[tuple[str, int]] = []
    with PageCache(order.cache_file, order.cache_version) as cache:
        bodies = cache.load_bodies(collect_blobs(jobs))
    for job in jobs:
        view = job.view
        if job.blob:
            content = fill_content(bodies[job.blob].html, job.links, job.tags, job.embeds, bodies, root_of(view.url))
            view = replace(view, content=content)
        writer.write(job.file, render_page(frames, order.site, view))
        if job.twin:
            twin = render_twin(bodies[job.blob], job)
            writer.write(job.twin, twin)
            sizes.append((job.twin, len(twin)))
    return sizes


def collect_blobs(jobs: Iterable[PageJob]) -> set[str]:
    """Return the blobs that some pages show: their own and those they embed."""
    blobs: set[str] = set()
    for job in jobs:
        if job.blob:
            blobs.add(job.blob)
            pending = list(job.embeds.values())
            while pending:
                embed: Embed = pending.pop()
                blobs.add(embed.blob)
                pending.extend(embed.embeds.values())
    return blobs


def render_twin(body: PageBody, job: PageJob) -> bytes:
    """Return the page's Markdown: as written, without comments, and with links to hidden pages turned into their words.

    Each line has the number that it has in the file.
    """
    text = body.text
    # The longest first: `![[a]]` holds `[[a]]`.
    for raw, label in sorted(job.redactions, key=lambda pair: (-len(pair[0]), pair)):
        lines = "\n" * (raw.count("\n") - label.count("\n"))
        text = _drop_definition(raw, text.replace(raw, label + lines))
    return text.encode("utf-8", "replace")


def _drop_definition(raw: str, text: str) -> str:
    """Empty the lines that say where a reference link leads: `[label]: secret.md`."""
    found = _REFERENCE.search(raw)
    if raw.startswith(("[[", "![[")) or not found:
        return text
    label = r"\s+".join(re.escape(word) for word in found[1].split())
    pattern = rf"^[ \t>]*\[\s*{label}\s*\]:[ \t]*\n?[ \t>]*\S[^\n]*\n?"
    return re.sub(pattern, _keep_lines, text, flags=re.IGNORECASE | re.MULTILINE)


def _keep_lines(found: "re.Match[str]") -> str:
    return "\n" * found[0].count("\n")
