"""Runs one command and says what it cost: time, processor time, memory. Linux only, for it reads /proc."""

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SAMPLE_SECONDS = 0.2


class RunError(Exception):
    """A measured command ended with an exit code that is not 0; the message holds the end of what it printed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run, or the median of several, cost."""

    wall: float
    """Seconds from start to end."""
    cpu: float
    """Processor seconds of the process and all its children, user and system."""
    memory: int
    """Peak bytes of all its processes together, shared memory divided among them; sampled."""
    largest: int
    """Peak resident bytes of its largest single process, as the kernel counted it."""


def measure(command: Sequence[str], cwd: Path, env: dict[str, str] | None = None) -> Cost:
    """Run `command` in `cwd` and return its cost; `RunError` when it fails."""
    log = cwd / ".measured.log"
    with log.open("wb") as out:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, env=_list_variables(env or {}), stdout=out, stderr=subprocess.STDOUT)
        sampler = _Sampler(process.pid)
        sampler.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        sampler.stop()
    said = log.read_text("utf-8", "replace")
    log.unlink()
    if process.returncode != 0:
        raise RunError(f"{' '.join(command[:4])}… ended with {process.returncode}: {said[-800:].strip()}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, max(sampler.peak, usage.ru_maxrss * 1024), usage.ru_maxrss * 1024)


def _list_variables(more: dict[str, str]) -> dict[str, str]:
    """Return the variables of a run. Programs installed in Python keep their compiled modules, whatever this shell says."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | more


def take_median(costs: Sequence[Cost]) -> Cost:
    """Return the median of each figure."""
    return Cost(
        wall=median(c.wall for c in costs),
        cpu=median(c.cpu for c in costs),
        memory=int(median(c.memory for c in costs)),
        largest=int(median(c.largest for c in costs)),
    )


class _Sampler(threading.Thread):
    """Adds up the memory of a process and all below it, several times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.peak = 0
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, sum(_read_memory(pid) for pid in _list_tree(self.pid)))

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _list_tree(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found.extend(int(child) for child in (task / "children").read_text().split())
    return found


def _read_memory(pid: int) -> int:
    """Proportional set size in bytes; 0 when the process has just ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
