"""The only module that imports DuckDB: engines without files of their own, to which index files are attached; its errors, translated.

Used by the rest of `store/`. A file is always attached to a fresh engine and never opened by `connect(path)`: that would hand out an
older connection of this process to a path whose file has been replaced since.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

# The extension itself. The package around it (`duckdb`) adds nothing used here and takes three times as long to import.
import _duckdb as duckdb

from indexer.errors import StoreError
from indexer.store.statements import load_statement

Connection = duckdb.DuckDBPyConnection
OutOfMemory = duckdb.OutOfMemoryException
Interrupted = duckdb.InterruptException
DatabaseFailure = duckdb.Error

ALIAS = "brain"
_ATTACH = {"read": "attach_read", "new": "attach_new", "copy": "attach_copy"}

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": "1",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}

_BY_ERRNO = {
    errno.ENOSPC: ("The disk is full: {path} could not be written.", "Free some space and run the command again."),
    errno.EDQUOT: ("The disk quota is used up: {path} could not be written.", "Free some space and run the command again."),
    errno.EFBIG: ("{path} would grow larger than this system allows.", "Raise the limit on the size of files, or build fewer repos."),
    errno.EACCES: ("Access to {path} was refused.", "Check the permissions of the file and its folder."),
    errno.EPERM: ("Access to {path} was refused.", "Check the permissions of the file and its folder."),
    errno.EROFS: ("{path} lies on a read-only file system.", "Choose another output folder."),
    errno.ENOTDIR: ("{path} cannot be reached: part of the path is a file.", "Choose another output folder."),
    errno.EEXIST: ("{path} cannot be reached: part of the path is a file.", "Choose another output folder."),
    errno.EISDIR: ("{path} is a folder, not an index.", "Move it away, or choose another output folder."),
}

_DAMAGED = ("{path} is damaged and cannot be read.", "Delete it and run `brain build` again.")
_BY_TEXT = (
    ("Could not set lock", ("{path} is open for writing in another program.", "Close that program and run the command again.")),
    ("not a valid DuckDB database", ("{path} is not an index.", "Move it away or choose another output folder.")),
    ("database does not exist", ("There is no index at {path}.", "Run `brain build` first.")),
    ("newer version of DuckDB", ("{path} was written by a newer version of DuckDB.", "Update the program, or delete the file.")),
    ("Corrupt database file", _DAMAGED),
    ("Could not read enough bytes", _DAMAGED),
    ("Failed to deserialize", _DAMAGED),
    ("Failed to load metadata", _DAMAGED),
)


def open_engine() -> Connection:
    """Return an engine without a file: one thread, no downloads, no temporary files, no view of Python's variables."""
    return duckdb.connect(":memory:", config=_SETTINGS)


def attach_index(engine: Connection, path: Path, alias: str = ALIAS, *, how: Literal["read", "new", "copy"] = "read") -> None:
    """Attach the index file at an absolute path, to be read, made or brought up to date; raises DuckDB's own errors."""
    quoted = "'" + str(path).replace("'", "''") + "'"
    engine.execute(load_statement(_ATTACH[how]).format(path=quoted, alias=alias))


def use_index(engine: Connection, alias: str) -> None:
    """Make an attached file the one that unqualified names mean; `memory` is the engine itself."""
    engine.execute(load_statement("use_database").format(alias=alias))


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be what it is: DuckDB takes it for itself and raises a plain RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error


@contextmanager
def translated_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn what DuckDB and the operating system raise into a StoreError about `path`; `doing` completes "could not be …"."""
    try:
        with interruptible():
            yield
    except OSError as error:
        raise _explain(path, doing, error.errno, error.strerror or str(error)) from error
    except DatabaseFailure as error:
        raise _explain(path, doing, _find_errno(str(error)), str(error)) from error


def _find_errno(text: str) -> int | None:
    """DuckDB reports the system's error by its text only."""
    return next((number for number in _BY_ERRNO if os.strerror(number) in text), None)


def _explain(path: Path, doing: str, number: int | None, text: str) -> StoreError:
    for fragment, (message, hint) in _BY_TEXT:
        if fragment in text:
            return StoreError(message.format(path=path), hint=hint)
    if number in _BY_ERRNO:
        message, hint = _BY_ERRNO[number]
        return StoreError(message.format(path=path), hint=hint)
    first_line = text.strip().splitlines()[0] if text.strip() else "unknown error"
    return StoreError(f"{path} could not be {doing}: {first_line}", hint="If this happens again, delete the file and run `brain build`.")
