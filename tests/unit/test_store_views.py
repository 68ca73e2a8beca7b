"""Views and named queries: what they answer, and that a hidden page does not exist for them."""

from pathlib import Path

import pytest
from msgspec.structs import astuple

from indexer.model import index_views
from indexer.store.query import run_sql
from indexer.store.read import IndexReader, open_index
from indexer.store.statements import VIEWS
from indexer.store.write import write_index
from tests.tools.index_rows import SECRET, make_brain


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "index.duckdb"
    write_index(path, [make_brain()])
    return path


@pytest.mark.req("P06", "P07")
def test_the_views_answer_what_they_are_named_for(file: Path) -> None:
    with open_index(file) as reader:
        assert [link.from_path for link in reader.fetch_backlinks("handbook", "plans/plan.md")] == ["index.md"]
        assert [page.path for page in reader.fetch_hubs("handbook")] == ["index.md"]
        assert [page.path for page in reader.fetch_orphans("handbook")] == ["old.md", "plans/b|udget.md"]
        assert [astuple(stub) for stub in reader.fetch_stubs("handbook")] == [("Marketing", 2, 2), (SECRET, 1, 1)]
        assert [(link.from_path, link.raw, link.problem) for link in reader.fetch_broken_links("handbook")] == [
            ("index.md", "[[Marketing]]", "missing"),
            ("index.md", f"[[{SECRET}]]", "missing"),
            ("plans/plan.md", "[[Marketing]]", "missing"),
        ]
        assert [astuple(page) for page in reader.fetch_stale_pages("handbook")] == [("old.md", "Old", 800)]
        assert [astuple(tag) for tag in reader.fetch_tag_counts("handbook")] == [("a/b", 2)]
        assert [astuple(folder) for folder in reader.fetch_folder_statistics("handbook")] == [("", 2, 200, 2, 1), ("plans", 2, 200, 1, 1)]
        assert reader.fetch_edges("handbook") == [
            ("index.md", "plans/plan.md", 1),
            ("plans/plan.md", "index.md", 1),
        ]


@pytest.mark.req("P19")
@pytest.mark.parametrize("view", VIEWS)
def test_no_view_shows_a_hidden_page_nor_what_only_it_says(file: Path, view: str) -> None:
    shown = str(run_sql(file, f"SELECT * FROM {view}").rows)
    # The link to it is text of a published page; nothing else may be there.
    assert "salaries.md" not in shown
    assert "secret-tag" not in shown
    assert "Layoffs" not in shown
    if view not in {"broken_links", "stubs"}:
        assert SECRET not in shown


@pytest.mark.req("P19")
def test_a_link_to_a_hidden_page_looks_like_one_to_a_page_that_does_not_exist(file: Path) -> None:
    rows = run_sql(file, "SELECT kind, problem FROM broken_links WHERE from_path = 'index.md' ORDER BY line").rows
    assert rows[0] == rows[1]


@pytest.mark.req("P19")
def test_hidden_pages_are_given_only_to_who_asks_for_them(file: Path) -> None:
    with open_index(file) as reader:
        assert SECRET not in [page.title for page in reader.fetch_pages("handbook")]
        assert SECRET in [page.title for page in reader.fetch_pages("handbook", hidden=True)]
        assert reader.fetch_page("handbook", "salaries.md") is None
        assert reader.fetch_page("handbook", "salaries.md", hidden=True) is not None
        assert reader.fetch_links("handbook", "salaries.md") == []
        assert [candidate.path for candidate in reader.fetch_candidates("handbook", "plans/plan.md")] == ["index.md"]


@pytest.mark.req("P11")
def test_the_history_counts_what_the_views_show(file: Path) -> None:
    with open_index(file) as reader:
        (build,) = reader.fetch_builds("handbook")
    counted = {view: run_sql(file, f"SELECT count(*) FROM {view}").rows[0][0] for view in ("broken_links", "orphans", "stubs", "backlinks")}
    assert {"broken_links": build.broken_links, "orphans": build.orphans, "stubs": build.stubs, "backlinks": build.edges} == counted
    assert (build.pages, build.hidden, build.words, build.links) == (4, 1, 400, 5)
    assert (build.errors, build.warnings, build.infos) == (1, 0, 1)


VIEW_VALUES = {
    "backlinks": index_views.Backlink,
    "broken_links": index_views.BrokenLink,
    "stubs": index_views.Stub,
    "hubs": index_views.RankedPage,
    "orphans": index_views.RankedPage,
    "stale_pages": index_views.StalePage,
    "folder_statistics": index_views.FolderStatistics,
    "tag_counts": index_views.TagCount,
    "build": index_views.BuildRow,
}


@pytest.mark.parametrize("view", VIEW_VALUES)
def test_values_have_the_columns_of_their_view(file: Path, view: str) -> None:
    columns = run_sql(file, f"SELECT * FROM {view} LIMIT 0").columns
    assert ["repo", *VIEW_VALUES[view].__struct_fields__] == list(columns)


def test_a_reader_serves_several_threads(file: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def ask(reader: IndexReader) -> int:
        return len(reader.fetch_pages("handbook")) + len(reader.fetch_stubs("handbook"))

    with open_index(file) as reader, ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: ask(reader), range(40))) == {6}
