"""Files that are built beside the old one and moved into its place in one step. Called by `write`; knows nothing of DuckDB.

Whoever reads the old file keeps reading it; whoever opens the path afterwards gets the new one. Killing the process at any point leaves
the old file as it was, at worst with a stray file beside it, which the next write removes.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_beside(target: Path) -> Iterator[Path]:
    """Yield a new path in the folder of `target`. What lies there when the block ends, not given to `replace`, is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_strays(target)
    fresh = target.with_name(f"{target.name}.{os.getpid()}-{os.urandom(4).hex()}.new")
    try:
        yield fresh
    finally:
        for leftover in (fresh, write_ahead_log(fresh)):
            leftover.unlink(missing_ok=True)


def write_ahead_log(path: Path) -> Path:
    """Return where DuckDB keeps changes that are not in the file yet."""
    return path.with_name(path.name + ".wal")


def settle(fresh: Path, target: Path) -> None:
    """Bring a new file to the disk, with the permissions of the one that it is to replace."""
    if target.exists():
        shutil.copymode(target, fresh)
    _sync(fresh)


def replace(fresh: Path, target: Path) -> None:
    """Move a settled file into its place."""
    write_ahead_log(target).unlink(missing_ok=True)  # left by a foreign writer; it must not be applied to the new file
    fresh.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_strays(target: Path) -> None:
    """Remove files of writers that were killed; those of running processes stay."""
    stray = re.compile(re.escape(target.name) + r"\.(\d+)-[0-9a-f]{8}\.new(\.wal)?")
    for path in target.parent.iterdir():
        found = stray.fullmatch(path.name)
        if found and not _is_running(int(found[1])):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
