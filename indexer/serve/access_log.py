"""The access log: one line of JSON per request, for the operator. Called by `gateway` once per answer.

Holds the path as it was sent, for that is what an operator looks for. Never: the query, which may hold codes; cookies, keys and any other
header; a word of any content. One write per line, so several processes may share the file. When the file is moved away, as rotation
does, the next line begins a new one in its place: no process has to be told.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from indexer.errors import BrainpressError


class AccessLog:
    """An open log; one without a file keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self._fd = -1
        self._path = path
        self._encoder = msgspec.json.Encoder()
        if path is None:
            return
        try:
            self._fd = _open(path)
        except OSError as error:
            raise BrainpressError(f"The log {path} cannot be written: {error.strerror}.", hint="Name another file with --log.") from error

    @property
    def is_open(self) -> bool:
        """Whether lines are kept, so that none is made in vain."""
        return self._fd >= 0

    def write(self, record: Mapping[str, Any]) -> None:
        """Add a line. A full disk costs lines, not answers."""
        if not self.is_open:
            return
        with suppress(OSError):
            self._follow()
        with suppress(OSError):
            os.write(self._fd, self._encoder.encode(record) + b"\n")

    def _follow(self) -> None:
        """Go on at the path of the log when the file that is open lies there no more; the number of the open file stays."""
        if self._path is None or _is_at(self._path, self._fd):
            return
        fresh = _open(self._path)
        os.dup2(fresh, self._fd, inheritable=False)
        os.close(fresh)

    def close(self) -> None:
        """Close the file."""
        if self.is_open:
            os.close(self._fd)
            self._fd = -1


def _open(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))  # noqa: PTH116 (once per request)
    except FileNotFoundError:
        return False
