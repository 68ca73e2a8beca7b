"""What holds for any repo: the order of its files, what the last run knew, addresses, ways to reach a page."""

import posixpath
import random
import re
from collections.abc import Mapping
from unicodedata import normalize
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.analysis.addresses import assign_addresses
from indexer.analysis.index import build_index
from indexer.analysis.names import build_names, is_page
from indexer.model.known import Known
from indexer.model.result import IndexResult
from indexer.model.snapshot import History, Origin, Snapshot
from tests.tools.results import copy_known, list_entries, make_jobs, make_plan, make_result, parse_text

FOLDERS = ["", "d/", "D/", "d/e/", "x/", "_/"]
STEMS = ["index", "README", "a", "A", "b", "b-2", "é", normalize("NFD", "é"), "con", "x", "notes", "a b", "C# x", "q?"]
NAMES = [folder + stem + suffix for folder in FOLDERS for stem in STEMS for suffix in (".md", ".markdown", ".png", "")]
LINKS = [
    "[[a]]",
    "[[b#Part]]",
    "[[A]]",
    "[[notes]]",
    "![[x]]",
    "![[a#Part]]",
    "[[d/e]]",
    "[x](a.md)",
    "[x](d/)",
    "[x](../a.md#part)",
    "![x](x.png)",
    "![[x.png]]",
    "[[gone]]",
    "[[Title]]",
    "[[é]]",
    "[[C# x]]",
    "#tag",
    "#Tag/sub",
]
HEADS = ["", "", "", "---\nprivate: true\n---\n", "---\ntitle: Title\n---\n", "---\naliases: [notes, b]\n---\n", "---\norder: 2\n---\n"]
BODIES = st.lists(st.sampled_from(LINKS), max_size=4).map(" ".join)
PARTS = st.sampled_from(["", "\n\n## Part\n\nmore ^k"])
TEXTS = st.builds(lambda head, body, part: head + body + part, st.sampled_from(HEADS), BODIES, PARTS)
EDITS = st.lists(st.tuples(st.sampled_from(["edit", "add", "remove", "move"]), st.sampled_from(NAMES), TEXTS), min_size=1, max_size=3)
VAULTS = st.dictionaries(st.sampled_from(NAMES), TEXTS, min_size=1, max_size=9)
QUICK = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def index_shuffled(files: Mapping[str, str], seed: int) -> IndexResult:
    """Like `make_result`, with everything that has an order in another one; a snapshot's own order is fixed."""
    entries = list(list_entries(files))
    facts = [(entry.blob, parse_text(files[entry.path])[0]) for entry in entries if is_page(entry.path)]
    random.Random(seed).shuffle(facts)
    return build_index("brain", "Brain", Snapshot(None, None, tuple(entries)), Origin(), History(), dict(facts), Known())


@pytest.mark.req("P14")
@QUICK
@given(VAULTS, st.integers(0, 9))
def test_the_order_of_what_comes_in_does_not_matter(files: dict[str, str], seed: int) -> None:
    generator = random.Random(seed)
    paths = list(files)
    shuffled = generator.sample(paths, len(paths))
    assert build_names(paths, [], []) == build_names(shuffled, [], [])
    pages, assets = [path for path in shuffled if is_page(path)], [path for path in shuffled if not is_page(path)]
    names = build_names(paths, [], [])
    assert assign_addresses(pages, assets, names) == assign_addresses(sorted(pages), sorted(assets), names)
    assert index_shuffled(files, seed) == make_result(files)


@pytest.mark.req("P02", "P14")
@QUICK
@given(VAULTS, EDITS)
def test_an_index_after_an_edit_is_that_of_a_fresh_run(files: dict[str, str], edits: list[tuple[str, str, str]]) -> None:
    last = make_result(files)
    for kind, name, text in edits:
        files = change(files, kind, name, text)
        known = copy_known(last.known)
        incremental = make_result(files, last=known, before=last.history)
        fresh = make_result(files)
        for part in ("targets", "graph", "addresses", "redirects", "findings", "pages", "known"):
            assert getattr(incremental, part) == getattr(fresh, part), part
        check_touched(last, incremental)
        last = incremental


def change(files: dict[str, str], kind: str, name: str, text: str) -> dict[str, str]:
    """Return the files after one edit; `name` chooses which."""
    if kind == "add" or not files:
        return {**files, name: text}
    paths = sorted(files)
    chosen = paths[len(name) % len(paths)]
    if kind == "edit":
        return {**files, chosen: files[chosen] + "\n" + text}
    rest = {path: content for path, content in files.items() if path != chosen}
    return rest if kind == "remove" else {**rest, name: files[chosen]}


def check_touched(last: IndexResult, now: IndexResult) -> None:
    """A page that is not planned again shows what it showed: the job of the last run is the job of this one."""
    if now.touched is None or last.addresses != now.addresses:
        return
    before, partial, whole = make_jobs(last), make_jobs(now, touched=now.touched), make_jobs(now)
    for file, job in whole.items():
        assert partial.get(file, before.get(file)) == job, file


@pytest.mark.req("P15")
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sets(st.sampled_from(NAMES), min_size=1, max_size=25))
def test_no_two_pages_share_an_address(paths: set[str]) -> None:
    pages, assets = [path for path in paths if is_page(path)], [path for path in paths if not is_page(path)]
    addresses, _ = assign_addresses(pages, assets, build_names(paths, [], []))
    assert set(paths) <= addresses.keys()
    files = [normalize("NFC", addresses[path].file).casefold() for path in paths]
    assert len(set(files)) == len(files)
    folders = {"/".join(file.split("/")[:length]) for file in files for length in range(1, file.count("/") + 1)}
    assert folders.isdisjoint(files)
    assert not any(addresses[path].file.startswith("_/") for path in paths)


@pytest.mark.req("P08", "P15")
@QUICK
@given(VAULTS)
def test_every_published_page_is_reached_from_the_contents(files: dict[str, str]) -> None:
    result = make_result(files)
    listed = set()
    for job in make_plan(result).jobs:
        if job.view.kind == "contents":
            for href in re.findall(r'href="([^"#]*)', job.view.content):
                listed.add(posixpath.normpath(posixpath.join("/", job.view.url, unquote(href))).strip("/"))
    wanted = {posixpath.dirname(result.addresses[path].file): path for path in result.graph.nodes}
    assert {path for folder, path in wanted.items() if folder not in listed} == set()


@pytest.mark.req("P15")
@QUICK
@given(VAULTS)
def test_no_two_files_of_a_plan_are_one(files: dict[str, str]) -> None:
    result = make_result(files)
    written = [file for job in make_plan(result).jobs for file in (job.file, job.twin) if file]
    folded = [normalize("NFC", file).casefold() for file in written]
    assert len(set(folded)) == len(folded)
