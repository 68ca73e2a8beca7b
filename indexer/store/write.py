"""Writes the index of a tenant: whole, or as the difference to the last one. Called by the pipeline; readers use `read` and `query`.

Either way a new file is made beside the old one and moved into its place. It must not read a clock, and it never changes a file that
somebody may be reading.
"""

import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from indexer import __version__
from indexer.errors import StoreError
from indexer.model.index import RepoRows
from indexer.store.engine import ALIAS, Connection, DatabaseFailure, attach_index, open_engine, translated_errors, use_index
from indexer.store.figures import score_build
from indexer.store.rows import PAGE, PAGE_TABLES, WHOLE_TABLES, PartKey, PreparedRepo, Row, prepare_rows, sort_by_table, to_repo_row
from indexer.store.statements import SCHEMA_VERSION, TABLES, VIEWS, load_documentation, load_statement
from indexer.store.swap import built_beside, write_ahead_log

_PREVIOUS = "previous"
_HISTORY = ("build", "build_figure")
_NOT_BY_REPO = ("index_version", "documentation")
_UPDATES_MAX = 50
"""After so many differences the file is written whole again, for the space of deleted rows is not all given back."""
_UPDATE_SHARE = 4
"""A difference of more than one page in so many is written whole: that is faster then."""


@dataclass(frozen=True, slots=True)
class _Previous:
    """The last index, attached to the engine as `previous`."""

    path: Path
    updates: int
    repos: frozenset[str]
    copyable: bool
    """False when a foreign program left changes beside the file that are not in it yet."""


def write_index(target: Path, repos: Sequence[RepoRows], *, previous: Path | None = None, keep: Collection[str] = ()) -> None:
    """Write the index of a tenant to `target`, replacing what is there only when the new file is complete and on the disk.

    `repos` are the repos of this run; `keep` names those it did not touch, whose rows are taken over from `previous` (the last index,
    usually `target` itself). A repo with status `failed` keeps its last rows and is marked; a repo named nowhere is dropped. When few
    pages differ from `previous`, only those are written. Raises StoreError when the files cannot be read or written.
    """
    _check_names(repos, keep)
    target, previous = target.absolute(), previous.absolute() if previous else None
    with translated_errors(target, "written"), built_beside(target) as fresh, closing(open_engine()) as engine:
        if target != previous:
            with _attached_previous(engine, target):  # never replace a file that is none of ours
                pass
        with _attached_previous(engine, previous) as last:
            _write_file(engine, fresh, sorted(repos, key=lambda repo: repo.name), last, frozenset(keep))


def _check_names(repos: Sequence[RepoRows], keep: Collection[str]) -> None:
    names = [repo.name for repo in repos] + list(keep)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"BUG: repos named twice: {', '.join(twice)}")


@contextmanager
def _attached_previous(engine: Connection, path: Path | None) -> Iterator[_Previous | None]:
    """Attach the last index; None when there is none, or one of another schema version. StoreError when the file is no index."""
    if path is None or not path.exists() or path.stat().st_size == 0:
        yield None
        return
    with translated_errors(path, "read"):
        attach_index(engine, path, _PREVIOUS)
        found = _read_previous(engine, path)
    yield found
    engine.execute(load_statement("detach").format(alias=_PREVIOUS))


def _read_previous(engine: Connection, path: Path) -> _Previous | None:
    try:
        row = engine.execute(load_statement("fetch_version").format(alias=_PREVIOUS)).fetchone()
    except DatabaseFailure as error:
        message = f"{path} is a DuckDB database, but not an index."
        raise StoreError(message, hint="Move it away or choose another output folder.") from error
    if row is None or row[0] != SCHEMA_VERSION:
        return None
    names = engine.execute(load_statement("fetch_repo_names").format(alias=_PREVIOUS)).fetchall()
    return _Previous(path, row[1], frozenset(name for (name,) in names), not write_ahead_log(path).exists())


def _write_file(engine: Connection, fresh: Path, repos: Sequence[RepoRows], last: _Previous | None, keep: frozenset[str]) -> None:
    prepared = [prepare_rows(repo) for repo in repos if repo.status == "fresh"]
    written = {repo.name: _fetch_written(engine, repo.name) if last else {} for repo in prepared}
    update = last is not None and _is_small(engine, last, prepared, written)
    if update and last is not None:
        shutil.copyfile(last.path, fresh)
    attach_index(engine, fresh, write=True)
    use_index(engine, ALIAS)
    _execute(engine, "begin")
    stale = [repo for repo in repos if repo.status == "failed"]
    named = keep | {repo.name for repo in repos}
    if update and last is not None:
        _drop_repos(engine, last.repos - named)
    else:
        written = {}
        _create_schema(engine)
        if last is not None:
            _carry_over(engine, last.repos & (keep | {repo.name for repo in stale}), _repo_tables())
            _carry_over(engine, last.repos & {repo.name for repo in prepared}, _HISTORY)
    for repo in stale:
        _mark_failed(engine, repo, known=last is not None and repo.name in last.repos)
    by_name = {repo.name: repo for repo in repos}
    for ready in prepared:
        _write_parts(engine, ready, written.get(ready.name, {}))
        _write_repo(engine, by_name[ready.name])
    _execute(engine, "delete_version")
    _append(engine, "index_version", [(SCHEMA_VERSION, __version__, last.updates + 1 if update and last is not None else 0)])
    _execute(engine, "commit")
    engine.execute(load_statement("checkpoint").format(alias=ALIAS))  # closing would keep an error to itself
    use_index(engine, "memory")
    engine.execute(load_statement("detach").format(alias=ALIAS))


def _fetch_written(engine: Connection, repo: str) -> dict[PartKey, bytes]:
    rows = engine.execute(load_statement("fetch_written").format(alias=_PREVIOUS), {"repo": repo}).fetchall()
    return {(part, path): digest for part, path, digest in rows}


def _is_small(engine: Connection, last: _Previous, repos: Iterable[PreparedRepo], written: dict[str, dict[PartKey, bytes]]) -> bool:
    """Decide whether writing the difference is worth it."""
    if not last.copyable or last.updates >= _UPDATES_MAX:
        return False
    row = engine.execute(load_statement("fetch_written_count").format(alias=_PREVIOUS)).fetchone()
    changes = sum(len(dict(repo.digests.items() ^ written[repo.name].items())) for repo in repos)
    return row is not None and changes * _UPDATE_SHARE <= row[0]


def _create_schema(engine: Connection) -> None:
    for name in TABLES:
        _execute(engine, f"table_{name}")
    for name in VIEWS:
        _execute(engine, f"view_{name}")
    rows: list[Row] = []
    for table in load_documentation():
        rows.append((table.name, "", table.kind, table.text))
        rows.extend((table.name, column.name, column.type, column.text) for column in table.columns)
    _append(engine, "documentation", rows)


def _repo_tables() -> list[str]:
    return [table for table in TABLES if table not in _NOT_BY_REPO]


def _repo_key(table: str) -> str:
    return "name" if table == "repo" else "repo"


def _carry_over(engine: Connection, repos: Iterable[str], tables: Iterable[str]) -> None:
    for table in tables:
        statement = load_statement("carry_over").format(table=table, key=_repo_key(table))
        for repo in sorted(repos):
            engine.execute(statement, {"repo": repo})


def _drop_repos(engine: Connection, repos: Iterable[str]) -> None:
    for repo in sorted(repos):
        for table in _repo_tables():
            engine.execute(load_statement("delete_repo").format(table=table, key=_repo_key(table)), {"repo": repo})


def _mark_failed(engine: Connection, repo: RepoRows, *, known: bool) -> None:
    if known:
        engine.execute(load_statement("mark_failed"), {"repo": repo.name, "reason": repo.failed_reason})
    else:
        _append(engine, "repo", [to_repo_row(RepoRows(repo.name, repo.title, status="failed", failed_reason=repo.failed_reason))])


def _write_parts(engine: Connection, repo: PreparedRepo, written: dict[PartKey, bytes]) -> None:
    """Write the parts whose digest differs from `written`, and remove those that are gone."""
    changed = [part for part, digest in repo.digests.items() if written.get(part) != digest]
    if written:
        _delete_parts(engine, repo.name, [part for part, digest in written.items() if repo.digests.get(part) != digest])
    for table, rows in sort_by_table(repo, changed).items():
        _append(engine, table, rows)
    _append(engine, "written", [(repo.name, *part, repo.digests[part]) for part in changed])


def _delete_parts(engine: Connection, repo: str, parts: Sequence[PartKey]) -> None:
    paths = [path for part, path in parts if part == PAGE]
    if paths:
        for spec in PAGE_TABLES:
            engine.execute(load_statement("delete_paths").format(table=spec.table, key=spec.key), {"repo": repo, "paths": paths})
        engine.execute(load_statement("delete_written"), {"repo": repo, "part": PAGE, "paths": paths})
    for spec in WHOLE_TABLES:
        if (spec.table, "") in parts:
            engine.execute(load_statement("delete_repo").format(table=spec.table, key="repo"), {"repo": repo})
            engine.execute(load_statement("delete_written"), {"repo": repo, "part": spec.table, "paths": [""]})


def _write_repo(engine: Connection, repo: RepoRows) -> None:
    """Write the row of the repo, and add this revision to its history; uncommitted content leaves no history."""
    engine.execute(load_statement("delete_repo").format(table="repo", key="name"), {"repo": repo.name})
    _append(engine, "repo", [to_repo_row(repo)])
    if repo.revision is None:
        return
    for table in _HISTORY:
        engine.execute(load_statement("delete_build").format(table=table), {"repo": repo.name, "revision": repo.revision})
    _append(engine, "build", [score_build(repo)])
    _append(engine, "build_figure", [(repo.name, repo.revision, name, value) for name, value in repo.figures])


def _append(engine: Connection, table: str, rows: Sequence[Row]) -> None:
    if rows:
        with engine.appender(table) as appender:
            appender.append_rows(rows)


def _execute(engine: Connection, name: str) -> None:
    engine.execute(load_statement(name))
