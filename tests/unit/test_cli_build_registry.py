"""`brain build --registry`: the registry knows when each repo was refreshed, from what, or why not (SPEC T01)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.tools.commands import run_brain

TENANT = """\
id: {id}
title: Acme
accounts:
  - {{id: ann, name: Ann}}
memberships:
  - {{account: ann, role: member}}
repos:
  - {{id: one, title: One, folder: one, owner: ann}}
  - {{id: two, title: Two, folder: two, owner: ann}}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in ("acme", "zeta"):
        for repo in ("one", "two"):
            (tmp_path / "ws" / name / repo).mkdir(parents=True)
            (tmp_path / "ws" / name / repo / "a.md").write_text("A page.", encoding="utf-8")
        (tmp_path / "ws" / name / "tenant.yml").write_text(TENANT.format(id=name), encoding="utf-8")
    return tmp_path / "ws"


def list_repos(registry: Path, tenant: str) -> dict[str, dict[str, Any]]:
    said = run_brain("repo", "list", "--registry", registry, "--tenant", tenant, "--json").out
    return {row["id"]: row for row in json.loads(said)}


@pytest.mark.req("T01", "P01")
def test_a_repo_is_fresh_after_a_build_and_failed_when_it_could_not_be_read(workspace: Path, tmp_path: Path) -> None:
    registry, out = tmp_path / "registry.sqlite", tmp_path / "out"
    assert run_brain("registry", "apply", workspace, "--registry", registry).code == 0
    assert {row["state"] for row in list_repos(registry, "acme").values()} == {""}

    assert run_brain("build", workspace, "--out", out, "--registry", registry).code == 0
    for tenant in ("acme", "zeta"):
        assert {row["state"] for row in list_repos(registry, tenant).values()} == {"fresh"}
    refreshed = list_repos(registry, "acme")["two"]["refreshed"]
    assert refreshed

    shutil.rmtree(workspace / "acme" / "two")
    assert run_brain("build", workspace, "--out", out, "--registry", registry).code == 3
    after = list_repos(registry, "acme")
    assert (after["one"]["state"], after["two"]["state"]) == ("fresh", "failed")
    assert "two" in after["two"]["reason"]
    assert after["two"]["refreshed"] == refreshed, "what was read before stays"


@pytest.mark.req("T01")
def test_a_repo_that_the_registry_does_not_hold_is_told_and_passed_over(workspace: Path, tmp_path: Path) -> None:
    registry = tmp_path / "registry.sqlite"
    assert run_brain("registry", "apply", workspace, "--registry", registry).code == 0
    text = (workspace / "acme" / "tenant.yml").read_text("utf-8")
    (workspace / "acme" / "tenant.yml").write_text(text + "  - {id: three, title: Three, folder: three, owner: ann}\n", encoding="utf-8")
    (workspace / "acme" / "three").mkdir()
    (workspace / "acme" / "three" / "a.md").write_text("A page.", encoding="utf-8")
    done = run_brain("build", workspace, "--out", tmp_path / "out", "--registry", registry)
    assert done.code == 0
    assert "acme/three is not in the registry" in done.err
    assert list_repos(registry, "acme")["one"]["state"] == "fresh"


@pytest.mark.req("T01", "P13")
def test_a_registry_that_is_not_there_is_one_clear_sentence(workspace: Path, tmp_path: Path) -> None:
    done = run_brain("build", workspace, "--out", tmp_path / "out", "--registry", tmp_path / "none.sqlite")
    assert done.code == 3
    assert "none.sqlite" in done.err
    assert "brain registry apply" in done.err
