"""Writing the index: what goes in comes out, what did not change stays, and a failed repo loses nothing."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.errors import StoreError
from indexer.model.index import AliasRow, PageRow, RepoRows, TagRow
from indexer.store.query import run_sql
from indexer.store.read import open_index
from indexer.store.write import write_index
from tests.tools.index_rows import NOW, change_page, export_rows, make_brain, make_failed, make_page


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out" / "index.duckdb"


def count_updates(path: Path) -> int:
    return int(run_sql(path, "SELECT updates FROM index_version").rows[0][0])


def make_large(name: str = "handbook", pages: int = 60) -> RepoRows:
    """Enough pages that one edit is a small difference."""
    brain = make_brain(name)
    return replace(brain, pages=(*brain.pages, *(make_page(f"notes/{number}.md", f"Note {number}") for number in range(pages))))


@pytest.mark.req("P07")
def test_what_is_written_is_read_back(target: Path) -> None:
    brain = make_brain()
    write_index(target, [brain])
    with open_index(target) as reader:
        by_path = sorted(brain.pages, key=lambda page: page.path)
        assert reader.fetch_pages("handbook", hidden=True) == by_path
        assert reader.fetch_headings("handbook", "index.md") == list(brain.headings)
        assert reader.fetch_links("handbook", "index.md") == [link for link in brain.links if link.from_path == "index.md"]
        assert reader.fetch_findings("handbook") == list(brain.findings)
        assert reader.fetch_redirects("handbook") == list(brain.redirects)
        assert reader.fetch_scores("handbook") == sorted(brain.scores, key=lambda score: score.path)
        (repo,) = reader.fetch_repos()
        assert (repo.name, repo.revision, repo.committed_at, repo.status) == ("handbook", "a" * 40, NOW, "fresh")
        assert (repo.pages, repo.hidden, repo.built_from) == (4, 1, ("handbook",))


@pytest.mark.req("P07")
def test_repos_of_one_tenant_share_a_file_and_stay_apart(target: Path) -> None:
    write_index(target, [make_brain("handbook"), make_brain("sales", "d" * 40)])
    with open_index(target) as reader:
        assert [repo.name for repo in reader.fetch_repos()] == ["handbook", "sales"]
        assert len(reader.fetch_backlinks("sales", "plans/plan.md")) == 1
        assert len(reader.fetch_pages("sales")) == 4


@pytest.mark.req("P14")
def test_the_same_rows_give_the_same_index_in_any_order_of_repos(tmp_path: Path) -> None:
    write_index(tmp_path / "one.duckdb", [make_brain("a"), make_brain("b")])
    write_index(tmp_path / "two.duckdb", [make_brain("b"), make_brain("a")])
    assert export_rows(tmp_path / "one.duckdb") == export_rows(tmp_path / "two.duckdb")


@pytest.mark.req("P02", "P07")
@pytest.mark.parametrize(
    "change",
    [
        lambda rows: change_page(rows, "index.md", title="Changed"),
        lambda rows: replace(rows, pages=rows.pages[:-1]),
        lambda rows: replace(rows, pages=(*rows.pages, make_page("new.md", "New"))),
        lambda rows: replace(rows, tags=(*rows.tags, TagRow("old.md", "late"))),
        lambda rows: replace(rows, links=rows.links[1:], edges=rows.edges[1:]),
        lambda rows: replace(rows, candidates=()),
        lambda rows: replace(rows, scores=rows.scores[:-1]),
        lambda rows: replace(rows, redirects=()),
        lambda rows: replace(rows, findings=rows.findings[1:]),
        lambda rows: rows,
    ],
    ids=["edit", "delete", "add", "tag", "link", "candidates", "scores", "redirects", "findings", "nothing"],
)
def test_writing_the_difference_gives_the_same_index_as_writing_it_whole(tmp_path: Path, change) -> None:  # type: ignore[no-untyped-def]
    before, after = make_large(), change(make_large())
    write_index(tmp_path / "updated.duckdb", [before])
    write_index(tmp_path / "updated.duckdb", [after], previous=tmp_path / "updated.duckdb")
    write_index(tmp_path / "whole.duckdb", [after])
    assert count_updates(tmp_path / "updated.duckdb") == 1
    assert export_rows(tmp_path / "updated.duckdb") == export_rows(tmp_path / "whole.duckdb")


def test_a_large_difference_is_written_whole(target: Path) -> None:
    write_index(target, [make_large()])
    write_index(target, [make_large(pages=200)], previous=target)
    assert count_updates(target) == 0
    assert len(export_rows(target)["page"]) == 205


def test_after_many_updates_the_file_is_written_whole(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.store.write._UPDATES_MAX", 2)
    write_index(target, [make_large()])
    counts = []
    for number in range(5):
        write_index(target, [change_page(make_large(), "index.md", words=number)], previous=target)
        counts.append(count_updates(target))
    assert counts == [1, 2, 0, 1, 2]


@pytest.mark.req("P01", "P13")
@pytest.mark.parametrize("pages", [0, 60], ids=["written whole", "as a difference"])
def test_a_repo_that_failed_keeps_its_rows_and_is_marked(target: Path, pages: int) -> None:
    write_index(target, [make_brain("lost"), make_large("kept", pages)])
    before = export_rows(target)
    write_index(target, [make_failed("lost"), make_large("kept", pages)], previous=target)
    after = export_rows(target)
    assert {table for table in before if before[table] != after[table]} == {"repo"}
    with open_index(target) as reader:
        lost = next(repo for repo in reader.fetch_repos() if repo.name == "lost")
    assert (lost.status, lost.failed_reason, lost.revision, lost.pages) == ("failed", "The remote is gone.", "a" * 40, 4)


@pytest.mark.req("P01")
def test_a_failed_repo_is_fresh_again_once_it_is_read(target: Path) -> None:
    write_index(target, [make_brain()])
    before = export_rows(target)
    write_index(target, [make_failed("handbook")], previous=target)
    write_index(target, [make_brain()], previous=target)
    assert export_rows(target) == before


@pytest.mark.req("P13")
def test_a_repo_that_failed_from_the_start_is_listed_without_pages(target: Path) -> None:
    write_index(target, [make_failed("lost"), make_brain()])
    with open_index(target) as reader:
        lost = reader.fetch_repos()[1]
        assert (lost.name, lost.status, lost.pages) == ("lost", "failed", 0)
        assert reader.fetch_pages("lost") == []


@pytest.mark.parametrize("pages", [0, 60], ids=["little", "much of it as before"])
def test_repos_that_the_run_did_not_touch_are_taken_over_and_unnamed_ones_dropped(target: Path, pages: int) -> None:
    write_index(target, [make_brain("untouched"), make_brain("gone"), make_large("built", pages)])
    before = [row for row in export_rows(target)["page"] if "'untouched'" in row]
    write_index(target, [change_page(make_large("built", pages), "index.md", words=1)], previous=target, keep=["untouched"])
    rows = export_rows(target)
    assert [row for row in rows["page"] if "'untouched'" in row] == before
    assert not [row for table in rows.values() for row in table if "'gone'" in row]


@pytest.mark.req("P07")
@pytest.mark.threat(50)
def test_no_word_of_a_repo_that_went_stays_in_the_bytes_of_the_file(target: Path) -> None:
    """Rows that are deleted from a file keep their place in it."""
    write_index(target, [make_brain("quaggafjord"), make_large("built", 200)])
    assert b"quaggafjord" in target.read_bytes()
    write_index(target, [make_large("built", 200)], previous=target)
    assert b"quaggafjord" not in target.read_bytes()


@pytest.mark.req("P11")
def test_each_revision_leaves_one_line_of_history(target: Path) -> None:
    write_index(target, [make_brain(revision="a" * 40)])
    write_index(target, [replace(make_brain(revision="b" * 40, words=300), committed_at=NOW + 60)], previous=target)
    write_index(target, [replace(make_brain(revision="b" * 40, words=300), committed_at=NOW + 60)], previous=target)
    with open_index(target) as reader:
        builds = reader.fetch_builds("handbook")
        assert [(build.revision[0], build.committed_at, build.words) for build in builds] == [("a", NOW, 400), ("b", NOW + 60, 600)]
        assert reader.fetch_build_figures("handbook") == {"a" * 40: {"documents filled": 7}, "b" * 40: {"documents filled": 7}}


def test_uncommitted_content_leaves_no_history(target: Path) -> None:
    write_index(target, [replace(make_brain(revision=None), committed_at=None)])
    with open_index(target) as reader:
        assert reader.fetch_builds("handbook") == []
        assert len(reader.fetch_pages("handbook")) == 4


@pytest.mark.threat(16)
def test_texts_that_no_database_can_hold_are_cleaned(target: Path) -> None:
    odd = PageRow(
        "caf\udce9.md", "x/", "half \ud83d", True, None, 2**62, None, 1, "b" * 40, "nul \0 stays", {"big": 10**30, "\ud800": "\udcff"}
    )
    write_index(target, [replace(make_brain(), pages=(odd,), tags=(TagRow("caf\udce9.md", "t\udce9"),))])
    with open_index(target) as reader:
        (page,) = reader.fetch_pages("handbook")
    assert (page.path, page.title, page.changed, page.summary) == ("caf\\xe9.md", "half \\ud83d", None, "nul \0 stays")
    assert page.meta == {"big": hex(10**30), "\\ud800": "\\xff"}
    assert run_sql(target, "SELECT path, tag FROM tag").rows == (("caf\\xe9.md", "t\\xe9"),)


def test_an_index_of_another_schema_version_is_written_anew(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("indexer.store.fill.SCHEMA_VERSION", 999)
        write_index(target, [make_brain("old")])
    with pytest.raises(StoreError, match="another version"):
        open_index(target)
    write_index(target, [make_brain("new")], previous=target)
    with open_index(target) as reader:
        assert [repo.name for repo in reader.fetch_repos()] == ["new"]


def test_two_repos_of_one_name_are_a_bug_of_the_caller(target: Path) -> None:
    with pytest.raises(ValueError, match="handbook"):
        write_index(target, [make_brain(), make_brain()])
    with pytest.raises(ValueError, match="handbook"):
        write_index(target, [make_brain()], keep=["handbook"])


@pytest.mark.req("P07")
def test_a_tag_that_becomes_an_alias_of_the_same_name_is_written(target: Path) -> None:
    """Rows are compared by what they hold, and the two hold the same."""
    before = replace(make_large(), tags=(TagRow("old.md", "word"),), aliases=())
    write_index(target, [before])
    write_index(target, [replace(before, tags=(), aliases=(AliasRow("old.md", "word"),))], previous=target)
    assert count_updates(target) == 1
    assert run_sql(target, "SELECT path, tag FROM tag").rows == ()
    assert run_sql(target, "SELECT path, alias FROM alias").rows == (("old.md", "word"),)
