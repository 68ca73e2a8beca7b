"""Two branches that each add a page and each refresh: git merges them without a conflict, and the next refresh puts the maps straight."""

import json
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

import pytest

from indexer.model.maps import FOLDER, FRONT, GRAPH, LOG
from indexer.model.relations import Mention, Relations
from indexer.publish.maps import make_maps
from indexer.publish.maps_graph import read_recorded
from indexer.publish.maps_log import add_log
from tests.tools.repos import GitRepo, run_git
from tests.tools.results import make_result

START = "# Start\n\n<!-- brain:index -->\n<!-- /brain:index -->\n\nOurs.\n"


def read_files(root: Path) -> dict[str, str]:
    """Return the files of a work tree."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in root.rglob("*.*")
        if path.is_file() and ".git/" not in str(path)
    }


def relate(content: Collection[str]) -> Relations:
    """Return relations that change with every page that comes."""
    paths = sorted(path for path in content if path != FRONT)
    related = {path: ((other, 0.5),) for path, other in pairwise(paths)}
    return Relations(related, tuple(Mention(path, 3, "Page", paths[0], 1) for path in paths[1:]))


def refresh(repo: GitRepo, when: str) -> dict[str, bytes]:
    """Write and commit the maps as the refresh does."""
    files = read_files(repo.path)
    content = {path: text for path, text in files.items() if not path.startswith(FOLDER)}
    kept = {path: text.encode() for path, text in files.items() if path.startswith(FOLDER) or path == FRONT}
    maps = dict(make_maps(make_result(content), relate(content), kept))
    repo.commit({**maps, LOG: add_log(kept.get(LOG, b""), when, "Maps made anew.")}, message="Refresh the maps")
    return maps


def pages(folder: str, count: int) -> dict[str, str]:
    """Return some pages in a folder."""
    return {f"{folder}/p{number:03d}.md": f"# Page {number:03d} of {folder}\n\nIt is about {number}.\n" for number in range(count)}


@pytest.mark.req("T29")
@pytest.mark.parametrize("known", [True, False], ids=["maps before", "no maps before"])
@pytest.mark.parametrize(
    ("count", "ours", "theirs"),
    [
        (0, "notes/new-a.md", "notes/new-b.md"),
        (60, "notes/new-a.md", "notes/new-b.md"),
        (400, "notes/new-a.md", "notes/new-b.md"),
        (60, "notes/zz.md", "other/zz.md"),
        (60, "x/a.md", "y/a.md"),
    ],
)
def test_two_branches_that_each_add_a_page_and_refresh_merge_without_a_conflict(
    tmp_path: Path, known: bool, count: int, ours: str, theirs: str
) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    repo.commit({"index.md": START, **pages("notes", count), **pages("other", count)})
    if known:
        refresh(repo, "2026-11-01 10:00")
    for name, path in (("left", ours), ("right", theirs)):
        run_git(repo.path, "checkout", "-q", "-b", name, "main")
        repo.commit({path: f"# New page {name}\n\nAdded on the {name}. See [[p001]].\n"})
        refresh(repo, f"2026-11-02 {'10' if name == 'left' else '11'}:00")
    run_git(repo.path, "checkout", "-q", "left")
    who = ("-c", "user.name=Ada Fields", "-c", "user.email=ada@example.org")
    run_git(repo.path, *who, "merge", "-q", "--no-edit", "right")
    merged = read_files(repo.path)
    assert "<<<<<<<" not in "".join(merged.values())
    json.loads(merged[GRAPH])
    published = {path for path in merged if path.endswith(".md") and not path.startswith(FOLDER)}
    recorded = read_recorded(merged[GRAPH].encode(), published)
    assert recorded is not None
    assert set(recorded.related) <= published
    maps = refresh(repo, "2026-11-03 10:00")
    content = {path: text for path, text in merged.items() if not path.startswith(FOLDER)}
    fresh = make_maps(make_result(content), relate(content), {FRONT: START.encode()})
    assert maps == fresh
    log = (repo.path / LOG).read_text("utf-8").splitlines()
    assert [entry[2:18] for entry in log[-3:]] == ["2026-11-02 10:00", "2026-11-02 11:00", "2026-11-03 10:00"]
