"""Signals of a run: what hears Ctrl-C and a request to end instead of Python. Called by the pipeline, `brain work` and `brain serve`."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def hearing(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a function hear Ctrl-C and SIGTERM while the block runs. For the main thread alone: others are never interrupted."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let both wait until the block has ended: it moves what belongs together, and takes milliseconds."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    try:
        with hearing(lambda number, _: held.append(number)):
            yield
    finally:
        if held:
            signal.raise_signal(held[0])


def outlive_hangup() -> None:
    """Let a service that no terminal holds go on when it is sent SIGHUP, as log rotation does: systemd takes that end for a wanted one."""
    if hasattr(signal, "SIGHUP") and not (sys.stdin and sys.stdin.isatty()):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
