"""Files and folders that nobody may read. Used by tests of the sources; works for root as well."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def without_power(*private: Path) -> Iterator[None]:
    """Take the right to read from these paths, and from us the power to read all the same."""
    modes = [path.stat().st_mode for path in private]
    for path in private:
        path.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path, mode in zip(private, modes, strict=True):
            path.chmod(mode)


def open_to_all(path: Path) -> None:
    """Let everybody pass through the folders above a test's files."""
    for folder in path.parents:
        if folder.stat().st_uid == os.geteuid() and folder.name:
            folder.chmod(folder.stat().st_mode | 0o011)
