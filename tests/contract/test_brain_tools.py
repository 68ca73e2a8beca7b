"""The example of the reference, word for word on the sample workspace, with the official client over both revisions of the protocol."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.shared.exceptions import MCPError

from indexer.serve.tool_error import ToolError
from tests.tools.desks import LEGACY, MODERN, Workspace

BUSINESS, WEBSITE = "northwind-advisory/brains/business", "northwind-advisory/brains/website"
BOTH = pytest.mark.parametrize("mode", [LEGACY, MODERN], ids=["2025-11-25", "2026-07-28"])


async def call(client: Client, tool: str, arguments: Any = None) -> Any:
    """Return the structured answer, which must fit the tool's schema and be the same as its text."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def refuse(client: Client, tool: str, arguments: Any) -> str:
    """Return the text of an answer that is an error."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    (content,) = answer.content
    assert content.type == "text"
    return content.text


@pytest.mark.req("S03", "S04", "S07", "S08", "S09", "S10", "S16")
@BOTH
def test_the_example_of_the_reference(northwind: Workspace, mode: str) -> None:
    """List → blueprint → brain → search → read → answer, each step with what the one before gave."""
    check_steps(northwind.converse("tom", take_steps, mode=mode))


async def take_steps(client: Client) -> dict[str, Any]:
    """Return the answer to each step, over whichever door the client has."""
    listed = await call(client, "listBrains", {})
    entry = next(brain for brain in listed["brains"] if brain["title"] == "Northwind Advisory website")
    return {
        "listed": listed,
        "blueprint": await call(client, "getBlueprint", {"type": entry["blueprint"]}),
        "brain": await call(client, "getBrain", {"brain": entry["id"]}),
        "found": await call(client, "searchBrain", {"brain": entry["id"], "query": "discount", "includeParents": True}),
        "read": await call(client, "readDocument", {"path": f"{WEBSITE}/offer.md"}),
    }


def check_steps(steps: dict[str, Any]) -> None:
    check_list(steps["listed"])
    check_blueprint(steps["blueprint"])
    check_brain(steps["brain"])
    check_search(steps["found"])
    assert steps["read"]["document"] == "offer"
    assert steps["read"]["brain"] == WEBSITE
    assert "10% discount" in steps["read"]["text"]
    check_answer(steps)


def check_list(listed: Any) -> None:
    assert listed["truncated"] is False
    by_id = {brain["id"]: brain for brain in listed["brains"]}
    assert list(by_id) == sorted(by_id)
    business, website = by_id[BUSINESS], by_id[WEBSITE]
    assert {**business, "depth": business["depth"][0]} == {
        "id": BUSINESS,
        "type": "business",
        "title": "Northwind Advisory",
        "blueprint": "business@1",
        "level": "shared",
        "parent": None,
        "card": f"{BUSINESS}/brain.md",
        "depth": make_depth(4, filled=2, checked=1, missing=2),
    }
    assert {**website, "depth": website["depth"][0]} == {
        "id": WEBSITE,
        "type": "site",
        "title": "Northwind Advisory website",
        "blueprint": "site@1",
        "level": "shared",
        "parent": BUSINESS,
        "card": f"{WEBSITE}/brain.md",
        "depth": make_depth(10, filled=2, checked=0, missing=8),
    }
    assert sum(ring["documents"] for ring in business["depth"]) == 20


def make_depth(documents: int, *, filled: int, checked: int, missing: int) -> dict[str, Any]:
    """Return the first ring as the reference shows it."""
    named = {"documents": documents, "filled": filled, "checked": checked, "declined": 0, "outOfDate": 0, "missing": missing}
    return {"ring": "Public Context", "stage": "Scope", **named}


def check_blueprint(blueprint: Any) -> None:
    assert blueprint["type"] == "site@1"
    first = [document for document in blueprint["documents"] if document["ring"] == "Public Context"]
    assert len(first) == 10
    assert "offer.md" in {document["file"] for document in first}
    for document in blueprint["documents"]:
        assert {"file", "title", "ring", "deepens", "outOfDateAfterDays", "asks"} <= document.keys()
        assert document["asks"]


def check_brain(brain: Any) -> None:
    assert brain["parent"] == BUSINESS
    assert [(dropped["id"], bool(dropped["reason"])) for dropped in brain["dropped"]] == [("connections", True)]
    states = {document["id"]: document["state"] for document in brain["documents"]}
    assert states["offer"] == "filled"
    added = [document for document in brain["documents"] if document.get("added")]
    assert [(document["id"], bool(document["reason"])) for document in added] == [("first-calls", True)]
    for document in brain["documents"]:
        assert document["path"] == f"{WEBSITE}/{document['file']}"
        assert ("parentCovers" in document) == (document["state"] == "missing")
    for ring in brain["depth"]:
        assert ring["documents"] == ring["filled"] + ring["declined"] + ring["missing"]
        assert ring["checked"] + ring["outOfDate"] <= ring["filled"]


def check_search(found: Any) -> None:
    assert found["searched"] == [WEBSITE, BUSINESS]
    assert [hit["brain"] for hit in found["results"]] == sorted((hit["brain"] for hit in found["results"]), reverse=True)
    assert {f"{WEBSITE}/offer.md", f"{BUSINESS}/pricing.md"} <= {hit["path"] for hit in found["results"]}
    for hit in found["results"]:
        assert hit.keys() == {"brain", "title", "path", "line", "snippet"}
        assert "discount" in hit["snippet"].lower()


def check_answer(steps: Any) -> None:
    """What the last step of the reference asks for is all there: gaps with asks, covers, and what differs, with both paths."""
    missing = [document for document in steps["brain"]["documents"] if document["state"] == "missing"]
    asks = {document["id"]: document["asks"] for document in steps["blueprint"]["documents"]}
    assert all(document["asks"] == asks.get(document["id"], document["asks"]) for document in missing)
    covered = [cover for document in missing for cover in document["parentCovers"]]
    assert any(not document["parentCovers"] for document in missing)
    assert covered
    assert all(cover["brain"] == BUSINESS and cover["state"] in {"filled", "checked"} and cover["deepens"] for cover in covered)
    (conflict,) = [each for each in steps["brain"]["conflicts"] if each["fact"] == "discount"]
    assert {claim["path"] for claim in conflict["claims"]} == {f"{WEBSITE}/offer.md", f"{BUSINESS}/pricing.md"}


@pytest.mark.req("S10", "S11")
@BOTH
def test_errors_have_the_texts_of_the_reference(northwind: Workspace, mode: str) -> None:
    async def talk(client: Client) -> list[str]:
        return [
            await refuse(client, "getBrain", {"brain": "northwind-advisory/brains/nothing"}),
            await refuse(client, "searchBrain", {"brain": "northwind-advisory/brains/nothing", "query": "x"}),
            await refuse(client, "readDocument", {"path": "northwind-advisory/nothing.md"}),
            await refuse(client, "getBlueprint", {"type": "site@9"}),
        ]

    assert northwind.converse("tom", talk, mode=mode) == [
        "Error in getBrain: Not found",
        "Error in searchBrain: Not found",
        "Error in readDocument: Not found",
        "Error in getBlueprint: Unknown blueprint. Call getBlueprint with no type for the list.",
    ]


@pytest.mark.req("S10")
@BOTH
def test_tools_are_described_for_programs_and_for_people(northwind: Workspace, mode: str) -> None:
    async def talk(client: Client) -> Any:
        listed = await client.list_tools()
        return client.session.protocol_version, listed.tools

    version, tools = northwind.converse("aiko", talk, mode=mode)
    assert version == ("2025-11-25" if mode == LEGACY else MODERN)
    assert [tool.name for tool in tools] == ["listBrains", "getBlueprint", "getBrain", "searchBrain", "readDocument"]
    for tool in tools:
        assert tool.title
        assert len(tool.description) > 100
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"


@pytest.mark.req("S13")
@BOTH
def test_without_the_right_to_read_there_are_no_tools(northwind: Workspace, mode: str) -> None:
    """No tool is listed, and calling one is the error of a tool that never was."""

    async def talk(client: Client) -> Any:
        listed = await client.list_tools()
        errors = []
        for name in ("listBrains", "readDocument", "noSuchTool"):
            with pytest.raises(MCPError) as caught:
                await client.call_tool(name, {})
            errors.append((caught.value.code, caught.value.message))
        return listed.tools, errors

    tools, errors = northwind.converse("mara", talk, "--scopes", "other:scope", mode=mode)
    assert tools == []
    assert errors == [(-32602, f"Tool {name} not found") for name in ("listBrains", "readDocument", "noSuchTool")]


SEEN = {
    "mara": {"engineering", "mara-home", "northwind-advisory"},
    "tom": {"engineering", "northwind-advisory"},
    "ines": {"engineering", "northwind-advisory"},
    "jonas": {"engineering", "northwind-advisory"},
    "ruth": {"engineering", "northwind-advisory"},
    "aiko": {"engineering", "northwind-advisory"},
    "samir": {"engineering", "northwind-advisory"},
    "scribe": {"northwind-advisory"},
    "pager": {"engineering"},
}
"""Whoever is in the sample → the projects of the brains they see (the ledger has none)."""


@pytest.mark.req("S09", "S14", "T09", "T10")
@pytest.mark.parametrize("who", SEEN)
def test_everybody_of_the_sample_sees_the_brains_they_reach(northwind: Workspace, who: str) -> None:
    agent = who in {"scribe", "pager"}
    desk = northwind.open_desk("", agent=who) if agent else northwind.open_desk(who)
    brains = desk.call("listBrains", {})["brains"]
    assert {brain["id"].partition("/")[0] for brain in brains} == SEEN[who]
    assert all((brain["level"] == "tenant") == brain["id"].startswith("mara-home/") for brain in brains)
    assert {brain["level"] for brain in brains} <= {"tenant", "shared"}
    for brain in brains:
        shown = desk.call("getBrain", {"brain": brain["id"]})
        assert (shown["title"], shown["depth"], shown["parent"]) == (brain["title"], brain["depth"], brain["parent"])
        for document in shown["documents"]:
            if document["state"] not in {"missing", "declined"}:
                assert desk.call("readDocument", {"path": document["path"]})["state"] == document["state"]


@pytest.mark.req("S14", "T03")
@pytest.mark.parametrize("who", sorted(SEEN.keys() - {"mara"}))
def test_a_home_of_the_sample_is_not_found_by_anybody_else(northwind: Workspace, who: str) -> None:
    more = {"agent": who} if who in {"scribe", "pager"} else {"account": who}
    desk = northwind.open_desk("", **more)
    (home,) = [brain["id"] for brain in northwind.open_desk("mara").call("listBrains", {"project": "mara-home"})["brains"]]
    for tool, arguments in (("getBrain", {"brain": home}), ("searchBrain", {"brain": home, "query": "the"})):
        with pytest.raises(ToolError, match=r"\ANot found\Z"):
            desk.call(tool, arguments)
    assert desk.call("listBrains", {"project": "mara-home"})["brains"] == []


@pytest.mark.req("S10")
def test_the_command_line_and_mcp_answer_the_same(northwind: Workspace) -> None:
    calls = [
        ("listBrains", {"project": "northwind-advisory"}),
        ("getBlueprint", {}),
        ("getBrain", {"brain": WEBSITE}),
        ("searchBrain", {"brain": WEBSITE, "query": "discount", "includeParents": True}),
        ("readDocument", {"path": f"{WEBSITE}/offer.md"}),
    ]

    async def talk(client: Client) -> list[Any]:
        return [await call(client, tool, arguments) for tool, arguments in calls]

    assert northwind.converse("aiko", talk) == [northwind.ask("aiko", tool, arguments).json for tool, arguments in calls]


@pytest.mark.req("S10")
def test_the_text_of_an_answer_is_its_structured_content(northwind: Workspace) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool("getBrain", {"brain": WEBSITE})

    answer = northwind.converse("tom", talk)
    assert json.loads(answer.content[0].text) == answer.structured_content


@pytest.mark.req("S06")
def test_states_are_judged_for_the_day_that_is_asked_for(northwind: Workspace) -> None:
    early, late = (northwind.ask("tom", "getBrain", {"brain": BUSINESS}, "--date", day).json for day in ("2000-01-01", "2099-01-01"))
    assert (early["date"], late["date"]) == ("2000-01-01", "2099-01-01")
    states = [{document["state"] for document in shown["documents"]} for shown in (early, late)]
    assert "outOfDate" not in states[0]
    assert "outOfDate" in states[1]
