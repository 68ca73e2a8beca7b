"""The composite action, run step by step as GitHub runs it, against prepared pull requests; and what its linters say."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import RepoFactory
from tests.tools.composite import Run, put_program
from tests.tools.repos import GitRepo, run_git

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github" / "actions" / "check"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FAKE_GH = '''\
#!{python}
"""A forge of one file: comments as JSON; what `gh` is asked is noted."""
import json, os, sys
from pathlib import Path
state = Path({state!r})
comments = json.loads(state.read_text())
args = sys.argv[1:]
assert args[0] == "api" and os.environ["GH_TOKEN"] == "secret-token", args
if args[1] == "graphql":
    assert "viewerDidAuthor" in " ".join(args) and "--paginate" in args
    for each in comments:
        if each["mine"] and each["body"].startswith(os.environ["MARKER"]):
            print(each["id"])
    sys.exit()
method = args[args.index("--method") + 1]
body = Path(args[-1].removeprefix("body=@")).read_text()
if method == "PATCH":
    (found,) = [each for each in comments if str(each["id"]) == args[-3].rsplit("/", 1)[-1]]
    found["body"] = body
else:
    comments.append({{"id": 100 + len(comments), "mine": True, "body": body}})
state.write_text(json.dumps(comments))
'''


@pytest.fixture
def repo(git_repo: RepoFactory) -> GitRepo:
    """Main with an old error and news of its own, and a branch `topic` that adds an error."""
    repo = git_repo({"docs/a.md": "# A\n\n[[gone]]\n", "docs/b.md": "# B\n"})
    run_git(repo.path, "checkout", "--quiet", "-b", "topic")
    repo.commit({"docs/c.md": "# C\n\n[[nowhere]] [[b]]\n"})
    run_git(repo.path, "checkout", "--quiet", "main")
    repo.commit({"docs/d.md": "[[of others]]\n"})
    return repo


def clone_as_checkout(repo: GitRepo, where: Path, *options: str) -> Path:
    """Clone as actions/checkout does: a detached commit, branches under refs/remotes/origin only."""
    run_git(where, "clone", "--quiet", "--no-local", *options, repo.path.as_uri(), "checkout")
    run_git(where / "checkout", "checkout", "--quiet", "--detach", "origin/topic")
    run_git(where / "checkout", "branch", "--quiet", "-D", "topic" if "--branch=topic" in options else "main")
    return where / "checkout"


def start(repo: GitRepo, tmp_path: Path, *options: str, **context: Any) -> Run:
    """Return a run for the pull request from `topic` to `main`."""
    temp = tmp_path / "runner temp"
    temp.mkdir()
    put_program(temp)
    checkout = clone_as_checkout(repo, tmp_path, *options)
    default = {
        "github.workspace": checkout,
        "github.repository": "fields/pages",
        "github.token": "secret-token",
        "github.event_name": "pull_request",
        "github.base_ref": "main",
        "github.sha": repo.commits[1],
        "github.event.pull_request.head.sha": repo.commits[1],
        "github.event.pull_request.head.repo.full_name": "fields/pages",
        "github.event.pull_request.number": 7,
    }
    forge = tmp_path / "programs"
    forge.mkdir()
    (forge / "gh").write_text(FAKE_GH.format(python=sys.executable, state=str(tmp_path / "comments.json")))
    (forge / "gh").chmod(0o755)
    (tmp_path / "comments.json").write_text("[]")
    return Run(ACTION, temp, default | context, path=str(forge))


def read_comments(tmp_path: Path) -> list[dict[str, Any]]:
    comments: list[dict[str, Any]] = json.loads((tmp_path / "comments.json").read_text())
    return comments


@pytest.mark.req("P16")
def test_a_pull_request_gets_annotations_summary_outputs_and_a_failure(repo: GitRepo, tmp_path: Path) -> None:
    run = start(repo, tmp_path)
    outputs = run.outputs({"path": "docs"})
    assert run.steps == {"Compare": 0, "Decide": 1}, run.log
    assert "::error file=docs/c.md,title=LNK001,line=3::[[nowhere]] leads to no page" in run.log
    assert "of others" not in run.log + run.summary
    assert (outputs["new-errors"], outputs["new-warnings"], outputs["changed"]) == ("1", "0", "true")
    assert Path(outputs["summary"]).read_text() == run.summary
    assert "`docs`" in run.summary
    assert read_comments(tmp_path) == []


@pytest.mark.req("P16")
@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0)])
def test_the_comment_is_written_once_and_kept_up_to_date(repo: GitRepo, tmp_path: Path, fail_on: str, code: int) -> None:
    run = start(repo, tmp_path)
    foreign = {"id": 1, "mine": False, "body": "<!-- brainpress-check 000000000000 -->\nnot ours"}
    (tmp_path / "comments.json").write_text(json.dumps([foreign]))
    inputs = {"path": "docs", "comment": "true", "fail-on": fail_on}
    run.outputs(inputs)
    assert run.steps == {"Compare": 0, "Comment": 0, "Decide": code}, run.log
    first = read_comments(tmp_path)
    assert [each["mine"] for each in first] == [False, True]
    assert first[1]["body"] == run.summary
    # What somebody else wrote under the same marker is left alone.
    first[0]["body"] = run.summary
    (tmp_path / "comments.json").write_text(json.dumps([*first]))
    run.context |= {"github.event.pull_request.head.sha": repo.commits[0]}
    run.outputs(inputs)
    second = read_comments(tmp_path)
    assert len(second) == 2
    assert second[0] == first[0]
    assert "Nothing to compare" in second[1]["body"]


@pytest.mark.req("P16")
@pytest.mark.threat(44)
def test_a_pull_request_from_a_fork_gets_no_comment(repo: GitRepo, tmp_path: Path) -> None:
    run = start(repo, tmp_path, **{"github.event.pull_request.head.repo.full_name": "stranger/pages"})
    run.outputs({"path": "docs", "comment": "true"})
    assert run.steps == {"Compare": 0, "Decide": 1}
    assert run.summary
    assert read_comments(tmp_path) == []


@pytest.mark.req("P16")
def test_a_shallow_checkout_fails_with_what_to_do(repo: GitRepo, tmp_path: Path) -> None:
    run = start(repo, tmp_path, "--depth=1", "--branch=topic")
    run.outputs({"path": "docs"})
    assert run.steps == {"Compare": 3}
    assert "There is no revision `main`" in run.log
    assert "`fetch-depth: 0`" in run.log


@pytest.mark.req("P16")
@pytest.mark.parametrize("base", ["", "0" * 40])
def test_a_push_without_a_base_is_checked_as_a_whole(repo: GitRepo, tmp_path: Path, base: str) -> None:
    run = start(repo, tmp_path, **{"github.base_ref": "", "github.event_name": "push"})
    outputs = run.outputs({"path": "docs", "base": base, "comment": "true"})
    assert run.steps == {"Compare": 0, "Decide": 1}
    assert "::error file=docs/a.md" in run.log
    assert (outputs["summary"], outputs["changed"], run.summary) == ("", "", "")


@pytest.mark.req("P16")
@pytest.mark.threat(44)
@pytest.mark.parametrize("name", ["path", "base", "head", "fail-on", "date", "blueprints"])
@pytest.mark.parametrize("value", ['"; touch owned; "$(touch owned)`touch owned`\nnew_errors=0', "--help"], ids=["shell", "option"])
def test_no_input_becomes_part_of_a_command(repo: GitRepo, tmp_path: Path, name: str, value: str) -> None:
    run = start(repo, tmp_path)
    outputs = run.outputs({"path": "docs", name: value})
    assert run.steps == {"Compare": 2 if name in {"fail-on", "date", "blueprints"} else 3}, run.log
    assert not list(tmp_path.rglob("owned"))
    assert outputs["new-errors"] == ""


@pytest.mark.req("P16")
def test_the_program_is_installed_from_the_checkout_of_the_action(tmp_path: Path) -> None:
    steps = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"]
    (install,) = [step for step in steps if step.get("name") == "Install brainpress"]
    stub = tmp_path / "bin" / "python"
    stub.parent.mkdir()
    stub.write_text(f'#!/bin/bash\nprintf "%s\\n" "$@" >>"{tmp_path}/asked"\nmkdir -p "$3/bin"\ncp "$0" "$3/bin/python"\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{stub.parent}:/usr/bin:/bin", "GITHUB_ACTION_PATH": str(ACTION), "RUNNER_TEMP": str(tmp_path / "a b")}
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", install["run"]], env=environment, check=True, cwd=tmp_path)
    asked = (tmp_path / "asked").read_text().split("\n")
    assert asked[:3] == ["-m", "venv", f"{tmp_path}/a b/brainpress"]
    assert asked[-4:-1] == ["--constraint", f"{ROOT}/constraints.txt", str(ROOT)]


# --- the files themselves --------------------------------------------------------------------------------------------


def find_uses(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*([value["uses"]] if "uses" in value else []), *(use for each in value.values() for use in find_uses(each))]
    return [use for each in value for use in find_uses(each)] if isinstance(value, list) else []


@pytest.mark.req("P16")
@pytest.mark.threat(44)
@pytest.mark.parametrize("file", [*WORKFLOWS, ACTION / "action.yml"], ids=lambda file: file.name)
def test_workflows_pin_what_they_use_and_take_few_rights(file: Path) -> None:
    content = yaml.safe_load(file.read_text())
    for use in find_uses(content):
        assert use == "./.github/actions/check" or re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", use)
    if "jobs" in content:
        assert content["permissions"] in ({}, {"contents": "read"})
        assert content["concurrency"]
        triggers = set(content[True])  # YAML reads the key `on` as a truth value
        assert triggers <= {"push", "pull_request"}
        rights = [job.get("permissions", {}) for job in content["jobs"].values()]
        assert [right for each in rights for right, kind in each.items() if kind == "write"] in ([], ["pull-requests"])


@pytest.mark.req("P16")
@pytest.mark.parametrize("name", ["path", "base", "head", "fail-on", "comment", "python-version"])
def test_the_action_explains_its_inputs_and_outputs(name: str) -> None:
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    assert action["inputs"][name]["description"]
    assert {"new-errors", "new-warnings", "filled", "documents", "summary"} <= action["outputs"].keys()


def find_tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    return found or pytest.skip(f"{name} is not installed")


@pytest.mark.req("P16")
@pytest.mark.threat(44)
@pytest.mark.parametrize(("tool", "options"), [("zizmor", ("--offline", "--persona=pedantic", ".github")), ("actionlint", ("-no-color",))])
def test_linters_find_nothing(tool: str, options: tuple[str, ...]) -> None:
    done = subprocess.run([find_tool(tool), *options], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
