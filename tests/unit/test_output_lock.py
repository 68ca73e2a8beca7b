"""One run at a time in an output folder: real builds at once, killed in the middle, and readers who never wait."""

import contextlib
import errno
import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from indexer.cli import build as build_command
from indexer.cli.commands import group
from indexer.cli.edge import run_guarded
from indexer.errors import PublishError
from indexer.model.progress import Silent
from indexer.pipeline import build_path
from indexer.publish.output_lock import LOCK, hold_output
from indexer.sources.orders import STATE_FOLDER, BuildOptions
from indexer.writes.lock import BusyError
from tests.tools.commands import build_environment, command, run_brain
from tests.tools.gateways import open_site, running
from tests.tools.refreshing import read_log
from tests.tools.repos import GitRepo
from tests.tools.trees import compare_trees, read_tree
from tests.tools.vaults import write_files

AT_ONCE = BuildOptions(processes=1, wait=0)
ROUNDS = 4
TENANT = """\
id: {tenant}
title: {tenant}
accounts: [{{id: ana, name: Ana}}]
memberships: [{{account: ana, role: admin}}]
repos:
  - {{id: one, title: One, owner: ana, folder: one}}
  - {{id: two, title: Two, owner: ana, folder: two}}
"""
VaultFactory = Callable[..., Path]


class Listening(Silent):
    """Remembers what was told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, message: str) -> None:
        self.notes.append(message)


def make_pages(count: int, word: str) -> dict[str, str]:
    """Pages that all change with the word, more than one chunk for the workers."""
    return {f"f{i % 7}/p{i}.md": f"# P{i} {word}\n\n[[p{(i + 1) % count}]] and [[p{(i * 7) % count}]] #{word}\n" for i in range(count)}


def start(*args: str | Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command(*args), env=build_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process: "subprocess.Popen[bytes]") -> str:
    said = b"".join(process.communicate(timeout=120)).decode()
    assert process.returncode == 0, said
    return said


def read_output(out: Path) -> dict[str, bytes]:
    """What people see of an output: all but the state folder and the index, whose bytes differ from one build to the next."""
    return {name: data for name, data in read_tree(out).items() if STATE_FOLDER not in name.split("/") and "duckdb" not in name}


@contextlib.contextmanager
def held(out: Path) -> Iterator[None]:
    with hold_output(out, 0, Silent()):
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    files = {f"{tenant}/{repo}/a.md": f"# {tenant} {repo}" for tenant in ("blue", "green") for repo in ("one", "two")}
    files |= {f"{tenant}/tenant.yml": TENANT.format(tenant=tenant) for tenant in ("blue", "green")}
    return write_files(tmp_path / "ws", files)


@pytest.mark.req("P13", "P14", "P17")
@pytest.mark.threat(40)
def test_builds_at_once_leave_what_one_alone_leaves(tmp_path: Path) -> None:
    vault, out, alone = tmp_path / "vault", tmp_path / "out", tmp_path / "alone"
    waited = 0
    for turn in range(ROUNDS):
        write_files(vault, make_pages(130, f"word{turn}"))
        both = [start("build", vault, "--out", out) for _ in range(2)]
        waited += sum("Waiting for it" in end(process) for process in both)
        run_brain("build", vault, "--out", alone, "--quiet")
        assert compare_trees(read_output(alone), read_output(out)) == []
        assert not (out / STATE_FOLDER / "site.next").exists()
    assert waited, "never at once: this has proved nothing"


@pytest.mark.req("P13", "P14")
@pytest.mark.threat(40)
def test_a_workspace_and_one_of_its_repositories_at_once(workspace: Path, tmp_path: Path) -> None:
    """The same folder, `OUT/blue/one`, by two commands that name it in different ways."""
    out, alone = tmp_path / "out", tmp_path / "alone"
    write_files(workspace / "blue" / "one", make_pages(130, "word"))
    both = [start("build", workspace, "--out", out), start("build", workspace / "blue/one", "--out", out / "blue/one")]
    for process in both:
        end(process)
    for path in (workspace, workspace / "blue" / "one"):
        assert run_brain("build", path, "--out", alone / (path.name if path != workspace else ""), "--quiet").code == 0
    assert compare_trees(read_tree(alone / "blue/two/site"), read_tree(out / "blue/two/site")) == []
    assert (out / "blue/one/site/index.html").exists()
    assert run_brain("build", workspace, "--out", out, "--quiet").code == 0
    assert compare_trees(read_tree(alone / "blue/one/site"), read_tree(out / "blue/one/site")) == []


def wait_for(seen: Callable[[], object], what: str) -> None:
    until = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < until, what
        time.sleep(0.005)


def find_children(process: int) -> list[int]:
    return [int(child) for task in Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.req("P13", "P17")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_after_a_kill_in_the_middle_the_next_build_begins_and_no_worker_goes_on(tmp_path: Path, sign: signal.Signals) -> None:
    vault, out, alone = write_files(tmp_path / "vault", make_pages(700, "word")), tmp_path / "out", tmp_path / "alone"
    first = start("build", vault, "--out", out, "--jobs", "2")
    wait_for((out / STATE_FOLDER / "site.next/f0").exists, "it writes no page")
    workers = find_children(first.pid)
    assert len(workers) == 2
    assert any(map(is_running, workers))
    first.send_signal(sign)
    first.communicate(timeout=60)
    assert first.returncode == -sign
    wait_for(lambda: not any(map(is_running, workers)), "a worker outlives its build")
    with held(out):
        pass  # nobody holds it any more
    assert build_path(vault, out, AT_ONCE)[0].status == "built"
    build_path(vault, alone, AT_ONCE)
    assert compare_trees(read_output(alone), read_output(out)) == []


@pytest.mark.req("P13", "P17")
def test_who_waits_says_for_whom_and_goes_on_when_that_one_ends(vault: VaultFactory, tmp_path: Path) -> None:
    folder, out = vault({"a.md": "x"}), tmp_path / "out"
    with held(out):
        second = start("build", folder, "--out", out)
        assert second.stderr is not None
        line = second.stderr.readline().decode()
    assert line.startswith(f"Another run of brain is at work in {out}: process {os.getpid()}, since 20")
    assert line.endswith(" UTC. Waiting for it, 300 seconds at most.\n")
    end(second)
    assert (out / "site/a/index.html").exists()
    assert (out / STATE_FOLDER / LOCK).read_bytes() == b"", "whoever reads it later would believe that somebody is there"


@pytest.mark.req("P13")
def test_after_the_wait_it_ends_with_exit_3_and_says_what_to_do(
    vault: VaultFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build_command, "BuildOptions", partial(BuildOptions, wait=0.3))
    folder, out = vault({"a.md": "x"}), tmp_path / "out"
    build_path(folder, out, AT_ONCE)
    last = read_output(out)
    write_files(folder, {"b.md": "y"})
    with held(out):
        code = run_guarded(["build", str(folder), "--out", str(out)], group)
    said = capsys.readouterr().err
    assert code == 3
    assert f"Error: Another run of brain is at work in {out}: process {os.getpid()}, since " in said
    assert "Run this again when it has ended." in said
    assert compare_trees(last, read_output(out)) == []


@pytest.mark.req("P13")
def test_other_outputs_are_not_waited_for(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with held(out), held(out / "blue"), held(out / "blue/one"):
        assert [each.status for each in build_path(workspace / "green/one", out / "green/one", AT_ONCE)] == ["built"]
        assert [each.status for each in build_path(workspace / "blue/two", out / "blue/two", AT_ONCE)] == ["built"]


@pytest.mark.req("P13")
def test_a_repository_that_somebody_else_builds_fails_alone(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_path(workspace, out, AT_ONCE)
    with held(out / "blue/one"):
        outcomes = build_path(workspace, out, AT_ONCE)
    assert [(each.tenant, each.repo, each.status) for each in outcomes if each.status != "unchanged"] == [("blue", "one", "failed")]
    assert "Another run of brain is at work" in outcomes[0].error
    with held(out / "green"), pytest.raises(BusyError):
        build_path(workspace, out, AT_ONCE)


@pytest.mark.req("P07", "P17")
def test_whoever_only_reads_never_waits(workspace: Path, tmp_path: Path) -> None:
    out, single = tmp_path / "out", tmp_path / "single"
    build_path(workspace, out, AT_ONCE)
    build_path(workspace / "blue/one", single, AT_ONCE)
    ask: tuple[str | Path, ...] = ("--path", workspace, "--out", out, "--tenant", "blue", "--as", "ana")
    commands: tuple[tuple[str | Path, ...], ...] = (
        ("inspect", workspace / "blue/one"),
        ("check", workspace / "blue/one"),
        ("search", single, "blue"),
        ("search", workspace / "blue/one", "blue"),
        ("report", workspace / "blue/one", "--out", single),
        ("sql", out / "blue/index.duckdb", "select 1"),
        ("tool", "listBrains", "{}", *ask),
    )
    with held(out / "blue"), held(out / "blue/one"), held(single):
        for args in commands:
            done = run_brain(*args, limit=60)
            assert done.code == 0, done.said
            assert "Another run" not in done.said


@pytest.mark.req("P17")
def test_the_gateway_answers_while_somebody_builds(tmp_path: Path) -> None:
    with running(open_site(tmp_path)) as site, held(site.out / "acme"), held(site.out / "acme/handbook"):
        assert site.ask("GET", "/acme/handbook/", site.bearer("ana")).status == 200


@pytest.mark.req("P01")
def test_an_output_that_is_refused_is_left_as_it_was(vault: VaultFactory, tmp_path: Path) -> None:
    folder = vault({"a.md": "x"})
    before = read_tree(folder)
    for out in (folder, folder / "site"):
        assert run_brain("build", folder, "--out", out).code == 2
    assert read_tree(folder) == before
    assert sorted(path.name for path in folder.iterdir()) == ["a.md"]
    foreign = write_files(tmp_path / "foreign", {"site/mine.html": "mine"})
    assert "was not made by brain" in run_brain("build", folder, "--out", foreign).err
    assert run_brain("build", tmp_path / "nowhere", "--out", foreign).code == 3
    assert list(read_tree(foreign)) == ["site/mine.html"]


@pytest.mark.threat(2)
def test_a_link_in_place_of_the_lock_is_not_followed(vault: VaultFactory, tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other.txt"
    other.write_text("mine")
    (out / STATE_FOLDER).mkdir(parents=True)
    (out / STATE_FOLDER / LOCK).symlink_to(other)
    with pytest.raises(PublishError):
        build_path(vault({"a.md": "x"}), out, AT_ONCE)
    assert other.read_text() == "mine"


def test_whoever_opened_a_lock_that_is_removed_holds_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two would hold locks of two files of one name, one of which lies nowhere."""
    out, flock = tmp_path / "out", fcntl.flock
    removed: list[bool] = []

    def remove_first(descriptor: int, how: int) -> None:
        if not removed:
            removed.append(True)
            shutil.rmtree(out)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with held(out):
        assert removed
        assert (out / STATE_FOLDER / LOCK).exists()
        with pytest.raises(BusyError), held(out):
            pass


@pytest.mark.req("P13")
def test_where_there_are_no_locks_that_is_told_and_the_build_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    progress, begun = Listening(), False
    with hold_output(tmp_path, 0, progress):
        begun = True
    assert begun
    assert "has no locks" in progress.notes[0]


@pytest.mark.req("T28", "P13")
def test_the_worker_refreshes_no_repo_whose_output_is_being_built(workspace: Path, tmp_path: Path) -> None:
    repo = GitRepo.create(workspace / "blue/one")
    repo.commit({"a.md": "# one"})
    registry, out = tmp_path / "registry.sqlite", tmp_path / "out"
    assert run_brain("registry", "apply", workspace, "--registry", registry).code == 0
    work = ("work", "--once", "--workspace", workspace, "--registry", registry, "--out", out, "--jobs", "1")
    with held(out / "blue/one"):
        said = run_brain(*work).said
    assert f"blue/one: Another run of brain is at work in {out}/blue/one: process" in said
    assert "Looking again in the next round." in said
    assert len(read_log(repo.path)) == 1
    run_brain(*work)
    assert len(read_log(repo.path)) == 2


@pytest.mark.req("T28", "P13")
def test_the_worker_waits_for_no_build_and_comes_back_to_it(workspace: Path, tmp_path: Path) -> None:
    """It has other tenants to look after."""
    for tenant in ("blue", "green"):
        GitRepo.create(workspace / tenant / "one").commit({"a.md": f"# {tenant}"})
    registry, out, said = tmp_path / "registry.sqlite", tmp_path / "out", tmp_path / "said.txt"
    assert run_brain("registry", "apply", workspace, "--registry", registry).code == 0
    args = ("work", "--interval", "1", "--workspace", workspace, "--registry", registry, "--out", out, "--jobs", "1")
    with said.open("wb") as file:
        worker = subprocess.Popen(command(*args), env=build_environment(), stdout=file, stderr=file)
    try:
        with held(out / "blue"):
            wait_for((out / "green/one/site/index.html").exists, "the other tenant has to wait as well")
            assert "blue: the websites could not be built; the last ones stay. Another run of brain is at work" in said.read_text()
            assert not (out / "blue/index.duckdb").exists()
        wait_for((out / "blue/one/site/index.html").exists, "it does not come back")
    finally:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0, said.read_text()
