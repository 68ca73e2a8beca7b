"""One connection to a registry in a file, kept between the requests of a process: opening one costs as much as asking.

Only the connection is kept. Each statement sees what is committed at that moment, and a file that is gone or another one is noticed first.
Used by the gateway.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from indexer.errors import RegistryError
from indexer.registry.asking import require_current
from indexer.registry.engine import Registry, explain_failure

Value = TypeVar("Value")

_PATIENCE_MS = 250
"""How long a question waits for a locked file: the other requests of the process wait with it."""


class AskingLine:
    """The connection. Used by one thread at a time; the registry is this line's own."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._file = str(registry.file)
        self._stack = ExitStack()
        self._open: tuple[tuple[int, int], Connection] | None = None

    def ask(self, question: Callable[[Connection], Value], *, checks_version: bool = False) -> Value:
        """Ask; RegistryError when that is not possible. After any failure the next question gets a new connection.

        `checks_version` = the question itself finds out whether these are the tables that this program knows.
        """
        answered = False
        try:
            connection = self._connect()
            if not checks_version:
                require_current(connection)
            value = question(connection)
            answered = True
        except SQLAlchemyError as error:
            raise explain_failure(error, self._registry.where) from error
        finally:
            if not answered:  # whatever went wrong, a connection in an unknown state is not kept
                self.close()
        return value

    def close(self) -> None:
        """Give the connection back."""
        self._open = None
        self._stack.close()

    def _connect(self) -> Connection:
        try:
            found = os.stat(self._file)  # noqa: PTH116 (asked on every request)
        except OSError as error:
            raise RegistryError(f"There is no registry at {self._registry.where}: {error.strerror}.") from error
        identity = found.st_dev, found.st_ino
        if self._open is None or self._open[0] != identity:
            self.close()
            connection = self._stack.enter_context(self._registry.reading())
            connection.exec_driver_sql(f"pragma busy_timeout = {_PATIENCE_MS}")
            self._open = identity, connection
        return self._open[1]
