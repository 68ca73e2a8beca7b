"""Worker processes for the two long steps, parsing and writing pages. Opened by the pipeline; small work stays in this process."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
_WORTH_A_PROCESS = 200
"""A task about fewer pages saves nothing in a process of its own."""
_WORTH_A_COPY = 4_000
"""Nor does one about fewer pages in a copy of this process, which has to be made first."""


class Workers:
    """Runs a function over chunks, in order; starts processes only when there is more than one chunk."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None
        self._copies: list[ProcessPoolExecutor] = []

    def map(self, function: Callable[[T], R], chunks: Iterable[T]) -> Iterator[R]:
        """Yield the results in the order of the chunks; at most a few chunks are in memory at once."""
        iterator = iter(chunks)
        first = list(islice(iterator, 2))
        if len(first) < 2 or self._processes < 2:
            yield from map(function, chain(first, iterator))
            return
        yield from self._spread(function, chain(first, iterator))

    def start(self, function: Callable[[], R], *, pages: int) -> "Future[R]":
        """Run one task that is about so many pages: many beside this process, which goes on meanwhile, few here and now."""
        if pages > _WORTH_A_PROCESS and self._processes > 1:
            return self._open().submit(function)
        return _run_now(function)

    def start_copy(self, function: Callable[[], R], *, pages: int) -> "Future[R]":
        """Run one task that needs much of what this process has in memory: beside it in a copy of itself, or here and now."""
        if not self.may_copy(pages):
            return _run_now(function)
        pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork"), initializer=_begin)
        self._copies.append(pool)
        key = len(self._copies)
        _inherited[key] = function
        try:
            return pool.submit(_run_inherited, key)  # type: ignore[arg-type]
        finally:
            del _inherited[key]  # the copy has begun with its own

    def may_copy(self, pages: int) -> bool:
        """Whether a task about so many pages runs beside this process: while others are at work, one more would only take their time."""
        return self._pool is None and pages > _WORTH_A_COPY and self._processes > 1 and _find_method() == "fork"

    def begin(self, function: Callable[[T], R], chunks: Sequence[T]) -> Iterator[R]:
        """Start on all chunks at once and return at once; the results come in order when asked for. For chunks that are few or small."""
        if len(chunks) < 2 or self._processes < 2:
            return map(function, chunks)
        pool = self._open()
        return _wait([pool.submit(function, chunk) for chunk in chunks])

    def _spread(self, function: Callable[[T], R], chunks: Iterator[T]) -> Iterator[R]:
        pool = self._open()
        waiting: list[Future[R]] = []
        for chunk in chunks:
            waiting.append(pool.submit(function, chunk))
            if len(waiting) > 3 * self._processes:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._processes, mp_context=multiprocessing.get_context(_find_method()), initializer=_begin)
        return self._pool

    def close(self, *, cancel: bool) -> None:
        """End the processes."""
        for pool in (self._pool, *self._copies):
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=cancel)


_inherited: dict[int, Callable[[], object]] = {}
"""Tasks for a process that is about to be forked: it finds them here, where nothing has to be sent."""


def _run_inherited(key: int) -> object:
    return _inherited[key]()


def _run_now(function: Callable[[], R]) -> "Future[R]":
    done: Future[R] = Future()
    done.set_result(function())
    return done


def _find_method() -> str:
    """A forked process has all modules loaded already; elsewhere than on Linux forking is not safe."""
    return "fork" if sys.platform == "linux" else "spawn"


def _begin() -> None:
    """Begin as a worker. Ctrl-C reaches all processes of a terminal; the one that has workers ends them itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End when the process that has this worker was killed: else the worker would write, and hold its locks, for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _wait(futures: Iterable["Future[R]"]) -> Iterator[R]:
    for future in futures:
        yield future.result()


@contextmanager
def open_workers(processes: int) -> Iterator[Workers]:
    """Give workers; whatever ends the block early ends them at once."""
    workers = Workers(processes)
    # A build makes millions of objects that live to its end and no cycles worth looking for: the collector only costs time, and in
    # forked processes copies memory.
    collecting = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield workers
    except BaseException:
        workers.close(cancel=True)
        raise
    else:
        workers.close(cancel=False)
    finally:
        gc.unfreeze()
        if collecting:
            gc.enable()
