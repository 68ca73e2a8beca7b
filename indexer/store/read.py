"""Reads the index by named queries. Used by the report, the command line, the gateway and MCP; decides nothing about who may read.

A reader keeps the file it opened, even when a new one is moved into its place; `is_current` tells when it is time to open anew.
"""

import json
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from indexer.errors import StoreError
from indexer.model import index, index_views
from indexer.model.blueprint import Brain
from indexer.model.finding import Finding
from indexer.store.brains import PARTS, join_brains
from indexer.store.engine import ALIAS, DatabaseFailure, attach_index, open_engine, translated_errors, use_index
from indexer.store.rows import Row
from indexer.store.statements import SCHEMA_VERSION, load_statement

Value = TypeVar("Value")


def open_index(path: Path) -> "IndexReader":
    """Open the index at `path` for reading; StoreError when there is none, or none that this version can read. Close it after use."""
    return IndexReader(path.absolute())


class IndexReader:
    """One index file, as it was when it was opened. Its methods may be called from several threads.

    Hidden pages are left out everywhere, except where `hidden=True` asks for them and in the findings: both are for the owner only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            raise StoreError(f"There is no index at {path}.", hint="Run `brain build` first.")
        self._engine = open_engine()
        try:
            with translated_errors(path, "read"):
                self._identity = _identify(path)
                attach_index(self._engine, path)
                use_index(self._engine, ALIAS)
            self._check_version()
        except StoreError:
            self._engine.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._engine.close()

    def is_current(self) -> bool:
        """Tell whether the path still names the file that was opened."""
        try:
            return _identify(self.path) == self._identity
        except OSError:
            return False

    def _check_version(self) -> None:
        try:
            row = self._engine.execute(load_statement("fetch_version").format(alias=ALIAS)).fetchone()
        except DatabaseFailure as error:
            message = f"{self.path} is a DuckDB database, but not an index."
            raise StoreError(message, hint="Give the `index.duckdb` of a build.") from error
        if row is None or row[0] != SCHEMA_VERSION:
            raise StoreError(f"{self.path} was written by another version of the program.", hint="Run `brain build` again.")

    def _fetch(self, statement: str, make: Callable[..., Value], **parameters: Any) -> list[Value]:
        with translated_errors(self.path, "read"), self._engine.cursor() as cursor:
            use_index(cursor, ALIAS)
            return [make(*row) for row in cursor.execute(load_statement(statement), parameters).fetchall()]

    def fetch_repos(self) -> list[index_views.RepoEntry]:
        """Return all repos of the tenant, by name."""
        return self._fetch("fetch_repos", _make_repo)

    def fetch_pages(self, repo: str, *, hidden: bool = False) -> list[index.PageRow]:
        """Return the pages of a repo by path; hidden ones only on request, and only for the owner."""
        return self._fetch("fetch_pages", _make_page, repo=repo, hidden=hidden)

    def fetch_page(self, repo: str, path: str, *, hidden: bool = False) -> index.PageRow | None:
        """Return one page; None when there is none, or when it is hidden and that was not asked for."""
        return next(iter(self._fetch("fetch_page", _make_page, repo=repo, path=path, hidden=hidden)), None)

    def fetch_headings(self, repo: str, path: str) -> list[index.HeadingRow]:
        """Return the headings of a published page, in order."""
        return self._fetch("fetch_headings", index.HeadingRow, repo=repo, path=path)

    def fetch_links(self, repo: str, path: str) -> list[index.LinkRow]:
        """Return the links of a published page, in order."""
        return self._fetch("fetch_links", index.LinkRow, repo=repo, path=path)

    def fetch_outside_links(self, repo: str, prefix: str) -> list[tuple[str, str, int]]:
        """Return (page, address, how often) of the links of published pages to addresses that begin with `prefix`."""
        return self._fetch("fetch_outside_links", lambda *row: row, repo=repo, prefix=prefix)

    def fetch_candidates(self, repo: str, path: str) -> list[index.CandidateRow]:
        """Return the published pages that the ambiguous links of a published page could mean."""
        return self._fetch("fetch_candidates", index.CandidateRow, repo=repo, path=path)

    def fetch_backlinks(self, repo: str, path: str) -> list[index_views.Backlink]:
        """Return the pages that link to a page, most important first."""
        return self._fetch("fetch_backlinks", index_views.Backlink, repo=repo, path=path)

    def fetch_edges(self, repo: str) -> list[index.EdgeRow]:
        """Return the edges between published pages."""
        return self._fetch("fetch_edges", index.EdgeRow, repo=repo)

    def fetch_scores(self, repo: str) -> list[index.ScoreRow]:
        """Return the graph scores of published pages, by path."""
        return self._fetch("fetch_scores", index.ScoreRow, repo=repo)

    def fetch_findings(self, repo: str) -> list[Finding]:
        """Return the findings of a repo by path and line; for the owner, for they name hidden pages too."""
        return self._fetch("fetch_findings", Finding, repo=repo)

    def fetch_redirects(self, repo: str) -> list[index.RedirectRow]:
        """Return former addresses of published pages."""
        return self._fetch("fetch_redirects", index.RedirectRow, repo=repo)

    def fetch_orphans(self, repo: str) -> list[index_views.RankedPage]:
        """Return pages that no page links to."""
        return self._fetch("fetch_orphans", index_views.RankedPage, repo=repo)

    def fetch_hubs(self, repo: str) -> list[index_views.RankedPage]:
        """Return pages where many edges meet, most important first."""
        return self._fetch("fetch_hubs", index_views.RankedPage, repo=repo)

    def fetch_broken_links(self, repo: str) -> list[index_views.BrokenLink]:
        """Return links that lead nowhere, by page and line."""
        return self._fetch("fetch_broken_links", index_views.BrokenLink, repo=repo)

    def fetch_stubs(self, repo: str) -> list[index_views.Stub]:
        """Return what is linked but not written, most wanted first."""
        return self._fetch("fetch_stubs", index_views.Stub, repo=repo)

    def fetch_stale_pages(self, repo: str) -> list[index_views.StalePage]:
        """Return pages untouched for a year before the indexed commit, oldest first."""
        return self._fetch("fetch_stale_pages", index_views.StalePage, repo=repo)

    def fetch_folder_statistics(self, repo: str) -> list[index_views.FolderStatistics]:
        """Return the figures of each folder, by path."""
        return self._fetch("fetch_folder_statistics", index_views.FolderStatistics, repo=repo)

    def fetch_tag_counts(self, repo: str) -> list[index_views.TagCount]:
        """Return tags with the number of their pages, most used first."""
        return self._fetch("fetch_tag_counts", index_views.TagCount, repo=repo)

    def fetch_builds(self, repo: str) -> list[index_views.BuildRow]:
        """Return the figures of every indexed revision, oldest first."""
        return self._fetch("fetch_builds", index_views.BuildRow, repo=repo)

    def fetch_build_figures(self, repo: str) -> dict[str, dict[str, int]]:
        """Return revision → name → value of the further figures."""
        figures: dict[str, dict[str, int]] = {}
        for revision, name, value in self._fetch("fetch_build_figures", lambda *row: row, repo=repo):
            figures.setdefault(revision, {})[name] = value
        return figures

    def fetch_brains(self, repos: Collection[str], *, after: str = "", limit: int | None = None) -> list[Brain]:
        """Return the brains of some repos with their documents, sorted by id; those with an id greater than `after`, `limit` at most."""
        named = sorted(set(repos))
        return self._fetch_parts(self._fetch("fetch_brains", lambda *row: row, repos=named, after=after, limit=limit))

    def fetch_brain(self, id: str) -> Brain | None:  # noqa: A002 (what everybody calls it)
        """Return one brain with its documents; None when there is none. Who may see it is decided by the caller."""
        return next(iter(self._fetch_parts(self._fetch("fetch_brain", lambda *row: row, id=id))), None)

    def _fetch_parts(self, brains: Sequence[Row]) -> list[Brain]:
        """Join brains with their documents; as many queries for one brain as for a thousand."""
        asked = {"repos": [row[0] for row in brains], "cards": [row[1] for row in brains]}
        parts = [self._fetch(name, lambda *row: row, **asked) for name in PARTS] if brains else []
        return join_brains(brains, *parts) if brains else []

    def fetch_brain_ids(self, ids: Collection[str]) -> set[str]:
        """Return those of some ids that are ids of brains."""
        return set(self._fetch("fetch_brain_ids", str, ids=sorted(set(ids)))) if ids else set()

    def fetch_brain_pages(self, repo: str, folder: str) -> list[index.PageRow]:
        """Return the published pages that belong to the brain of a folder, by path; a brain further down has its own."""
        return self._fetch("fetch_brain_pages", _make_page, repo=repo, folder=folder)

    def fetch_brain_above(self, repo: str, path: str) -> Brain | None:
        """Return the brain that a page belongs to: the deepest one above it."""
        found = self._fetch("fetch_brain_above", str, repo=repo, path=path)
        return self.fetch_brain(found[0]) if found else None

    def fetch_document_states(self, repo: str) -> list[index_views.DocumentStanding]:
        """Return the documents of a repo with their state on the date that it was indexed for, by brain and order."""
        return self._fetch("fetch_document_states", index_views.DocumentStanding, repo=repo)


def _identify(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)  # noqa: PTH116 (one call for a request, not worth an object)
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _make_repo(*row: Any) -> index_views.RepoEntry:
    return index_views.RepoEntry(*(*row[:-2], tuple(row[-2]), row[-1]))


def _make_page(*row: Any) -> index.PageRow:
    return index.PageRow(*(*row[:-1], json.loads(row[-1])))
