"""The desks of the gateway: one for each call, for whoever asks, with what they reach at that moment (SPEC T09, S10; THREATS 33, 36).

Used by the doors for programs. Build outputs are kept open, one per tenant; what somebody reaches never is.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock

from msgspec import Struct
from sqlalchemy import Connection

from indexer.errors import RegistryError
from indexer.registry.decide import reach
from indexer.registry.reach import Reader
from indexer.registry.reached_repos import ShownRepo, fetch_shown
from indexer.serve.access import UNDECIDED, Admission
from indexer.serve.api_errors import UNAUTHORIZED
from indexer.serve.context import Gateway, Visit, report_failure
from indexer.serve.library import Library
from indexer.serve.tool_error import ToolError
from indexer.serve.tools import Desk
from indexer.serve.turns import GoneError, Turns, name_reader
from indexer.serve.who import find_asker

_MOST_OPEN = 50
_CALLS_AT_ONCE, _CALLS_OF_ONE, _LONGEST_ROW = 4, 2, 50
"""In one process: a call reads files and asks the index, which has one thread. A search of a large brain takes seconds."""


class Asking(Struct, frozen=True):
    """Somebody in a tenant, as one request brought them."""

    reader: Reader
    brain: str = ""
    """Id of the one brain that their key is for; empty = any."""

    def covers_all_of(self, repo: str) -> bool:
        """Whether the credential is for a whole repo, not for a brain somewhere below its root."""
        return self.brain in {"", repo}


class _Decided(Struct, frozen=True):
    """The gate of one call, which was decided a moment ago; None = it could not be."""

    may_read: bool
    admission: Admission | None

    def admit(self) -> Admission:
        if self.admission is None:
            raise ToolError(UNDECIDED)
        return self.admission


class TenantDesks:
    """Opens desks. One per gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._libraries: OrderedDict[str, Library] = OrderedDict()
        self._lock = Lock()
        self._turns = Turns(places=_CALLS_AT_ONCE, each=_CALLS_OF_ONE, row=_LONGEST_ROW)

    @asynccontextmanager
    async def turn(self, asking: Asking, visit: Visit) -> AsyncIterator[None]:
        """Whoever reads for a caller waits for their turn first, and decides only then.

        TooManyError = they have too many waiting; GoneError = their key or session ended meanwhile; ToolError = that cannot be told.
        """
        async with self._turns.take(name_reader(asking.reader)):
            await self._require_still(asking, visit)
            yield

    async def _require_still(self, asking: Asking, visit: Visit) -> None:
        def ask(connection: Connection) -> bool:
            gateway = self._gateway
            now = find_asker(connection, gateway.settings, gateway.cookies, visit.headers, visit.tenant, gateway.clock())
            return now.reader_in(asking.reader.tenant) == asking.reader

        try:
            still = await self._gateway.ask(ask)
        except RegistryError as error:
            report_failure(visit, error)
            raise ToolError(UNDECIDED) from error
        if not still:
            raise GoneError(UNAUTHORIZED)

    async def open(self, asking: Asking, visit: Visit) -> Desk:
        """Return a desk for one call, to be used now."""
        try:
            admission: Admission | None = self._admit(asking, await self.list_reached(asking))
        except RegistryError as error:
            report_failure(visit, error)
            admission = None
        library = self.open_library(asking.reader.tenant)
        return Desk(library, _Decided(asking.reader.may_read, admission), visit.now.date().isoformat)

    async def list_reached(self, asking: Asking) -> tuple[ShownRepo, ...]:
        """Return what somebody reaches now, no more than their key is for. RegistryError = it cannot be told."""

        bound = asking.brain.partition("/")[0]

        def ask(connection: Connection) -> list[ShownRepo]:
            reached = {repo: access for repo, access in reach(connection, asking.reader).items() if bound in {"", repo}}
            return fetch_shown(connection, asking.reader.tenant, reached)

        return tuple(sorted(await self._gateway.ask(ask), key=lambda repo: repo.id))

    def _admit(self, asking: Asking, repos: tuple[ShownRepo, ...]) -> Admission:
        reach = {repo.id: repo.access for repo in repos}
        homes = frozenset(repo.id for repo in repos if repo.kind == "home")
        bound = "" if asking.covers_all_of(asking.brain.partition("/")[0]) else asking.brain
        return Admission(known=True, reach=reach, homes=homes, brain=bound)

    def open_library(self, tenant: str) -> Library:
        """Return the build output of a tenant. Tenants come from credentials alone, so nobody can have others opened."""
        with self._lock:
            library = self._libraries.pop(tenant, None) or Library(self._gateway.settings.out / tenant, single=False)
            self._libraries[tenant] = library
            while len(self._libraries) > _MOST_OPEN:
                self._libraries.popitem(last=False)
            return library
