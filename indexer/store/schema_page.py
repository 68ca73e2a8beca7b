"""Renders the handbook's page about the tables of the index from the comments in the SQL files.

`python -m indexer.store.schema_page PATH` writes that page. It opens no index.
"""

import sys
from pathlib import Path

from indexer.store.statements import SCHEMA_VERSION, ColumnText, TableText, load_documentation

_INTRODUCTION = """\
---
title: Tables of the index
summary: Every table, view and column of the index file, for queries.
---

# Tables of the index

The index is one DuckDB file per tenant. Ask it anything with `brain sql`, or open it with any DuckDB client:

```sql
SELECT path, title, in_degree FROM hubs ORDER BY in_degree DESC LIMIT 10
```

The file is on the owner's side. Its tables hold hidden pages too, so it is never published, and nobody but the owner should read it. The
**views** leave hidden pages out: to them, a hidden page does not exist. Whoever shows something to others should ask the views.

A build never changes the file: it makes a new one and moves it into its place. A program that has the file open keeps reading what it
opened and sees the new one after opening it again. Do not write to the file, for the next build replaces it. No table has indexes or
keys that DuckDB checks; the rows of a page are those with its `repo` and `path`.

A new schema version is not a migration: the next build writes the file anew, and the history begins again. This page describes schema
version {version}; the table `documentation` holds the same texts. It is rendered from the comments in `indexer/store/sql/`; run
`python -m indexer.store.schema_page` with its path to write it anew.
"""


def render_tables_page() -> str:
    """Return the page as Markdown: the views first, for they are what people ask, then the tables."""
    documentation = load_documentation()
    parts = [_INTRODUCTION.format(version=SCHEMA_VERSION), "## Views\n"]
    parts += [_render_table(table) for table in documentation if table.kind == "view"]
    parts.append("## Tables\n")
    parts += [_render_table(table) for table in documentation if table.kind == "table"]
    return "\n".join(parts)


def _render_table(table: TableText) -> str:
    typed = table.kind == "table"
    head = "| column | type | holds |\n|---|---|---|" if typed else "| column | holds |\n|---|---|"
    rows = "\n".join(_render_column(column, typed) for column in table.columns)
    return f"### {table.name}\n\n{table.text}\n\n{head}\n{rows}\n"


def _render_column(column: ColumnText, typed: bool) -> str:
    text = column.text.replace("|", "\\|")
    if not typed:
        return f"| `{column.name}` | {text} |"
    return f"| `{column.name}` | `{column.type}`{', optional' if column.optional else ''} | {text} |"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m indexer.store.schema_page PATH")
    Path(sys.argv[1]).write_text(render_tables_page(), encoding="utf-8", newline="\n")
