"""MCP over streamable HTTP at `/mcp`, by the official SDK, for programs with a key (SPEC S10, S13; THREATS 33, 36).

Called by `api`. Every message stands for itself: no session is kept, so nothing outlives a key, and any process may answer. For each one
the key is looked up and what it reaches is decided anew.
"""

import logging
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import Request

from indexer.registry.reach import READ_SCOPE
from indexer.serve.answers import json_answer
from indexer.serve.api_errors import ApiError, make_unauthorized
from indexer.serve.bodies import read_body
from indexer.serve.context import Gateway, Visit
from indexer.serve.mcp_server import build_shared_server
from indexer.serve.mcp_stdio import parse_line
from indexer.serve.tenant_desks import Asking, TenantDesks
from indexer.serve.tool_text import render_compact_json
from indexer.serve.tools import Desk

LONGEST_MESSAGE = 256 * 1024


class McpDoor:
    """The door of one gateway."""

    def __init__(self, gateway: Gateway, desks: TenantDesks) -> None:
        self._gateway = gateway
        self._desks = desks
        self._server = build_shared_server(self._find_desk, lambda context: desks.turn(_find_asking(context), context.request.state.visit))
        logging.getLogger("mcp").setLevel(logging.ERROR)  # what clients send wrong is no news; our own log has the rest

    async def answer(self, request: Request) -> Any:
        """`POST /mcp`: one message."""
        visit: Visit = request.state.visit
        origin = request.headers.get("origin")
        if origin not in {None, self._gateway.origin_of(visit.tenant)}:
            raise ApiError(403)  # a page of another site, perhaps one whose name was made to lead here
        if visit.asker.key is None:
            raise make_unauthorized(self._gateway, visit)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise ApiError(415)
        try:
            body = await read_body(request, LONGEST_MESSAGE)
        except HTTPException as error:
            raise ApiError(error.status_code) from error
        message, wrong = parse_line(body if body.strip() else b"?")
        if message is None and wrong is not None:
            return json_answer(400, render_compact_json(wrong.model_dump(by_alias=True, exclude_unset=True)).encode())
        return _Exchange(self._server, body)

    async def _find_desk(self, context: Any) -> Desk:
        """Return the desk of whoever sent the message that is being answered."""
        return await self._desks.open(_find_asking(context), context.request.state.visit)


def _find_asking(context: Any) -> Asking:
    visit: Visit = context.request.state.visit
    if visit.asker.key is None:
        raise RuntimeError("BUG: a message of nobody")
    return Asking(visit.asker.key.reader, visit.asker.key.brain)


class _Exchange:
    """A message and its answer, by the SDK; an ASGI application. Nothing of it is left afterwards."""

    def __init__(self, server: Any, body: bytes) -> None:
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=LONGEST_MESSAGE)
        self._body: bytes | None = body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer it."""

        async def receive_again() -> Any:
            if self._body is None:
                return await receive()
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}

        async with self._manager.run():
            await self._manager.handle_request(scope, receive_again, send)


async def describe_resource(request: Request) -> dict[str, Any]:
    """`GET /.well-known/oauth-protected-resource`: how programs prove themselves here (RFC 9728). The same for anybody."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    path = "/mcp" if visit.path.endswith(b"/mcp") else ""
    return {
        "resource": f"{gateway.origin_of(visit.tenant)}{path}",
        "resource_name": "Brainpress",
        "scopes_supported": [READ_SCOPE],
        "bearer_methods_supported": ["header"],
    }
