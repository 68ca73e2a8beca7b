"""What every part of the gateway needs: settings, registry, releases, log, clock. Made by `gateway`, passed to the parts.

`ask` and `change` are the only ways to the registry, so that no part can keep what it was told or forget that the registry may fail.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from msgspec import Struct
from sqlalchemy import Connection

from indexer.errors import BrainpressError, RegistryError
from indexer.registry.asking import require_current
from indexer.registry.asking_line import AskingLine
from indexer.registry.engine import Registry, open_registry
from indexer.serve.access_log import AccessLog
from indexer.serve.addresses import quote_path
from indexer.serve.aside import Aside, BusyError
from indexer.serve.breaker import Breaker
from indexer.serve.cookies import Cookies
from indexer.serve.hosts import Hosts
from indexer.serve.kept import Kept
from indexer.serve.oidc_provider import OidcProvider
from indexer.serve.pace import SharedPace
from indexer.serve.proxy_identity import Arrivals
from indexer.serve.releases import Releases
from indexer.serve.settings import Settings
from indexer.serve.turns import Turns
from indexer.serve.who import ANONYMOUS, Asker

Value = TypeVar("Value")
Clock = Callable[[], datetime]


def read_clock() -> datetime:
    """Return the time. The one place in the gateway where it is read."""
    return datetime.now(UTC)


class Visit(Struct):
    """One request, from its first byte to its line in the log."""

    id: str
    method: str
    path: bytes
    """As it was sent, without the query."""
    headers: list[tuple[bytes, bytes]]
    now: datetime
    tenant: str = ""
    """That of the host; empty on the gateway's own."""
    asker: Asker = ANONYMOUS
    route: str = "-"
    """For the log."""
    status: int = 0


class Gateway(Struct, frozen=True):
    """The gateway."""

    settings: Settings
    asking: Registry
    """For questions; gives up soon."""
    registry: Registry
    """For changes; waits its turn."""
    releases: Releases
    log: AccessLog
    cookies: Cookies
    hosts: Hosts
    provider: OidcProvider | None
    logins: SharedPace
    """Of sign-ins that strangers begin."""
    departures: SharedPace
    """Of what is said to be a logout of the sign-in service; apart, so that a flood of it keeps nobody from signing in."""
    arrivals: Arrivals
    """Of people whom a proxy vouches for."""
    breaker: Breaker
    changing: Aside
    """Threads for changes of the registry: each may wait for another writer."""
    consulting: Aside
    """Threads for the sign-in service, which may hang."""
    searches: Turns
    """Of people on the pages of the gateway: for searches, and for the graph of a tenant."""
    line: AskingLine
    """Of `asking`, when that is a file."""
    kept: Kept
    """Files of sites, in memory."""
    issuers: frozenset[str]
    """Whose sessions hold here."""
    clock: Clock = read_clock

    async def ask(self, question: Callable[[Connection], Value]) -> Value:
        """Return the answer to a question, asked now; RegistryError when it cannot be asked."""
        if self.asking.file is not None:
            return await self.breaker.run(lambda: self.line.ask(question))
        return await asyncio.to_thread(self._ask, question)

    @property
    def can_ask_now(self) -> bool:
        """Whether a question is answered without waiting: by a file that has not failed."""
        return self.asking.file is not None and self.breaker.is_closed

    def ask_now(self, question: Callable[[Connection], Value]) -> Value:
        """Return the answer to a question that checks the registry's version itself, when `can_ask_now`; RegistryError as in `ask`."""
        return self.breaker.run_now(lambda: self.line.ask(question, checks_version=True))

    def _ask(self, question: Callable[[Connection], Value]) -> Value:
        with self.asking.reading() as connection:
            require_current(connection)
            return question(connection)

    async def change(self, operation: Callable[[Connection], Value]) -> Value:
        """Run an operation in a transaction of its own."""
        try:
            return await self.changing.run(lambda: self._change(operation))
        except BusyError as error:
            raise RegistryError("Too many changes of the registry wait for another program.") from error

    def _change(self, operation: Callable[[Connection], Value]) -> Value:
        with self.registry.writing() as connection:
            require_current(connection)
            return operation(connection)

    def locate(self, tenant: str, repo: str = "", path: str = "") -> str:
        """Return the address of a tenant's page, a site, or something in it: what links and redirects of ours hold."""
        base, rest = ("", (tenant, repo, path)) if not self.settings.host_per_tenant else (self.origin_of(tenant), (repo, path))
        quoted = quote_path(*rest)
        return base + (quoted if path or quoted == "/" else f"{quoted}/")

    def origin_of(self, tenant: str) -> str:
        """Return the origin of a tenant's host, or the only one there is."""
        if not tenant or not self.settings.host_per_tenant:
            return self.settings.url
        scheme, _, rest = self.settings.url.partition("://")
        return f"{scheme}://{tenant}.{rest}"

    def close(self) -> None:
        """Give everything back."""
        self.changing.close()
        self.consulting.close()
        self.line.close()
        self.asking.close()
        self.registry.close()
        self.releases.close()
        self.log.close()


def open_gateway(settings: Settings, clock: Clock = read_clock) -> Gateway:
    """Open everything; RegistryError when the registry cannot be asked, BrainpressError when the log cannot be written."""
    registry = open_registry(settings.registry)
    asking = open_registry(settings.registry)
    provider = OidcProvider(settings.oidc, f"{settings.url}/-/callback") if settings.oidc else None
    return Gateway(
        settings,
        asking,
        registry,
        Releases(settings.out, report),
        AccessLog(settings.log),
        Cookies(secure=settings.is_secure),
        Hosts(settings),
        provider,
        SharedPace(per_second=20, burst=200, parts=4),
        SharedPace(per_second=20, burst=200, parts=4),
        Arrivals(),
        Breaker(),
        Aside("registry", threads=4, most=500),
        Aside("sign-in", threads=4, most=40),
        Turns(places=4, each=2, row=6),
        AskingLine(asking),
        Kept(),
        settings.issuers,
        clock,
    )


_SECONDS_BETWEEN = 5.0
_told: dict[str, float] = {}


def report_failure(visit: Visit, failure: Exception) -> None:
    """Tell the operator why a request was refused, but not for each of thousands."""
    report_seldom(failure.message if isinstance(failure, BrainpressError) else type(failure).__name__, f"request {visit.id}: ")


def report_seldom(message: str, before: str = "") -> None:
    """Tell the operator the same thing once in a while, whoever asks for it how often; `before` is no part of what is the same."""
    now = time.monotonic()
    if now - _told.get(message, -_SECONDS_BETWEEN) >= _SECONDS_BETWEEN:
        if len(_told) > 100:
            _told.clear()
        _told[message] = now
        report(f"{before}{message}")


def report(sentence: str) -> None:
    """Tell the operator; never a reader."""
    sys.stderr.write(f"brain: {sentence}\n")
    sys.stderr.flush()
