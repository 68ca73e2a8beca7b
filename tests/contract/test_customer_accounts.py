"""A product whose customers are members with homes (SPEC S15), and rights that change while the server runs (SPEC T09)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from indexer.serve.tool_error import ToolError
from tests.tools.customers import DECLARED
from tests.tools.desks import LEGACY, MODERN, Workspace


@pytest.mark.req("S09", "S14", "S15")
@pytest.mark.parametrize("who", ["ann", "bob", "cyd"])
def test_a_customer_sees_the_own_home_and_the_house_rules_and_nothing_else(customers: Workspace, who: str) -> None:
    brains = customers.open_desk(who).call("listBrains", {})["brains"]
    assert [(brain["id"], brain["level"]) for brain in brains] == [(f"{who}-home/shop", "tenant"), ("rules/house", "shared")]


@pytest.mark.req("S08", "S15", "S16")
def test_a_home_brain_has_its_parent_in_a_shared_repo(customers: Workspace) -> None:
    desk = customers.open_desk("cyd")
    shown = desk.call("getBrain", {"brain": "cyd-home/shop"})
    assert shown["parent"] == "rules/house"
    covers = {cover["path"] for document in shown["documents"] for cover in document.get("parentCovers", [])}
    assert covers == {"rules/house/pricing.md"}
    (conflict,) = shown["conflicts"]
    assert [(claim["path"], claim["value"]) for claim in conflict["claims"]] == [
        ("cyd-home/shop/offer.md", "10"),
        ("rules/house/pricing.md", "12"),
    ]
    found = desk.call("searchBrain", {"brain": "cyd-home/shop", "query": "a word on", "includeParents": True})
    assert found["searched"] == ["cyd-home/shop", "rules/house"]
    assert [hit["path"] for hit in found["results"]] == ["cyd-home/shop/offer.md", "rules/house/pricing.md"]


@pytest.mark.req("S14", "S15")
@pytest.mark.parametrize("who", ["ada", "sam", "olga"])
def test_nobody_who_runs_the_product_sees_a_customers_home(customers: Workspace, who: str) -> None:
    desk = customers.open_desk(who)
    assert not [brain for brain in desk.call("listBrains", {})["brains"] if "-home/" in brain["id"]]
    with pytest.raises(ToolError, match=r"\ANot found\Z"):
        desk.call("getBrain", {"brain": "ann-home/shop"})


@pytest.mark.req("T10")
def test_an_agent_reaches_by_itself_for_a_customer_and_spoken_to_by_one(customers: Workspace) -> None:
    def list_projects(**reader: Any) -> list[str]:
        brains = customers.open_desk("", agent="bot", **reader).call("listBrains", {})["brains"]
        return [brain["id"].partition("/")[0] for brain in brains]

    assert list_projects() == ["board"]
    assert list_projects(account="ann") == ["ann-home", "board", "rules"]
    assert list_projects(account="ann", speaking=True) == ["ann-home", "rules"]
    for options, expected in (([], 1), (["--for", "ann"], 3), (["--speaker", "ann"], 2)):
        assert len(customers.ask("bot", "listBrains", {}, *options).json["brains"]) == expected


@pytest.fixture
def changing(customers: Workspace, tmp_path: Path) -> Workspace:
    """A copy of the workspace whose tenant.yml may be changed; the build output is the same."""
    shutil.copytree(customers.path, tmp_path / "brains")
    return Workspace(tmp_path / "brains", customers.out, customers.tenant)


def declare(workspace: Workspace, **changes: Any) -> None:
    """Write tenant.yml anew."""
    declared = {"id": workspace.tenant, "title": "Shop", **DECLARED, **changes}
    workspace.tenant_file.write_text(json.dumps(declared, indent=1), encoding="utf-8")


@pytest.mark.req("T09")
@pytest.mark.threat(33)
@pytest.mark.parametrize("mode", [LEGACY, MODERN], ids=["2025-11-25", "2026-07-28"])
def test_what_is_revoked_is_refused_by_the_running_server_on_the_next_call(changing: Workspace, mode: str) -> None:
    """The connection stays open all the time; a cursor or an id from before helps nobody."""
    declare(changing)
    repos: Any = DECLARED["repos"]
    without = [{**repo, "grants": []} if repo["id"] == "rules" else repo for repo in repos]

    async def read(client: Client) -> str:
        answer = await client.call_tool("readDocument", {"path": "rules/house/pricing.md"})
        content = answer.content[0]
        return content.text if content.type == "text" and answer.is_error else "read"

    async def talk(client: Client) -> list[str]:
        said = [await read(client)]
        declare(changing, repos=without)
        said.append(await read(client))
        declare(changing)
        said.append(await read(client))
        changing.tenant_file.write_text("id: [\n", encoding="utf-8")
        said.append(await read(client))
        changing.tenant_file.unlink()
        said.append(await read(client))
        declare(changing)
        said.append(await read(client))
        return said

    undecided = "Error in readDocument: Who may read what cannot be decided now, so nothing is shown."
    said = changing.converse("ann", talk, mode=mode)
    assert [said[0], said[1], said[2], said[5]] == ["read", "Error in readDocument: Not found", "read", "read"]
    assert said[3] == said[4]
    assert said[3].startswith(undecided)


@pytest.mark.req("T09", "T15")
def test_who_leaves_reaches_nothing_from_the_next_call_on(changing: Workspace) -> None:
    declare(changing)
    desk = changing.open_desk("ann")
    assert len(desk.call("listBrains", {})["brains"]) == 2
    memberships: Any = DECLARED["memberships"]
    declare(changing, memberships=[{**each, "status": "ended"} if each["account"] == "ann" else each for each in memberships])
    assert desk.call("listBrains", {})["brains"] == []
    with pytest.raises(ToolError, match=r"\ANot found\Z"):
        desk.call("readDocument", {"path": "ann-home/shop/offer.md"})


@pytest.mark.threat(33)
@pytest.mark.parametrize("tool", ["listBrains", "getBlueprint", "getBrain", "searchBrain", "readDocument"])
def test_an_unreadable_tenant_file_closes_every_tool_with_the_same_words(changing: Workspace, tool: str) -> None:
    desk = changing.open_desk("ann")
    changing.tenant_file.write_bytes(b"\xff\xfe")
    arguments = {"getBrain": {"brain": "x"}, "searchBrain": {"brain": "x", "query": "y"}, "readDocument": {"path": "z"}}
    with pytest.raises(ToolError, match="cannot be decided now"):
        desk.call(tool, arguments.get(tool, {}))


@pytest.mark.threat(36)
def test_a_tenant_file_behind_a_symbolic_link_opens_nothing(changing: Workspace, tmp_path: Path) -> None:
    desk = changing.open_desk("ann")
    elsewhere = tmp_path / "elsewhere.yml"
    changing.tenant_file.rename(elsewhere)
    changing.tenant_file.symlink_to(elsewhere)
    with pytest.raises(ToolError, match="cannot be decided now"):
        desk.call("listBrains", {})
