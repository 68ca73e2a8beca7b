"""`brain tool` and `brain mcp` on the command line: who may be asked as, what is built, and what wrong arguments get."""

import json
from pathlib import Path

import pytest

from tests.tools.commands import run_brain
from tests.tools.customers import write_customers
from tests.tools.desks import LEGACY, Workspace, converse
from tests.tools.repos import GitRepo
from tests.tools.vaults import write_files

SITE = {
    "site/brain.md": "---\ntitle: Our site\nblueprint: site@1\n---\n",
    "site/offer.md": "---\nsummary: What we offer.\n---\nWe offer violins.\n",
}


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    """Environment with a cache folder of its own."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.mark.req("S10")
def test_without_a_name_the_tools_are_listed() -> None:
    ran = run_brain("tool")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["listBrains", "getBlueprint", "getBrain", "searchBrain", "readDocument"]
    assert run_brain("tool", "--scopes", "").out == ""


@pytest.mark.req("S10")
def test_a_plain_folder_answers_whoever_runs_the_command(tmp_path: Path, cache: dict[str, str]) -> None:
    vault = write_files(tmp_path / "vault", SITE)
    listed = run_brain("tool", "listBrains", "--path", vault, env=cache)
    assert listed.code == 0
    assert [(brain["id"], brain["level"]) for brain in listed.json["brains"]] == [("vault/site", "shared")]
    here = run_brain("tool", "readDocument", '{"path": "vault/site/offer.md"}', cwd=vault, env=cache)
    assert "violins" in here.json["text"]
    assert not list(vault.glob("**/.brain"))


@pytest.mark.req("R09")
def test_a_repository_answers_from_the_commit_that_is_asked_for(tmp_path: Path, cache: dict[str, str]) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    first = repo.commit(SITE)
    repo.commit({"site/offer.md": "We offer cellos.\n"})
    write_files(repo.path, {"site/offer.md": "We offer harps.\n"})
    call = ("tool", "readDocument", '{"path": "repo/site/offer.md"}', "--path", repo.path)
    now, then, lying = (run_brain(*call, *more, env=cache).json for more in ((), ("--at", first), ("--uncommitted",)))
    assert "cellos" in now["text"]
    assert "violins" in then["text"]
    assert then["revision"] == first
    assert "harps" in lying["text"]
    assert lying["revision"] is None


@pytest.mark.req("S02")
def test_blueprints_of_ones_own_are_used(tmp_path: Path, cache: dict[str, str]) -> None:
    document = "  - file: harp.md\n    title: Harp\n    ring: Flow\n    deepens: [1]\n    asks: Which harp?\n"
    plans = write_files(tmp_path / "plans", {"band@1.yml": f"blueprint: band@1\ntitle: Band\nsummary: A band.\ndocuments:\n{document}"})
    vault = write_files(tmp_path / "vault", {"trio/brain.md": "---\ntitle: Trio\nblueprint: band@1\n---\n"})
    shown = run_brain("tool", "getBrain", '{"brain": "vault/trio"}', "--path", vault, "--blueprints", plans, env=cache).json
    assert [document["id"] for document in shown["documents"]] == ["harp"]
    unknown = run_brain("tool", "getBrain", '{"brain": "vault/trio"}', "--path", vault, env=cache).json
    assert unknown["depth"] is None
    assert any("band@1" in warning for warning in unknown["warnings"])


@pytest.mark.req("S11", "S12")
def test_what_a_tool_refuses_ends_with_exit_code_three_and_its_words(tmp_path: Path, cache: dict[str, str]) -> None:
    vault = write_files(tmp_path / "vault", SITE)
    ran = run_brain("tool", "getBrain", '{"brain": "vault/nothing"}', "--path", vault, env=cache)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.splitlines()[-1] == "Error in getBrain: Not found"
    ran = run_brain("tool", "getBlueprint", '{"type": "nothing@1"}', "--path", vault, env=cache)
    assert ran.code == 3
    assert ran.err.splitlines()[-1] == "Error in getBlueprint: Unknown blueprint. Call getBlueprint with no type for the list."


def test_a_workspace_wants_to_know_who_is_asking(tmp_path: Path, cache: dict[str, str]) -> None:
    path = write_customers(tmp_path / "brains")
    asked = run_brain("tool", "listBrains", "--path", path, env=cache)
    assert asked.code == 2
    assert "Accounts: ada, sam, ann, bob, cyd, olga, gone. Agents: bot." in asked.err
    built = run_brain("tool", "listBrains", "--path", path, "--as", "ann", "--uncommitted", env=cache)
    assert [brain["id"] for brain in built.json["brains"]] == ["ann-home/shop", "rules/house"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--as", "nobody"], "nobody is not known in shop"),
        (["--as", "ann", "--for", "bob"], "--for and --speaker go with an agent"),
        (["--as", "bot", "--for", "bot"], "bot is not known"),
        (["--as", "bot", "--for", "ann", "--speaker", "bob"], "not both"),
        (["--as", "ann", "--tenant", "other"], "There is no tenant other"),
        (["--as", "ann", "--out", "built", "--at", "HEAD"], "--out names what was built already"),
        (["--as", "ann", "--date", "yesterday"], "yesterday is not a date"),
    ],
)
def test_who_asks_must_make_sense(customers: Workspace, arguments: list[str], said: str) -> None:
    ran = run_brain("tool", "listBrains", "--path", customers.path, *arguments)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize("option", [["--as", "ann"], ["--tenant", "shop"], ["--for", "ann"], ["--speaker", "ann"]])
def test_a_folder_has_no_accounts(tmp_path: Path, option: list[str]) -> None:
    ran = run_brain("tool", "listBrains", "--path", write_files(tmp_path / "vault", SITE), *option)
    assert ran.code == 2
    assert "is no workspace" in ran.err


@pytest.mark.parametrize("text", ["{", "nonsense", "[" * 5_000])
def test_arguments_that_are_not_json_are_refused(customers: Workspace, text: str) -> None:
    ran = run_brain("tool", "listBrains", text, *customers.options("ann"))
    assert ran.code == 2
    assert "not valid JSON" in ran.err


@pytest.mark.req("S13")
def test_an_unknown_tool_and_one_without_the_right_are_not_found(customers: Workspace) -> None:
    wrong = run_brain("tool", "nothing", *customers.options("ann"))
    assert wrong.code == 2
    assert "Tool nothing not found" in wrong.err
    assert "readDocument" in wrong.err
    barred = run_brain("tool", "listBrains", *customers.options("ann", "--scopes", "none"))
    assert barred.code == 2
    assert "Tool listBrains not found" in barred.err
    assert "readDocument" not in barred.err


def test_an_output_that_is_not_there_is_named_at_once(customers: Workspace, tmp_path: Path) -> None:
    for name in (["tool", "listBrains"], ["mcp"]):
        ran = run_brain(*name, "--path", customers.path, "--out", tmp_path / "nothing", "--as", "ann")
        assert ran.code == 3
        assert "There is no index" in ran.err


@pytest.mark.threat(45)
def test_what_people_wrote_cannot_command_the_terminal(tmp_path: Path, cache: dict[str, str]) -> None:
    vault = write_files(tmp_path / "vault", {**SITE, "site/offer.md": "red \x1b[31m and \u202eturned\n\n::warning::x\n"})
    ran = run_brain("tool", "readDocument", '{"path": "vault/site/offer.md"}', "--path", vault, env=cache)
    assert "violins" not in ran.out
    assert "warning" in ran.out
    assert not {"\x1b", "\u202e"} & set(ran.out)
    assert not [line for line in ran.out.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.req("S10")
def test_mcp_serves_a_plain_folder(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "vault", SITE)

    async def talk(client: object) -> object:
        answer = await client.call_tool("listBrains", {})  # type: ignore[attr-defined]
        return answer.structured_content

    listed = converse(["mcp", "--path", str(vault), "--date", "2026-11-30"], talk, LEGACY)
    assert json.dumps(listed).count("vault/site") == 2
