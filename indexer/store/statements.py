"""Reads the SQL files, and the documentation that the files of tables and views carry in their comments.

Used by the rest of `store/`. Every statement of the product lies in `sql/`, one per file.
"""

import re
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

_FOLDER = Path(__file__).parent / "sql"

INDEX_FILE = "index.duckdb"
"""Its name in the output of a build."""
SCHEMA_VERSION = 2
"""Raised with every change of a table or view; a file of another version is written anew."""

TABLES = (
    "repo",
    "page",
    "heading",
    "tag",
    "alias",
    "block",
    "link",
    "link_candidate",
    "edge",
    "graph_score",
    "finding",
    "redirect",
    "brain",
    "document",
    "document_drop",
    "brain_warning",
    "build",
    "build_figure",
    "index_version",
    "documentation",
    "written",
)
"""In the order of the handbook."""

VIEWS = (
    "backlinks",
    "orphans",
    "hubs",
    "broken_links",
    "stubs",
    "stale_pages",
    "folder_statistics",
    "tag_counts",
    "document_states",
    "missing_documents",
    "brain_depth",
)
"""In the order of creation: a view may use those before it."""

_TABLE_COLUMN = re.compile(r"^ {4}(\w+) ([A-Z][A-Z\[\]]*)( NOT NULL)?,? -- (.+)$", re.MULTILINE)
_VIEW_COLUMN = re.compile(r"^ {4}.*?(\w+),? -- (.+)$", re.MULTILINE)


class ColumnText(Struct, frozen=True):
    """Documentation of one column."""

    name: str
    type: str
    """Empty for columns of views."""
    optional: bool
    """True when it may be NULL; False for columns of views."""
    text: str


class TableText(Struct, frozen=True):
    """Documentation of one table or view."""

    name: str
    kind: Literal["table", "view"]
    text: str
    columns: tuple[ColumnText, ...]


@cache
def load_statement(name: str) -> str:
    """Return the statement in `sql/<name>.sql`, with its comments."""
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8")


@cache
def load_documentation() -> tuple[TableText, ...]:
    """Return the documentation of all tables, then all views."""
    return tuple([parse_comments("table", name) for name in TABLES] + [parse_comments("view", name) for name in VIEWS])


def parse_comments(kind: Literal["table", "view"], name: str) -> TableText:
    """Read one table or view: the comment lines on top, and one comment behind each column."""
    source = load_statement(f"{kind}_{name}")
    head = " ".join(line.removeprefix("-- ") for line in source.splitlines() if line.startswith("-- "))
    if kind == "table":
        columns = tuple(ColumnText(m[1], m[2], m[3] is None, m[4]) for m in _TABLE_COLUMN.finditer(source))
    else:
        columns = tuple(ColumnText(m[1], "", False, m[2]) for m in _VIEW_COLUMN.finditer(source))
    return TableText(name, kind, head, columns)
