"""The gateway as one ASGI application: every request passes here, and every answer leaves here (SPEC T09, X02; DESIGN rule 7).

The order: is this name ours, who asks, and only then which door: a site, or a page of the gateway's own. The last of the three places that
catch everything: a reader gets one sentence and an id, the operator the rest. Built by `listening`, once per process.
"""

import asyncio
import secrets
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.routing import BaseRoute, Route

from indexer.errors import BrainpressError, RegistryError
from indexer.registry.keys import needs_key_note, note_key_use
from indexer.registry.sessions import needs_note, note_seen
from indexer.serve.addresses import is_own
from indexer.serve.answers import Answer, Written, complete_headers, write_answer
from indexer.serve.api import api_routes
from indexer.serve.api_errors import make_unauthorized, render_error, speak_to_programs
from indexer.serve.at_once import answer_wanted, read_wanted
from indexer.serve.context import Clock, Gateway, Visit, open_gateway, read_clock, report, report_failure
from indexer.serve.health import answer_health
from indexer.serve.home import answer_tenant, home_routes
from indexer.serve.hosts import Headers
from indexer.serve.login_dev import follow_link
from indexer.serve.login_hosts import enter
from indexer.serve.login_leave import end_from_outside, show_signed_out
from indexer.serve.login_oidc import finish, start
from indexer.serve.notices import BROKEN, MISDIRECTED, NOT_FOUND, SIGNED_OUT, UNAVAILABLE, make_notice
from indexer.serve.proxy_identity import bind_vouched, find_subject
from indexer.serve.settings import Settings
from indexer.serve.sign_in import FAILED, sign_out
from indexer.serve.sites import TenantPage, answer_content
from indexer.serve.who import find_asker

_HEALTH = b"/healthz"
_LONGEST_LOGGED = 2000
_PHRASES = {
    400: ("Bad request", "The request makes no sense here."),
    401: ("Sign in", "This needs a sign-in."),
    403: ("Refused", "This may not be done, or the page it was asked for from is too old. Go back, load it again, and try once more."),
    405: ("Not possible", "This address does not take that method."),
    408: ("Too slow", "The request took too long to arrive."),
    413: ("Too large", "The request is too large."),
    415: ("Wrong type", "This address does not take that kind of content."),
    429: ("Too many requests", "Try again in a minute."),
}
Endpoint = Callable[[Request], Awaitable[Any]]


def own_routes(gateway: Gateway) -> list[BaseRoute]:
    """Return the routes of the gateway's own pages. Those of home and API come from their modules."""
    return [
        Route("/-/login", start, methods=["GET"]),
        Route("/-/callback", _get_alone(finish), methods=["GET"]),
        Route("/-/enter", _get_alone(enter), methods=["GET"]),
        Route("/-/dev-login", _get_alone(follow_link), methods=["GET"]),
        Route("/-/logout", sign_out, methods=["POST"]),
        Route("/-/signed-out", show_signed_out, methods=["GET"]),
        Route("/-/backchannel-logout", end_from_outside, methods=["POST"]),
        *home_routes(),
        *api_routes(gateway),
    ]


def _get_alone(endpoint: Endpoint) -> Endpoint:
    """What serves once must not be used up by a HEAD, which Starlette answers along with GET."""

    async def answer(request: Request) -> Any:
        return await endpoint(request) if request.method == "GET" else FAILED

    answer.__name__ = endpoint.__name__
    return answer


def build_app(settings: Settings, clock: Clock = read_clock) -> "GatewayApp":
    """Open what `settings` name and return the application; BrainpressError when something of it cannot be opened."""
    return GatewayApp(open_gateway(settings, clock))


class GatewayApp:
    """The application."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._tasks: set[asyncio.Task[None]] = set()
        self._noting: set[str] = set()

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001 (Starlette gives it)
            yield
            gateway.close()

        failures: dict[Any, Any] = {HTTPException: _answer_failure, BrainpressError: _answer_unavailable, Exception: _answer_bug}
        self._own = Starlette(routes=own_routes(gateway), exception_handlers=failures, lifespan=lifespan)
        self._own.router.redirect_slashes = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._own(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began = time.perf_counter()
        visit = Visit(secrets.token_hex(8), scope["method"], scope["raw_path"], scope["headers"], self.gateway.clock())

        async def finish_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
                message = {**message, "headers": complete_headers(message.get("headers", ()), visit.id)}
            await send(message)

        try:
            await self._answer(visit, scope, receive, finish_headers)
        finally:
            self._end_visit(visit, began)

    def answer_at_once(self, method: str, path: bytes, headers: Headers) -> tuple[Written, str] | None:
        """Return answer and request id for a GET or HEAD without a body that is for a file of a site; None = call the application."""
        gateway = self.gateway
        wanted = read_wanted(gateway, path, headers) if gateway.can_ask_now else None
        if wanted is None:
            return None
        began = time.perf_counter()
        visit = Visit(secrets.token_hex(8), method, path, headers, gateway.clock(), wanted.tenant)
        try:
            written = answer_wanted(gateway, visit, wanted)
            if written is None:
                return None
        except BrainpressError as error:
            report_failure(visit, error)
            written = write_answer(UNAVAILABLE)
        except Exception as error:  # noqa: BLE001 (this is the edge)
            _report_bug(visit, error)
            written = write_answer(BROKEN)
        visit.status = written.status
        self._end_visit(visit, began)
        return written, visit.id

    def _end_visit(self, visit: Visit, began: float) -> None:
        if self.gateway.log.is_open:
            self.log_visit(visit, time.perf_counter() - began)
        self._note_use(visit)

    async def _answer(self, visit: Visit, scope: Any, receive: Any, send: Any) -> None:
        try:
            answer = await self._choose(visit, scope)
            if answer is None:
                await self._own(scope, receive, send)
                visit.route = getattr(scope.get("endpoint"), "__name__", "-")
            else:
                await answer(scope, receive, send)
        except (ClientDisconnect, TimeoutError, ConnectionError):
            visit.status = 499  # whoever asked is gone, or does not read
        except BrainpressError as error:
            report_failure(visit, error)
            await self._end(visit, UNAVAILABLE, scope, receive, send)
        except Exception as error:  # noqa: BLE001 (this is the edge)
            _report_bug(visit, error)
            await self._end(visit, BROKEN, scope, receive, send)

    async def _end(self, visit: Visit, answer: Answer, scope: Any, receive: Any, send: Any) -> None:
        """Answer, unless an answer has begun: then the server cuts it off."""
        if not visit.status:
            await speak_to_programs(visit, answer)(scope, receive, send)

    async def _choose(self, visit: Visit, scope: Any) -> Any:
        """Return the answer, or None for a page of the gateway's own."""
        gateway = self.gateway
        if visit.path == _HEALTH:
            visit.route = "health"
            return await answer_health(gateway, visit.method)
        tenant = gateway.hosts.find_tenant(visit.headers)
        if tenant is None:
            return speak_to_programs(visit, MISDIRECTED)
        visit.tenant = tenant
        scope.setdefault("state", {}).update(gateway=gateway, visit=visit)
        await self._bind_arrival(visit)
        if is_own(visit.path, tenant):
            visit.asker = await gateway.ask(lambda connection: self._find_asker(connection, visit))
            return self._refuse_program(visit)
        answer = await answer_content(gateway, visit)
        if isinstance(answer, TenantPage):
            return await answer_tenant(Request(scope), answer.tenant) or NOT_FOUND
        return answer

    def _find_asker(self, connection: Connection, visit: Visit) -> Any:
        gateway = self.gateway
        return find_asker(connection, gateway.settings, gateway.cookies, visit.headers, visit.tenant, visit.now)

    def _refuse_program(self, visit: Visit) -> Answer | None:
        """Programs whose key is no good are told so, whatever they asked for; in a browser they would be strangers."""
        if not visit.asker.rejected or not visit.path.startswith((b"/api", b"/mcp")):
            return None
        visit.route = "refused"
        return render_error(visit, make_unauthorized(self.gateway, visit))

    async def _bind_arrival(self, visit: Visit) -> None:
        """Somebody whom the proxy vouches for may be new here, or have a new account."""
        proxy = self.gateway.settings.proxy
        subject = find_subject(proxy, visit.headers) if proxy else None
        if subject and self.gateway.arrivals.is_due(subject):
            await self.gateway.change(lambda connection: bind_vouched(connection, subject, visit.now))

    def log_visit(self, visit: Visit, seconds: float) -> None:
        """Add a line to the access log."""
        self.gateway.log.write(
            {
                "time": visit.now.isoformat(timespec="milliseconds"),
                "id": visit.id,
                "method": visit.method,
                "route": visit.route,
                "path": visit.path[:_LONGEST_LOGGED].decode("ascii", "replace"),
                "host": visit.tenant,
                "status": visit.status,
                "ms": round(seconds * 1000, 2),
                "who": visit.asker.label,
            }
        )

    def _note_use(self, visit: Visit) -> None:
        """Keep when a session or key was used, to the minute, beside the requests and not in their way."""
        session, key = visit.asker.session, visit.asker.key
        due = needs_note(session, visit.now) if session else key is not None and needs_key_note(key, visit.now)
        name = session.id if session else key.key_id if key else ""
        if due and name not in self._noting:
            self._noting.add(name)
            task = asyncio.get_running_loop().create_task(self._note(visit, name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _note(self, visit: Visit, name: str) -> None:
        def operate(connection: Connection) -> None:
            if visit.asker.session:
                note_seen(connection, visit.asker.session, visit.now)
            elif visit.asker.key:
                note_key_use(connection, visit.asker.key, visit.now)

        try:
            await self.gateway.change(operate)
        except RegistryError as error:
            report(error.message)
        finally:
            self._noting.discard(name)


def _report_bug(visit: Visit, error: Exception) -> None:
    report(f"request {visit.id}: {type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}".rstrip())


async def _answer_failure(request: Request, failure: Exception) -> Answer:
    """Answer what a route refused; addresses that are none of the gateway's are as good as missing."""
    status = failure.status_code if isinstance(failure, HTTPException) else 500
    if status not in _PHRASES:
        return speak_to_programs(request.state.visit, NOT_FOUND if status == 404 else BROKEN)
    asker = request.state.visit.asker
    if status == 403 and not asker.is_person and asker.key is None:
        return SIGNED_OUT
    given = getattr(failure, "headers", None) or {}
    headers = tuple((name.lower().encode(), value.encode()) for name, value in given.items() if name.lower() in {"allow", "retry-after"})
    return make_notice(status, *_PHRASES[status], headers=headers)


async def _answer_unavailable(request: Request, failure: Exception) -> Answer:
    report_failure(request.state.visit, failure)
    return speak_to_programs(request.state.visit, UNAVAILABLE)


async def _answer_bug(request: Request, failure: Exception) -> Answer:  # noqa: ARG001 (Starlette raises it again, and it is told then)
    return speak_to_programs(request.state.visit, BROKEN)
