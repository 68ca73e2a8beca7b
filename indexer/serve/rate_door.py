"""In front of the whole gateway: whoever asks too often waits, before anything is looked at or decided (THREATS 29, 48).

An ASGI application around that of `gateway`; made by `listening`. The answer is the same for what is hidden and what is missing, for it is
given without looking. `/healthz` is never refused.
"""

import secrets
from typing import Any

from indexer.serve.answers import Written, complete_headers
from indexer.serve.api_errors import speak_to_programs
from indexer.serve.context import Visit
from indexer.serve.gateway import GatewayApp
from indexer.serve.hosts import Headers
from indexer.serve.notices import make_notice
from indexer.serve.rates import Rates, find_address, find_credential
from indexer.serve.settings import PROXY_SECRET_HEADER

_HEALTH = b"/healthz"
_REFUSED_FORM = 422
_ONCE = (b"/-/callback", b"/-/enter", b"/-/dev-login")
"""Addresses that take something which serves once."""


class RateDoor:
    """The application."""

    def __init__(self, app: GatewayApp, rates: Rates) -> None:
        self._app = app
        self._rates = rates
        proxy = app.gateway.settings.proxy
        self._vouching = frozenset({proxy.header.lower().encode(), PROXY_SECRET_HEADER.lower().encode()} if proxy else ())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["raw_path"] == _HEALTH:
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        address = find_address(scope.get("client"), headers)
        credential, tries = find_credential(headers, self._vouching)
        name = self._rates.choose(credential, address, tries=tries)
        seconds = self._rates.take(name)
        if seconds:
            await self._refuse(seconds, scope, receive, send)
            return
        await self._app(scope, receive, send)
        self._learn(scope, credential, address, tries=tries)

    def answer_at_once(self, method: str, path: bytes, headers: Headers) -> tuple[Written, str] | None:
        """Answer as the gateway does at once, for a credential that was good before and may ask once more; None = call the application."""
        credential, _ = find_credential(headers, self._vouching)
        name = self._rates.find_known(credential)
        if not name or not self._rates.has_left(name):
            return None
        answered = self._app.answer_at_once(method, path, headers)
        if answered is not None:
            self._rates.take(name)
        return answered

    def _learn(self, scope: Any, credential: bytes, address: str, *, tries: bool) -> None:
        """What the gateway found out about the credential says for whom it counts from now on, and nothing else."""
        visit: Visit | None = scope.get("state", {}).get("visit")
        if visit is None:
            return
        asker, name = visit.asker, ""
        if credential:
            name = f"key {asker.key.key_id}" if asker.key else f"session {asker.session.id}" if asker.session else ""
            name = name or (f"person {asker.subject}" if asker.subject else "")
            self._rates.learn(credential, name)
        if tries and asker.rejected:
            self._rates.charge(f"tries {address}")
        elif name and visit.status == _REFUSED_FORM:
            self._rates.charge(name)  # of names and addresses in forms it says whether they are taken, or somebody's: no list can be tried
        elif visit.status >= 400 and visit.path.startswith(_ONCE):
            self._rates.charge(f"address {address}")

    async def _refuse(self, seconds: int, scope: Any, receive: Any, send: Any) -> None:
        gateway = self._app.gateway
        visit = Visit(secrets.token_hex(8), scope["method"], scope["raw_path"], scope["headers"], gateway.clock(), route="rate", status=429)
        later = (b"retry-after", str(seconds).encode())
        answer = make_notice(429, "Too many requests", "Wait a moment, and try again.", headers=(later, (b"connection", b"close")))

        async def finish_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": complete_headers(message.get("headers", ()), visit.id)}
            await send(message)

        await speak_to_programs(visit, answer)(scope, receive, finish_headers)
        self._app.log_visit(visit, 0.0)
