"""The OpenAPI document of the JSON doors, made from the models. Run as a module, it writes the file anew; a test holds the two together.

Used by `api`, which serves it.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from indexer.serve.api_errors import BY_STATUS
from indexer.serve.api_shapes import ErrorAnswer, RepoList, SearchAnswer, SearchQuery, TenantQuery, ToolList
from indexer.serve.graph_shapes import PublishedGraph, TenantGraph
from indexer.serve.tool_arguments import Arguments
from indexer.serve.tools import INSTRUCTIONS, TOOLS, drop_titles

FILE = Path(__file__).parent / "schemas" / "openapi.yaml"
_REF = "#/components/schemas/{model}"
_VERSION = "1"
"""Of the interface: another one has another address."""
_ABOUT = f"""Read what is published, as a program.

Send a key: `Authorization: Bearer sk_…`. A key belongs to one tenant and to one account or agent, and every answer holds what they can read
at that moment. Somebody who is signed in can ask with the session as well. Parameters and keys that are not listed here are refused.

{INSTRUCTIONS}"""
_COMMON = (401, 403, 404, 405, 429, 503)
_WITH_BODY = (400, *_COMMON, 408, 413, 415)
_WAYS_IN = {
    "key": {"type": "http", "scheme": "bearer", "description": "A key with the scope `knowledge:read`."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "__Host-brain",
        "description": "A browser in which somebody is signed in; other methods than GET only from a page of this origin.",
    },
}


@cache
def build_openapi() -> dict[str, Any]:
    """Return the document."""
    schemas = _Schemas()
    paths = _list_paths(schemas)
    schemas.name(ErrorAnswer)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Brainpress", "version": _VERSION, "description": _ABOUT},
        "security": [{"key": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": schemas.collect(),
            "responses": {str(status): _show_error(text) for status, (_, text) in BY_STATUS.items() if status in _WITH_BODY},
            "securitySchemes": _WAYS_IN,
        },
    }


def _list_paths(schemas: "_Schemas") -> dict[str, Any]:
    paths: dict[str, Any] = {
        "/api/v1/openapi.json": {
            "get": {**_describe("getOpenapi", "This document", {"type": "object"}, statuses=(404, 405, 429)), "security": []}
        },
        "/api/v1/tools": {
            "get": _describe("listTools", "The tools, with the schemas of what they take and answer", schemas.name(ToolList))
            | {"parameters": _list_parameters(TenantQuery)}
        },
    }
    for name, tool in TOOLS.items():
        body = {"required": True, "content": {"application/json": {"schema": schemas.name(tool.arguments)}}}
        described = _describe(name, tool.title, schemas.name(tool.result, f"{name[:1].upper()}{name[1:]}Result"), statuses=_WITH_BODY)
        more = {"description": tool.description, "parameters": _list_parameters(TenantQuery), "requestBody": body}
        paths[f"/api/v1/tools/{name}"] = {"post": described | more}
    paths["/api/v1/repos"] = {
        "get": _describe("listRepos", "The repos that you can read", schemas.name(RepoList)) | {"parameters": _list_parameters(TenantQuery)}
    }
    paths["/api/v1/search"] = {
        "get": _describe("search", "Search as the website does, over everything that you can read", schemas.name(SearchAnswer))
        | {"parameters": _list_parameters(SearchQuery)}
    }
    paths["/api/v1/graph"] = {"get": _show_graph(schemas), "put": _take_graph(schemas)}
    return paths


def _show_graph(schemas: "_Schemas") -> dict[str, Any]:
    described = _describe("getGraph", "The graph of the tenant", schemas.name(TenantGraph))
    text = "Only for who reads every repo that it was drawn from, and for operators. To anybody else, and before the first, there is none."
    return described | {"description": text, "parameters": _list_parameters(TenantQuery)}


def _take_graph(schemas: "_Schemas") -> dict[str, Any]:
    described = _describe("publishGraph", "Publish the graph of the tenant", schemas.name(PublishedGraph), statuses=_WITH_BODY)
    text = "Takes the place of the last one. The key needs the scope `graph:publish`; `brain graph publish` does the same."
    body = {"required": True, "content": {"application/json": {"schema": schemas.name(TenantGraph)}}}
    return described | {"description": text, "parameters": _list_parameters(TenantQuery), "requestBody": body}


class _Schemas:
    """The schemas that the document names, each with its own definitions beside it."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def name(self, model: Any, name: str = "") -> dict[str, Any]:
        """Add the schema of a model and return the reference to it."""
        named = name or model.__name__
        schema = TypeAdapter(model).json_schema(mode="serialization", ref_template=_REF)
        for each, definition in {**schema.pop("$defs", {}), named: schema}.items():
            kept = self._found.setdefault(each, drop_titles(definition))
            if kept != drop_titles(definition):
                raise ValueError(f"BUG: two schemas are called {each}")
        return {"$ref": _REF.format(model=named)}

    def collect(self) -> dict[str, Any]:
        """Return all of them by name."""
        return dict(sorted(self._found.items()))


def _describe(identity: str, summary: str, schema: dict[str, Any], statuses: tuple[int, ...] = (400, *_COMMON)) -> dict[str, Any]:
    good = {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
    refused = {str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(statuses)}
    return {"operationId": identity, "summary": summary, "responses": {"200": good, **refused}}


def _list_parameters(model: type[Arguments]) -> list[dict[str, Any]]:
    schema = model.model_json_schema(ref_template=_REF)
    return [_show_parameter(name, shape, name in schema.get("required", ())) for name, shape in schema["properties"].items()]


def _show_parameter(name: str, shape: dict[str, Any], required: bool) -> dict[str, Any]:
    """A query has no null: what may be left out is a plain value when it is there."""
    plain = next((each for each in shape.get("anyOf", ()) if each.get("type") != "null"), shape)
    schema = {key: value for key, value in plain.items() if key not in {"title", "description", "anyOf"}}
    return {"name": name, "in": "query", "required": required, "description": shape["description"], "schema": schema}


def _show_error(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": {"$ref": _REF.format(model="ErrorAnswer")}}}}


@cache
def render_json() -> bytes:
    """Return the document as it is served."""
    return json.dumps(build_openapi(), ensure_ascii=False).encode() + b"\n"


def render_yaml() -> str:
    """Return the document as it is checked in."""
    return yaml.safe_dump(build_openapi(), sort_keys=False, allow_unicode=True, width=120)


if __name__ == "__main__":
    FILE.write_text(render_yaml(), encoding="utf-8", newline="\n")
