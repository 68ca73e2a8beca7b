"""MCP over HTTP: the example of the reference with the official client, and the protocol below it, on a running gateway."""

import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from indexer.registry.audit import Actor
from indexer.registry.grants import give_grant, revoke_grant
from tests.contract.test_brain_tools import BOTH, call, check_steps, take_steps
from tests.tools.api_sites import make_key, open_api, revoke, strip
from tests.tools.desks import HANDSHAKE, LEGACY, MODERN, Workspace, make_call
from tests.tools.gateways import Reply, Site, bearer, running

Answer = TypeVar("Answer")
SENT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


@pytest.fixture(scope="module")
def sample(northwind: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A gateway over the sample workspace."""
    with running(open_api(northwind.out.parent, tmp_path_factory.mktemp("mcp") / "registry.sqlite")) as running_site:
        yield running_site


def converse(site: Site, key: str, talk: Callable[[Client], Awaitable[Answer]], mode: str) -> Answer:
    """Talk to a gateway with the official client."""

    async def run() -> Answer:
        async with httpx2.AsyncClient(headers=bearer(key), timeout=60, trust_env=False) as http:
            transport = streamable_http_client("http://{}:{}/mcp".format(*site.address), http_client=http)
            async with Client(transport, mode=mode, read_timeout_seconds=60) as client:
                return await talk(client)

    return anyio.run(run)


def send(site: Site, body: bytes, headers: dict[str, str]) -> Reply:
    """Send one message below any client."""
    return site.ask("POST", "/mcp", {**SENT, **headers}, body)


@pytest.mark.req("S03", "S04", "S07", "S08", "S09", "S10", "S16")
@BOTH
def test_the_example_of_the_reference_over_http(sample: Site, mode: str) -> None:
    """List → blueprint → brain → search → read, each step with what the one before gave."""
    check_steps(converse(sample, make_key(sample, "northwind", "tom"), take_steps, mode))


@pytest.mark.req("S10")
@BOTH
def test_the_tools_are_those_of_the_other_doors(sample: Site, northwind: Workspace, mode: str) -> None:
    async def talk(client: Client) -> Any:
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]

    assert converse(sample, make_key(sample, "northwind", "tom"), talk, mode) == northwind.converse("tom", talk, mode=mode)


@pytest.mark.req("S10")
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_handshake_agrees_on_each_revision_that_had_one(site: Site, version: str) -> None:
    headers = {**bearer(make_key(site, "shop", "cyd")), "MCP-Protocol-Version": version}
    reply = send(site, HANDSHAKE[0].replace(b"2025-11-25", version.encode()), headers)
    assert json.loads(reply.body)["result"]["protocolVersion"] == version
    assert reply.get("mcp-session-id") is None
    assert send(site, HANDSHAKE[1], headers).status == 202
    assert json.loads(send(site, make_call(1, "getBrain", {"brain": "cyd-home/shop"}), headers).body)["result"]["structuredContent"]


@pytest.mark.req("S10")
def test_a_revision_that_never_was_is_refused(site: Site) -> None:
    reply = send(site, make_call(1, "listBrains", {}), {**bearer(make_key(site, "shop", "cyd")), "MCP-Protocol-Version": "1999-01-01"})
    assert reply.status == 400
    assert "error" in json.loads(reply.body)


@pytest.mark.req("S13")
@BOTH
def test_without_the_right_there_are_no_tools(site: Site, mode: str) -> None:
    async def talk(client: Client) -> tuple[int, int, str]:
        listed = await client.list_tools()
        with pytest.raises(MCPError) as caught:
            await client.call_tool("listBrains", {})
        return len(listed.tools), caught.value.error.code, caught.value.error.message

    answer = converse(site, make_key(site, "shop", "cyd", ["records:read"]), talk, mode)
    assert answer == (0, -32602, "Tool listBrains not found")


@pytest.mark.req("S13")
@pytest.mark.threat(28)
def test_without_the_right_the_bytes_are_those_of_a_tool_that_never_was(site: Site) -> None:
    headers = bearer(make_key(site, "shop", "cyd", ["records:read"]))
    hidden, missing = (strip(send(site, make_call(1, tool, {}), headers)) for tool in ("listBrains", "lastBrains"))
    assert hidden[2].replace(b"listBrains", b"NAME") == missing[2].replace(b"lastBrains", b"NAME")
    assert hidden[:2] == missing[:2]


@pytest.mark.req("M12", "T09")
@pytest.mark.threat(33)
@BOTH
def test_a_revoked_key_is_refused_on_the_next_call_of_an_open_client(shops: Path, tmp_path: Path, mode: str) -> None:
    with running(open_api(shops, tmp_path / "registry.sqlite")) as own:
        key = make_key(own, "shop", "cyd")

        async def talk(client: Client) -> int:
            assert (await call(client, "listBrains", {}))["brains"]
            revoke(own, "shop", key)
            with pytest.raises(Exception) as caught:  # noqa: PT011 (the client has no one class for what HTTP refuses)
                await client.call_tool("listBrains", {})
            assert "cyd-home" not in str(caught.value)
            return send(own, make_call(1, "listBrains", {}), bearer(key)).status

        assert converse(own, key, talk, mode) == 401


@pytest.mark.req("T09", "S15")
@pytest.mark.threat(33)
@BOTH
def test_what_is_reached_is_decided_anew_on_each_call(shops: Path, tmp_path: Path, mode: str) -> None:
    with running(open_api(shops, tmp_path / "registry.sqlite")) as own:

        async def talk(client: Client) -> list[list[str]]:
            seen = []
            for change in (None, "revoke", "give"):
                with own.world.writing() as connection:
                    if change == "revoke":
                        revoke_grant(connection, "shop", "rules", "cyd", Actor("ada"), own.world.now)
                    elif change == "give":
                        give_grant(connection, "shop", "rules", "cyd", "read", Actor("ada"), own.world.now)
                seen.append([brain["id"] for brain in (await call(client, "listBrains", {}))["brains"]])
            return seen

        everything = ["cyd-home/shop", "rules/house", "rules/house/cellar"]
        assert converse(own, make_key(own, "shop", "cyd"), talk, mode) == [everything, ["cyd-home/shop"], everything]


@pytest.mark.req("S11", "S15")
@pytest.mark.threat(28, 36)
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_hidden_and_missing_are_the_same_bytes(site: Site, mode: str) -> None:
    headers = bearer(make_key(site, "shop", "ann"))
    for tool, key, names in (
        ("getBrain", "brain", ("board/plans", "board/nowhere", "bob-home/shop", "vault/house", "rules/nothing", "rules/drafts", "")),
        (
            "readDocument",
            "path",
            ("board/plans/pricing.md", "vault/house/pricing.md", "rules/secret.md", "ann-home/shop/hidden.md", "a/b.md"),
        ),
    ):
        replies = set()
        for name in names:
            body = make_call(1, tool, {key: name})
            more: dict[str, str] = {}
            if mode == MODERN:
                meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
                message = json.loads(body)
                body = json.dumps({**message, "params": {**message["params"], "_meta": meta}}).encode()
                more = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
            replies.add(str(strip(send(site, body, {**headers, **more}))))
        assert len(replies) == 1
        assert f"Error in {tool}: Not found" in replies.pop()


@pytest.mark.req("M12", "S10")
@pytest.mark.threat(37, 38)
def test_only_a_key_opens_the_door_and_who_has_none_is_told_where_to_learn_more(site: Site) -> None:
    message = make_call(1, "listBrains", {})
    for headers in ({}, site.cookie("cyd@shop.example"), {**site.cookie("cyd@shop.example"), "Origin": "http://127.0.0.1:8080"}):
        reply = send(site, message, headers)
        assert reply.status == 401
        assert reply.get("www-authenticate") == (
            'Bearer resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp"'
        )
    key = make_key(site, "shop", "cyd")
    assert site.ask("POST", f"/mcp?access_token={key}", SENT, message).status == 401


@pytest.mark.req("S10")
def test_the_metadata_names_the_resource_that_they_were_asked_for(site: Site) -> None:
    for path in ("", "/mcp"):
        reply = site.ask("GET", f"/.well-known/oauth-protected-resource{path}")
        assert (reply.status, reply.get("content-type")) == (200, "application/json")
        described = json.loads(reply.body)
        assert described["resource"] == f"http://127.0.0.1:8080{path}"
        assert described["bearer_methods_supported"] == ["header"]
        assert described["scopes_supported"] == ["knowledge:read"]
        assert site.ask("POST", f"/.well-known/oauth-protected-resource{path}").status == 405


@pytest.mark.req("S10")
@pytest.mark.threat(34, 37)
def test_no_page_of_another_origin_may_ask_even_with_a_key(site: Site) -> None:
    """Nor one whose name was made to lead to this machine (DNS rebinding)."""
    headers, message = bearer(make_key(site, "shop", "cyd")), make_call(1, "listBrains", {})
    for origin in ("https://evil.example", "http://127.0.0.1:8081", "null", "http://127.0.0.1:8080.evil.example", ""):
        assert send(site, message, {**headers, "Origin": origin}).status == 403
    assert send(site, message, {**headers, "Host": "evil.example"}).status == 421
    assert send(site, message, {**headers, "Origin": "http://127.0.0.1:8080"}).status == 200


@pytest.mark.req("S10")
@pytest.mark.threat(33, 48)
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_no_stream_is_ever_held_open(site: Site, method: str) -> None:
    reply = site.ask(method, "/mcp", {**bearer(make_key(site, "shop", "cyd")), "Accept": "text/event-stream"})
    assert (reply.status, reply.get("allow")) == (405, "POST")


@pytest.mark.req("S10")
@pytest.mark.threat(48)
@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"not JSON", -32700),
        (b"", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
    ],
)
def test_what_is_no_message_is_an_error_of_the_protocol(site: Site, version: str, body: bytes, code: int) -> None:
    headers = {**bearer(make_key(site, "shop", "cyd")), "MCP-Protocol-Version": version, **({} if body else {"Content-Length": "0"})}
    reply = send(site, body, headers)
    assert (reply.status, json.loads(reply.body)["error"]["code"]) == (400, code)


@pytest.mark.threat(48)
def test_what_is_too_large_or_of_another_kind_is_refused(site: Site) -> None:
    headers = bearer(make_key(site, "shop", "cyd"))
    assert send(site, make_call(1, "getBrain", {"brain": "x" * 300_000}), headers).status == 413
    assert send(site, make_call(1, "listBrains", {}), {**headers, "Content-Type": "text/plain"}).status == 415
    assert send(site, make_call(1, "listBrains", {}), {**headers, "Accept": "text/html"}).status == 406
