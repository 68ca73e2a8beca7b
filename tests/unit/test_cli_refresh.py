"""`brain refresh`: the maps of one repo, as a person asks for them (SPEC T06, T28, T29, T37)."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.commands import run_brain
from tests.tools.refreshing import MARKED, is_clean, list_files, read_log
from tests.tools.repos import GitRepo, run_git
from tests.tools.trees import read_tree
from tests.tools.vaults import write_files

RepoFactory = Callable[..., GitRepo]
PAGES = {
    "index.md": MARKED,
    "notes/a.md": "# Turbines\n\nHow the turbine blades are balanced.\n",
    "notes/b.md": "# Blades\n\nBlades of a turbine are balanced by weight.\n",
    "ops/c.md": "# On call\n\nWho answers at night. See [[Turbines]].\n",
}
TENANT = """\
id: acme
title: Acme
accounts: [{id: ann, name: Ann}]
memberships: [{account: ann, role: operator}]
repos:
  - {id: one, title: One, folder: one, owner: ann}
  - {id: kept, title: Kept, folder: kept, owner: ann, kept_as_is: true}
"""


@pytest.mark.req("T28", "T29", "T30", "T31", "T37")
def test_a_newcomer_refreshes_a_repository_and_sees_what_happened(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    stale = run_brain("refresh", repo.path, "--status")
    assert (stale.code, "repo: stale" in stale.out, "no refresh was ever committed".capitalize() in stale.out) == (1, True, True)
    before = read_tree(repo.path)
    planned = run_brain("refresh", repo.path, "--dry-run")
    assert planned.code == 0
    assert ".brain/index.md  +" in planned.out
    assert "nothing was changed" in planned.err
    assert read_tree(repo.path) == before
    done = run_brain("refresh", repo.path)
    assert done.code == 0, done.said
    assert f"Committed as {run_git(repo.path, 'rev-parse', 'HEAD')[:12]}" in done.err
    assert is_clean(repo.path)
    assert run_git(repo.path, "show", "HEAD:index.md") != MARKED.rstrip()
    assert run_git(repo.path, "diff", "--name-only", "HEAD~1", "--", "notes", "ops") == ""
    fresh = run_brain("refresh", repo.path, "--status", "--json")
    assert (fresh.code, fresh.json["state"], fresh.json["refreshed"]) == (0, "fresh", repo.commits[0])
    again = run_brain("refresh", repo.path)
    assert "up to date" in again.err
    assert len(read_log(repo.path)) == 2


@pytest.mark.req("T29", "P06")
def test_no_refresh_finds_something_in_the_maps_of_the_last(git_repo: RepoFactory) -> None:
    """What was written into `index.md` and `.brain/` is not read as content, however often."""
    repo = git_repo(PAGES)
    run_brain("refresh", repo.path)
    maps = {path: blob for path, blob in list_files(repo.path).items() if path.startswith(".brain/") and not path.endswith("log.md")}
    repo.commit({"other.txt": "no page"})
    assert "up to date" in run_brain("refresh", repo.path).err
    assert {path: list_files(repo.path)[path] for path in maps} == maps


@pytest.mark.req("P19", "X01", "T37")
def test_hidden_pages_leave_no_trace_in_the_maps(git_repo: RepoFactory) -> None:
    hidden = {
        "notes/canary.md": "---\ndraft: true\n---\n# Canarytitle\n\nThe canaryword about turbine blades. [[Turbines]]\n",
        "canaryfolder/x.md": "---\nprivate: yes\n---\n# Another\n\ncanaryword\n",
    }
    with_hidden, without = git_repo({**PAGES, **hidden}, "with/pages"), git_repo(PAGES, "without/pages")
    for repo in (with_hidden, without):
        assert run_brain("refresh", repo.path).code == 0
    shown = [list_files(repo.path) for repo in (with_hidden, without)]
    maps = [{path: blob for path, blob in files.items() if path == "index.md" or path.startswith(".brain/")} for files in shown]
    assert maps[0].keys() == maps[1].keys()
    assert [path for path in maps[0] if maps[0][path] != maps[1][path]] == [".brain/log.md"], "which names the revision that was read"
    assert "canary" not in run_git(with_hidden.path, "show", "HEAD:.brain/log.md")
    assert "canary" not in run_git(with_hidden.path, "log", "-1", "--format=%B").lower()


@pytest.mark.req("T06")
def test_a_repo_that_is_kept_as_it_is_is_refused_and_not_read(tmp_path: Path) -> None:
    ws = write_files(tmp_path / "ws", {"acme/tenant.yml": TENANT})
    for name in ("one", "kept"):
        GitRepo.create(ws / "acme" / name).commit(PAGES)
    registry = tmp_path / "registry.sqlite"
    assert run_brain("registry", "apply", ws, "--registry", registry).code == 0
    for args in ((ws, "--repo", "kept"), (ws / "acme" / "kept",), (ws, "--repo", "acme/kept", "--dry-run")):
        refused = run_brain("refresh", *args)
        assert refused.code == 3
        assert "acme/kept is kept as it is" in refused.err
        assert "kept_as_is: false" in refused.err
    assert len(read_log(ws / "acme" / "kept")) == 1
    assert run_brain("refresh", ws, "--repo", "one", "--registry", registry).code == 0
    listed = {row["id"]: row for row in json.loads(run_brain("repo", "list", "--registry", registry, "--json").out)}
    assert (listed["one"]["state"], listed["kept"]["state"]) == ("fresh", "")
    run_brain("repo", "keep", "one", "--registry", registry)
    (ws / "acme" / "one" / "d.md").write_text("new", encoding="utf-8")
    GitRepo(ws / "acme" / "one").commit()
    assert "is kept as it is" in run_brain("refresh", ws, "--repo", "one", "--registry", registry).err


@pytest.mark.req("P13")
def test_wrong_arguments_are_told_with_what_would_be_right(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    ws = write_files(tmp_path / "ws", {"acme/tenant.yml": TENANT, "acme/one/a.md": "A"})
    for args, code, said in (
        ((ws,), 2, "--repo with one of: acme/kept, acme/one"),
        ((ws, "--repo", "nope"), 2, "no active repo nope"),
        ((repo.path, "--repo", "x"), 2, "no workspace"),
        (("https://git.example.org/a/b",), 2, "--branch"),
        ((tmp_path / "nowhere",), 3, "Check the spelling"),
        ((ws, "--repo", "one"), 3, "in no git repository"),
        ((repo.path, "--push"), 3, "no remote to push to"),
        ((repo.path, "--push-to", "ext::sh"), 3, "Nothing can be pushed there"),
        ((repo.path, "--embed", "http://example.org"), 2, "loopback"),
    ):
        done = run_brain("refresh", *args)
        assert (done.code, said in done.err) == (code, True), f"{args}: {done.code} {done.said}"
    assert len(read_log(repo.path)) == 1


@pytest.mark.req("T28")
def test_a_clone_pushes_when_it_is_asked_to(git_repo: RepoFactory, tmp_path: Path) -> None:
    remote = git_repo(PAGES).bare(tmp_path / "remote.git")
    run_git(tmp_path, "clone", "--quiet", str(remote), "clone")
    refused = run_brain("refresh", tmp_path / "clone", "--push")
    assert (refused.code, "--push-to" in refused.err) == (3, True), "a folder of this machine has to be named"
    assert len(read_log(tmp_path / "clone")) == 1
    done = run_brain("refresh", tmp_path / "clone", "--push-to", remote)
    assert "and pushed" in done.err
    assert read_log(remote, "main") == ["Refresh the maps", "First pages"]


@pytest.mark.req("T32")
def test_relations_wait_while_their_server_is_down_and_come_when_it_is_left_out(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    waits = run_brain("refresh", repo.path, "--embed", "http://127.0.0.1:9")
    assert waits.code == 0, waits.said
    assert "Relations wait" in waits.err
    assert run_brain("refresh", repo.path, "--status").code == 1
    assert "relations wait" in run_git(repo.path, "show", "HEAD:.brain/log.md")
    run_brain("refresh", repo.path)
    assert run_brain("refresh", repo.path, "--status").code == 0


def test_a_cache_that_is_damaged_costs_time_only(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert run_brain("refresh", repo.path, env=env).code == 0
    for file in (tmp_path / "cache").rglob("*.sqlite"):
        file.write_bytes(b"nonsense" * 1000)
        with pytest.raises(sqlite3.DatabaseError):
            sqlite3.connect(file).execute("select * from page")
    repo.commit({"notes/d.md": "D"})
    assert run_brain("refresh", repo.path, env=env).code == 0
    shutil.rmtree(tmp_path / "cache")
