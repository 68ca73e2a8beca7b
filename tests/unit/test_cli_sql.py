"""`brain sql`: table, JSON and CSV; page text in cells stays text."""

import csv
import io
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.store.write import write_index
from tests.tools.commands import run_brain
from tests.tools.index_rows import change_page, make_brain

HOSTILE = "=cmd|' /C calc'!A0 \x1b[31m\u202e|\n::error::x"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out")
    write_index(folder / "index.duckdb", [change_page(make_brain(), "index.md", title=HOSTILE)])
    return folder


@pytest.mark.req("P07")
def test_the_answer_is_a_table(out: Path) -> None:
    ran = run_brain("sql", out, "SELECT path, words FROM page WHERE published ORDER BY path LIMIT 2;")
    assert ran.code == 0, ran.said
    assert next(line.split() for line in ran.out.splitlines() if line.strip()) == ["path", "words"]
    assert "index.md" in ran.out
    assert ran.err == ""


@pytest.mark.req("P07", "P17")
def test_json_keeps_types_and_reads_back(out: Path) -> None:
    columns = "page.title, words, published, date, changed, built_from, 'inf'::DOUBLE AS infinite, NULL AS nothing"
    query = f"SELECT {columns} FROM page, repo WHERE path = 'index.md'"
    ran = run_brain("sql", out, query, "--json")
    assert ran.json["columns"] == ["title", "words", "published", "date", "changed", "built_from", "infinite", "nothing"]
    title, words, published, date, changed, built_from, infinite, nothing = ran.json["rows"][0]
    assert (title, words, published, date, built_from, nothing) == (HOSTILE, 100, True, "2026-01-02", ["handbook"], None)
    assert changed.startswith("2026-09-20T")
    assert infinite == "inf"
    assert ran.json["cut"] is False


@pytest.mark.threat(26)
@pytest.mark.threat(45)
@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_page_text_in_a_cell_gives_no_orders(out: Path, form: str | None) -> None:
    ran = run_brain("sql", out, "SELECT title FROM page WHERE path = 'index.md'", *([form] if form else []))
    assert ran.code == 0
    assert all(char == "\n" or char.isprintable() for char in ran.out)
    assert not [line for line in ran.out.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.threat(26)
def test_csv_cells_are_no_formulas(out: Path) -> None:
    ran = run_brain("sql", out, "SELECT title, -words AS less, 'a,b' AS list FROM page WHERE path = 'index.md'", "--csv")
    head, row = csv.reader(io.StringIO(ran.out))
    assert head == ["title", "less", "list"]
    assert row[0].startswith("'=cmd|")
    assert row[1:] == ["-100", "a,b"]


def test_more_rows_than_the_limit_are_cut_and_that_is_said(out: Path) -> None:
    ran = run_brain("sql", out, "FROM page ORDER BY path", "--limit", "2", "--json")
    assert len(ran.json["rows"]) == 2
    assert ran.json["cut"] is True
    assert "Only the first 2 rows" in ran.err


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("query", "said"), [("SELECT nope FROM page", "nope"), ("DELETE FROM page", "read-only"), ("", "one SQL statement")]
)
def test_a_wrong_query_is_a_wrong_argument(out: Path, query: str, said: str) -> None:
    ran = run_brain("sql", out, query)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


@pytest.mark.req("P13")
def test_a_query_that_takes_too_long_is_an_expected_failure(out: Path) -> None:
    ran = run_brain("sql", out, "SELECT count(*) FROM range(1000000000000) a, range(1000) b", "--timeout", "0.3")
    assert ran.code == 3
    assert ran.err.startswith("Error: The query took longer than 0.3 seconds.")


def test_the_index_is_found_in_the_only_tenant_below_a_workspace(tmp_path: Path, out: Path) -> None:
    (tmp_path / "northwind").mkdir()
    (tmp_path / "northwind" / "index.duckdb").write_bytes((out / "index.duckdb").read_bytes())
    assert run_brain("sql", tmp_path, "SELECT 1").code == 0
    write_index(tmp_path / "other" / "index.duckdb", [replace(make_brain(), name="x")])
    several = run_brain("sql", tmp_path, "SELECT 1")
    assert several.code == 2
    assert "northwind" in several.err
    assert "other" in several.err


@pytest.mark.req("P13")
def test_a_folder_without_an_index_is_named(tmp_path: Path) -> None:
    ran = run_brain("sql", tmp_path, "SELECT 1")
    assert (ran.code, ran.out) == (2, "")
    assert str(tmp_path) in ran.err
    assert run_brain("sql", tmp_path / "none.duckdb", "SELECT 1").code == 3
