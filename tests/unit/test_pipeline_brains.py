"""Blueprints and brains through the main job: which plans apply, for which day, and what a rebuild touches."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import ConfigError, UsageError
from indexer.pipeline import build_path
from indexer.registry.blueprint_file import load_shipped
from indexer.registry.blueprint_set import parse_set
from indexer.sources.orders import BuildOptions, plan_build
from indexer.store.query import run_sql
from indexer.store.read import open_index
from tests.tools.commands import run_brain
from tests.tools.judged import PAGES, PLAN, TENANT
from tests.tools.repos import DAY, FIRST_COMMIT, GitRepo
from tests.tools.vaults import write_files

RepoFactory = Callable[..., GitRepo]
HERE = BuildOptions(processes=1)


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    return write_files(tmp_path / "plans", {"firm@1.yml": PLAN})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two tenants whose repositories have a card that names firm@1; only `blue` has such a blueprint."""
    files = {}
    for tenant in ("blue", "green"):
        files[f"{tenant}/tenant.yml"] = TENANT.replace("blue", tenant).replace("Blue", tenant.title())
        files |= {f"{tenant}/one/{path}": text for path, text in PAGES.items()}
        files[f"{tenant}/sources/two/a.md"] = "A page."
    return write_files(tmp_path / "ws", {**files, "blue/blueprints/firm@1.yml": PLAN})


def read_json(path: Path) -> Any:
    return json.loads(path.read_bytes())


@pytest.mark.req("S02", "S12")
def test_a_tenant_has_the_shipped_blueprints_and_its_own(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_path(workspace, out, HERE)
    written = {tenant: list(parse_set((out / tenant / "blueprints.json").read_bytes()).values()) for tenant in ("blue", "green")}
    shipped = load_shipped()
    assert {each.ref: each for each in written["green"]} == shipped
    assert {each.ref for each in written["blue"]} == {*shipped, "firm@1"}
    with open_index(out / "blue/index.duckdb") as blue, open_index(out / "green/index.duckdb") as green:
        (known,), (unknown,) = blue.fetch_brains(["one", "two"]), green.fetch_brains(["one", "two"])
    assert (known.id, known.known, len(known.documents), known.warnings) == ("one/firm", True, 3, ())
    assert (unknown.id, unknown.known, unknown.documents) == ("one/firm", False, ())
    assert "firm@1" in unknown.warnings[0]


@pytest.mark.req("S02", "P13")
def test_wrong_blueprints_of_all_tenants_are_told_at_once_and_nothing_is_built(workspace: Path, tmp_path: Path) -> None:
    write_files(
        workspace, {"blue/blueprints/firm@1.yml": PLAN + "  - 7\n", "green/blueprints/site@1.yml": PLAN.replace("firm@1", "site@1")}
    )
    with pytest.raises(ConfigError) as raised:
        build_path(workspace, tmp_path / "out", HERE)
    assert {Path(problem.split(":")[0]).relative_to(workspace).parts[0] for problem in raised.value.problems} == {"blue", "green"}
    assert not (tmp_path / "out").exists()


def test_blueprints_of_a_single_repo_are_not_for_a_workspace(workspace: Path, plans: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--blueprints"):
        plan_build(workspace, tmp_path / "out", BuildOptions(blueprints=plans))


def test_a_folder_of_a_workspace_is_built_with_its_id_and_the_blueprints_of_its_tenant(
    workspace: Path, plans: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (outcome,) = build_path(workspace / "blue/one", out, HERE)
    report = read_json(out / "report.json")
    assert (outcome.repo, report["title"], report["brains"][0]["id"], report["totals"]["documents"]) == ("one", "One", "one/firm", 3)
    (own,) = plan_build(workspace / "green/one", out, BuildOptions(blueprints=plans))
    assert "firm@1" in own.blueprints


@pytest.mark.req("P11", "P14")
def test_states_are_judged_for_the_day_of_the_commit_or_the_day_given(git_repo: RepoFactory, plans: Path, tmp_path: Path) -> None:
    repo = git_repo()
    repo.commit(PAGES, at=FIRST_COMMIT + 20 * DAY)
    out = tmp_path / "out"
    for given, date, state in (
        (None, "2026-01-21", "checked"),
        ("2026-05-01", "2026-05-01", "outOfDate"),
        ("2026-01-01", "2026-01-01", "filled"),
    ):
        build_path(repo.path, out, BuildOptions(processes=1, blueprints=plans, date=given))
        report = read_json(out / "report.json")
        assert (report["date"], report["brains"][0]["documents"][0]["state"]) == (date, state)
        assert run_sql(out / "index.duckdb", "SELECT state FROM document_states WHERE id = 'offer'").rows == ((state,),)
        assert "out of date" in (out / "report.csv").read_text("utf-8") or state != "outOfDate"
    build_path(repo.path, out, BuildOptions(processes=1, blueprints=plans, uncommitted=True))
    assert read_json(out / "report.json")["date"] is None


@pytest.mark.req("P02", "P07")
def test_a_rebuild_after_one_changed_document_writes_one_brain(git_repo: RepoFactory, plans: Path, tmp_path: Path) -> None:
    pages = {**PAGES, "firm/offer.md": PAGES["firm/offer.md"].replace("2026-01-10", "2025-12-10")}
    files = {f"b{number}/{path}": text for number in range(12) for path, text in pages.items() if path != "index.md"}
    repo, out = git_repo(files), tmp_path / "out"
    options = BuildOptions(processes=1, blueprints=plans)
    build_path(repo.path, out, options)
    query = "SELECT path, digest FROM written WHERE part = 'page'"
    before = dict(run_sql(out / "index.duckdb", query).rows)
    repo.commit({"b7/firm/offer.md": "Offer."})
    build_path(repo.path, out, options)
    after = dict(run_sql(out / "index.duckdb", query).rows)
    assert sorted(path for path in after if after[path] != before.get(path)) == ["b7/firm/brain.md", "b7/firm/offer.md"]
    assert run_sql(out / "index.duckdb", "SELECT updates FROM index_version").rows == ((1,),)


@pytest.mark.req("P11")
def test_check_shows_what_is_wrong_with_cards_and_documents(git_repo: RepoFactory, plans: Path) -> None:
    repo = git_repo(PAGES)
    checked = run_brain("check", repo.path, "--json", "--blueprints", plans, "--date", "2026-05-01").json
    assert ("BPR010", "firm/offer.md") in [(finding["code"], finding["path"]) for finding in checked["findings"]]
    checked = run_brain("check", repo.path, "--json", "--date", "2026-05-01").json
    assert [finding["path"] for finding in checked["findings"] if finding["code"].startswith("BPR")] == ["firm/brain.md"]
    assert run_brain("inspect", repo.path, "--date", "yesterday").code == 2
