"""Turns the rows of one repo into tuples for its tables, with a digest per page. Pure; called by `write`.

The digest covers everything that is written for a page, so two runs can be compared page by page without reading the rows back.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from indexer.model import index
from indexer.model.finding import Finding

Row = tuple[Any, ...]
PartKey = tuple[str, str]
"""(part, path): `("page", "a/b.md")`, or `("redirect", "")` for a table that is compared as a whole."""


@dataclass(frozen=True, slots=True)
class RowTable:
    """How one field of RepoRows becomes one table."""

    table: str
    rows: Callable[[index.RepoRows], Sequence[Any]]
    row_type: type
    key: str
    """Column with the page that a row belongs to; empty when the table is compared as a whole."""


PAGE_TABLES = (
    RowTable("page", attrgetter("pages"), index.PageRow, "path"),
    RowTable("heading", attrgetter("headings"), index.HeadingRow, "path"),
    RowTable("tag", attrgetter("tags"), index.TagRow, "path"),
    RowTable("alias", attrgetter("aliases"), index.AliasRow, "path"),
    RowTable("block", attrgetter("blocks"), index.BlockRow, "path"),
    RowTable("link", attrgetter("links"), index.LinkRow, "from_path"),
    RowTable("link_candidate", attrgetter("candidates"), index.CandidateRow, "from_path"),
    RowTable("edge", attrgetter("edges"), index.EdgeRow, "from_path"),
    RowTable("finding", attrgetter("findings"), Finding, "path"),
)
WHOLE_TABLES = (
    # One new link moves the rank of every page a little, so page by page nothing would be saved.
    RowTable("graph_score", attrgetter("scores"), index.ScoreRow, ""),
    RowTable("redirect", attrgetter("redirects"), index.RedirectRow, ""),
)
_VALUES = {spec.row_type: attrgetter(*(field.name for field in fields(spec.row_type))) for spec in (*PAGE_TABLES, *WHOLE_TABLES)}


@dataclass(frozen=True, slots=True)
class PreparedRepo:
    """One repo, ready to be written."""

    name: str
    repo_row: Row
    by_part: Mapping[PartKey, Mapping[str, list[Row]]]
    """Part → table → rows, each beginning with the repo's name."""
    digests: Mapping[PartKey, bytes]


def prepare_rows(repo: index.RepoRows) -> PreparedRepo:
    """Return the tuples and digests of one repo; pages in the order given."""
    by_part: dict[PartKey, dict[str, list[Row]]] = {}
    for spec in PAGE_TABLES:
        for path, rows in groupby(spec.rows(repo), key=attrgetter(spec.key)):  # rows of one page stand together, mostly
            by_part.setdefault(("page", path), {}).setdefault(spec.table, []).extend(_to_tuples(repo.name, spec.row_type, rows))
    for spec in WHOLE_TABLES:
        by_part[spec.table, ""] = {spec.table: _to_tuples(repo.name, spec.row_type, spec.rows(repo))}
    return _with_digests(repo, by_part)


def _with_digests(repo: index.RepoRows, by_part: dict[PartKey, dict[str, list[Row]]]) -> PreparedRepo:
    encode = msgspec.msgpack.Encoder().encode
    digests: dict[PartKey, bytes] = {}
    cleaned: dict[PartKey, dict[str, list[Row]]] = {}
    for part, tables in by_part.items():
        try:
            encoded = encode(tables)
            kept, rows = part, tables
        except UnicodeEncodeError:  # a file name that is not UTF-8, or half of a surrogate pair from an escape
            kept = (part[0], clean_text(part[1]))
            rows = {table: [_clean_row(row) for row in part_rows] for table, part_rows in tables.items()}
            encoded = encode(rows)
        cleaned[kept] = rows
        digests[kept] = blake2b(encoded, digest_size=16).digest()
    return PreparedRepo(repo.name, _clean_row(_repo_row(repo)), cleaned, digests)


def _repo_row(repo: index.RepoRows) -> Row:
    published = sum(page.published for page in repo.pages)
    return (
        repo.name,
        repo.title,
        repo.revision,
        to_timestamp(repo.committed_at),
        repo.status,
        repo.failed_reason,
        published,
        len(repo.pages) - published,
        list(repo.built_from or (repo.name,)),
    )


def _to_tuples(repo: str, row_type: type, rows: Iterable[Any]) -> list[Row]:
    """Return the rows as tuples of their table, each beginning with the repo's name."""
    if row_type is index.PageRow:
        return [_page_row(repo, row) for row in rows]
    values = _VALUES[row_type]
    return [(repo, *values(row)) for row in rows]


def _page_row(repo: str, row: index.PageRow) -> Row:
    return (
        repo,
        row.path,
        row.url,
        row.title,
        row.published,
        row.date,
        to_timestamp(row.changed),
        row.changed_revision,
        row.words,
        row.blob,
        row.summary,
        json.dumps(row.meta, ensure_ascii=False),
    )


def to_timestamp(seconds: int | None) -> datetime | None:
    """Return the UTC time without a zone, as the tables hold it; None for a time no calendar has (a commit may claim any number)."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):
        return None


def clean_text(text: str) -> str:
    r"""Return the text without lone surrogates: bytes of a file name that is not UTF-8 become `\xe9`, any others `\ud800`."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _clean_row(row: Iterable[Any]) -> Row:
    return tuple(clean_text(value) if isinstance(value, str) else value for value in row)
