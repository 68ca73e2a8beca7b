"""PageJobs → files: the step that runs in worker processes. Reads bodies from the page cache, writes HTML and twins into the release."""

import copyreg
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

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
_DEFINITION = re.compile(r"^[ \t>]*\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*\n?[ \t>]*\S[^\n]*\n?", re.MULTILINE)


class WriteOrder(Struct, frozen=True):
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
    text = _drop_definitions(body.text, {label for raw, _ in job.redactions if (label := _find_label(raw))})
    for raw, label in _longest_first(pair for pair in job.redactions if "\n" in pair[0]):
        text = text.replace(raw, label + "\n" * (raw.count("\n") - label.count("\n")))
    return _redact_lines(text, [pair for pair in job.redactions if pair[0] and "\n" not in pair[0]]).encode("utf-8", "replace")


def _longest_first(redactions: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """`![[a]]` holds `[[a]]`."""
    return sorted(redactions, key=lambda pair: (-len(pair[0]), pair))


def _redact_lines(text: str, redactions: Sequence[tuple[str, str]]) -> str:
    """Replace links line by line: a page with thousands of them is not searched as a whole for each."""
    size = min((len(raw) for raw, _ in redactions), default=0)
    if not redactions:
        return text
    by_start: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for raw, label in redactions:
        by_start[raw[:size]].append((raw, label))
    firsts = re.compile("[" + re.escape("".join(sorted({start[0] for start in by_start}))) + "]")
    lines = text.split("\n")
    for number, line in enumerate(lines):
        starts = {line[found.start() : found.start() + size] for found in firsts.finditer(line)}
        for raw, label in _longest_first(pair for start in starts & by_start.keys() for pair in by_start[start]):
            lines[number] = lines[number].replace(raw, label)
    return "\n".join(lines)


def _find_label(raw: str) -> str:
    """Return under which label a reference link looks up its target; empty for links of other kinds."""
    found = None if raw.startswith(("[[", "![[")) else _REFERENCE.search(raw)
    return _fold_label(found[1]) if found else ""


def _fold_label(label: str) -> str:
    return " ".join(label.split()).casefold()


def _drop_definitions(text: str, labels: Set[str]) -> str:
    """Empty the lines that say where reference links with these labels lead: `[label]: secret.md`."""
    if not labels:
        return text
    return _DEFINITION.sub(lambda found: "\n" * found[0].count("\n") if _fold_label(found[1]) in labels else found[0], text)
