"""Where a refresh finds the repository: bare, pushed, detached, shallow, empty, read-only, with work of somebody's own in it."""

import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.errors import BrainpressError, RefusalError, SourceError
from indexer.publish.maps_log import add_log
from indexer.sources import fetch_mirror
from indexer.sources.branch import Branch, find_branch
from indexer.sources.pushing import read_push_address
from indexer.writes.lock import BusyError, hold_lock
from indexer.writes.refresh import PushTarget, RefreshOrder, plan_refresh, refresh_maps
from tests.tools.refreshing import MARKED, draw_simply, is_clean, list_files, order, read_log
from tests.tools.repos import GitRepo, run_git
from tests.tools.trees import read_tree
from tests.tools.vaults import Link, write_files

RepoFactory = Callable[..., GitRepo]
PAGES = {"index.md": MARKED, "notes/a.md": "A", "notes/b.md": "B"}


def refuse(given: RefreshOrder, match: str) -> SourceError:
    with pytest.raises(SourceError, match=match) as caught:
        refresh_maps(given)
    assert caught.value.hint or "BUG" not in caught.value.message
    return caught.value


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own, of `size`; skipped where that takes rights that are not there."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("mounting a small disk takes rights that this user does not have")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def mirror_order(remote: Path, mirror: Path) -> RefreshOrder:
    def open_branch() -> Branch:
        fetch_mirror(f"file://{remote}", mirror, "main", allow_local=True)
        return find_branch(mirror, name="main")

    return RefreshOrder(open_branch, draw_simply(mirror), add_log, push=PushTarget(f"file://{remote}", allow_local=True), follows=True)


@pytest.mark.req("T28")
def test_a_bare_repository_gets_the_same_commit(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    bare = repo.bare(tmp_path / "bare.git")
    done = refresh_maps(order(bare))
    assert run_git(bare, "rev-parse", "main") == done.head
    assert ".brain/hubs/notes.md" in list_files(bare)
    run_git(bare, "fsck", "--strict")


@pytest.mark.req("T28")
def test_a_repo_elsewhere_is_refreshed_through_its_mirror_and_pushed(git_repo: RepoFactory, tmp_path: Path) -> None:
    remote = git_repo(PAGES).bare(tmp_path / "remote.git")
    given = mirror_order(remote, tmp_path / "mirror.git")
    done = refresh_maps(given)
    assert done.pushed
    assert run_git(remote, "rev-parse", "main") == done.head
    again = refresh_maps(given)
    assert (again.status, again.head) == ("unchanged", done.head)


@pytest.mark.req("T28")
def test_a_push_that_lost_the_race_is_done_again_on_top_of_the_other(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    remote = repo.bare(tmp_path / "remote.git")
    given = mirror_order(remote, tmp_path / "mirror.git")

    def draw_slowly(revision: str, now: dict[str, bytes]) -> object:
        drawn = given.draw(revision, now)
        if len(repo.commits) == 1:
            repo.commit({"notes/d.md": "D"})
            run_git(repo.path, "push", "--quiet", str(remote), "main")
        return drawn

    done = refresh_maps(replace(given, draw=draw_slowly))
    assert done.revision == repo.commits[1]
    assert read_log(remote, "main") == ["Refresh the maps", "Change pages", "First pages"]
    assert "- notes/d.md" in run_git(remote, "show", "main:.brain/index.md")


@pytest.mark.req("T28")
@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_a_push_that_is_refused_changes_nothing_and_says_what_the_other_side_said(git_repo: RepoFactory, tmp_path: Path, hook: str) -> None:
    remote = git_repo(PAGES).bare(tmp_path / "remote.git")
    script = remote / "hooks" / hook
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho 'main is protected' >&2\nexit 1\n", encoding="utf-8")
    script.chmod(0o755)
    before = run_git(remote, "rev-parse", "main")
    error = refuse(mirror_order(remote, tmp_path / "mirror.git"), "did not take the commit")
    assert "main is protected" in error.message
    assert "hook declined" in error.message
    assert run_git(remote, "rev-parse", "main") == before == run_git(tmp_path / "mirror.git", "rev-parse", "main")
    script.unlink()
    assert refresh_maps(mirror_order(remote, tmp_path / "mirror.git")).pushed


def test_a_clone_pushes_to_its_remote_first_and_follows_it(git_repo: RepoFactory, tmp_path: Path) -> None:
    remote = git_repo(PAGES).bare(tmp_path / "remote.git")
    run_git(tmp_path, "clone", "--quiet", str(remote), "clone")
    clone = tmp_path / "clone"
    name, address = read_push_address(find_branch(clone))
    assert (name, address) == ("origin", str(remote))
    done = refresh_maps(replace(order(clone), push=PushTarget(address, name, allow_local=True)))
    for where, ref in ((remote, "main"), (clone, "main"), (clone, "origin/main")):
        assert run_git(where, "rev-parse", ref) == done.head
    assert is_clean(clone)


def test_a_clone_that_is_behind_is_told_to_pull_and_keeps_its_branch(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    remote = repo.bare(tmp_path / "remote.git")
    run_git(tmp_path, "clone", "--quiet", str(remote), "clone")
    repo.commit({"notes/d.md": "D"})
    run_git(repo.path, "push", "--quiet", str(remote), "main")
    error = refuse(order(tmp_path / "clone", push_to=remote), "Nothing was pushed")
    assert "git pull" in error.hint
    assert read_log(tmp_path / "clone") == ["First pages"]
    assert read_log(remote, "main") == ["Change pages", "First pages"]
    assert is_clean(tmp_path / "clone")


def test_a_refresh_that_was_not_pushed_is_pushed_when_that_is_asked_for(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    remote = repo.bare(tmp_path / "remote.git")
    head = refresh_maps(order(repo.path)).head
    done = refresh_maps(order(repo.path, push_to=remote))
    assert (done.status, done.pushed) == ("unchanged", True)
    assert run_git(remote, "rev-parse", "main") == head


@pytest.mark.threat(4)
@pytest.mark.threat(5)
@pytest.mark.parametrize("address", ["ext::sh -c true", "--upload-pack=x", "/tmp/x", "file:///tmp/x", "http://example.org/x"])
def test_addresses_that_could_run_something_are_not_pushed_to(git_repo: RepoFactory, address: str) -> None:
    repo = git_repo(PAGES)
    refuse(replace(order(repo.path), push=PushTarget(address)), "Nothing can be pushed there")
    assert read_log(repo.path) == ["First pages"]


@pytest.mark.parametrize(
    ("name", "files"),
    [("MERGE_HEAD", "merge"), ("rebase-merge", "rebase"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("index.lock", "git command")],
)
def test_nothing_is_committed_while_other_work_is_under_way(git_repo: RepoFactory, name: str, files: str) -> None:
    repo = git_repo(PAGES)
    (repo.path / ".git" / name).write_text(repo.commits[0], encoding="utf-8")
    assert refuse(order(repo.path), files).hint
    assert read_log(repo.path) == ["First pages"]


@pytest.mark.req("T37")
@pytest.mark.parametrize("way", ["edited", "staged", "beside", "linked"])
def test_changes_of_ones_own_in_the_maps_are_never_overwritten(git_repo: RepoFactory, way: str) -> None:
    repo = git_repo(PAGES)
    if way == "beside":
        write_files(repo.path, {".brain/index.md": "mine"})
    elif way == "linked":
        write_files(repo.path, {"elsewhere/x": "", ".brain": Link("elsewhere")})
    else:
        write_files(repo.path, {"index.md": MARKED + "mine\n"})
        if way == "staged":
            run_git(repo.path, "add", "index.md")
            write_files(repo.path, {"index.md": MARKED})
    before = read_tree(repo.path)
    error = refuse(order(repo.path), "changes of your own")
    assert "git restore" in error.hint
    after = read_tree(repo.path)
    assert {path: after[path] for path in before if not path.startswith(".git/")} == {
        path: before[path] for path in before if not path.startswith(".git/")
    }
    assert read_log(repo.path) == ["First pages"]


def test_other_changes_of_ones_own_stay_as_they_are(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    write_files(repo.path, {"notes/a.md": "edited", "notes/b.md": "staged", "new.md": "untracked"})
    run_git(repo.path, "add", "notes/b.md")
    before = run_git(repo.path, "status", "--porcelain")
    refresh_maps(order(repo.path))
    assert run_git(repo.path, "status", "--porcelain") == before
    assert run_git(repo.path, "show", "HEAD:notes/b.md") == "B"


@pytest.mark.parametrize("path", [".brain", ".brain/hubs", ".brain/index.md"])
def test_what_is_committed_in_the_place_of_a_map_is_left_alone(git_repo: RepoFactory, path: str) -> None:
    repo = git_repo({**PAGES, path: Link("notes/a.md")})
    assert "Move it away" in refuse(order(repo.path), "something else than a map").hint
    assert read_log(repo.path) == ["First pages"]


def test_a_detached_head_is_told_and_a_named_branch_moves_without_it(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    run_git(repo.path, "switch", "--quiet", "--detach")
    assert "--branch" in refuse(order(repo.path), "on no branch").hint
    done = refresh_maps(order(repo.path, name="main"))
    assert run_git(repo.path, "rev-parse", "main") == done.head
    assert run_git(repo.path, "rev-parse", "HEAD") == repo.commits[0]
    assert is_clean(repo.path)


@pytest.mark.parametrize(("name", "match"), [("", "has no commit yet"), ("nope", "has no commit yet"), ("-x", "not the name of a branch")])
def test_a_repository_without_a_commit_is_told(git_repo: RepoFactory, name: str, match: str) -> None:
    refuse(order(git_repo().path, name=name), match)


def test_a_branch_that_is_missing_is_told_with_those_there_are(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    assert "main" in refuse(order(repo.path, name="nope"), "no branch `nope`").hint
    (tmp_path / "plain").mkdir()
    refuse(order(tmp_path / "plain"), "in no git repository")
    run_git(repo.path, "switch", "--quiet", "--orphan", "empty")
    assert "main" in refuse(order(repo.path), "no branch `empty`").hint


def test_a_shallow_clone_is_refreshed_and_its_refresh_triggers_none(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    repo.commit({"notes/d.md": "D"})
    remote = repo.bare(tmp_path / "remote.git")
    run_git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{remote}", "one")
    done = refresh_maps(order(tmp_path / "one", push_to=remote))
    assert (done.status, run_git(remote, "rev-parse", "main")) == ("refreshed", done.head)
    run_git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{remote}", "two")
    assert refresh_maps(order(tmp_path / "two")).status == "fresh"
    assert plan_refresh(order(tmp_path / "two")).status == "fresh"


def test_a_linked_work_tree_is_brought_up_and_a_branch_shown_elsewhere_is_refused(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    run_git(repo.path, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    refresh_maps(order(tmp_path / "side"))
    assert is_clean(tmp_path / "side")
    assert (tmp_path / "side" / ".brain" / "index.md").is_file()
    assert is_clean(repo.path)
    assert str(tmp_path / "side") in refuse(order(repo.path, name="side"), "another work tree").hint
    refuse(order(tmp_path / "side", name="main"), "another work tree")


@pytest.mark.req("P13")
def test_a_full_disk_leaves_the_repository_as_it_was(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    with small_disk(tmp_path / "disk", "1m") as disk:
        bare = repo.bare(disk / "bare.git")
        filler = disk / "filler"
        with pytest.raises(OSError, match="No space"):
            filler.write_bytes(b"x" * 2_000_000)
        error = refuse(order(bare), "disk is full")
        assert "Free some space" in error.hint
        filler.unlink()
        assert run_git(bare, "rev-parse", "main") == repo.commits[0]
        assert refresh_maps(order(bare)).status == "refreshed"
        run_git(bare, "fsck", "--strict")


@pytest.mark.req("P13")
def test_a_limit_on_the_size_of_files_is_told_as_a_full_disk(git_repo: RepoFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = git_repo(PAGES)
    monkeypatch.setattr("indexer.sources.commits.WRITE_FILE_SIZE", 20)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20
    refuse(order(repo.path), "disk is full")
    monkeypatch.undo()
    assert refresh_maps(order(repo.path)).status == "refreshed"


@pytest.mark.req("P13")
def test_a_repository_that_may_not_be_written_to_is_told(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    with small_disk(tmp_path / "disk", "8m") as disk:
        bare = repo.bare(disk / "bare.git")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        error = refuse(order(bare), "may not be written to")
        assert error.hint
        with pytest.raises(SourceError, match="may not be written to"), hold_lock(bare / "brain-refresh.lock"):
            pass


def test_a_refusal_at_the_last_moment_writes_nothing(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    remote = repo.bare(tmp_path / "remote.git")

    def refuse_now() -> None:
        raise RefusalError("It is kept as it is now.")

    before = read_tree(remote)
    with pytest.raises(BrainpressError, match="kept as it is"):
        refresh_maps(replace(order(repo.path, push_to=remote), check_rights=refuse_now))
    assert read_tree(remote) == before
    assert read_log(repo.path) == ["First pages"]


def test_one_lock_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "brain-refresh.lock"
    with hold_lock(file), pytest.raises(BusyError, match="Another refresh"), hold_lock(file):
        pass
    child = os.fork()
    if child == 0:
        with hold_lock(file):
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    with hold_lock(file):
        pass
    shutil.rmtree(file.parent)
