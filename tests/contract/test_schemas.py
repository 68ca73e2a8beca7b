"""Real outputs of the commands held against the schemas that the package publishes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from indexer.cli.schema import find_schemas
from tests.tools.commands import run_brain
from tests.tools.repos import GitRepo

PAGES = {
    "index.md": (
        "---\ntitle: Start\ndate: 2026-01-02\ntags: [a/b]\naliases: [Home]\n---\n"
        "# Start\n\nMany violins in [[deep/page#Part]] and [[nowhere]]. ^b1\n"
    ),
    "deep/page.md": "# Part\n\nA violin, [again](../INDEX.md), ![[index#^b1]] and [[twin]], https://example.org/ and [[secret]].\n",
    "a/twin.md": "violin",
    "b/twin.md": "violin",
    "secret.md": "---\nprivate: true\n---\nNothing to see.\n",
    "broken.md": "---\ntitle: [\n---\n![x](gone.png) [folder](deep/)\n",
}
CHANGED = {
    "index.md": "# Start\n\nMany violins in [[deep/page#Bit]] and [[elsewhere]]. ^b1\n",
    "secret.md": "---\nprivate: true\nkind: new\n---\nNothing to see.\n",
    "firm/brain.md": "---\nblueprint: site@1\n---\n# Firm\n",
    "firm/home.md": "Home.\n",
}
EXPLORER = ("explorer-overview", "explorer-pages", "explorer-related")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Name of a schema → a real output of that kind."""
    root = tmp_path_factory.mktemp("schemas")
    repo = GitRepo.create(root / "repo")
    repo.commit(PAGES)
    out = root / "out"
    outputs = {"build": run_brain("build", repo.path, "--out", out, "--json").json}
    outputs["graph"] = json.loads((out / "site" / "graph.json").read_bytes())
    for name in ("overview", "pages", "related"):
        outputs[f"explorer-{name}"] = json.loads((out / "site" / "_" / "graph" / f"{name}.json").read_bytes())
    outputs["report"] = json.loads((out / "report.json").read_bytes())
    outputs["inspect"] = run_brain("inspect", repo.path, "--json").json
    outputs["check"] = run_brain("check", repo.path, "--json").json
    repo.commit(CHANGED, remove=("a/twin.md",), rename=(("b/twin.md", "c/twin.md"),))
    outputs["check-changes"] = run_brain("check", repo.path, "--base", "HEAD~1", "--json").json
    outputs["search"] = run_brain("search", out, "violins", "--json").json
    return outputs


def read_schema(name: str) -> Any:
    return json.loads(find_schemas()[name].read_text("utf-8"))


def walk(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from walk(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from walk(value)


@pytest.mark.req("P10", "P11", "P17")
@pytest.mark.parametrize("name", ["build", "check", "check-changes", "graph", "inspect", "report", "search", *EXPLORER])
def test_a_real_output_fits_its_schema(name: str, outputs: dict[str, Any]) -> None:
    Draft202012Validator(read_schema(name)).validate(outputs[name])


@pytest.mark.parametrize("name", ["build", "check", "check-changes", "graph", "inspect", "report", "search"])
def test_a_schema_refuses_a_missing_key_and_allows_a_new_one(name: str, outputs: dict[str, Any]) -> None:
    validator = Draft202012Validator(read_schema(name))
    assert validator.is_valid({**outputs[name], "added later": 1})
    for key in outputs[name]:
        rest = {other: value for other, value in outputs[name].items() if other != key}
        assert not validator.is_valid(rest), f"{name} without {key}"


@pytest.mark.parametrize("name", ["build", "check", "check-changes", "graph", "inspect", "report", "search", *EXPLORER])
def test_outputs_hold_no_key_that_the_schema_does_not_describe(name: str, outputs: dict[str, Any]) -> None:
    closed = json.loads(json.dumps(read_schema(name)))
    for part in walk(closed):
        if "properties" in part:
            part["additionalProperties"] = False
    Draft202012Validator(closed).validate(outputs[name])


@pytest.mark.parametrize("name", sorted(find_schemas()))
def test_every_schema_is_a_schema_that_explains_each_key(name: str) -> None:
    schema = read_schema(name)
    Draft202012Validator.check_schema(schema)
    foreign = [part["$ref"] for part in walk(schema) if isinstance(part.get("$ref"), str) and not part["$ref"].startswith("#")]
    assert foreign == [], "what `brain schema` prints needs no other file"
    if name in {"build", "check", "check-changes", "graph", "inspect", "report", "search", *EXPLORER}:
        named = [(key, value) for part in walk(schema) for key, value in part.get("properties", {}).items()]
        assert [key for key, value in named if not value.get("description")] == []


def test_the_outputs_are_rich_enough_to_prove_something(outputs: dict[str, Any]) -> None:
    """What the schemas describe occurs: no list of the inspection is empty."""
    inspected = outputs["inspect"]
    assert {"page", "missing", "private", "ambiguous", "external", "asset-missing"} <= {link["status"] for link in inspected["links"]}
    assert any(page["file"] is None for page in inspected["pages"])
    assert all(inspected["graph"][key] for key in ("edge_list", "backlinks", "orphans", "stubs"))
    assert outputs["search"]["results"]
    assert outputs["graph"]["edges"]
    assert outputs["report"]["hidden"] == ["secret.md"]
    changed = outputs["check-changes"]
    assert all(changed[key] for key in ("pages", "edited", "links", "newFindings", "goneFindings", "brains"))
    assert all(changed["stubs"].values())


@pytest.mark.req("P17")
def test_brain_schema_lists_names_and_prints_one() -> None:
    assert run_brain("schema").out.split() == sorted(find_schemas())
    assert run_brain("schema", "inspect").json == read_schema("inspect")
    wrong = run_brain("schema", "nonsense")
    assert wrong.code == 2
    assert "inspect" in wrong.err
