"""Keeps the gateway answering while its registry does not: one request at a time finds out whether it is back. Called by `context`.

It only ever refuses sooner; nothing that was decided is kept here.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from indexer.errors import RegistryError

Value = TypeVar("Value")


class Breaker:
    """The state of one registry, for one event loop."""

    def __init__(self) -> None:
        self._failing = False
        self._probing = False

    async def run(self, question: Callable[[], Value]) -> Value:
        """Ask here and now; after a failure in another thread, for a database can take seconds to say that it is locked."""
        if not self._failing:
            try:
                return question()  # some 50 µs on SQLite: less than another thread costs
            except RegistryError:
                self._failing = True
                raise
        if self._probing:
            raise RegistryError("The registry cannot be asked, and another request is finding out whether it is back.")
        self._probing = True
        try:
            found = await asyncio.to_thread(question)
            self._failing = False
        finally:
            self._probing = False
        return found
