"""When an install from a checkout builds the browser code, and what it asks for first."""

import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TEMPLATES = Path(__file__).parents[2] / "site_templates"


class FakeHook:
    """What hatchling gives a hook."""

    root = ""


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The hook for a checkout without browser code, on a machine without Node."""
    module = ModuleType("hatchling.builders.hooks.plugin.interface")
    module.BuildHookInterface = FakeHook  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for parent in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    (tmp_path / "site_templates").mkdir()
    made = runpy.run_path(str(TEMPLATES / "hatch_build.py"))["BrowserCode"]()
    made.root = str(tmp_path)
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the programs that a hook has started; none of them runs."""
    names: list[str] = []

    def run(command: list[str], **given: Any) -> subprocess.CompletedProcess[bytes]:
        names.append(Path(command[1]).name)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    return names


def leave_empty(dist: Path) -> None:
    dist.mkdir()


def leave_half(dist: Path) -> None:
    dist.mkdir()
    (dist / "site-ABC.js").write_text("")


def leave_whole(dist: Path) -> None:
    leave_half(dist)
    (dist / "manifest.json").write_text("{}")


def leave_none(dist: Path) -> None:
    """Nothing was ever built."""


@pytest.mark.parametrize(
    ("leave", "builds"),
    [(leave_none, True), (leave_half, True), (leave_whole, False), (leave_empty, False)],
    ids=["nothing there", "stopped halfway", "built", "empty folder: not wanted"],
)
def test_a_wheel_builds_the_browser_code_that_is_missing(
    hook: Any, started: list[str], tmp_path: Path, leave: Callable[[Path], None], builds: bool
) -> None:
    leave(tmp_path / "site_templates" / "dist")
    assert bool(hook.dependencies()) == builds
    hook.initialize("standard", {})
    assert started == (["build.py"] if builds else [])


def test_an_editable_install_builds_nothing(hook: Any, started: list[str], tmp_path: Path) -> None:
    hook.initialize("editable", {})
    assert started == []
    assert (tmp_path / "site_templates" / "dist").is_dir()


def test_node_comes_in_the_version_that_make_takes() -> None:
    pins = [re.findall(r'NODE_PACKAGE = "([^"]+)"', (TEMPLATES / name).read_text("utf-8")) for name in ("hatch_build.py", "build.py")]
    assert pins[0] == pins[1] != []
