"""`run_sql`: one query of a person, locked in."""

import time
from pathlib import Path

import pytest

from indexer.errors import StoreError, UsageError
from indexer.store.query import run_sql
from indexer.store.write import write_index
from tests.tools.index_rows import make_brain


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "it's an index.duckdb"
    write_index(path, [make_brain()])
    return path


@pytest.mark.req("P07")
def test_a_query_returns_columns_and_rows(file: Path) -> None:
    result = run_sql(file, "SELECT path, words, meta->>'owner' AS owner FROM page WHERE title = 'Plan'")
    assert result.columns == ("path", "words", "owner")
    assert result.rows == (("plans/plan.md", 100, "Ada"),)
    assert not result.cut


def test_the_tables_describe_themselves(file: Path) -> None:
    assert run_sql(file, "SELECT text FROM documentation WHERE table_name = 'hubs' AND column_name = ''").rows == (
        ("Published pages where many edges meet.",),
    )


@pytest.mark.threat(5)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM sniff_csv('{secret}')",
        "COPY page TO '{folder}/leak.csv'",
        "COPY (SELECT 1) TO '/dev/stdout'",
        "EXPORT DATABASE '{folder}/leak'",
        "IMPORT DATABASE '{folder}'",
        "ATTACH '{folder}/other.duckdb' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "CREATE SECRET s (TYPE s3)",
        "SELECT * FROM duckdb_secrets()",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET memory_limit = '99GB'",
        "SET temp_directory = '{folder}'",
        "DELETE FROM page",
        "INSERT INTO tag VALUES ('handbook', 'a', 'b')",
        "CREATE TABLE mine (a INTEGER)",
        "DROP VIEW hubs",
        "SELECT getenv('HOME')",
        "SELECT * FROM visible_to_python",
    ],
)
def test_a_query_reaches_nothing_but_the_index_and_changes_nothing(tmp_path: Path, file: Path, query: str) -> None:
    visible_to_python = [1, 2, 3]
    secret = tmp_path / "secret.csv"
    secret.write_text("canary\n1\n")
    before = file.read_bytes(), sorted(tmp_path.iterdir()), sorted(file.parent.iterdir())
    with pytest.raises(UsageError) as error:
        run_sql(file, query.format(secret=secret, folder=tmp_path))
    assert "canary" not in error.value.message
    assert (file.read_bytes(), sorted(tmp_path.iterdir()), sorted(file.parent.iterdir())) == before
    assert visible_to_python == [1, 2, 3]


@pytest.mark.threat(48)
def test_a_query_that_takes_too_long_is_stopped(file: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(StoreError, match=r"longer than 0\.3 seconds"):
        run_sql(file, "SELECT count(*) FROM range(1000000000000) a, range(1000) b", seconds=0.3)
    assert time.monotonic() - begun < 30


@pytest.mark.threat(48)
def test_a_query_that_needs_too_much_memory_is_stopped(file: Path) -> None:
    with pytest.raises(StoreError, match="more memory"):
        run_sql(file, "SELECT list(a) FROM range(100000000) t(a)", memory="100MB")


def test_more_rows_than_asked_for_are_cut_and_that_is_said(file: Path) -> None:
    result = run_sql(file, "SELECT * FROM range(10)", rows=3)
    assert (result.rows, result.cut) == (((0,), (1,), (2,)), True)


@pytest.mark.parametrize(
    ("query", "said"), [("SELEC 1", "syntax error"), ("SELECT nope FROM page", "nope"), ("", "got 0"), ("SELECT 1; SELECT 2", "got 2")]
)
def test_a_wrong_query_is_explained(file: Path, query: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        run_sql(file, query)
    assert error.value.hint


def test_a_missing_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no index"):
        run_sql(tmp_path / "none.duckdb", "SELECT 1")
