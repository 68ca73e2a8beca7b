"""Shows how far a run is: a bar on a terminal, plain lines elsewhere, nothing with --quiet (SPEC P17). Always on standard error.

Opened by the commands and handed to the pipeline, which knows only `indexer.model.progress.Progress`.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from indexer.cli.terminal import escape_text, is_terminal, say, wants_colour
from indexer.model.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def open_progress(*, quiet: bool = False, stream: TextIO | None = None) -> Iterator[Progress]:
    """Yield what fits: nothing when quiet, a bar on a terminal, else lines."""
    stream = stream or sys.stderr
    if quiet:
        yield Silent()
    elif is_terminal(stream):
        with _open_bars(stream) as bars:
            yield BarProgress(bars)
    else:
        lines = LineProgress(stream)
        yield lines
        lines.finish()


def _open_bars(stream: TextIO) -> "Bars":
    from rich.console import Console  # noqa: PLC0415 (takes a while; only terminals need it)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    console = Console(file=stream, no_color=not wants_colour(stream), highlight=False, emoji=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


class BarProgress:
    """One bar, for the current stage."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._task: TaskID | None = None

    def stage(self, name: str, total: int | None = None) -> None:
        """Begin a new bar in place of the last."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(escape_text(name), total=total)

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        if self._task is not None:
            self._bars.advance(self._task, steps)

    def note(self, message: str) -> None:
        """Print one line above the bar."""
        self._bars.console.print(escape_text(message), markup=False, soft_wrap=True)


class LineProgress:
    """A line when a stage begins, and one every ten seconds while it lasts."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._name = ""
        self._total: int | None = None
        self._done = 0
        self._last = 0.0
        self._partial = False

    def stage(self, name: str, total: int | None = None) -> None:
        """Print that the stage begins."""
        self.finish()
        self._name, self._total, self._done, self._last, self._partial = escape_text(name), total, 0, self._clock(), False
        self._print(self._name if total is None else f"{self._name} ({total:,})")

    def advance(self, steps: int = 1) -> None:
        """Print how far it is, at most every ten seconds."""
        self._done += steps
        if self._clock() - self._last >= _SECONDS_BETWEEN_LINES:
            self._last, self._partial = self._clock(), True
            self._print(self._count())

    def note(self, message: str) -> None:
        """Print one line."""
        self._print(escape_text(message))

    def finish(self) -> None:
        """Print the last count of a stage that was counted before."""
        if self._partial:
            self._partial = False
            self._print(self._count())

    def _count(self) -> str:
        return f"{self._name}: {self._done:,}" + (f" of {self._total:,}" if self._total is not None else "")

    def _print(self, line: str) -> None:
        say(line, stream=self._stream)
        self._stream.flush()
