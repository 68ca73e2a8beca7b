"""Where programs ask: JSON under `/api/` and MCP at `/mcp` (SPEC S10, S11, S13). The routes of both, for `gateway`.

Here addresses and methods are told apart, and everything that goes wrong becomes the one shape of error. There is no CORS: no page of
another origin may read any of this.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from indexer.errors import BrainpressError
from indexer.serve.answers import Answer, json_answer
from indexer.serve.api_endpoints import Endpoints
from indexer.serve.api_errors import ApiError, make_unauthorized, render_error
from indexer.serve.api_graph import GraphEndpoint
from indexer.serve.api_schema import render_json
from indexer.serve.context import Gateway, Visit, report_failure
from indexer.serve.mcp_http import McpDoor, describe_resource
from indexer.serve.tenant_desks import TenantDesks
from indexer.serve.tool_text import render_compact_json
from indexer.serve.turns import GoneError, TooManyError

Endpoint = Callable[[Request], Awaitable[Any]]
_READS, _ANY = ("GET", "HEAD"), ()
"""Methods of an endpoint; none named = it says so itself, once it knows who asks."""


def api_routes(gateway: Gateway) -> list[BaseRoute]:
    """Return the routes of the doors for programs."""
    desks = TenantDesks(gateway)
    endpoints = Endpoints(gateway, desks)
    shown: list[tuple[str, tuple[str, ...], Endpoint]] = [
        ("/api/v1/openapi.json", _READS, show_openapi),
        ("/api/v1/tools", _READS, endpoints.list_tools),
        ("/api/v1/tools/{name}", _ANY, endpoints.call_tool),
        ("/api/v1/repos", _READS, endpoints.list_repos),
        ("/api/v1/search", _READS, endpoints.search),
        ("/api/v1/graph", _ANY, GraphEndpoint(gateway, desks).answer),
        ("/.well-known/oauth-protected-resource", _READS, describe_resource),
        ("/.well-known/oauth-protected-resource/mcp", _READS, describe_resource),
        ("/mcp", ("POST",), McpDoor(gateway, desks).answer),
    ]
    doors = [Route(path, Door(methods, endpoint)) for path, methods, endpoint in shown]
    return [*doors, *(Route(path, Door(_ANY, refuse)) for path in ("/api", "/api/{rest:path}", "/mcp/{rest:path}"))]


class Door:
    """One address: an ASGI application, so that every method arrives here."""

    def __init__(self, methods: tuple[str, ...], endpoint: Endpoint) -> None:
        self._methods = methods
        self._endpoint = endpoint
        self.__name__ = endpoint.__name__
        """For the log."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        visit: Visit = request.state.visit
        try:
            if b"%" in visit.path:
                raise ApiError(404)  # nothing here is named so, and what stands for a slash is none
            if self._methods and request.method not in self._methods:
                raise ApiError(405, headers=((b"allow", ", ".join(self._methods).encode()),))
            answer = await self._endpoint(request)
        except ApiError as error:
            answer = render_error(visit, error)
        except GoneError:
            answer = render_error(visit, make_unauthorized(request.state.gateway, visit))
        except TooManyError as error:
            answer = render_error(visit, ApiError(429, error.message, headers=((b"retry-after", b"5"),)))
        except BrainpressError as error:
            report_failure(visit, error)
            answer = render_error(visit, ApiError(503))
        if not callable(answer):
            answer = json_answer(200, render_compact_json(answer).encode() + b"\n")
        await answer(scope, receive, send)


async def show_openapi(request: Request) -> Answer:  # noqa: ARG001 (endpoints take it)
    """`GET /api/v1/openapi.json`: what there is, for anybody: it says nothing of what is held here."""
    return json_answer(200, render_json())


async def refuse(request: Request) -> Answer:  # noqa: ARG001 (endpoints take it)
    """Everything else that programs could ask for."""
    raise ApiError(404)
