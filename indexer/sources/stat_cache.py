"""Blob ids of files outside git, remembered by what the file system says of each file, so that unchanged ones are not read again.

Used by `folder` when the caller names a file for it. A cache that cannot be read counts as empty; one that cannot be written is not
written. Nothing in here reaches an output.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec

from indexer.sources.folder_walk import Remembered

_VERSION = 1


class _Stored(msgspec.Struct, array_like=True):
    version: int
    root: str
    files: dict[bytes, Remembered]


def load_stats(file: Path, root: Path) -> dict[bytes, Remembered]:
    """Return what is remembered of the files below `root`; empty when there is nothing that can be used."""
    try:
        stored = msgspec.msgpack.decode(file.read_bytes(), type=_Stored)
    except (OSError, msgspec.DecodeError):
        return {}
    return stored.files if stored.version == _VERSION and stored.root == str(root) else {}


def store_stats(file: Path, root: Path, files: dict[bytes, Remembered]) -> None:
    """Replace the file in one step. Failing to is no failure of the run: the files are read again next time."""
    content = msgspec.msgpack.encode(_Stored(_VERSION, str(root), files))
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(content)
            Path(beside).replace(file)
        except OSError:
            Path(beside).unlink(missing_ok=True)
            raise
