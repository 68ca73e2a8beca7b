"""Runs one query that a person wrote (`brain sql`) against an index, locked in: no other file, no network, no change, no end of memory.

Called by the command line only. It must never be reachable from the gateway: the index holds hidden pages.
"""

from contextlib import closing
from pathlib import Path
from threading import Timer
from typing import Any

from msgspec import Struct

from indexer.errors import StoreError, UsageError
from indexer.store.engine import (
    ALIAS,
    Connection,
    DatabaseFailure,
    Interrupted,
    OutOfMemory,
    attach_index,
    interruptible,
    open_engine,
    translated_errors,
    use_index,
)
from indexer.store.statements import load_statement


class SqlResult(Struct, frozen=True):
    """What a query returned."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """Python values: str, int, float, bool, None, dates, decimals, lists, dicts."""
    cut: bool
    """True when there were more rows than asked for."""


def run_sql(path: Path, query: str, *, seconds: float = 30.0, memory: str = "1GB", rows: int = 100_000) -> SqlResult:
    """Run one statement read-only and return its rows.

    Raises UsageError when the statement is wrong, StoreError when the file cannot be read or the query needs too much time or memory.
    """
    path = path.absolute()
    with closing(open_engine()) as engine:
        with translated_errors(path, "read"):
            attach_index(engine, path)
            use_index(engine, ALIAS)
        _lock_in(engine, memory)
        _check_single(engine, query)
        return _run(engine, query, seconds, rows)


def _lock_in(engine: Connection, memory: str) -> None:
    engine.execute(load_statement("limit_memory"), [memory])
    engine.execute(load_statement("disable_external_access"))
    engine.execute(load_statement("lock_configuration"))


def _check_single(engine: Connection, query: str) -> None:
    try:
        statements = engine.extract_statements(query)
    except DatabaseFailure as error:
        raise UsageError(_first_paragraph(error), hint="Tables and columns: `SELECT * FROM documentation`.") from error
    if len(statements) != 1:
        raise UsageError(f"Expected one SQL statement, got {len(statements)}.", hint="Quote the whole query, and run one at a time.")


def _run(engine: Connection, query: str, seconds: float, rows: int) -> SqlResult:
    timer = Timer(seconds, engine.interrupt)
    timer.daemon = True
    timer.start()
    try:
        with interruptible():
            result = engine.execute(query)
            found = result.fetchmany(rows + 1)
        columns = tuple(column[0] for column in result.description or ())
    except Interrupted as error:
        raise StoreError(f"The query took longer than {seconds:g} seconds.", hint="Narrow it down, or allow it more time.") from error
    except OutOfMemory as error:
        raise StoreError("The query needs more memory than it is allowed.", hint="Narrow it down with WHERE or LIMIT.") from error
    except DatabaseFailure as error:
        raise UsageError(_first_paragraph(error), hint="Tables and columns: `SELECT * FROM documentation`.") from error
    finally:
        timer.cancel()
    return SqlResult(columns, tuple(found[:rows]), len(found) > rows)


def _first_paragraph(error: Exception) -> str:
    """DuckDB repeats the query under its message; the person has it before them."""
    return str(error).strip().split("\n\n", maxsplit=1)[0]
