"""The published schemas of the read tools: made from the models, true of real answers, and closed where they should be."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from indexer.serve.tool_error import ToolError
from indexer.serve.tool_schemas import FOLDER, render_tool_schemas
from indexer.serve.tools import TOOLS, describe_tool
from tests.contract.test_schemas import walk
from tests.tools.desks import Workspace

CALLS: list[tuple[str, Any]] = [
    ("listBrains", {}),
    ("getBlueprint", {}),
    ("getBlueprint", {"type": "business@1"}),
    ("getBrain", {"brain": "cyd-home/shop"}),
    ("getBrain", {"brain": "rules/house"}),
    ("searchBrain", {"brain": "cyd-home/shop", "query": "word", "includeParents": True}),
    ("readDocument", {"path": "cyd-home/shop/offer.md"}),
    ("readDocument", {"path": "rules/readme.md"}),
]


def close(schema: Any) -> Any:
    """Return the schema with every object closed to keys that it does not describe."""
    closed = json.loads(json.dumps(schema))
    for part in walk(closed):
        if "properties" in part:
            part["additionalProperties"] = False
    return closed


@pytest.mark.req("S10")
def test_the_published_schemas_are_those_of_the_models() -> None:
    """`python -m indexer.serve.tool_schemas` writes them anew."""
    assert {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.schema.json")} == render_tool_schemas()


@pytest.mark.req("S10")
@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool} {list(arguments.values())}" for tool, arguments in CALLS])
def test_real_answers_have_the_keys_of_the_schema_and_no_others(customers: Workspace, tool: str, arguments: Any) -> None:
    takes, gives = describe_tool(tool)
    Draft202012Validator(takes).validate(arguments)
    answer = customers.open_desk("cyd").call(tool, arguments)
    Draft202012Validator(close(gives)).validate(answer)
    assert Draft202012Validator(gives).is_valid({**answer, "added later": 1})


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_every_key_is_explained(tool: str) -> None:
    for schema in describe_tool(tool):
        Draft202012Validator.check_schema(schema)
        named = [(key, value) for part in walk(schema) for key, value in part.get("properties", {}).items()]
        assert [key for key, value in named if not value.get("description")] == []
        assert not [part for part in walk(schema) if isinstance(part.get("title"), str)]


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_the_schema_of_the_arguments_refuses_what_the_tool_refuses(customers: Workspace, tool: str) -> None:
    takes, _ = describe_tool(tool)
    sound = next(arguments for name, arguments in CALLS if name == tool)
    assert customers.open_desk("cyd").call(tool, sound)
    for wrong in ({**sound, "unknown": 1}, [], *({**sound, name: [7]} for name in takes["properties"])):
        assert not Draft202012Validator(takes).is_valid(wrong), wrong
        with pytest.raises(ToolError) as refused:
            customers.open_desk("cyd").call(tool, wrong)
        assert refused.value.message != "Not found", wrong
