"""Work that waits for somebody else, each kind in threads of its own: whoever is slow keeps nobody from anything else (THREATS 48).

The event loop's own threads are few, and read files and search. Used by `context` for changes of the registry, which wait for other
writers, and by the sign-in for its service.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from indexer.errors import BrainpressError

Value = TypeVar("Value")


class BusyError(BrainpressError):
    """Too much of this kind is under way."""


class Aside:
    """The threads of one kind of work, for one event loop."""

    def __init__(self, name: str, *, threads: int, most: int) -> None:
        self._name = name
        self._most = most
        self._under_way = 0
        self._is_open = True
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, work: Callable[[], Value]) -> Value:
        """Return what some work leads to; BusyError when `most` are under way or waiting, those of people who have left as well."""
        if not self._is_open:
            raise BusyError(f"{self._name}: this process ends.")
        if self._under_way >= self._most:
            raise BusyError(f"{self._name}: {self._most} are waiting already.")
        self._under_way += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        future.add_done_callback(self._count_done)
        return await asyncio.shield(future)

    def _count_done(self, future: "asyncio.Future[Value]") -> None:
        self._under_way -= 1
        if not future.cancelled():
            future.exception()  # whoever waited for it may be gone, and then nobody else looks

    def close(self) -> None:
        """Begin nothing more; what is under way ends by itself."""
        self._is_open = False
        self._pool.shutdown(wait=False, cancel_futures=True)
