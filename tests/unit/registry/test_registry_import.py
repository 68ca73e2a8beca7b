"""A tenant's list of repositories becomes repos (migration)."""

from pathlib import Path

import pytest

from indexer.errors import ConfigError, RefusalError
from indexer.registry.audit import CONSOLE
from indexer.registry.reach import Reader
from indexer.registry.repo_list import import_repositories, load_repository_list
from tests.tools.registries import World, act

LIST = """\
repositories:
  - address: https://git.example.org/acme/Team-Notes.git
    branch: main
    folder: notes
  - id: finance
    title: Finance records
    address: git@git.example.org:acme/finance
    branch: trunk
    read_only: true
"""


@pytest.mark.req("T35")
def test_the_list_becomes_repos_that_everyone_reads_and_the_filing_agents_write(world: World, tmp_path: Path) -> None:
    (tmp_path / "list.yml").write_text(LIST)
    repos = load_repository_list(tmp_path / "list.yml")
    with world.writing() as connection:
        assert import_repositories(connection, "acme", repos, "bo", ["filer"], CONSOLE, world.now) == ["team-notes", "finance"]
    added = {"team-notes": "read", "finance": "read"}
    assert world.reach(Reader("acme", "ed")).items() >= added.items()
    assert world.reach(Reader("acme", "bo")).items() >= {"team-notes": "write", "finance": "write"}.items()
    assert world.reach(Reader("acme", agent="filer")) == {"handbook": "write", "team-notes": "write", "finance": "read"}
    assert world.reach(Reader("acme", agent="pager")) == {"plans": "read"}
    assert world.reach(Reader("acme", "left")) == {}
    stored = {repo.id: repo for repo in world.load().repos}
    assert (stored["finance"].kept_as_is, stored["finance"].branch, stored["finance"].title) == (True, "trunk", "Finance records")
    assert (stored["team-notes"].folder, stored["team-notes"].kept_as_is) == ("notes", False)
    with world.writing() as connection:
        assert import_repositories(connection, "acme", repos, "bo", ["filer"], CONSOLE, world.now) == []


@pytest.mark.req("T35")
@pytest.mark.parametrize(
    ("owner", "agents"), [("ed", []), ("left", []), ("zoe", []), ("bo", ["ed"]), ("bo", ["everyone"]), ("bo", ["nobody"])]
)
def test_the_owner_is_an_operator_or_admin_and_only_agents_file(world: World, tmp_path: Path, owner: str, agents: list[str]) -> None:
    (tmp_path / "list.yml").write_text(LIST)
    with pytest.raises(RefusalError), world.writing() as connection:
        import_repositories(connection, "acme", load_repository_list(tmp_path / "list.yml"), owner, agents, CONSOLE, world.now)


@pytest.mark.req("T35")
def test_only_an_operator_imports(world: World, tmp_path: Path) -> None:
    (tmp_path / "list.yml").write_text(LIST)
    with pytest.raises(RefusalError), world.writing() as connection:
        import_repositories(connection, "acme", load_repository_list(tmp_path / "list.yml"), "bo", [], act("bo"), world.now)


@pytest.mark.req("T35")
@pytest.mark.threat(38)
@pytest.mark.parametrize(
    "line",
    [
        "address: https://bot:hunter2@git.example.org/acme/notes",
        "address: https://hunter2@git.example.org/acme/notes",
        "address: ssh://git:hunter2@git.example.org/acme/notes",
        "address: https://git.example.org/acme/notes?token=hunter2",
        "token: hunter2",
        "password: hunter2",
        "credentials: {name: bot, secret: hunter2}",
    ],
)
def test_a_credential_in_the_list_is_refused_at_its_line_and_not_repeated(tmp_path: Path, line: str) -> None:
    rest = "    branch: main\n" if line.startswith("address") else "    branch: main\n    address: https://git.example.org/acme/notes\n"
    (tmp_path / "list.yml").write_text(f"repositories:\n  - {line}\n{rest}")
    with pytest.raises(ConfigError) as refused:
        load_repository_list(tmp_path / "list.yml")
    said = f"{refused.value} {refused.value.hint}"
    assert "list.yml:2:" in said
    assert "credential" in said or "`?`" in said
    assert "hunter2" not in said


@pytest.mark.req("T35")
@pytest.mark.parametrize(
    "text",
    [
        "repositories:\n  - {address: 'https://git.example.org/acme/con', branch: main}\n",
        "repositories:\n  - {address: 'https://git.example.org/acme/___', branch: main}\n",
        "",
        "repositories: []\n",
        "repositories:\n  - branch: main\n",
        "repositories:\n  - {address: 'ext::sh -c x', branch: main}\n",
        "a: &b 1\n",
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "list.yml").write_text(text)
    with pytest.raises(ConfigError):
        load_repository_list(tmp_path / "list.yml")
