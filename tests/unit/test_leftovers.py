"""What a build made itself and no declaration names any more goes; nothing else ever does."""

import json
import shutil
from functools import partial
from pathlib import Path

import duckdb
import pytest
from jsonschema import Draft202012Validator

from indexer.cli.schema import find_schemas
from indexer.model.progress import Silent
from indexer.model.result import Leftover
from indexer.pipeline import build_all
from indexer.publish.output_lock import hold_output
from indexer.sources.orders import BuildOptions
from tests.tools.commands import run_brain
from tests.tools.kill_points import run_until
from tests.tools.repos import GitRepo
from tests.tools.trees import compare_trees, read_tree
from tests.tools.vaults import write_files

HERE = BuildOptions(processes=1, wait=0)
HEAD = """\
id: {tenant}
title: {tenant}
accounts: [{{id: ana, name: Ana, email: ana@{tenant}.example}}]
memberships: [{{account: ana, role: operator}}]
repos:
"""


def declare(root: Path, tenant: str, *repos: str, archived: tuple[str, ...] = ()) -> None:
    lines = [
        f"  - {{id: {repo}, title: {repo}, owner: ana, folder: {repo}{', status: archived' if repo in archived else ''}}}\n"
        for repo in repos
    ]
    text = HEAD.format(tenant=tenant) + "".join(lines) if lines else HEAD.format(tenant=tenant).replace("repos:\n", "repos: []\n")
    write_files(root / tenant, {"tenant.yml": text})


def build(root: Path, out: Path, **options: object) -> list[Leftover]:
    return list(build_all(root, out, BuildOptions(processes=1, wait=0, **options)).leftovers)  # type: ignore[arg-type]


def list_rows(out: Path, tenant: str = "blue") -> list[str]:
    with duckdb.connect(str(out / tenant / "index.duckdb"), read_only=True) as connection:
        return [name for (name,) in connection.execute("select name from repo union select repo from page order by 1").fetchall()]


def list_made(out: Path) -> list[str]:
    """All files but those that the second build of a website has more than the first."""
    return [name for name in sorted(read_tree(out)) if ".brain/s" not in name]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Tenant `blue` with two repos, and `green` with one."""
    root = write_files(tmp_path / "ws", {f"{repo}/a.md": f"# {repo}" for repo in ("blue/one", "blue/old", "green/one")})
    declare(root, "blue", "one", "old")
    declare(root, "green", "one")
    return root


@pytest.fixture
def out(root: Path, tmp_path: Path) -> Path:
    """What was built of it."""
    assert build(root, tmp_path / "out") == []
    return tmp_path / "out"


@pytest.mark.req("P07", "P14")
@pytest.mark.threat(50)
def test_what_was_built_of_a_repo_that_was_taken_out_goes_and_nothing_else(root: Path, out: Path, tmp_path: Path) -> None:
    declare(root, "blue", "one")
    done = run_brain("build", root, "--out", out, "--jobs", "1")
    assert done.code == 0
    assert f"blue/old: tenant.yml names it no more; {out}/blue/old, which was built of it, was removed." in done.said
    never = tmp_path / "never"
    build(root, never)
    assert list_made(out) == list_made(never)
    for site in ("blue/one/site", "green/one/site"):
        assert compare_trees(read_tree(never / site), read_tree(out / site)) == []
    assert not (out / "blue/old").exists()
    assert list_rows(out) == ["one"]
    assert "old" not in run_brain("build", root, "--out", out, "--jobs", "1").said, "it is told once"
    declare(root, "blue", "one", "old")
    build(root, out)
    assert (out / "blue/old/site/a/index.html").exists(), "it comes back when it is named again"


@pytest.mark.req("P17")
def test_programs_read_what_was_removed_and_what_stays(root: Path, out: Path) -> None:
    declare(root, "blue", "one")
    shutil.rmtree(root / "green")
    said = run_brain("build", root, "--out", out, "--json").json
    Draft202012Validator(json.loads(find_schemas()["build"].read_text("utf-8"))).validate(said)
    assert said["leftovers"] == [
        {"name": "blue/old", "folder": f"{out}/blue/old", "removed": True, "reason": None},
        {"name": "green", "folder": f"{out}/green", "removed": False, "reason": "another workspace may be built there"},
    ]


@pytest.mark.req("T15")
def test_an_archived_repo_keeps_its_site_for_the_day_it_comes_back_but_no_rows(root: Path, out: Path) -> None:
    before = read_tree(out / "blue/old")
    declare(root, "blue", "one", "old", archived=("old",))
    assert build(root, out) == []
    assert compare_trees(before, read_tree(out / "blue/old")) == []
    assert list_rows(out) == ["one"]


@pytest.mark.req("P07")
@pytest.mark.threat(50)
@pytest.mark.parametrize("archived", [True, False], ids=["archived", "taken out"])
def test_a_tenant_without_active_repos_keeps_no_rows(root: Path, out: Path, archived: bool) -> None:
    if archived:
        declare(root, "blue", "one", "old", archived=("one", "old"))
    else:
        declare(root, "blue")
    found = build(root, out)
    assert [leftover.name for leftover in found] == ([] if archived else ["blue/old", "blue/one"])
    assert list_rows(out) == []
    assert (out / "blue/one/site").exists() == archived
    assert list_rows(out, "green") == ["one"]
    assert build(root, out) == []


@pytest.mark.req("P07")
def test_a_tenant_that_never_had_a_repo_gets_no_folder(root: Path, tmp_path: Path) -> None:
    declare(root, "empty")
    build(root, tmp_path / "out")
    assert not (tmp_path / "out/empty").exists()


@pytest.mark.req("P01", "P13")
def test_after_a_failure_nothing_is_removed(root: Path, out: Path) -> None:
    before = sorted(read_tree(out / "blue/old"))
    declare(root, "blue", "one")
    shutil.move(root / "blue/one", root / "blue/moved")
    assert run_brain("build", root, "--out", out).code == 3
    assert sorted(read_tree(out / "blue/old")) == before
    shutil.move(root / "blue/moved", root / "blue/one")
    (root / "blue/tenant.yml").write_text("id: blue\nrepos: [", encoding="utf-8")
    assert run_brain("build", root, "--out", out).code == 3
    (root / "blue/tenant.yml").unlink()
    assert [leftover.name for leftover in build(root, out)] == ["blue"], "a folder without its tenant.yml says nothing about repos"
    assert sorted(read_tree(out / "blue/old")) == before


@pytest.mark.threat(1, 2, 50)
def test_nothing_without_our_mark_for_that_very_place_is_touched(root: Path, out: Path, tmp_path: Path) -> None:
    shutil.copytree(out / "blue/old", out / "blue/backup")
    shutil.copytree(out / "blue", out / "blue-2026")
    elsewhere = Path(shutil.copytree(out / "blue/old", tmp_path / "elsewhere"))
    (elsewhere / ".brain/made.for").write_text("blue/linked\n")
    (out / "blue/linked").symlink_to(elsewhere)
    write_files(out / "blue", {"notes/site/index.html": "mine", "notes/.brain/state.msgpack": "mine", "note.txt": "mine"})
    (out / "blue/half/.brain").mkdir(parents=True)
    (out / "blue/half/.brain/made.for").symlink_to(elsewhere / ".brain/made.for")
    assert run_brain("build", root / "green/one", "--out", out / "blue/single").code == 0
    declare(root, "blue", "one")
    untouched = ("blue/backup", "blue/notes", "blue/single", "blue-2026", "blue/half")
    before = [read_tree(out / name) for name in untouched], read_tree(elsewhere)
    assert [leftover.name for leftover in build(root, out)] == ["blue/old"]
    assert ([read_tree(out / name) for name in untouched], read_tree(elsewhere)) == before
    assert (out / "blue/linked").is_symlink()
    assert (out / "blue/note.txt").exists()


@pytest.mark.threat(50)
def test_a_repo_that_is_built_by_itself_from_then_on_stays(root: Path, out: Path) -> None:
    declare(root, "blue", "one")
    assert run_brain("build", root / "blue/old", "--out", out / "blue/old").code == 0
    assert build(root, out) == []
    assert (out / "blue/old/site/index.html").exists()


@pytest.mark.threat(2, 50)
def test_files_of_somebody_else_in_the_folder_stay_and_are_named(root: Path, out: Path, tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"keep.txt": "mine"})
    write_files(out / "blue/old", {"robots.txt": "mine", "extra/b.txt": "mine"})
    (out / "blue/old/report.csv").unlink()
    (out / "blue/old/report.csv").symlink_to(outside / "keep.txt")
    (out / "blue/old/.brain/link").symlink_to(outside)
    declare(root, "blue", "one")
    (leftover,) = build(root, out)
    assert leftover.reason == "files that brain did not make are in it: extra, report.csv, robots.txt and more"
    assert not (out / "blue/old/site").exists()
    assert not (out / "blue/old/.brain/state.msgpack").exists()
    assert (outside / "keep.txt").read_text() == "mine"
    said = run_brain("build", root, "--out", out).said
    assert f"{out}/blue/old stays: files that brain did not make are in it" in said
    assert f"To remove it by hand: rm -r {out}/blue/old" in said
    shutil.rmtree(out / "blue/old/extra")
    for name in ("robots.txt", "report.csv", ".brain/link"):
        (out / "blue/old" / name).unlink()
    assert [each.removed for each in build(root, out)] == [True]
    assert not (out / "blue/old").exists()
    assert (outside / "keep.txt").exists()


@pytest.mark.req("P13")
def test_a_folder_in_which_somebody_is_at_work_stays_until_the_next_build(root: Path, out: Path) -> None:
    declare(root, "blue", "one")
    with hold_output(out / "blue/old", 0, Silent()):
        (leftover,) = build(root, out)
    assert "another run of brain is at work there" in leftover.reason
    assert (out / "blue/old/site/index.html").exists()
    assert [each.removed for each in build(root, out)] == [True]


@pytest.mark.req("P13")
def test_what_may_not_be_removed_is_told_and_fails_nothing(root: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rmtree = shutil.rmtree

    def refuse(path: Path, ignore_errors: bool = False) -> None:
        if path.is_relative_to(out / "blue/old"):
            raise PermissionError(13, "Permission denied", str(path))
        rmtree(path, ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    declare(root, "blue", "one")
    (leftover,) = build(root, out)
    assert leftover.reason == "it cannot be removed: Permission denied"


@pytest.mark.req("P13", "P17")
def test_a_removal_that_is_killed_at_any_step_is_ended_by_the_next_build(root: Path, out: Path, tmp_path: Path) -> None:
    declare(root, "blue", "one")
    step, ended, alike = 0, False, 9
    while not ended:
        scene = Path(shutil.copytree(out, tmp_path / f"scene{step}"))
        ended = run_until(step, partial(build, root, scene), scene / "blue/old")
        build(root, scene)
        left = read_tree(scene / "blue/old") if (scene / "blue/old").exists() else {}
        assert not left, f"killed before step {step}"
        shutil.rmtree(scene)
        step += 1 if step < 12 else alike  # from there on one file of the site after the other goes
    assert step > 12 + 3 * alike


@pytest.mark.req("T01", "T09")
def test_what_the_registry_has_in_use_stays_until_apply_archives_it(root: Path, out: Path, tmp_path: Path) -> None:
    registry = tmp_path / "registry.sqlite"
    assert run_brain("registry", "apply", root, "--registry", registry).code == 0
    declare(root, "blue", "one")
    done = run_brain("build", root, "--out", out, "--registry", registry)
    assert done.code == 0
    assert "stays: the registry has it as active, until `brain registry apply` archives it." in done.said
    assert (out / "blue/old/site/index.html").exists()
    assert run_brain("registry", "apply", root, "--registry", registry).code == 0
    assert "removed" in run_brain("build", root, "--out", out, "--registry", registry).said
    assert not (out / "blue/old").exists()


@pytest.mark.req("T01", "T28")
def test_the_worker_removes_them_once_they_are_archived(root: Path, out: Path, tmp_path: Path) -> None:
    for repo in ("one", "old"):
        GitRepo.create(root / "blue" / repo).commit({"a.md": f"# {repo}"})
    registry = tmp_path / "registry.sqlite"
    assert run_brain("registry", "apply", root, "--registry", registry).code == 0
    declare(root, "blue", "one")
    work = ("work", "--once", "--workspace", root, "--registry", registry, "--out", out, "--jobs", "1")
    assert "blue/old stays: the registry has it as active" in run_brain(*work).said
    assert (out / "blue/old/site/index.html").exists()
    assert run_brain("registry", "apply", root, "--registry", registry).code == 0
    assert f"blue/old: tenant.yml names it no more; {out}/blue/old, which was built of it, was removed." in run_brain(*work).said
    assert not (out / "blue/old").exists()
