"""Writes the index of a tenant: whole, or as the difference to the last one. Called by the pipeline; readers use `read` and `query`.

Either way a new file is made beside the old one and moved into its place. It must not read a clock, and it never changes a file that
somebody may be reading.
"""

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from msgspec import Struct

from indexer.errors import StoreError
from indexer.model.index import RepoRows
from indexer.store import fill
from indexer.store.engine import ALIAS, Connection, DatabaseFailure, attach_index, open_engine, translated_errors, use_index
from indexer.store.rows import PartKey, PreparedRepo, prepare_rows
from indexer.store.statements import SCHEMA_VERSION, load_statement
from indexer.store.swap import open_beside, replace, settle, write_ahead_log

_PREVIOUS = "previous"
_UPDATES_MAX = 50
"""After so many differences the file is written whole again, for the space of deleted rows is not all given back."""
_UPDATE_SHARE = 4
"""A difference of more than one page in so many is written whole: that is faster then."""

_Written = Mapping[str, Mapping[PartKey, bytes]]
"""Repo → part → digest of what the last index holds."""


class _Previous(Struct, frozen=True):
    """The last index, attached to the engine as `previous`."""

    path: Path
    updates: int
    repos: frozenset[str]
    parts: int
    """Pages and whole tables it holds, of all repos together."""
    copyable: bool
    """False when a foreign program left changes beside the file that are not in it yet."""


class _Run(Struct, frozen=True):
    """What this run is to write."""

    fresh: Sequence[RepoRows]
    failed: Sequence[RepoRows]
    keep: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """All repos that the new file holds."""
        return self.keep | {repo.name for repo in (*self.fresh, *self.failed)}


class NewIndex(Struct, frozen=True):
    """An index that is complete and on the disk, beside the one that readers open. From `begin_index`."""

    file: Path
    target: Path

    def swap_in(self) -> None:
        """Make it the one that readers open."""
        with translated_errors(self.target, "written"):
            replace(self.file, self.target)


def write_index(target: Path, repos: Sequence[RepoRows], *, previous: Path | None = None, keep: Collection[str] = ()) -> None:
    """Write the index of a tenant and swap it in: `begin_index` for those who have nothing else to swap in with it."""
    with begin_index(target, repos, previous=previous, keep=keep) as index:
        index.swap_in()


@contextmanager
def begin_index(target: Path, repos: Sequence[RepoRows], *, previous: Path | None = None, keep: Collection[str] = ()) -> Iterator[NewIndex]:
    """Write the index of a tenant beside `target`; what is there stays until the new one is swapped in, which the block may do.

    `repos` are the repos of this run; `keep` names those it did not touch, whose rows are taken over from `previous` (the last index,
    usually `target` itself). A repo with status `failed` keeps its last rows and is marked; a repo named nowhere is dropped. When few
    pages differ from `previous`, only those are written. Raises StoreError when the files cannot be read or written.
    """
    run = _sort_run(repos, keep)
    target, previous = target.absolute(), previous.absolute() if previous else None
    with ExitStack() as stack:
        with translated_errors(target, "written"), closing(open_engine()) as engine:
            fresh = stack.enter_context(open_beside(target))
            if target != previous:
                with _attached_previous(engine, target):  # never replace a file that is none of ours
                    pass
            with _attached_previous(engine, previous) as last:
                _write_file(engine, fresh, run, last)
            settle(fresh, target)
        yield NewIndex(fresh, target)


def _sort_run(repos: Sequence[RepoRows], keep: Collection[str]) -> _Run:
    names = [repo.name for repo in repos] + list(keep)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"BUG: repos named twice: {', '.join(twice)}")
    ordered = sorted(repos, key=lambda repo: repo.name)
    fresh = [repo for repo in ordered if repo.status == "fresh"]
    return _Run(fresh, [repo for repo in ordered if repo.status == "failed"], frozenset(keep))


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
        version = engine.execute(load_statement("fetch_version").format(alias=_PREVIOUS)).fetchone()
    except DatabaseFailure as error:
        message = f"{path} is a DuckDB database, but not an index."
        raise StoreError(message, hint="Move it away or choose another output folder.") from error
    if version is None or version[0] != SCHEMA_VERSION:
        return None
    names = engine.execute(load_statement("fetch_repo_names").format(alias=_PREVIOUS)).fetchall()
    parts = engine.execute(load_statement("fetch_written_count").format(alias=_PREVIOUS)).fetchone()
    return _Previous(path, version[1], frozenset(name for (name,) in names), parts[0] if parts else 0, not write_ahead_log(path).exists())


def _write_file(engine: Connection, fresh: Path, run: _Run, last: _Previous | None) -> None:
    prepared = [prepare_rows(repo) for repo in run.fresh]
    written = {repo.name: _fetch_written(engine, repo.name) for repo in prepared} if last else {}
    # A repo that went is left out of a file that is written whole: deleted rows keep their place, and their words, in the old one.
    update = last is not None and last.repos <= run.names and _is_small(last, prepared, written)
    if last is not None and update:
        shutil.copyfile(last.path, fresh)
    attach_index(engine, fresh, how="copy" if update else "new")
    use_index(engine, ALIAS)
    fill.execute_named(engine, "begin")
    if not update:
        written = {}
        fill.create_schema(engine)
        _carry_over(engine, run, last)
    _fill_repos(engine, run, prepared, written, last.repos if last else frozenset())
    fill.store_version(engine, last.updates + 1 if last is not None and update else 0)
    fill.execute_named(engine, "commit")
    engine.execute(load_statement("checkpoint").format(alias=ALIAS))  # closing would keep an error to itself
    use_index(engine, "memory")
    engine.execute(load_statement("detach").format(alias=ALIAS))


def _fill_repos(engine: Connection, run: _Run, prepared: Sequence[PreparedRepo], written: _Written, known: frozenset[str]) -> None:
    for repo in run.failed:
        fill.mark_failed(engine, repo, known=repo.name in known)
    for repo, ready in zip(run.fresh, prepared, strict=True):
        fill.store_parts(engine, ready, written.get(repo.name, {}))
        fill.store_repo(engine, repo)


def _carry_over(engine: Connection, run: _Run, last: _Previous | None) -> None:
    """Take over what this run does not make itself: repos it did not touch or could not read, and the history of the others."""
    if last is not None:
        fill.carry_over(engine, last.repos & (run.keep | {repo.name for repo in run.failed}), fill.REPO_TABLES)
        fill.carry_over(engine, last.repos & {repo.name for repo in run.fresh}, fill.HISTORY)


def _fetch_written(engine: Connection, repo: str) -> dict[PartKey, bytes]:
    rows = engine.execute(load_statement("fetch_written").format(alias=_PREVIOUS), {"repo": repo}).fetchall()
    return {(part, path): digest for part, path, digest in rows}


def _is_small(last: _Previous, repos: Sequence[PreparedRepo], written: _Written) -> bool:
    """Decide whether writing only the difference is worth it."""
    if not last.copyable or last.updates >= _UPDATES_MAX:
        return False
    changes = sum(len(dict(repo.digests.items() ^ written[repo.name].items())) for repo in repos)
    return changes * _UPDATE_SHARE <= last.parts
