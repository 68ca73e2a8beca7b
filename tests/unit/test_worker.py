"""The worker: after a push the maps are fresh, one bad repo stops nobody, failures are tried again later each time (SPEC T06, T28)."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from indexer.errors import RegistryError
from indexer.model.result import RepoOutcome
from indexer.registry.audit import CONSOLE
from indexer.registry.index_state import IndexState, fetch_index_states
from indexer.registry.repos import ListedRepo, archive_repo, keep_as_is
from indexer.worker import FIRST_WAIT, LONGEST_WAIT, Worker, WorkOrder, wait_after
from indexer.writes.lock import hold_lock
from tests.tools.commands import build_environment, command, run_brain
from tests.tools.refreshing import is_clean, list_files, order, read_log
from tests.tools.registries import World, open_declared
from tests.tools.repos import GitRepo
from tests.tools.vaults import write_files

TENANT = """\
id: acme
title: Acme
accounts: [{id: ann, name: Ann}]
memberships: [{account: ann, role: operator}]
repos:
  - {id: one, title: One, folder: one, owner: ann}
  - {id: broken, title: Broken, folder: broken, owner: ann}
  - {id: kept, title: Kept, folder: kept, owner: ann, kept_as_is: true}
  - {id: two, title: Two, folder: two, owner: ann}
"""
START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass
class Scene:
    """A workspace, its registry, and a worker with a clock of its own."""

    folder: Path
    world: World
    repos: dict[str, GitRepo]
    said: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)
    outcomes: list[RepoOutcome] = field(default_factory=list)

    def worker(self) -> Worker:
        return Worker(self.world.registry, self.plan, self.build, self.said.append, clock=lambda: self.world.now)

    def plan(self, tenant: str, listed: ListedRepo) -> WorkOrder:
        path = self.folder / tenant / listed.repo.id
        return WorkOrder(order(path), lambda: self.folder / f"{listed.repo.id}.lock")

    def build(self, tenant: str) -> list[RepoOutcome]:
        self.built.append(tenant)
        return self.outcomes

    def state(self, repo: str) -> IndexState:
        with self.world.registry.reading() as connection:
            return fetch_index_states(connection, "acme", [repo])[repo]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    write_files(tmp_path / "ws" / "acme", {"tenant.yml": TENANT, "broken/a.md": "in no repository"})
    return tmp_path / "ws"


@pytest.fixture
def scene(workspace: Path, tmp_path: Path) -> Iterator[Scene]:
    repos = {name: GitRepo.create(workspace / "acme" / name) for name in ("one", "kept", "two")}
    for repo in repos.values():
        repo.commit({"a.md": "A", "b.md": "B"})
    world = open_declared(workspace, tmp_path / "registry.sqlite", START)
    yield Scene(workspace, world, repos)
    world.registry.close()


@pytest.mark.req("T01", "T06", "T28")
def test_one_round_refreshes_what_is_stale_leaves_what_is_kept_and_survives_what_is_broken(scene: Scene) -> None:
    tally = scene.worker().go_round()
    assert (tally.refreshed, tally.failed) == (2, 1)
    for name in ("one", "two"):
        assert read_log(scene.repos[name].path)[0] == "Refresh the maps"
        assert scene.state(name).state == "fresh"
        assert scene.state(name).revision == scene.repos[name].commits[0]
    assert not [path for path in list_files(scene.repos["kept"].path) if ".brain" in path]
    broken = scene.state("broken")
    assert (broken.state, broken.tries) == ("failed", 1)
    assert "in no git repository" in broken.reason
    assert broken.next_try == "2026-03-01T00:01:01Z"
    assert scene.built == ["acme"]


@pytest.mark.req("T28", "T29")
def test_its_own_commits_are_no_reason_for_another_round(scene: Scene) -> None:
    worker = scene.worker()
    worker.go_round()
    heads = {name: read_log(repo.path) for name, repo in scene.repos.items()}
    assert worker.go_round().refreshed == 0
    assert scene.worker().go_round().refreshed == 0, "nor for a worker that begins anew"
    assert {name: read_log(repo.path) for name, repo in scene.repos.items()} == heads
    assert scene.built == ["acme", "acme"], "a worker that begins anew builds once"
    scene.repos["kept"].commit({"c.md": "C"})
    worker.go_round()
    assert len(scene.built) == 3, "a website is built for what is kept as it is, too"
    assert len(read_log(scene.repos["kept"].path)) == 2


@pytest.mark.req("T28")
def test_failures_are_tried_again_later_each_time_and_forgotten_when_it_works(scene: Scene) -> None:
    assert [wait_after(tries) for tries in (1, 2, 3)] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert wait_after(1000) == LONGEST_WAIT
    worker = scene.worker()
    worker.go_round()
    worker.go_round()
    assert scene.state("broken").tries == 1, "not before its time"
    scene.world.wait(timedelta(minutes=2))
    worker.go_round()
    assert scene.state("broken").tries == 2
    GitRepo.create(scene.folder / "acme" / "broken").commit({"c.md": "C"})
    scene.world.wait(timedelta(hours=1))
    worker.go_round()
    mended = scene.state("broken")
    assert (mended.state, mended.tries, mended.next_try, mended.reason) == ("fresh", 0, None, "")


@pytest.mark.req("T28")
def test_a_try_that_a_wrong_clock_put_off_for_years_is_made_now(scene: Scene) -> None:
    scene.world.wait(timedelta(days=4000))
    scene.worker().go_round()
    scene.world.wait(timedelta(days=-4000))
    scene.worker().go_round()
    assert scene.state("broken").tries == 2


@pytest.mark.req("T28", "P13")
def test_a_round_that_cannot_be_finished_is_told_and_followed_by_the_next(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = scene.worker()
    rounds = iter([RegistryError("The database is away.", hint="Start it."), None])

    def go_round() -> None:
        failed = next(rounds)
        if failed:
            raise failed
        worker.stop.set()

    monkeypatch.setattr(Worker, "go_round", lambda _: go_round())
    worker.run(0)
    assert scene.said == ["This round was not finished. The database is away. Start it."]
    assert next(rounds, "both were made") == "both were made"


@pytest.mark.req("T06")
def test_a_queued_refresh_of_a_repo_that_is_kept_by_now_is_dropped(scene: Scene) -> None:
    worker = scene.worker()
    worker.go_round()
    GitRepo.create(scene.folder / "acme" / "broken").commit({"c.md": "C"})
    with scene.world.writing() as connection:
        keep_as_is(connection, "acme", "broken", CONSOLE, scene.world.now)
    scene.world.wait(timedelta(hours=1))
    worker.go_round()
    assert len(read_log(scene.folder / "acme" / "broken")) == 1
    assert scene.state("broken").next_try is None
    assert any("refresh was dropped" in line for line in scene.said)


@pytest.mark.req("T06", "T14")
@pytest.mark.parametrize("change", [keep_as_is, archive_repo])
def test_the_registry_is_asked_again_just_before_a_write(scene: Scene, change: Callable[..., None]) -> None:
    plan = scene.plan

    def plan_slowly(tenant: str, listed: ListedRepo) -> WorkOrder:
        if listed.repo.id == "two":
            with scene.world.writing() as connection:
                change(connection, "acme", "two", CONSOLE, scene.world.now)
        return plan(tenant, listed)

    scene.plan = plan_slowly  # type: ignore[method-assign]
    scene.worker().go_round()
    assert len(read_log(scene.repos["two"].path)) == 1
    assert any("the refresh is dropped" in line for line in scene.said)
    with scene.world.registry.reading() as connection:
        assert "two" not in fetch_index_states(connection, "acme", ["two"])


@pytest.mark.req("T28")
def test_two_workers_do_not_refresh_one_repo_at_once(scene: Scene) -> None:
    with hold_lock(scene.folder / "one.lock"):
        scene.worker().go_round()
    assert len(read_log(scene.repos["one"].path)) == 1
    assert any("Another refresh is at work" in line for line in scene.said)
    scene.worker().go_round()
    assert len(read_log(scene.repos["one"].path)) == 2


@pytest.mark.req("P13")
def test_a_mistake_in_the_program_is_noted_and_stops_nobody(scene: Scene) -> None:
    plan = scene.plan

    def plan_wrongly(tenant: str, listed: ListedRepo) -> WorkOrder:
        if listed.repo.id == "one":
            raise ZeroDivisionError("of ours")
        return plan(tenant, listed)

    scene.plan = plan_wrongly  # type: ignore[method-assign]
    assert scene.worker().go_round().refreshed == 1
    assert "A mistake in the program" in scene.state("one").reason
    assert "of ours" not in scene.state("one").reason, "what went wrong inside is for the operator"
    assert any("plan_wrongly" in line and "ZeroDivisionError: of ours" in line for line in scene.said)


@pytest.mark.req("T01", "P13")
def test_a_website_that_cannot_be_built_is_noted_and_tried_again(scene: Scene) -> None:
    scene.outcomes = [RepoOutcome("one", "failed", error="no room"), RepoOutcome("kept", "built", revision=scene.repos["kept"].commits[0])]
    worker = scene.worker()
    worker.go_round()
    assert (scene.state("one").state, scene.state("one").reason) == ("failed", "no room")
    assert scene.state("kept").state == "fresh"
    assert scene.said[-1] == "acme: built 1 website; 1 could not be built."
    scene.outcomes = []
    scene.world.wait(timedelta(minutes=2))
    worker.go_round()
    assert len(scene.built) == 2
    assert scene.state("one").state == "fresh"


@pytest.mark.req("T28")
def test_maps_that_cannot_be_written_keep_no_website_from_being_built(scene: Scene) -> None:
    worker = scene.worker()
    worker.go_round()
    scene.repos["one"].commit({"c.md": "C"})
    (scene.repos["one"].path / ".brain" / "index.md").write_text("mine", encoding="utf-8")
    worker.go_round()
    assert (scene.state("one").state, len(scene.built)) == ("failed", 2)
    scene.world.wait(timedelta(hours=1))
    worker.go_round()
    assert (scene.state("one").tries, len(scene.built)) == (2, 2), "but not again for what is built"


@pytest.mark.req("T28")
def test_what_fails_when_it_is_refreshed_and_again_when_it_is_built_has_failed_once(scene: Scene) -> None:
    scene.outcomes = [RepoOutcome("broken", "failed", error="still broken")]
    assert scene.worker().go_round().failed == 1
    assert (scene.state("broken").tries, "in no git repository" in scene.state("broken").reason) == (1, True)


@pytest.mark.req("P13")
def test_a_mistake_of_ours_in_a_build_stops_no_other_tenant(scene: Scene) -> None:
    def build(tenant: str) -> list[RepoOutcome]:
        raise ZeroDivisionError(tenant)

    scene.build = build  # type: ignore[method-assign]
    assert scene.worker().go_round().failed == 2
    assert "the websites could not be built" in scene.said[-1]
    assert "ZeroDivisionError: acme" in scene.said[-1]


@pytest.mark.req("T28", "P17")
def test_brain_work_refreshes_builds_and_says_so(workspace: Path, scene: Scene, tmp_path: Path) -> None:
    registry, out = str(scene.world.registry.file), tmp_path / "out"
    done = run_brain("work", "--workspace", workspace, "--registry", registry, "--out", out, "--once")
    assert done.code == 3, done.said
    assert "acme/one: refreshed from" in done.err
    assert "acme/broken: FAILED" in done.err
    assert (out / "acme" / "one" / "site" / "index.html").is_file()
    assert ".brain/graph.json" in list_files(scene.repos["one"].path)
    assert is_clean(scene.repos["one"].path)
    again = run_brain("work", "--workspace", workspace, "--registry", registry, "--out", out, "--once")
    assert "0 refreshed, 0 failed" in again.err, "what failed waits for its time"
    assert again.code == 0


@pytest.mark.req("T28", "P17")
def test_brain_work_ends_after_its_step_when_it_is_told_to(workspace: Path, scene: Scene) -> None:
    args = command("work", "--workspace", workspace, "--registry", str(scene.world.registry.file), "--interval", "1")
    with subprocess.Popen(args, env=build_environment(), stderr=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if len(read_log(scene.repos["two"].path)) == 2:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said.rstrip().endswith("Stopped.")
    assert is_clean(scene.repos["two"].path)
