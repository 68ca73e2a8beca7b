"""A refresh that is killed at any step and run again gives the same maps, one commit, and loses nothing (issue 5, done when 4)."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.sources.branch import find_branch
from indexer.sources.pushing import read_push_address
from indexer.writes.lock import hold_lock
from indexer.writes.refresh import PushTarget, RefreshOrder, refresh_maps
from tests.tools.kill_points import run_until
from tests.tools.refreshing import MARKED, is_clean, list_files, order, read_log
from tests.tools.repos import GitRepo, run_git
from tests.unit.test_refresh_places import mirror_order

RepoFactory = Callable[..., GitRepo]
PAGES = {"index.md": MARKED, "notes/a.md": "A", "other/b.md": "B"}
FEWEST = 15
"""Steps that a refresh takes at least; a test that kills at fewer would not be at every step."""


def refresh_locked(given: RefreshOrder, lock: Path) -> None:
    with hold_lock(lock):
        refresh_maps(given)


def find_locks(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.lock")) if folder.exists() else []


def prepare(git_repo: RepoFactory, tmp_path: Path) -> tuple[GitRepo, Path]:
    """A repository that was refreshed once and has changed since: maps come, change and go. Returned with a bare copy."""
    repo = git_repo(PAGES)
    refresh_maps(order(repo.path))
    repo.commit({"third/c.md": "C"}, remove=("other/b.md",))
    return repo, repo.bare(tmp_path / "remote.git")


@pytest.mark.req("T28", "T29")
@pytest.mark.parametrize("place", ["worktree", "clone", "mirror"])
def test_a_refresh_killed_at_every_step_and_run_again_ends_the_same(git_repo: RepoFactory, tmp_path: Path, place: str) -> None:
    repo, remote = prepare(git_repo, tmp_path)
    expected = refresh_maps(order(repo.bare(tmp_path / "whole.git"))).head
    before = read_log(remote, "main")
    step, ended = 0, False
    while not ended:
        scene = tmp_path / f"scene{step}"
        scene.mkdir()
        other = Path(shutil.copytree(remote, scene / "remote.git"))
        where, given, shown = lay_out(place, repo, other, scene)
        lock = scene / "refresh.lock"
        ended = run_until(step, partial(refresh_locked, given, lock), scene)
        for side, ref in shown:
            assert read_log(side, ref) in (before, ["Refresh the maps", *before]), f"step {step}: half of something"
        refresh_locked(given, lock)
        for side, ref in shown:
            assert run_git(side, "rev-parse", ref) == expected, f"killed before step {step}"
        if place in {"worktree", "clone"}:
            assert is_clean(where), f"killed before step {step}"
            check_files(where)
        assert find_locks(where) == []
        shutil.rmtree(scene)
        step += 1
    assert step > FEWEST


def lay_out(place: str, repo: GitRepo, remote: Path, scene: Path) -> tuple[Path, RefreshOrder, list[tuple[Path, str]]]:
    """Return where the refresh works, its order, and the branches that must have its commit afterwards."""
    if place == "worktree":
        copy = Path(shutil.copytree(repo.path, scene / "copy", symlinks=True))
        return copy, order(copy), [(copy, "main")]
    if place == "mirror":
        mirror = scene / "mirror.git"
        return mirror, mirror_order(remote, mirror), [(remote, "main")]
    run_git(scene, "clone", "--quiet", str(remote), "clone")
    clone = scene / "clone"
    name, address = read_push_address(find_branch(clone))
    push = PushTarget(address, name, allow_local=True)
    return clone, replace(order(clone), push=push), [(remote, "main"), (clone, "main")]


def check_files(where: Path) -> None:
    """The files are those of the commit, and none was left beside them."""
    committed = sorted(path for path in list_files(where) if path.startswith(".brain/"))
    assert sorted(path.relative_to(where).as_posix() for path in (where / ".brain").rglob("*") if path.is_file()) == committed
