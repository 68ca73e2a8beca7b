"""The JSON doors of a running gateway: what they answer, what they refuse, and that the checked-in document says the same."""

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from indexer.registry.reach import Reader
from indexer.serve.access import TenantGate
from indexer.serve.api_schema import FILE, build_openapi, render_json, render_yaml
from indexer.serve.library import Library
from indexer.serve.tools import TOOLS, Desk
from tests.contract.test_schemas import walk
from tests.tools.api_sites import call, make_key, strip
from tests.tools.customers import CANARY
from tests.tools.gateways import Site, bearer

OWN = {"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"}
CALLS: list[tuple[str, Any]] = [
    ("listBrains", {}),
    ("listBrains", {"project": "rules"}),
    ("getBlueprint", {}),
    ("getBlueprint", {"type": "business@1"}),
    ("getBrain", {"brain": "cyd-home/shop"}),
    ("searchBrain", {"brain": "cyd-home/shop", "query": "word", "includeParents": True}),
    ("readDocument", {"path": "cyd-home/shop/offer.md"}),
    ("readDocument", {"path": "rules/readme.md"}),
]


def schema_of(name: str) -> Any:
    """Return a schema of the document, with everything that it refers to, and every object closed to keys that it does not describe."""
    document = json.loads(json.dumps(build_openapi()["components"]["schemas"]))
    for part in walk(document):
        if "properties" in part:
            part["additionalProperties"] = False
    return {"$ref": f"#/components/schemas/{name}", "components": {"schemas": document}}


def check(name: str, value: Any) -> None:
    """Hold an answer against the document."""
    Draft202012Validator(schema_of(name)).validate(value)


@pytest.mark.req("S10")
def test_the_checked_in_document_is_that_of_the_models_and_the_one_that_is_served(site: Site) -> None:
    """`python -m indexer.serve.api_schema` writes it anew."""
    assert FILE.read_text("utf-8") == render_yaml()
    assert yaml.safe_load(FILE.read_text("utf-8")) == build_openapi()
    reply = site.ask("GET", "/api/v1/openapi.json")
    assert (reply.status, reply.body) == (200, render_json())
    document = json.loads(reply.body)
    assert document["openapi"] == "3.1.0"
    assert [path for path in document["paths"] if path.startswith("/api/v1/tools/")] == [f"/api/v1/tools/{name}" for name in TOOLS]
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.req("S10")
@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool} {list(arguments.values())}" for tool, arguments in CALLS])
def test_a_tool_answers_over_http_what_it_answers_everywhere(site: Site, cyd: dict[str, str], tool: str, arguments: Any) -> None:
    reply = call(site, tool, arguments, cyd)
    assert (reply.status, reply.get("content-type")) == (200, "application/json")
    answer = json.loads(reply.body)
    gate = TenantGate(site.out.parent / "brains" / "shop" / "tenant.yml", Reader("shop", account="cyd"))
    assert answer == Desk(Library(site.out / "shop", single=False), gate, lambda: "2026-11-30").call(tool, arguments)
    check(f"{tool[0].upper()}{tool[1:]}Result", answer)


@pytest.mark.req("S10", "S13")
def test_the_list_of_tools_holds_all_of_them_with_their_schemas(site: Site, cyd: dict[str, str]) -> None:
    listed = json.loads(site.ask("GET", "/api/v1/tools", cyd).body)
    check("ToolList", listed)
    assert [tool["name"] for tool in listed["tools"]] == list(TOOLS)
    assert all(tool["arguments"]["type"] == tool["result"]["type"] == "object" for tool in listed["tools"])


@pytest.mark.req("S14", "S15", "T01")
def test_the_list_of_repos_holds_what_is_reached_and_nothing_else(site: Site, cyd: dict[str, str]) -> None:
    listed = json.loads(site.ask("GET", "/api/v1/repos", cyd).body)
    check("RepoList", listed)
    assert [(repo["id"], repo["title"], repo["access"], repo["state"]) for repo in listed["repos"]] == [
        ("cyd-home", "cyd", "write", "fresh"),
        ("rules", "House rules", "read", "fresh"),
    ]
    for who, expected in (("ada", ["board", "rules"]), ("olga", []), ("bot", ["board"])):
        headers = bearer(make_key(site, "shop", who))
        assert [repo["id"] for repo in json.loads(site.ask("GET", "/api/v1/repos", headers).body)["repos"]] == expected


@pytest.mark.req("S15", "T33")
@pytest.mark.threat(31)
def test_a_search_goes_through_what_is_reached_and_nothing_else(site: Site, cyd: dict[str, str]) -> None:
    found = json.loads(site.ask("GET", "/api/v1/search?q=word", cyd).body)
    check("SearchAnswer", found)
    assert found["searched"] == ["cyd-home", "rules"]
    paths = [result["path"] for result in found["results"]]
    assert {"cyd-home/shop/offer.md", "rules/house/pricing.md"} <= set(paths)
    # By rank: the best of each repo before the second best of any.
    assert [path.partition("/")[0] for path in paths[:2]] == ["cyd-home", "rules"]
    one = json.loads(site.ask("GET", "/api/v1/search?q=word&repo=rules", cyd).body)
    assert [result["path"] for result in one["results"]] == [path for path in paths if path.startswith("rules/")]
    assert one["results"][0]["url"] == f"http://127.0.0.1:8080/shop/rules/{one['results'][0]['path'][6:-3]}/"
    assert len(json.loads(site.ask("GET", "/api/v1/search?q=word&limit=1", cyd).body)["results"]) == 1


@pytest.mark.threat(31)
def test_a_word_of_a_hidden_repo_is_searched_like_one_that_nobody_wrote(site: Site, cyd: dict[str, str]) -> None:
    replies = [site.ask("GET", f"/api/v1/search?q={word}", cyd) for word in (CANARY, "Qqqqzzzz", f"%22{CANARY}%22")]
    assert {strip(reply)[2] for reply in replies} == {b'{"searched": ["cyd-home", "rules"], "results": [], "truncated": false}\n'}


REFUSED_QUERIES = [
    "x=1",
    "q=word&x=1",
    "q=word&q=word",
    "q=",
    "",
    "q",
    "repo=rules",
    "q=word&limit=0",
    "q=word&limit=31",
    "q=word&limit=ten",
    "q=word&limit=%2B5",
    "q=word&limit=1e1",
    "q=" + "x" * 201,
    "q=%ff",
    "q=%C0%80",
    "&".join(f"a{number}=1" for number in range(30)),
]


@pytest.mark.req("S10")
@pytest.mark.parametrize("query", REFUSED_QUERIES)
def test_a_query_that_is_not_wholly_understood_is_refused(site: Site, cyd: dict[str, str], query: str) -> None:
    reply = site.ask("GET", f"/api/v1/search?{query}", cyd)
    assert reply.status == 400
    refusal = json.loads(reply.body)
    check("ErrorAnswer", refusal)
    assert refusal["error"]["code"] == "bad_request"
    assert refusal["error"]["request_id"] == reply.get("x-request-id")


@pytest.mark.req("S10")
@pytest.mark.parametrize("path", ["tools?x=1", "repos?limit=1", "repos?access_token=sk_live_shop_x", "tools?tenant"])
def test_unknown_parameters_are_refused_everywhere(site: Site, cyd: dict[str, str], path: str) -> None:
    assert site.ask("GET", f"/api/v1/{path}", cyd).status == 400


JSON = {"Content-Type": "application/json"}
REFUSED_BODIES: list[tuple[dict[str, str], bytes, int]] = [
    ({}, b"{}", 415),
    ({"Content-Type": "text/plain"}, b"{}", 415),
    ({"Content-Type": "application/x-www-form-urlencoded"}, b"{}", 415),
    ({"Content-Type": "multipart/form-data; boundary=x"}, b"{}", 415),
    ({"Content-Type": "application/json; charset=utf-16"}, b"{}", 415),
    ({**JSON, "Content-Encoding": "gzip"}, b"\x1f\x8b", 415),
    (JSON, b"", 400),
    (JSON, b"[]", 400),
    (JSON, b"null", 400),
    (JSON, b"not JSON", 400),
    (JSON, b"{}{}", 400),
    (JSON, b"\xef\xbb\xbf{}", 400),
    (JSON, b'{"brain": "\xff"}', 400),
    (JSON, b'{"brain": NaN}', 400),
    (JSON, b'{"brain": ' + b"9" * 5_000 + b"}", 400),
    (JSON, b'{"brain": "cyd-home/shop", "brain": "cyd-home/shop"}', 400),
    (JSON, b'{"brain": "cyd-home/shop", "more": 1}', 400),
    (JSON, b'{"brain": ["cyd-home/shop"]}', 400),
    (JSON, b"{}", 400),
    (JSON, b'{"brain": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", 400),
    (JSON, b'{"brain": "' + b"x" * 70_000 + b'"}', 413),
]


@pytest.mark.req("S10")
@pytest.mark.threat(48)
@pytest.mark.parametrize(("headers", "body", "status"), REFUSED_BODIES)
def test_a_body_that_is_not_wholly_understood_is_refused(
    site: Site, cyd: dict[str, str], headers: dict[str, str], body: bytes, status: int
) -> None:
    sent = {**cyd, **headers, **({} if body else {"Content-Length": "0"})}
    reply = site.ask("POST", "/api/v1/tools/getBrain", sent, body)
    assert reply.status == status
    check("ErrorAnswer", json.loads(reply.body))


@pytest.mark.req("S10")
def test_a_body_may_say_that_it_is_utf_8(site: Site, cyd: dict[str, str]) -> None:
    for kind in ("application/json; charset=UTF-8", 'Application/JSON; charset="utf-8"'):
        assert site.ask("POST", "/api/v1/tools/listBrains", {**cyd, "Content-Type": kind}, b"{}").status == 200


@pytest.mark.req("S11")
def test_errors_have_the_texts_of_the_reference(site: Site, cyd: dict[str, str]) -> None:
    for tool, arguments, text in (
        ("getBrain", {"brain": "cyd-home/nothing"}, "Error in getBrain: Not found"),
        ("searchBrain", {"brain": "cyd-home/nothing", "query": "x"}, "Error in searchBrain: Not found"),
        ("readDocument", {"path": "cyd-home/nothing.md"}, "Error in readDocument: Not found"),
        ("getBlueprint", {"type": "site@9"}, "Error in getBlueprint: Unknown blueprint. Call getBlueprint with no type for the list."),
    ):
        reply = call(site, tool, arguments, cyd)
        assert (reply.status, json.loads(reply.body)["error"]["message"]) == (404, text)


@pytest.mark.req("S11")
@pytest.mark.threat(28)
@pytest.mark.parametrize(
    "path",
    [
        *("/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/repos", "/api/v1/repos/", "/api/v1/openapi.yaml", "/mcp/", "/mcp/x"),
        *("/api/v1/tools/", "/api/v1/tools/nothing", "/api/v1/tools/getBrain/x", "/api/v1/tools/GETBRAIN"),
        *("/api/v1/%72epos", "/api/v1/tools%2FgetBrain"),
    ],
)
def test_addresses_that_are_none_are_not_found_with_any_method(site: Site, cyd: dict[str, str], path: str) -> None:
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        reply = site.ask(method, path, cyd)
        assert reply.status == 404
        assert json.loads(reply.body)["error"]["code"] == "not_found"


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("repos", "GET, HEAD"),
        ("search?q=x", "GET, HEAD"),
        ("tools", "GET, HEAD"),
        ("openapi.json", "GET, HEAD"),
        ("tools/getBrain", "POST"),
    ],
)
def test_other_methods_are_refused_and_no_other_origin_is_ever_let_in(site: Site, cyd: dict[str, str], path: str, allowed: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} - set(allowed.split(", ")):
        reply = site.ask(method, f"/api/v1/{path}", {**cyd, "Origin": "https://evil.example", "Access-Control-Request-Method": "GET"})
        assert (reply.status, reply.get("allow")) == (405, allowed)
        assert not [name for name, _ in reply.headers if name.startswith("access-control")]
    reply = site.ask(allowed.partition(",")[0], f"/api/v1/{path}", {**cyd, "Origin": "https://evil.example"})
    assert not [name for name, _ in reply.headers if name.startswith("access-control")]


def test_a_head_request_gets_the_headers_alone(site: Site, cyd: dict[str, str]) -> None:
    head, get = site.ask("HEAD", "/api/v1/repos", cyd), site.ask("GET", "/api/v1/repos", cyd)
    assert head.bare[:2] == get.bare[:2]


@pytest.mark.req("T09")
@pytest.mark.threat(37)
def test_a_signed_in_person_may_ask_from_a_page_of_this_origin(site: Site) -> None:
    cookie = site.cookie("cyd@shop.example")
    assert [repo["id"] for repo in json.loads(site.ask("GET", "/api/v1/repos", cookie).body)["repos"]] == ["cyd-home", "rules"]
    assert call(site, "listBrains", {}, {**cookie, **OWN}).status == 200
    lacking: list[dict[str, str]] = [{}, *({"Sec-Fetch-Site": said} for said in ("cross-site", "same-site", "none"))]
    for proof in (*lacking, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        reply = call(site, "listBrains", {}, {**cookie, **proof})
        assert (reply.status, json.loads(reply.body)["error"]["code"]) == (403, "cross_origin")


@pytest.mark.req("T09")
@pytest.mark.threat(36)
def test_somebody_in_several_tenants_says_which_and_can_name_no_other(site: Site) -> None:
    cookie = site.cookie("max@example.org")
    assert site.ask("GET", "/api/v1/repos", cookie).status == 400
    rival = json.loads(site.ask("GET", "/api/v1/repos?tenant=rival", cookie).body)
    assert [repo["id"] for repo in rival["repos"]] == ["rules", "vault"]
    assert json.loads(site.ask("GET", "/api/v1/repos?tenant=shop", cookie).body) == {"repos": []}
    ann = site.cookie("ann@shop.example")
    replies = [strip(site.ask("GET", f"/api/v1/repos?tenant={tenant}", ann)) for tenant in ("rival", "nowhere", "-", "")]
    assert [reply[0] for reply in replies] == [404] * 4
    assert len({str(reply) for reply in replies}) == 1


@pytest.mark.req("S13")
def test_a_key_that_is_not_for_reading_finds_no_tools_and_reads_nothing(site: Site) -> None:
    headers = bearer(make_key(site, "shop", "cyd", ["records:read"]))
    assert json.loads(site.ask("GET", "/api/v1/tools", headers).body) == {"tools": []}
    replies = {str(strip(call(site, tool, {}, headers))) for tool in (*TOOLS, "nothing")}
    replies |= {str(strip(site.ask("GET", f"/api/v1/tools/{tool}", headers))) for tool in (*TOOLS, "nothing")}
    assert len(replies) == 1
    for path in ("/api/v1/repos", "/api/v1/search?q=word", "/api/v1/search?q=word&repo=board"):
        reply = site.ask("GET", path, headers)
        assert (reply.status, json.loads(reply.body)["error"]["code"]) == (403, "insufficient_scope")
        assert 'error="insufficient_scope", scope="knowledge:read"' in (reply.get("www-authenticate") or "")


@pytest.mark.req("T09")
@pytest.mark.threat(33)
def test_nothing_of_an_answer_may_be_kept(site: Site, cyd: dict[str, str]) -> None:
    for reply in (site.ask("GET", "/api/v1/repos", cyd), call(site, "listBrains", {}, cyd), site.ask("GET", "/api/v1/nothing", cyd)):
        assert reply.get("cache-control") == "private, no-store"
        assert reply.get("vary") == "Cookie, Authorization"
        assert reply.get("etag") is reply.get("last-modified") is None
