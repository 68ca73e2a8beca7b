"""Groups the rows of one repo by page, with a digest per page, and turns them into tuples of the tables. Pure; called by `write`.

The digest covers everything that is written for a page, so two runs are compared page by page without reading rows back, and only pages
that differ are turned into tuples.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

import msgspec
from msgspec import Struct

from indexer.model import index
from indexer.model.finding import Finding

Row = tuple[Any, ...]
PartKey = tuple[str, str]
"""(part, path): `("page", "a/b.md")`, or `("redirect", "")` for a table that is compared as a whole."""

PAGE = "page"
_INTEGER_MAX = 2**63
_FINDING_COLUMNS = Finding.__struct_fields__
_find_values = attrgetter(*_FINDING_COLUMNS)


class RowTable(Struct, frozen=True):
    """How one field of RepoRows becomes one table."""

    table: str
    rows: Callable[[index.RepoRows], Sequence[Row]]
    columns: tuple[str, ...]
    """Without the leading `repo`."""
    key: str
    """Column with the page that a row belongs to; empty when the table is compared as a whole."""


PAGE_TABLES = (
    RowTable("page", attrgetter("pages"), index.PageRow._fields, "path"),
    RowTable("heading", attrgetter("headings"), index.HeadingRow._fields, "path"),
    RowTable("tag", attrgetter("tags"), index.TagRow._fields, "path"),
    RowTable("alias", attrgetter("aliases"), index.AliasRow._fields, "path"),
    RowTable("block", attrgetter("blocks"), index.BlockRow._fields, "path"),
    RowTable("link", attrgetter("links"), index.LinkRow._fields, "from_path"),
    RowTable("link_candidate", attrgetter("candidates"), index.CandidateRow._fields, "from_path"),
    RowTable("edge", attrgetter("edges"), index.EdgeRow._fields, "from_path"),
    RowTable("finding", lambda repo: [_find_values(finding) for finding in repo.findings], _FINDING_COLUMNS, "path"),
    # Rows of a brain belong to its card, so that one changed document writes one brain.
    RowTable("brain", attrgetter("brains"), index.BrainRow._fields, "card"),
    RowTable("document", attrgetter("documents"), index.DocumentRow._fields, "card"),
    RowTable("document_drop", attrgetter("dropped"), index.DroppedRow._fields, "card"),
    RowTable("brain_warning", attrgetter("warnings"), index.WarningRow._fields, "card"),
)
WHOLE_TABLES = (
    # One new link moves the rank of every page a little, so page by page nothing would be saved.
    RowTable("graph_score", attrgetter("scores"), index.ScoreRow._fields, ""),
    RowTable("redirect", attrgetter("redirects"), index.RedirectRow._fields, ""),
)
ROW_TABLES = (*PAGE_TABLES, *WHOLE_TABLES)

_Part = list[tuple[str, list[Row]]]
"""Table → rows of one part; the name of the table tells a tag from an alias of the same name."""


class PreparedRepo(Struct, frozen=True):
    """The rows of one repo, by the part of the index that they make up."""

    name: str
    parts: Mapping[PartKey, _Part]
    digests: Mapping[PartKey, bytes]


def prepare_rows(repo: index.RepoRows) -> PreparedRepo:
    """Return the rows of one repo by part, with a digest of each; pages in the order given."""
    parts: dict[PartKey, _Part] = {}
    for spec in PAGE_TABLES:
        key = itemgetter(spec.columns.index(spec.key))
        for path, rows in groupby(spec.rows(repo), key=key):  # rows of one page stand together, mostly
            parts.setdefault((PAGE, path), []).append((spec.table, list(rows)))
    for spec in WHOLE_TABLES:
        parts[spec.table, ""] = [(spec.table, list(spec.rows(repo)))]
    encode = msgspec.msgpack.Encoder().encode
    kept: dict[PartKey, _Part] = {}
    digests: dict[PartKey, bytes] = {}
    for (part, path), tables in parts.items():
        try:
            encoded = encode(tables)
            kept[part, path] = tables
        except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair, or a number too long for any column
            path, cleaned = clean_text(path), [(table, [_clean_row(row) for row in rows]) for table, rows in tables]  # noqa: PLW2901 (the name it has from here on)
            encoded = encode(cleaned)
            kept[part, path] = cleaned
        digests[part, path] = blake2b(encoded, digest_size=16).digest()
    return PreparedRepo(repo.name, kept, digests)


def sort_by_table(repo: PreparedRepo, parts: Iterable[PartKey]) -> dict[str, list[Row]]:
    """Return the rows of some parts as the tables hold them, each beginning with the repo's name."""
    tables: dict[str, list[Row]] = {spec.table: [] for spec in ROW_TABLES}
    for part in parts:
        for table, rows in repo.parts[part]:
            to_values = _TO_VALUES.get(table)
            tables[table] += [(repo.name, *(to_values(row) if to_values else row)) for row in rows]
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


def _page_values(row: Row) -> Row:
    page = index.PageRow(*row)
    return page._replace(changed=to_timestamp(page.changed), meta=json.dumps(page.meta, ensure_ascii=False))  # type: ignore[arg-type]


def _document_values(row: Row) -> Row:
    return (*(list(part) if isinstance(part, tuple) else part for part in row[:-1]), json.dumps(dict(row[-1]), ensure_ascii=False))


_TO_VALUES: Mapping[str, Callable[[Row], Row]] = {"page": _page_values, "document": _document_values}
"""Tables with columns that are not what the row holds."""


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


def _clean_row(row: Row) -> Row:
    return tuple(_clean_value(value) for value in row)


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
