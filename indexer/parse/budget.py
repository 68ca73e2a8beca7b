"""A limit on the time one page may take, so that no page holds up a build. Used by `indexer.parse.page`.

The limit is a last resort far above what any real page needs. It works in the main thread of a process, on systems with interval timers.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 30.0


class OverBudgetError(Exception):
    """The page took longer than it may."""


@contextmanager
def time_budget(seconds: float = SECONDS) -> Iterator[None]:
    """Raise OverBudgetError inside the block after `seconds` of processor time."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    over = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal over
        over = True
        raise OverBudgetError

    previous = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
        if over:  # libraries that call back from other languages swallow what is raised meanwhile
            raise OverBudgetError
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
