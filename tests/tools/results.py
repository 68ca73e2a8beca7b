"""Makes index results from texts in memory, with the real parser and the real analysis, for tests of what comes after the parser."""

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from indexer.analysis.index import build_index
from indexer.analysis.names import is_page
from indexer.analysis.relate import Embed, relate_pages
from indexer.model.job import PageJob
from indexer.model.known import Known
from indexer.model.page import PageBody, PageFacts
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.model.search import PageTerms
from indexer.model.snapshot import Change, Entry, History, Origin, Snapshot
from indexer.parse.page import parse_page
from indexer.parse.terms import page_terms
from indexer.publish.listings import make_site_view
from indexer.publish.sections import Sections
from indexer.publish.shelves import ShownBrain
from indexer.publish.website import SitePlan, plan_site
from tests.tools.vaults import Files

_PARSED: dict[str, tuple[PageFacts, PageBody]] = {}


def name_blob(content: str | bytes) -> str:
    """Return the id that git gives these bytes."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def parse_text(content: str | bytes) -> tuple[PageFacts, PageBody]:
    """Return the parse result of one page; the same text is parsed once."""
    blob = name_blob(content)
    if blob not in _PARSED:
        page = parse_page(content.encode() if isinstance(content, str) else content)
        _PARSED[blob] = (page.facts(), page.body())
    return _PARSED[blob]


def list_entries(files: Files) -> tuple[Entry, ...]:
    """Return the entries of a snapshot, in the order of git."""
    ordered = sorted(files, key=lambda path: path.encode("utf-8", "surrogateescape"))
    return tuple(Entry(path, name_blob(files[path]), len(files[path])) for path in ordered)


def make_result(
    files: Files,
    *,
    title: str = "Brain",
    changes: Mapping[str, int] | None = None,
    renames: Mapping[str, str] | None = None,
    origin: Origin | None = None,
    revision: str | None = None,
    last: Known | None = None,
    before: History | None = None,
) -> IndexResult:
    """Return the index of `files`; `changes` are path → time of the last change."""
    history = History(
        {path: Change(hashlib.sha1(f"{path}{at}".encode()).hexdigest(), at) for path, at in (changes or {}).items()}, renames or {}
    )
    entries = list_entries(files)
    facts = {entry.blob: parse_text(files[entry.path])[0] for entry in entries if is_page(entry.path)}
    snapshot = Snapshot(revision, None, entries)
    return build_index("brain", title, snapshot, origin or Origin(), history, facts, last or Known(), before or History())


def load_bodies(files: Files) -> dict[str, PageBody]:
    """Return the bodies of all pages by blob id."""
    return {name_blob(content): parse_text(content)[1] for path, content in files.items() if is_page(path)}


def load_terms(files: Files) -> dict[str, PageTerms]:
    """Return the search terms of all pages by blob id."""
    terms = {}
    for path, content in files.items():
        if is_page(path):
            page = parse_page(content.encode() if isinstance(content, str) else content)
            terms[name_blob(content)] = page_terms(page)
    return terms


def find_relations(files: Files, embed: Embed | None = None) -> Relations:
    """Return the relations between the pages of `files`."""
    return relate_result(make_result(files), files, embed)


def relate_result(result: IndexResult, files: Files, embed: Embed | None = None) -> Relations:
    """Return the relations of a result that was made of `files`."""
    terms, bodies = load_terms(files), load_bodies(files)
    return relate_pages(
        result, lambda blobs: {blob: terms[blob] for blob in blobs}, lambda blobs: {blob: bodies[blob] for blob in blobs}, embed
    )


def copy_known(known: Known) -> Known:
    """Return what a run remembers, as the next one reads it from the disk."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(known), type=Known)


def make_plan(
    result: IndexResult, *, touched: frozenset[str] | None = None, brains: Mapping[str, ShownBrain] = MappingProxyType({})
) -> SitePlan:
    """Return the plan of a website; `brains` is what the last release showed of them."""
    sections = Sections(result)
    return plan_site(result, make_site_view(result, sections), sections, touched=touched, before=brains)


def make_jobs(result: IndexResult, *, touched: frozenset[str] | None = None) -> dict[str, PageJob]:
    """Return the jobs of a website by their HTML file."""
    return {job.file: job for job in make_plan(result, touched=touched).jobs}
