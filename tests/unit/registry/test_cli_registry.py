"""`brain registry` and the commands beside it: what they say, what they leave behind, how they end."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from indexer.cli.edge import run_guarded
from indexer.cli.schema import find_schemas
from indexer.registry.keys import KEY_PATTERN
from indexer.registry.state import render_tenant
from indexer.registry.tenant_model import TenantFile
from tests.tools.registries import ACME, OTHER
from tests.tools.repos import GitRepo


@dataclass(frozen=True)
class Said:
    """How a command ended and what it printed."""

    code: int
    out: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Brain = Callable[..., Said]


@pytest.fixture
def brain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Brain:
    """`brain("grant", "plans", …)` runs a command as the edge does, in a folder with the workspace `brains`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BRAIN_REGISTRY", raising=False)
    write_workspace(tmp_path, ACME)

    def run(name: str, *arguments: str) -> Said:
        command = import_module(f"indexer.cli.{name}").command

        def invoke(given: Any) -> int:
            try:
                with command.make_context(name, list(given)) as context:
                    code = command.invoke(context)
            except click.exceptions.Exit as end:
                return end.exit_code
            except click.UsageError as error:
                error.show()
                return 2
            return code if isinstance(code, int) else 0

        capfd.readouterr()
        code = run_guarded(list(arguments), invoke)
        said = capfd.readouterr()
        return Said(code, said.out + said.err)

    return run


def write_workspace(folder: Path, *tenants: dict[str, Any]) -> None:
    for declared in tenants:
        place = folder / "brains" / declared["id"]
        place.mkdir(parents=True, exist_ok=True)
        (place / "tenant.yml").write_text(render_tenant(TenantFile.model_validate(declared)), encoding="utf-8")


@pytest.mark.req("T01")
def test_a_dry_run_shows_the_differences_and_changes_nothing(brain: Brain, tmp_path: Path) -> None:
    first = brain("registry", "apply", "brains", "--dry-run")
    assert first.code == 0
    assert "acme: add repo plans: title Plans" in first.out
    assert "27 changes would be made" in first.out
    assert not (tmp_path / "registry.sqlite").exists(), "not even an empty one is made"
    made = brain("registry", "apply", "brains")
    assert made.out.splitlines()[:-1] == first.out.splitlines()[:-1]
    assert "nothing to change" in brain("registry", "apply", "brains").out
    write_workspace(tmp_path, {**ACME, "title": "New", "repos": ACME["repos"][1:]})
    again = brain("registry", "apply", "brains", "--dry-run", "--json").json
    assert [change["key"] for change in again[0]["changes"]] == [["tenant"], ["repo", "handbook"]]
    assert (again[0]["changes"][1]["before"]["status"], again[0]["changes"][1]["after"]) == ("active", None)


@pytest.mark.req("T01")
def test_a_registry_that_lost_all_it_held_is_not_begun_anew_in_silence(brain: Brain, tmp_path: Path) -> None:
    assert "empty" not in brain("registry", "apply", "brains").out
    (tmp_path / "registry.sqlite").write_bytes(b"")
    for beside in ("-wal", "-shm"):
        (tmp_path / f"registry.sqlite{beside}").unlink(missing_ok=True)
    said = brain("registry", "apply", "brains")
    assert said.code == 0
    assert "was an empty file, so a new registry begins in it. If it held one before" in said.out
    assert "empty" not in brain("registry", "apply", "brains").out


@pytest.mark.req("P13")
def test_an_export_that_cannot_be_written_and_a_workspace_that_is_not_there_are_named(brain: Brain, tmp_path: Path) -> None:
    brain("registry", "apply", "brains")
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    said = brain("registry", "export", "--out", "taken")
    assert (said.code, "taken/acme could not be written: Not a directory." in said.out) == (3, True)
    assert (tmp_path / "taken").read_text("utf-8") == "a file"
    assert brain("registry", "apply", "brians").out.startswith("Error: There is no brians.\n")
    assert brain("registry", "audit", "--limit", "9" * 20).code == 2


@pytest.mark.req("T01")
def test_what_is_exported_is_the_workspace_again(brain: Brain, tmp_path: Path) -> None:
    write_workspace(tmp_path, OTHER)
    brain("registry", "apply", "brains")
    assert brain("registry", "export", "--out", "copy").code == 0
    assert brain("registry", "apply", "copy", "--registry", "registry.sqlite", "--exact").out.endswith("nothing to change.\n")
    assert "Comments of an earlier file are not kept" in (tmp_path / "copy" / "acme" / "tenant.yml").read_text("utf-8")
    assert TenantFile.model_validate(brain("registry", "export", "--tenant", "acme", "--json").json).id == "acme"
    assert brain("registry", "export").code == 2, "several tenants, none named"


@pytest.mark.req("T01")
def test_check_tells_whether_it_is_sound_and_in_what_the_files_differ(brain: Brain, tmp_path: Path) -> None:
    brain("registry", "apply", "brains")
    assert brain("registry", "check", "brains").code == 0
    brain("revoke", "plans", "--from", "ed", "--as", "di")
    differs = brain("registry", "check", "brains")
    assert differs.code == 1
    assert "the file would add grant plans to ed: access write" in differs.out
    (tmp_path / "registry.sqlite").chmod(0o644)
    assert "chmod 600" in brain("registry", "check").out


@pytest.mark.req("T01")
def test_problems_of_the_files_are_told_with_their_lines_and_leave_no_registry(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "brains" / "acme" / "tenant.yml").write_text("id: acme\ntitle: A\nacounts: []\nrepos:\n  - id: x\n")
    said = brain("registry", "apply", "brains")
    assert said.code == 3
    assert "tenant.yml:3: unknown key `acounts`" in said.out
    assert "tenant.yml:5:" in said.out
    assert not (tmp_path / "registry.sqlite").exists()


@pytest.mark.req("T04", "T08")
def test_grant_and_revoke_say_what_happened_and_only_the_owner_may(brain: Brain) -> None:
    brain("registry", "apply", "brains")
    assert brain("grant", "plans", "--to", "bo", "--write", "--as", "di").out == "bo may now write plans of acme.\n"
    assert brain("grant", "plans", "--to", "bo", "--write", "--as", "di", "--json").json["changed"] is False
    for refused in (["--as", "ana"], []):
        said = brain("grant", "plans", "--to", "cy", "--read", *refused)
        assert said.code == 3
        assert "owns no repo `plans`" in said.out
        assert "--as" in said.out
    assert brain("grant", "plans", "--to", "cy").code == 2
    assert "bo has no grant to plans of acme any more" in brain("revoke", "plans", "--from", "bo", "--as", "di").out
    lines = brain("registry", "audit", "--of", "repo:plans", "--json").json
    assert [(line["actor"], line["action"]) for line in lines[:2]] == [("di", "grant.revoke"), ("di", "grant.give")]


@pytest.mark.req("T04")
def test_who_reaches_a_repo_is_shown_with_the_reason(brain: Brain) -> None:
    brain("registry", "apply", "brains")
    shown = brain("repo", "show", "handbook", "--json").json
    assert [(each["who"], each["access"], each["why"], each["counts"]) for each in shown] == [
        ("ana", "write", "owner", True),
        ("everyone", "read", "grant", True),
        ("left", "write", "grant", False),
        ("filer", "write", "grant", True),
        ("bo", "read", "role admin", True),
        ("cy", "read", "role staff", True),
    ]
    assert "no member any more" in brain("repo", "show", "handbook").out
    assert brain("repo", "show", "missing").code == 3


@pytest.mark.req("T03", "T05", "T06", "T08")
def test_repos_are_created_registered_kept_and_archived(brain: Brain) -> None:
    brain("registry", "apply", "brains")
    assert brain("repo", "create", "sketches", "--title", "Sketches", "--as", "ed").code == 0
    assert brain("repo", "home", "--as", "ed").out == "The personal repo of ed is ed-home, created now.\n"
    assert brain("repo", "home", "--as", "ed", "--json").json["created"] is False
    address = ["--address", "https://git.example.org/acme/x", "--branch", "main"]
    assert brain("repo", "register", "records", "--owner", "ed", *address, "--keep-as-is").code == 0
    assert brain("repo", "register", "more", "--owner", "ed", "--address", "https://u:hunter2@h.example/x", "--branch", "main").code == 3
    assert brain("repo", "keep", "records", "--off", "--as", "ed").code == 0
    assert brain("repo", "archive", "records", "--as", "ed").code == 0
    assert brain("repo", "create", "x", "--title", "X").code == 2
    listed = {each["id"]: each for each in brain("repo", "list", "--json").json}
    assert (listed["records"]["status"], listed["records"]["kept_as_is"], listed["orphaned"]["status"]) == ("archived", False, "archived")
    assert listed["ed-home"]["kind"] == "home"


@pytest.mark.req("T15")
def test_members_are_added_ended_and_restored(brain: Brain) -> None:
    brain("registry", "apply", "brains")
    assert brain("account", "add", "fay", "--name", "Fay", "--email", "fay@acme.example").code == 0
    assert brain("account", "add", "sorter", "--name", "Sorter", "--agent").code == 0
    assert brain("member", "add", "fay", "--role", "staff").out == "fay is now staff of acme.\n"
    assert brain("member", "end", "di").out == "di is no member of acme any more. Archived: di-home, plans.\n"
    assert brain("member", "restore", "di", "--json").json["restored"] == ["di-home", "plans"]
    assert brain("member", "role", "fay", "operator", "--as", "bo").code == 3
    assert {each["id"]: each["role"] for each in brain("member", "list", "--json").json}["fay"] == "staff"
    assert "sorter" in brain("account", "list").out


@pytest.mark.req("M12")
@pytest.mark.threat(38)
def test_a_key_is_printed_once_and_listed_without_its_secret(brain: Brain) -> None:
    brain("registry", "apply", "brains")
    made = brain("key", "add", "--for", "filer", "--days", "30", "--brain", "handbook", "--label", "CI\nbuild", "--json").json
    assert KEY_PATTERN.fullmatch(made["key"])
    listed = brain("key", "list")
    assert made["id"] in listed.out
    assert listed.out.splitlines()[1].endswith("  CI build"), "one line, with what it is known by"
    assert made["key"][-4:] in listed.out
    assert made["key"][-8:] not in listed.out + brain("registry", "audit").out
    assert brain("key", "revoke", made["id"]).code == 0
    assert brain("key", "list", "--json").json[0]["revoked"]
    assert brain("key", "revoke", "01UNKNOWN").code == 3


@pytest.mark.req("T35")
def test_a_list_of_repositories_is_imported(brain: Brain, tmp_path: Path) -> None:
    brain("registry", "apply", "brains")
    (tmp_path / "list.yml").write_text("repositories:\n  - {address: 'https://git.example.org/acme/notes', branch: main}\n")
    said = brain("registry", "import", "list.yml", "--owner", "bo", "--agent", "filer")
    assert said.out == "Registered 1 repo in acme.\n  notes\n"
    assert brain("registry", "import", "list.yml", "--owner", "bo", "--json").json == {"tenant": "acme", "registered": [], "known": 1}
    rights = {each["who"]: each["access"] for each in brain("repo", "show", "notes", "--json").json if not each["why"].startswith("role")}
    assert rights == {"bo": "write", "everyone": "read", "filer": "write"}


@pytest.mark.req("T09")
def test_without_a_registry_every_command_says_so(brain: Brain, tmp_path: Path) -> None:
    for arguments in (["repo", "list"], ["grant", "plans", "--to", "bo", "--read", "--as", "di"], ["key", "list"], ["registry", "export"]):
        said = brain(*arguments)
        assert said.code == 3
        assert "There is no registry at registry.sqlite" in said.out
    assert not (tmp_path / "registry.sqlite").exists()


def test_the_registry_is_found_by_option_environment_and_beside_the_workspace(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "brains").rename(tmp_path / "elsewhere" / "brains")
    assert brain("registry", "apply", "elsewhere/brains").code == 0
    assert (tmp_path / "elsewhere" / "registry.sqlite").exists()
    assert brain("repo", "list", "--registry", "elsewhere/registry.sqlite").code == 0
    monkeypatch.setenv("BRAIN_REGISTRY", str(tmp_path / "elsewhere" / "registry.sqlite"))
    assert brain("repo", "list").code == 0
    assert brain("repo", "list", "--registry", "postgresql://localhost:1/none").code == 3


@pytest.mark.parametrize("name", ["registry", "account", "repo", "grant", "revoke", "member", "key"])
def test_every_command_explains_itself(name: str) -> None:
    command = import_module(f"indexer.cli.{name}").command
    for each in [command, *getattr(command, "commands", {}).values()]:
        assert each.help
        shown = CliRunner().invoke(command, ["--help"] if each is command else [each.name, "--help"])
        assert shown.exit_code == 0


@pytest.mark.req("T16")
def test_reach_lists_what_a_turn_reaches_each_read_only_or_writable(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BRAIN_KEY", "BRAIN_AS", "BRAIN_FOR", "BRAIN_SPEAKER"):
        monkeypatch.delenv(name, raising=False)
    brain("registry", "apply", "brains")
    assert brain("reach").code == 2
    said = brain("reach", "--as", "ed").out
    assert [line.split()[:3] for line in said.splitlines()[1:]] == [["handbook", "Handbook", "read-only"], ["plans", "Plans", "writable"]]
    assert brain("reach", "--as", "filer").out.count("\n") == 2
    assert "plans" not in brain("reach", "--as", "filer", "--speaker", "ana").out
    answer = brain("reach", "--as", "filer", "--for", "di", "--json").json
    Draft202012Validator(json.loads(find_schemas()["reach"].read_text("utf-8"))).validate(answer)
    assert (answer["account"], answer["agent"], answer["speaking"]) == ("di", "filer", False)
    assert [repo["id"] for repo in answer["repos"]] == ["di-home", "handbook", "plans"]
    assert {repo["access"] for repo in answer["repos"]} == {"write"}
    for wrong in (["--as", "left"], ["--as", "nobody"], ["--as", "ed", "--for", "di"]):
        assert brain("reach", *wrong).code == 3


@pytest.mark.req("T10", "T16", "M12")
@pytest.mark.threat(38)
def test_a_turn_with_a_key_in_its_environment_needs_no_name(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    brain("registry", "apply", "brains")
    made = brain("key", "add", "--for", "ed", "--agent", "pager", "--json").json
    monkeypatch.setenv("BRAIN_KEY", made["key"])
    listed = brain("reach", "--json").json
    assert (listed["account"], listed["agent"]) == ("ed", "pager")
    assert [repo["id"] for repo in listed["repos"]] == ["handbook", "plans"]
    assert brain("reach", "--for", "di").code == 2
    assert "pager for ed" in brain("key", "list").out
    brain("key", "revoke", made["id"])
    refused = brain("reach")
    assert refused.code == 3
    assert made["key"] not in refused.out


@pytest.mark.req("T16")
def test_reach_says_what_is_pushed_now(brain: Brain, tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path)
    first = repo.commit({"brains/acme/plans/index.md": "# Plans\n"})
    brain("registry", "apply", "brains")
    assert {each["pushed"] for each in brain("reach", "--as", "ed", "--json").json["repos"]} == {None}
    pushed = {each["id"]: each["pushed"] for each in brain("reach", "--as", "ed", "--path", "brains", "--json").json["repos"]}
    assert pushed == {"plans": first, "handbook": None}
    second = repo.commit({"brains/acme/plans/index.md": "# More plans\n"})
    assert second[:12] in brain("reach", "--as", "ed", "--path", "brains").out
