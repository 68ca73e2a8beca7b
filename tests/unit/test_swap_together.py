"""Index, sites and reports of one run are swapped in together, or not at all: whatever stops the run, and wherever."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer import pipeline
from indexer.errors import BrainpressError, PublishError
from indexer.pipeline import build_path
from indexer.publish.release import ReleaseWriter
from indexer.publish.signals import uninterrupted
from indexer.publish.staging import Staging
from indexer.sources.orders import BuildOptions
from indexer.store.write import NewIndex
from tests.tools.judged import TENANT
from tests.tools.trees import compare_trees, read_tree
from tests.tools.vaults import write_files

VaultFactory = Callable[..., Path]
HERE = BuildOptions(processes=1)


def read_product(out: Path) -> dict[str, bytes]:
    """What readers of an output use, of all repos: sites, reports, index and blueprints."""
    return {name: content for name, content in read_tree(out).items() if ".brain/" not in name}


def stop_in(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, error: BaseException, call: int = 1) -> None:
    """Let a function end with an error when it has done its work, at its `call`th call."""
    whole, calls = getattr(owner, name), []

    def stop(*values: object) -> object:
        done = whole(*values)
        calls.append(1)
        if len(calls) == call:
            raise error
        return done

    monkeypatch.setattr(owner, name, stop)


@pytest.fixture
def workspace(vault: VaultFactory) -> Path:
    return vault({"brains/blue/tenant.yml": TENANT, "brains/blue/one/a.md": "# A\n", "brains/blue/sources/two/b.md": "# B\n"}) / "brains"


STOPS = [
    (pipeline, "finish_release", 1),
    (pipeline, "finish_release", 2),
    (pipeline, "read_trends", 1),
    (Staging, "add", 1),
    (Staging, "add", 4),
    (pipeline, "mark_made", 2),
]


@pytest.mark.req("P17", "P02")
@pytest.mark.parametrize(("owner", "name", "call"), STOPS)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), PublishError("The disk is full.")], ids=["interrupt", "failure"])
def test_a_stop_before_the_swap_leaves_index_sites_and_reports(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, call: int, error: BaseException
) -> None:
    out = tmp_path / "out"
    build_path(workspace, out, HERE)
    before = read_product(out)
    write_files(workspace, {"blue/one/a.md": "# Another\n", "blue/sources/two/new.md": "# New\n"})
    with monkeypatch.context() as patch:
        stop_in(patch, owner, name, error, call)
        with pytest.raises(type(error)):
            build_path(workspace, out, HERE)
    assert compare_trees(read_product(out), before) == []
    build_path(workspace, out, HERE)
    build_path(workspace, tmp_path / "fresh", HERE)
    for repo in ("one", "two"):
        assert compare_trees(read_tree(out / "blue" / repo / "site"), read_tree(tmp_path / "fresh/blue" / repo / "site")) == []


@pytest.mark.req("P17", "P02")
@pytest.mark.parametrize(("owner", "call"), [(NewIndex, 1), (ReleaseWriter, 1), (ReleaseWriter, 2)])
def test_control_c_during_the_swap_waits_for_all_of_it(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type[NewIndex | ReleaseWriter], call: int
) -> None:
    out, calls = tmp_path / "out", []
    whole: Callable[[object], None] = owner.swap_in  # type: ignore[assignment]
    build_path(workspace, out, HERE)
    write_files(workspace, {"blue/one/a.md": "# Another\n", "blue/sources/two/new.md": "# New\n"})

    def interrupt(swapped: object) -> None:
        calls.append(1)
        if len(calls) == call:
            os.kill(os.getpid(), signal.SIGINT)
        whole(swapped)

    with monkeypatch.context() as patch:
        patch.setattr(owner, "swap_in", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build_path(workspace, out, HERE)
    now = read_product(out)
    build_path(workspace, tmp_path / "fresh", HERE)
    fresh = read_product(tmp_path / "fresh")
    history = ("index.duckdb", "report.json")  # the number of builds
    assert [name for name in now if not name.endswith(history) and now[name] != fresh.get(name)] == []
    assert now.keys() == fresh.keys()
    assert {outcome.written for outcome in build_path(workspace, out, HERE)} == {0}


@pytest.mark.req("P17")
def test_the_stray_files_of_a_stop_do_not_stay(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    build_path(workspace, out, HERE)
    names = read_tree(out).keys()
    write_files(workspace, {"blue/one/a.md": "# Another\n"})
    with monkeypatch.context() as patch:
        stop_in(patch, Staging, "add", PublishError("The disk is full."), 5)
        with pytest.raises(BrainpressError):
            build_path(workspace, out, HERE)
    assert not [name for name in read_tree(out).keys() - names if name.endswith(".new")]


@pytest.mark.req("P17")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_and_comes_then(number: signal.Signals) -> None:
    steps: list[str] = []
    before = signal.signal(number, lambda *_: steps.append("signal"))
    try:
        with uninterrupted():
            signal.raise_signal(number)
            steps.append("all moved")
        assert steps == ["all moved", "signal"]
        signal.raise_signal(number)
        assert steps[2:] == ["signal"]
    finally:
        signal.signal(number, before)
