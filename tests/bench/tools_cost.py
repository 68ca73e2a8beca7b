"""What the read tools cost on a tenant of many brains, in one process that has the index open. Called by `tests.bench`."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from indexer.serve.tools import Desk
from tests.tools.many_brains import open_many, write_many

BRAINS, REPOS = 5_000, 100


@dataclass(frozen=True, slots=True)
class ToolCost:
    """Times of one call."""

    call: str
    first: float
    """Milliseconds of the first call, which opens the index."""
    median: float
    """Milliseconds, of ten more."""


def measure_tools(work: Path) -> list[ToolCost]:
    """Measure the calls that depend on the number of brains; each begins with an index that nobody has opened."""
    out = write_many(work, BRAINS, REPOS)
    calls: dict[str, Callable[[Desk], object]] = {
        "listBrains": lambda desk: desk.call("listBrains", {}),
        "listBrains of one project": lambda desk: desk.call("listBrains", {"project": "repo-050"}),
        "listBrains, every part": list_all,
        "getBrain below 49 parents": lambda desk: desk.call("getBrain", {"brain": "repo-050/b00049"}),
    }
    return [measure_call(name, call, open_many(out, REPOS)) for name, call in calls.items()]


def list_all(desk: Desk) -> int:
    """Follow the cursors to the end and return how many brains there are."""
    count, cursor = 0, None
    while True:
        part = desk.call("listBrains", {"cursor": cursor} if cursor else {})
        count += len(part["brains"])
        cursor = part.get("nextCursor")
        if cursor is None:
            return count


def measure_call(name: str, call: Callable[[Desk], object], desk: Desk) -> ToolCost:
    """Time one call, the first time and then ten times."""
    times = []
    for _ in range(11):
        begin = time.perf_counter()
        call(desk)
        times.append((time.perf_counter() - begin) * 1000)
    return ToolCost(name, times[0], statistics.median(times[1:]))
