"""Puts rows into a new index file: its tables, the rows of a repo, rows taken over from the last file. Called by `write` only.

Works on an engine to which the new file is attached as the default, and the last one, if any, as `previous`; within one transaction.
"""

from collections.abc import Iterable, Mapping, Sequence

from indexer import __version__
from indexer.model.index import RepoRows
from indexer.store.engine import Connection
from indexer.store.figures import score_build
from indexer.store.rows import PAGE, PAGE_TABLES, WHOLE_TABLES, PartKey, PreparedRepo, Row, sort_by_table, to_repo_row
from indexer.store.statements import SCHEMA_VERSION, TABLES, VIEWS, load_documentation, load_statement

HISTORY = ("build", "build_figure")
"""Tables whose rows stay when a repo is written anew."""
REPO_TABLES = tuple(table for table in TABLES if table not in {"index_version", "documentation"})


def execute_named(engine: Connection, name: str) -> None:
    """Run a statement that takes no parameters."""
    engine.execute(load_statement(name))


def create_schema(engine: Connection) -> None:
    """Create all tables and views, and store their documentation."""
    for name in TABLES:
        execute_named(engine, f"table_{name}")
    for name in VIEWS:
        execute_named(engine, f"view_{name}")
    rows: list[Row] = []
    for table in load_documentation():
        rows.append((table.name, "", table.kind, table.text))
        rows.extend((table.name, column.name, column.type, column.text) for column in table.columns)
    append_rows(engine, "documentation", rows)


def carry_over(engine: Connection, repos: Iterable[str], tables: Iterable[str]) -> None:
    """Take the rows of some repos over from the previous file."""
    names = sorted(repos)
    for table in tables:
        statement = load_statement("carry_over").format(table=table, key=_repo_key(table))
        for repo in names:
            engine.execute(statement, {"repo": repo})


def mark_failed(engine: Connection, repo: RepoRows, *, known: bool) -> None:
    """Mark a repo that could not be read; one that never was gets a row without pages."""
    if known:
        engine.execute(load_statement("mark_failed"), {"repo": repo.name, "reason": repo.failed_reason})
    else:
        append_rows(engine, "repo", [to_repo_row(RepoRows(repo.name, repo.title, status="failed", failed_reason=repo.failed_reason))])


def store_parts(engine: Connection, repo: PreparedRepo, written: Mapping[PartKey, bytes]) -> None:
    """Write the parts whose digest differs from `written` (what the file holds already), and remove those that are gone."""
    changed = [part for part, digest in repo.digests.items() if written.get(part) != digest]
    if written:
        _delete_parts(engine, repo.name, [part for part, digest in written.items() if repo.digests.get(part) != digest])
    for table, rows in sort_by_table(repo, changed).items():
        append_rows(engine, table, rows)
    append_rows(engine, "written", [(repo.name, *part, repo.digests[part]) for part in changed])


def store_repo(engine: Connection, repo: RepoRows) -> None:
    """Write the row of the repo, and add this revision to its history; uncommitted content leaves no history."""
    _delete_repo(engine, "repo", repo.name)
    append_rows(engine, "repo", [to_repo_row(repo)])
    if repo.revision is None:
        return
    for table in HISTORY:
        engine.execute(load_statement("delete_build").format(table=table), {"repo": repo.name, "revision": repo.revision})
    append_rows(engine, "build", [score_build(repo)])
    append_rows(engine, "build_figure", [(repo.name, repo.revision, name, value) for name, value in repo.figures])


def store_version(engine: Connection, updates: int) -> None:
    """Write which program wrote the file, and how often it was updated since it was written whole."""
    execute_named(engine, "delete_version")
    append_rows(engine, "index_version", [(SCHEMA_VERSION, __version__, updates)])


def append_rows(engine: Connection, table: str, rows: Sequence[Row]) -> None:
    """Add rows to a table; DuckDB's appender is the fastest way in that needs neither a temporary file nor another library."""
    if rows:
        with engine.appender(table) as appender:
            appender.append_rows(rows)


def _delete_parts(engine: Connection, repo: str, parts: Sequence[PartKey]) -> None:
    paths = [path for part, path in parts if part == PAGE]
    if paths:
        for spec in PAGE_TABLES:
            engine.execute(load_statement("delete_paths").format(table=spec.table, key=spec.key), {"repo": repo, "paths": paths})
        engine.execute(load_statement("delete_written"), {"repo": repo, "part": PAGE, "paths": paths})
    for spec in WHOLE_TABLES:
        if (spec.table, "") in parts:
            _delete_repo(engine, spec.table, repo)
            engine.execute(load_statement("delete_written"), {"repo": repo, "part": spec.table, "paths": [""]})


def _delete_repo(engine: Connection, table: str, repo: str) -> None:
    engine.execute(load_statement("delete_repo").format(table=table, key=_repo_key(table)), {"repo": repo})


def _repo_key(table: str) -> str:
    return "name" if table == "repo" else "repo"
