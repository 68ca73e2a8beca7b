"""Every table, view, column and statement is documented and used, and the handbook says the same."""

import re
from pathlib import Path

import pytest

from indexer.store import rows
from indexer.store.query import run_sql
from indexer.store.schema_page import render_tables_page
from indexer.store.statements import TABLES, VIEWS, load_documentation
from indexer.store.write import write_index
from tests.tools.index_rows import make_brain

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "brains" / "brainpress" / "handbook" / "reference" / "index-tables.md"
STORE = ROOT / "indexer" / "store"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "index.duckdb"
    write_index(path, [make_brain()])
    return path


def test_the_tables_page_of_the_handbook_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_tables_page(), "run: python -m indexer.store.schema_page " + str(
        PAGE.relative_to(ROOT)
    )


@pytest.mark.req("P07")
@pytest.mark.parametrize("name", [*TABLES, *VIEWS])
def test_the_documentation_names_exactly_the_columns_that_exist(file: Path, name: str) -> None:
    (documented,) = (table for table in load_documentation() if table.name == name)
    assert documented.text.endswith(".")
    assert [column.name for column in documented.columns] == list(run_sql(file, f"SELECT * FROM {name} LIMIT 0").columns)
    described = {row[0]: row for row in run_sql(file, f"DESCRIBE {name}").rows}
    for column in documented.columns:
        assert column.text
        if documented.kind == "table":
            assert (column.type, column.optional) == (described[column.name][1], described[column.name][2] == "YES")


@pytest.mark.req("P07")
def test_no_table_or_view_is_undocumented(file: Path) -> None:
    existing = run_sql(file, "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'brain'").rows
    assert sorted(name for (name,) in existing) == sorted([*TABLES, *VIEWS])
    stored = run_sql(file, "SELECT DISTINCT table_name FROM documentation").rows
    assert sorted(name for (name,) in stored) == sorted([*TABLES, *VIEWS])


@pytest.mark.parametrize("spec", rows.ROW_TABLES, ids=lambda spec: spec.table)
def test_row_values_have_the_columns_of_their_table(file: Path, spec: rows.RowTable) -> None:
    columns = run_sql(file, f"SELECT * FROM {spec.table} LIMIT 0").columns
    assert ["repo", *spec.columns] == list(columns)


def test_every_statement_is_one_statement_and_is_used() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in STORE.glob("*.py"))
    for path in sorted((STORE / "sql").glob("*.sql")):
        statement = re.sub(r"--.*", "", path.read_text(encoding="utf-8"))
        assert ";" not in statement, path.name
        name = path.stem.removeprefix("table_").removeprefix("view_")
        assert f'"{path.stem}"' in code or name in (*TABLES, *VIEWS), f"{path.name} is not used"


def test_no_other_module_holds_sql_or_touches_duckdb() -> None:
    for path in sorted((ROOT / "indexer").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path != STORE / "engine.py":
            assert not re.search(r"^\s*(import|from) _?duckdb", text, flags=re.MULTILINE), path.name
        if path.parent == STORE and path.name not in {"page_cache.py", "schema_page.py"}:
            assert not re.search(r"\b(SELECT|INSERT INTO|CREATE TABLE|DELETE FROM)\b(?! \* FROM documentation)", text), path.name
