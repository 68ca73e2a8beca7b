"""Runs the shell of a composite action as GitHub does: `bash -e -o pipefail`, files for outputs and summary, expressions.

Only what the project's own action uses: `||`, `&&`, `==`, `!=`, text in quotes, and dotted names of a context.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.tools.commands import build_environment

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)


@dataclass(slots=True)
class Run:
    """One run of the action."""

    action: Path
    """Folder of action.yml."""
    temp: Path
    """Gets RUNNER_TEMP and the files of the runner."""
    context: dict[str, Any]
    """Dotted name → value, such as `github.base_ref`."""
    path: str = ""
    """Folders in front of PATH, with stand-ins for programs."""
    steps: dict[str, int] = field(default_factory=dict)
    """Name of each step that ran → exit code."""
    log: str = ""
    """What all steps printed."""

    @property
    def summary(self) -> str:
        """The job summary."""
        return (self.temp / "summary").read_text("utf-8")

    def outputs(self, inputs: Mapping[str, str] | None = None) -> dict[str, str]:
        """Run the steps with these inputs and return the outputs of the action; a step that fails ends the run, as on GitHub."""
        action = yaml.safe_load((self.action / "action.yml").read_text("utf-8"))
        given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()} | dict(inputs or {})
        self.context |= {f"inputs.{name}": evaluate(value, self.context) for name, value in given.items()}
        for name in ("outputs", "summary"):
            (self.temp / name).write_text("")
        for step in action["runs"]["steps"]:
            if "run" in step and step["name"] != "Install brainpress" and evaluate_if(step.get("if", ""), self.context):
                self._run(step)
                if self.steps[step["name"]]:
                    break
        return {name: evaluate(each["value"], self.context) for name, each in action["outputs"].items()}

    def _run(self, step: Mapping[str, Any]) -> None:
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        output = self.temp / "outputs"
        output.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
            env=self.environment() | {name: evaluate(value, self.context) for name, value in step.get("env", {}).items()},
            cwd=self.context["github.workspace"],
            capture_output=True,
            timeout=300,
            check=False,
        )
        self.steps[step["name"]] = done.returncode
        self.log += done.stdout.decode() + done.stderr.decode()
        for line in output.read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            self.context[f"steps.{step.get('id')}.outputs.{name}"] = value

    def environment(self) -> dict[str, str]:
        """Return what every step finds in its environment."""
        files = {"GITHUB_OUTPUT": self.temp / "outputs", "GITHUB_STEP_SUMMARY": self.temp / "summary", "RUNNER_TEMP": self.temp}
        names = {"GITHUB_ACTION_PATH": self.action, "GITHUB_REPOSITORY": self.context["github.repository"], "GITHUB_ACTIONS": "true"}
        path = os.pathsep.join(part for part in (self.path, os.environ["PATH"]) if part)
        return {**build_environment(), "CI": "true", "PATH": path, **{name: str(value) for name, value in {**files, **names}.items()}}


def put_program(temp: Path) -> None:
    """Put the program where the action's install step would: the same code, of this checkout."""
    target = temp / "brainpress" / "bin" / "brain"
    target.parent.mkdir(parents=True)
    root = Path(__file__).parents[2]
    target.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m indexer "$@"\n')
    target.chmod(0o755)


def evaluate(text: str, context: Mapping[str, Any]) -> str:
    """Return text with its expressions evaluated."""
    return _EXPRESSION.sub(lambda found: _first_true(found[1], context), text)


def _first_true(expression: str, context: Mapping[str, Any]) -> str:
    values = [str(_look_up(part, context)) for part in expression.split("||")]
    return next((value for value in values if value), values[-1])


def evaluate_if(condition: str, context: Mapping[str, Any]) -> bool:
    """Return whether a step runs."""
    return all(_compare(part, context) for part in condition.split("&&") if part.strip())


def _compare(part: str, context: Mapping[str, Any]) -> bool:
    left, operator, right = re.split(r"(==|!=)", part)
    return (_look_up(left, context) == _look_up(right, context)) is (operator == "==")


def _look_up(name: str, context: Mapping[str, Any]) -> Any:
    name = name.strip()
    return name[1:-1] if name.startswith("'") else context.get(name, "")
