"""Runs the `brain` command as a program of its own, as people and other programs do."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tools.kept import can_fork, run_forked

HIDDEN_FROM_COMMAND = ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "PYTHONHASHSEED", "TZ", "COLUMNS", "FORCE_COLOR")
"""Variables that change what the command prints; a test that means one sets it."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How one run of the command ended."""

    code: int
    """Exit code; negative = killed by that signal."""
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output parsed as JSON."""
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Everything that was printed."""
        return self.out + self.err


def build_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that the command runs in: this one, without what would make tests depend on the machine."""
    kept = {key: value for key, value in os.environ.items() if key not in HIDDEN_FROM_COMMAND}
    home = {
        f"XDG_{kind}_HOME": str(Path(tempfile.gettempdir()) / "brainpress-tests" / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")
    }
    return {**kept, **home, "NO_COLOR": "1", "TERM": "dumb", **(extra or {})}


def command(*args: str | Path) -> list[str]:
    """Return the argument list that runs `brain` with `args`."""
    return [sys.executable, "-m", "indexer", *map(str, args)]


def run_brain(*args: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None, limit: float = 300) -> Ran:
    """Run `brain` with `args` and return how it ended; more than `limit` seconds fail the test."""
    environment = build_environment(env)
    if can_fork(env):
        code, out, err = run_forked([str(arg) for arg in args], environment, cwd, limit)
    else:
        done = subprocess.run(command(*args), env=environment, cwd=cwd, capture_output=True, timeout=limit, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    return Ran(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
