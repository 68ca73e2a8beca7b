"""One run at a time in an output folder of this machine. Called by the pipeline for builds, and by the worker for refreshes beside them.

The lock belongs to processes and ends with them, however they end: the file that stays is the lock's place, not the lock. The worker
processes of a build share it, so that nobody begins while one of them may still write. Whoever only reads never asks for it.
"""

import contextlib
import errno
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from indexer.model.progress import Progress
from indexer.publish.release import translate_errors
from indexer.sources.orders import STATE_FOLDER
from indexer.writes.lock import BusyError

if sys.platform != "win32":
    import fcntl

LOCK = "build.lock"
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_PAUSE = 0.2
"""Seconds between two looks at a lock that another run holds."""
_LONGEST_SIGNATURE = 300


@contextmanager
def hold_output(out: Path, wait: float, progress: Progress) -> Iterator[None]:
    """Hold the lock of an output folder, whose `.brain` is made when it is missing.

    Another run that holds it is told to `progress` and waited for, for `wait` seconds; then BusyError. Where the file system has no
    locks, that is told, and the run goes on.
    """
    file = out / STATE_FOLDER / LOCK
    until, told = time.monotonic() + wait, False
    while (descriptor := _take(file, progress)) is None:
        if time.monotonic() >= until:
            hint = "Run this again when it has ended. The lock ends with that process, and no file has to be removed."
            raise BusyError(_describe(out, file), hint=hint)
        if not told:
            progress.note(f"{_describe(out, file)} Waiting for it, {wait:g} seconds at most.")
            told = True
        time.sleep(_PAUSE)
    try:
        with contextlib.suppress(OSError):  # a full disk takes the words, not the lock
            _sign(descriptor)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
        os.close(descriptor)


def _take(file: Path, progress: Progress) -> int | None:
    """Return the open file that holds the lock; None when another run holds it."""
    while True:
        with translate_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, _OPEN, 0o666)
        if not _lock(descriptor, file, progress):
            os.close(descriptor)
            return None
        if _lies_at(file, descriptor):
            return descriptor
        os.close(descriptor)  # the folder was removed, and perhaps made again, by the run that held it


def _lock(descriptor: int, file: Path, progress: Progress) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}:
            raise
        progress.note(f"The file system of {file} has no locks, so see to it that no other run writes there.")
    return True


def _lies_at(file: Path, descriptor: int) -> bool:
    try:
        found = file.stat()
    except OSError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def _sign(descriptor: int) -> None:
    """Say who holds the lock, for others to read; the time of the file says since when."""
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()} {socket.gethostname()}"[:_LONGEST_SIGNATURE].encode("utf-8", "replace"))


def _describe(out: Path, file: Path) -> str:
    """Say who holds the lock, as far as it can be read; it may have changed hands a moment ago."""
    sentence = f"Another run of brain is at work in {out}"
    try:
        process, _, host = file.read_bytes()[:_LONGEST_SIGNATURE].decode("utf-8", "replace").partition(" ")
        since = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError:
        return f"{sentence}."
    if not process.isdecimal():
        return f"{sentence}."
    where = f" on {host}" if host != socket.gethostname() else ""
    return f"{sentence}: process {process}{where}, since {since:%Y-%m-%d %H:%M:%S} UTC."
