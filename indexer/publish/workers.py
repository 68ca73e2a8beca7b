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


class Workers:
    """Runs a function over chunks, in order; starts processes only when there is more than one chunk."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None

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
        done: Future[R] = Future()
        done.set_result(function())
        return done

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
            # A forked process has all modules loaded already; elsewhere than on Linux forking is not safe.
            method = "fork" if sys.platform == "linux" else "spawn"
            self._pool = ProcessPoolExecutor(self._processes, mp_context=multiprocessing.get_context(method), initializer=_begin)
        return self._pool

    def close(self, *, cancel: bool) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=cancel)


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
