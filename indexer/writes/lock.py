"""One refresh of a repository at a time on this machine: a lock that ends with the process that holds it, however that ends.

Called by the command and the worker. Refreshes on two machines need no lock: they make the same commit, and the branch takes one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import SourceError


class BusyError(SourceError):
    """Another refresh is at work there."""


@contextmanager
def hold_lock(file: Path) -> Iterator[None]:
    """Hold the lock that the file stands for; BusyError when another process does. The file stays: it is the lock's place, not the lock."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise SourceError(
            f"{file.parent} may not be written to: {error.strerror}.", hint="Run it as the user whom it belongs to."
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise BusyError(f"Another refresh is at work on {file.parent}.", hint="Wait until it is done.") from error
    try:
        yield
    finally:
        os.close(descriptor)
