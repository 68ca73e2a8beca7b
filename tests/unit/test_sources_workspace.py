"""Workspaces: folders of tenants."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import ConfigError, SourceError
from indexer.sources import open_source, read_workspace
from tests.tools.repos import GitRepo
from tests.tools.unreadable import open_to_all, without_power
from tests.tools.vaults import Files, Link

RepoFactory = Callable[..., GitRepo]
VaultFactory = Callable[..., Path]

TENANT = """\
id: {id}
title: Tenant {id}
accounts: [{{id: ana, name: Ana Sole}}]
memberships: [{{account: ana, role: admin}}]
repos:
  - {{id: handbook, title: Handbook, owner: ana, folder: shared/handbook}}
  - {{id: notes, title: Notes, owner: ana, address: "git@git.example.org:ana/notes", branch: main}}
"""


def tenant(name: str) -> str:
    return TENANT.format(id=name)


WORKSPACE: Files = {
    "blue/tenant.yml": tenant("blue"),
    "blue/shared/handbook/index.md": "# Blue\n",
    "amber/tenant.yml": tenant("amber"),
    "amber/shared/handbook/index.md": "# Amber\n",
    ".hidden/tenant.yml": tenant("hidden"),
    "notes/readme.md": "no tenant",
}


@pytest.mark.req("P01")
def test_a_workspace_has_a_folder_per_tenant(vault: VaultFactory) -> None:
    tenants = read_workspace(vault(WORKSPACE))
    assert tenants is not None
    assert [found.tenant.id for found in tenants] == ["amber", "blue"]
    folder = tenants[1].find_folder(tenants[1].tenant.repos[0])
    assert folder is not None
    with open_source(folder) as source:
        assert [content for _, content in source.read(source.snapshot.entries)] == [b"# Blue\n"]
    assert tenants[1].find_folder(tenants[1].tenant.repos[1]) is None, "it lies elsewhere"


@pytest.mark.req("P01")
def test_the_repos_of_a_workspace_in_git_are_read_as_committed(git_repo: RepoFactory) -> None:
    repo = git_repo(WORKSPACE)
    (repo.path / "blue/shared/handbook/index.md").write_text("# Not yet\n", encoding="utf-8")
    tenants = read_workspace(repo.path)
    assert tenants is not None
    folder = tenants[1].find_folder(tenants[1].tenant.repos[0])
    assert folder is not None
    with open_source(folder) as source:
        assert source.snapshot.revision == repo.commits[0]
        assert [content for _, content in source.read(source.snapshot.entries)] == [b"# Blue\n"]
        assert source.origin.folder == "blue/shared/handbook"


def test_other_folders_are_no_workspace(vault: VaultFactory, git_repo: RepoFactory, tmp_path: Path) -> None:
    assert read_workspace(vault({"a.md": "1", "deep/down/tenant.yml": tenant("down")})) is None
    assert read_workspace(vault({"tenant.yml": tenant("self")}, "self")) is None
    assert read_workspace(git_repo({"a.md": "1"}).bare(tmp_path / "bare.git")) is None
    assert read_workspace(vault({"a.md": "1"}) / "a.md") is None
    with pytest.raises(SourceError, match="cannot be listed"):
        read_workspace(tmp_path / "nowhere")


@pytest.mark.req("P13")
def test_a_folder_that_nobody_may_look_into_makes_no_vault_unreadable(vault: VaultFactory) -> None:
    root = vault({"index.md": "# Start\n", "lost+found/a.md": "1"})
    open_to_all(root)
    with without_power(root / "lost+found"):
        assert read_workspace(root) is None


@pytest.mark.req("P13")
def test_a_tenant_that_cannot_be_looked_into_is_not_taken_for_gone(vault: VaultFactory) -> None:
    root = vault(WORKSPACE)
    open_to_all(root)
    with without_power(root / "amber"), pytest.raises(SourceError, match=r"amber may hold a tenant"):
        read_workspace(root)


@pytest.mark.req("P13")
def test_the_problems_of_all_tenants_are_told_at_once(vault: VaultFactory) -> None:
    files = {"blue/tenant.yml": "id: blue\n", "amber/tenant.yml": tenant("amber") + "colour: red\n"}
    with pytest.raises(ConfigError) as caught:
        read_workspace(vault(files))
    assert len(caught.value.problems) == 2
    assert "amber/tenant.yml:8: unknown key `colour`" in caught.value.problems[0]
    assert "blue/tenant.yml:1: `title` is missing" in caught.value.problems[1]


@pytest.mark.threat(2)
def test_a_tenant_behind_a_link_is_none(vault: VaultFactory) -> None:
    root = vault({**WORKSPACE, "alias": Link("blue"), "thief/tenant.yml": Link("../blue/tenant.yml")})
    tenants = read_workspace(root)
    assert tenants is not None
    assert [found.tenant.id for found in tenants] == ["amber", "blue"]


@pytest.mark.threat(2)
def test_a_repo_folder_cannot_lead_into_another_tenant(vault: VaultFactory) -> None:
    root = vault({**WORKSPACE, "thief/tenant.yml": tenant("thief"), "thief/shared": Link("../blue/shared")})
    with pytest.raises(ConfigError, match="`shared/handbook` leads over a symbolic link"):
        read_workspace(root)


@pytest.mark.threat(2)
def test_a_repo_folder_exchanged_for_a_link_later_is_noticed(vault: VaultFactory) -> None:
    root = vault(WORKSPACE)
    tenants = read_workspace(root)
    assert tenants is not None
    (root / "amber" / "shared").rename(root / "amber" / "was")
    (root / "amber" / "shared").symlink_to(root / "blue" / "shared")
    with pytest.raises(SourceError, match="symbolic link"):
        tenants[0].find_folder(tenants[0].tenant.repos[0])


def test_opening_a_folder_loads_neither_pydantic_nor_yaml() -> None:
    program = "import indexer.sources, sys; print(sorted({'pydantic', 'yaml'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout.strip() == b"[]"
