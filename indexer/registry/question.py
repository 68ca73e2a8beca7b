"""A question that is asked on every request: written for SQLAlchemy once, compiled once, and run on the driver itself.

What SQLAlchemy does for a statement each time costs more than the database takes for one of ours. Used by the modules that such questions
are in.
"""

from functools import cache
from typing import Any

from sqlalchemy import Connection, Select
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg

from indexer.registry.engine import explain_failure


class Question:
    """One statement with named parameters."""

    def __init__(self, chosen: Select[Any]) -> None:
        self._chosen = chosen
        self._compile = cache(self._compile_for)

    def ask(self, connection: Connection, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Return the rows as they are now; RegistryError when it cannot be asked."""
        statement = self._compile(connection.dialect.name)
        try:
            found: list[tuple[Any, ...]] = connection.connection.driver_connection.execute(statement, values).fetchall()  # type: ignore[union-attr]
        except connection.dialect.loaded_dbapi.Error as error:
            raise explain_failure(error) from error
        return found

    def _compile_for(self, dialect: str) -> str:
        chosen: Any = sqlite.dialect(paramstyle="named") if dialect == "sqlite" else psycopg.dialect()  # type: ignore[no-untyped-call]
        return str(self._chosen.compile(dialect=chosen))
