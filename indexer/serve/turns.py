"""Turns for what takes a process long, such as searching: few places at once, and of those one asker gets a part (THREATS 48).

Whoever asks for much waits behind themselves; everybody else finds a place. Used by the doors for programs and by the search of the home
page. Nothing is decided here: that is done when the turn has come.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from indexer.errors import BrainpressError
from indexer.registry.reach import Reader


class TooManyError(BrainpressError):
    """Somebody has as many calls under way as they may have."""


class GoneError(BrainpressError):
    """While somebody waited, what they proved themselves with was taken back."""


class _Own:
    """One asker's."""

    def __init__(self, places: int) -> None:
        self.places = anyio.Semaphore(places)
        self.calls = 0


class Turns:
    """`places` at once in this process, `each` of them for one asker, of whose calls `row` may be under way or waiting."""

    def __init__(self, *, places: int, each: int, row: int) -> None:
        self.limiter = anyio.CapacityLimiter(places)
        self._each, self._row = each, row
        self._own: dict[str, _Own] = {}

    @asynccontextmanager
    async def take(self, name: str) -> AsyncIterator[None]:
        """Wait for a turn of an asker and keep it; TooManyError when that many of theirs are waiting already."""
        own = self._own.get(name) or _Own(self._each)
        if own.calls >= self._row:
            raise TooManyError(f"{self._row} calls of yours are under way already. Wait for one of them to end, and try again.")
        self._own[name] = own
        own.calls += 1
        try:
            async with own.places, self.limiter:
                yield
        finally:
            own.calls -= 1
            if not own.calls:
                del self._own[name]


def name_reader(reader: Reader) -> str:
    """Return for whom a turn of a reader counts: all keys of somebody are theirs."""
    return f"{reader.tenant} {reader.account} {reader.agent}"
