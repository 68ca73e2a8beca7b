"""`brain sql`: a question to the index, in SQL. Wiring only."""

import csv
import io
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from indexer.cli.options import COUNT, Amount
from indexer.cli.paths import TypedPath
from indexer.cli.terminal import escape_text, render_json, say, wants_colour
from indexer.errors import UsageError
from indexer.store.statements import INDEX_FILE

if TYPE_CHECKING:
    from indexer.store.query import SqlResult

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@click.command("sql")
@click.argument("path", type=TypedPath())
@click.argument("query")
@click.option("--json", "form", flag_value="json", help='Print {"columns": […], "rows": [[…], …], "cut": false}.')
@click.option("--csv", "form", flag_value="csv", help="Print comma-separated values with a header.")
@click.option("--limit", type=COUNT, default=1000, show_default=True, help="Rows to show at most.")
@click.option("--timeout", type=Amount(0.1, 86_400), default=30.0, show_default=True, help="Seconds the query may take.")
def command(path: Path, query: str, form: str | None, limit: int, timeout: float) -> None:
    """Ask the index of PATH one QUERY and print the answer.

    PATH is an index file, or an output folder that holds one. QUERY is one SQL statement, or - to read it from standard input. The index
    is opened read-only; the query reaches no other file and no network. `SELECT * FROM documentation` describes all tables.
    """
    from indexer.store.query import run_sql  # noqa: PLC0415 (DuckDB takes a while to load)

    given = sys.stdin.buffer.read() if query == "-" else query.encode("utf-8", "surrogateescape")
    text = given.decode("utf-8", "replace")
    result = run_sql(find_index(path), text, seconds=timeout, rows=limit)
    if form == "json":
        rows = [[_to_json(value) for value in row] for row in result.rows]
        click.echo(render_json({"columns": list(result.columns), "rows": rows, "cut": result.cut}))
    elif form == "csv":
        click.echo(render_csv(result), nl=False)
    else:
        _print_table(result)
    if result.cut:
        say(f"Only the first {limit:,} rows are shown; --limit shows more.")


def find_index(path: Path) -> Path:
    """Return the index file that `path` names: itself, the one in it, or the only one in a folder below it."""
    if not path.is_dir():
        return path
    if (path / INDEX_FILE).exists():
        return path / INDEX_FILE
    below = sorted(path.glob(f"*/{INDEX_FILE}"))
    if len(below) == 1:
        return below[0]
    if below:
        raise UsageError(f"{path} holds {len(below)} indexes.", hint="Name one of them: " + ", ".join(map(str, below)))
    raise UsageError(f"There is no index in {path}.", hint="Name the folder that `brain build --out` wrote to.")


def render_csv(result: "SqlResult") -> str:
    """Return the rows as CSV; text that a spreadsheet would take for a formula gets an apostrophe in front."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_to_cell, result.columns))
    writer.writerows([_to_cell(value) for value in row] for row in result.rows)
    return text.getvalue()


def _print_table(result: "SqlResult") -> None:
    from rich import box  # noqa: PLC0415 (takes a while)
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(result.columns):
        is_number = any(type(row[number]) in {int, float} for row in result.rows[:1])
        table.add_column(Text(escape_text(column)), justify="right" if is_number else "left", overflow="fold")
    for row in result.rows:
        table.add_row(*(Text(_to_text(value)) for value in row))
    colour = wants_colour(sys.stdout)
    # A file or a pipe has no width; cutting its lines would lose words.
    width = None if sys.stdout.isatty() else 1_000_000
    Console(file=sys.stdout, no_color=not colour, highlight=False, emoji=False, width=width).print(table)


def _to_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape_text(value if isinstance(value, str) else str(_to_json(value)))


def _to_cell(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    text = _to_text(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _to_json(value: Any) -> Any:
    """Return the value as JSON can hold it; what JSON has no form for becomes text."""
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    if isinstance(value, dict):
        return {str(key): _to_json(part) for key, part in value.items()}
    if isinstance(value, float) and value - value != 0:  # infinities and NaN are no JSON
        return str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return value.isoformat() if isinstance(value, date) else value.hex() if isinstance(value, bytes) else str(value)
