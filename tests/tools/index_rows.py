"""A small brain as index rows, for tests of the store, and all rows of an index file, for comparing two of them."""

from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from indexer.model.finding import Finding
from indexer.model.index import (
    AliasRow,
    BlockRow,
    CandidateRow,
    EdgeRow,
    HeadingRow,
    LinkRow,
    PageRow,
    RedirectRow,
    RepoRows,
    ScoreRow,
    TagRow,
)
from indexer.store.engine import ALIAS, attach_index, open_engine, use_index
from indexer.store.statements import TABLES

SECRET = "Salaries"
"""Title of the hidden page; no view may show it."""

DAY = 86_400
NOW = 1_790_000_000


def make_page(path: str, title: str, *, published: bool = True, days: int = 1, words: int = 100) -> PageRow:
    """Return a page that was changed `days` before the indexed commit."""
    url = path.removesuffix(".md") + "/"
    return PageRow(
        path, url, title, published, "2026-01-02", NOW - days * DAY, "c" * 40, words, "b" * 40, f"About {title}.", {"owner": "Ada"}
    )


def make_link(path: str, number: int, target: str, to: str | None, status: str = "page") -> LinkRow:
    """Return a wikilink."""
    return LinkRow(path, number, number + 3, f"[[{target}]]", "wikilink", status, target, to, "", "")  # type: ignore[arg-type]


def make_brain(name: str = "handbook", revision: str | None = "a" * 40, *, words: int = 100) -> RepoRows:
    """Return a brain of five pages: index → plan → index, a hidden page, an old orphan; one stub that two links name."""
    return RepoRows(
        name,
        title="Handbook",
        revision=revision,
        committed_at=NOW,
        pages=(
            make_page("index.md", "Start", words=words),
            make_page("plans/plan.md", "Plan"),
            make_page("plans/b|udget.md", "Budget"),
            make_page("salaries.md", SECRET, published=False),
            make_page("old.md", "Old", days=800),
        ),
        headings=(HeadingRow("index.md", 0, 1, "Start", "start", 1), HeadingRow("index.md", 1, 2, "Next", "next", 9)),
        tags=(TagRow("index.md", "a/b"), TagRow("plans/plan.md", "a/b"), TagRow("salaries.md", "secret-tag")),
        aliases=(AliasRow("plans/plan.md", "The plan"),),
        blocks=(BlockRow("index.md", "first"),),
        links=(
            make_link("index.md", 0, "plan", "plans/plan.md"),
            make_link("index.md", 1, "Marketing", None, "missing"),
            make_link("index.md", 2, SECRET, "salaries.md", "private"),
            make_link("plans/plan.md", 0, "index", "index.md", "ambiguous"),
            make_link("plans/plan.md", 1, "Marketing", None, "missing"),
            make_link("salaries.md", 0, "plan", "plans/plan.md"),
            make_link("salaries.md", 1, "Layoffs", None, "missing"),
        ),
        candidates=(CandidateRow("plans/plan.md", 0, 0, "index.md"), CandidateRow("plans/plan.md", 0, 1, "salaries.md")),
        edges=(
            EdgeRow("index.md", "plans/plan.md", 1),
            EdgeRow("plans/plan.md", "index.md", 1),
            EdgeRow("salaries.md", "plans/plan.md", 1),
        ),
        scores=(
            ScoreRow("index.md", 1, 1, 0.5, 0, 0, is_hub=True, is_orphan=False, is_dead_end=False),
            ScoreRow("plans/plan.md", 1, 1, 0.3, 0, 0, is_hub=False, is_orphan=False, is_dead_end=False),
            ScoreRow("plans/b|udget.md", 0, 0, 0.1, 1, 1, is_hub=False, is_orphan=True, is_dead_end=False),
            ScoreRow("old.md", 0, 0, 0.1, 2, 2, is_hub=False, is_orphan=True, is_dead_end=False),
        ),
        findings=(
            Finding("LNK001", "index.md", 4, "There is no page “Marketing”.", "Write it.", "error"),
            Finding("PRV003", "salaries.md", 2, "The page is hidden.", "", "info"),
        ),
        redirects=(RedirectRow("start.md", "start/", "index.md", ""),),
        figures=(("documents filled", 7),),
    )


def make_failed(name: str, reason: str = "The remote is gone.") -> RepoRows:
    """Return a repo that could not be read this time."""
    return RepoRows(name, title="Handbook", status="failed", failed_reason=reason)


def change_page(rows: RepoRows, path: str, **changes: Any) -> RepoRows:
    """Return the rows with one page changed."""
    return replace(rows, pages=tuple(page._replace(**changes) if page.path == path else page for page in rows.pages))


def export_rows(path: Path) -> dict[str, list[str]]:
    """Return every row of every table as text, sorted; without the count of updates, which tells how the file came to be."""
    with closing(open_engine()) as engine:
        attach_index(engine, path.absolute())
        use_index(engine, ALIAS)
        rows = {table: engine.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    rows["index_version"] = [(schema, program) for schema, program, _ in rows["index_version"]]
    return {table: sorted(map(str, found)) for table, found in rows.items()}
