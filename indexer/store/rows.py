"""Groups the rows of one repo by page, with a digest per page, and turns them into tuples of the tables. Pure; called by `write`.

The digest covers everything that is written for a page, so two runs are compared page by page without reading rows back, and only pages
that differ are turned into tuples.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
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

PAGE = "page"
_INTEGER_MAX = 2**63


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
    # Rows of a brain belong to its card, so that one changed document writes one brain.
    RowTable("brain", attrgetter("brains"), index.BrainRow, "card"),
    RowTable("document", attrgetter("documents"), index.DocumentRow, "card"),
    RowTable("document_drop", attrgetter("dropped"), index.DroppedRow, "card"),
    RowTable("brain_warning", attrgetter("warnings"), index.WarningRow, "card"),
)
WHOLE_TABLES = (
    # One new link moves the rank of every page a little, so page by page nothing would be saved.
    RowTable("graph_score", attrgetter("scores"), index.ScoreRow, ""),
    RowTable("redirect", attrgetter("redirects"), index.RedirectRow, ""),
)
ROW_TABLES = (*PAGE_TABLES, *WHOLE_TABLES)

_TABLE_OF = {spec.row_type: spec.table for spec in ROW_TABLES}
_VALUES = {spec.row_type: attrgetter(*(field.name for field in fields(spec.row_type))) for spec in ROW_TABLES}


@dataclass(frozen=True, slots=True)
class PreparedRepo:
    """The rows of one repo, by the part of the index that they make up."""

    name: str
    parts: Mapping[PartKey, Sequence[Any]]
    """Part → its row values, table by table."""
    digests: Mapping[PartKey, bytes]


def prepare_rows(repo: index.RepoRows) -> PreparedRepo:
    """Return the rows of one repo by part, with a digest of each; pages in the order given."""
    parts: dict[PartKey, list[Any]] = {}
    for spec in PAGE_TABLES:
        for path, rows in groupby(spec.rows(repo), key=attrgetter(spec.key)):  # rows of one page stand together, mostly
            parts.setdefault((PAGE, path), []).extend(rows)
    for spec in WHOLE_TABLES:
        parts[spec.table, ""] = list(spec.rows(repo))
    encode = msgspec.msgpack.Encoder().encode
    kept: dict[PartKey, Sequence[Any]] = {}
    digests: dict[PartKey, bytes] = {}
    for (part, path), rows_of_part in parts.items():
        try:
            encoded = encode(rows_of_part)
            kept[part, path] = rows_of_part
        except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair, or a number too long for any column
            path, cleaned = clean_text(path), [_clean_row(row) for row in rows_of_part]  # noqa: PLW2901 (the name it has from here on)
            encoded = encode(cleaned)
            kept[part, path] = cleaned
        digests[part, path] = blake2b(encoded, digest_size=16).digest()
    return PreparedRepo(repo.name, kept, digests)


def sort_by_table(repo: PreparedRepo, parts: Iterable[PartKey]) -> dict[str, list[Row]]:
    """Return the rows of some parts as tuples, by table."""
    tables: dict[str, list[Row]] = {spec.table: [] for spec in ROW_TABLES}
    for part in parts:
        for row_type, rows in groupby(repo.parts[part], key=type):
            tables[_TABLE_OF[row_type]].extend(_to_tuples(repo.name, row_type, rows))
    return tables


def to_repo_row(repo: index.RepoRows) -> Row:
    """Return the tuple of table `repo`."""
    published = sum(page.published for page in repo.pages)
    return (
        repo.name,
        clean_text(repo.title),
        repo.revision,
        to_timestamp(repo.committed_at),
        repo.status,
        clean_text(repo.failed_reason),
        published,
        len(repo.pages) - published,
        list(repo.built_from or (repo.name,)),
        repo.date,
    )


def _to_tuples(repo: str, row_type: type, rows: Iterable[Any]) -> list[Row]:
    """Return the rows as tuples of their table, each beginning with the repo's name."""
    if row_type is index.PageRow:
        return [_page_row(repo, row) for row in rows]
    if row_type is index.DocumentRow:
        return [_document_row(repo, row) for row in rows]
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


def _document_row(repo: str, row: index.DocumentRow) -> Row:
    values = [list(part) if isinstance(part, tuple) else part for part in _VALUES[index.DocumentRow](row)[:-1]]
    return (repo, *values, json.dumps(dict(row.facts), ensure_ascii=False))


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


def _clean_row(row: Any) -> Any:
    return replace(row, **{field.name: _clean_value(getattr(row, field.name)) for field in fields(row)})


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {_clean_value(key): _clean_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_value(part) for part in value]
    if isinstance(value, int) and not -_INTEGER_MAX <= value < _INTEGER_MAX:
        return hex(value)
    return value
