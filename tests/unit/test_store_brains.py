"""Brains in the index: what goes in comes out, one changed document writes one brain, and SQL judges as the program does."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields, replace

from indexer.analysis.states import due_date, score_depth, state_of
from indexer.model import index_views
from indexer.model.blueprint import Brain, BrainDocument
from indexer.store.query import run_sql
from indexer.store.read import open_index
from indexer.store.rows import clean_text
from indexer.store.write import write_index
from tests.tools.index_rows import export_rows, make_failed
from tests.tools.judged import FIRM, TODAY, brains, documents, judge, make_brain_rows, plan

BRAIN_TABLES = ("brain", "document", "document_drop", "brain_warning")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "index.duckdb"


def make_brain(name: str, *found: BrainDocument, repo: str = "handbook") -> Brain:
    return Brain(
        f"{repo}/{name}", repo, name, name.title(), f"{name}/brain.md", "firm@1", True, "", found or (BrainDocument(plan("offer")),)
    )


def clean(value: Any) -> Any:
    """Return a value as the index can hold it."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, tuple):
        return tuple(clean(each) for each in value)
    if isinstance(value, Struct) and not isinstance(value, type):
        return replace(value, **{field.name: clean(getattr(value, field.name)) for field in fields(value)})
    return value


@pytest.mark.req("P07", "S01", "S05")
def test_brains_are_read_back_as_they_were_found(target: Path) -> None:
    result = judge(FIRM)
    write_index(target, [make_brain_rows("brain", list(result.brains))])
    with open_index(target) as reader:
        assert reader.fetch_brains(["brain"]) == list(result.brains)
        assert reader.fetch_brain("brain/site") == result.brains[1]
        assert reader.fetch_brain("brain/nowhere") is None
        assert reader.fetch_brain("") is None
    assert {state_of(each, TODAY) for brain in result.brains for each in brain.documents} == {
        "missing",
        "checked",
        "declined",
        "outOfDate",
    }


@pytest.mark.threat(16)
@settings(max_examples=25, deadline=None)
@given(st.lists(brains, min_size=1, max_size=3, unique_by=(lambda brain: clean_text(brain.card), lambda brain: clean_text(brain.id))))
def test_whatever_a_brain_holds_is_read_back(tmp_path_factory: pytest.TempPathFactory, found: list[Brain]) -> None:
    target = tmp_path_factory.mktemp("store") / "index.duckdb"
    write_index(target, [make_brain_rows("handbook", found)])
    with open_index(target) as reader:
        read = {brain.card: brain for brain in reader.fetch_brains(["handbook"])}
        expected = {brain.card: brain for brain in map(clean, found) if brain.id}
    for card, brain in expected.items():
        facts = [dict(document.facts) for document in read[card].documents]
        assert facts == [dict(document.facts) for document in brain.documents]
        without = [replace(each, documents=tuple(replace(one, facts=()) for one in each.documents)) for each in (read[card], brain)]
        assert without[0] == without[1]
    assert len(read) == len(expected)


def test_brains_come_in_pages_sorted_by_id_from_the_repos_asked_for_only(target: Path) -> None:
    repos = {repo: [make_brain(name, repo=repo) for name in ("b", "a", "é", "Z", "a-b", "a/b")] for repo in ("one", "two", "three")}
    write_index(target, [make_brain_rows(repo, found) for repo, found in repos.items()])
    asked = sorted(brain.id for repo in ("one", "two") for brain in repos[repo])
    with open_index(target) as reader:
        assert [brain.id for brain in reader.fetch_brains({"two", "one"})] == asked
        read: list[str] = []
        while page := reader.fetch_brains(["one", "two", "one"], after=read[-1] if read else "", limit=5):
            assert len(page) <= 5
            assert all(brain.documents for brain in page)
            read += [brain.id for brain in page]
        assert read == asked
        assert reader.fetch_brains([]) == []
        assert reader.fetch_brains(["nowhere"]) == []


@pytest.mark.req("P02", "P07")
def test_one_changed_document_writes_the_rows_of_one_brain(target: Path) -> None:
    before = [make_brain(f"brain{number:02}") for number in range(40)]
    after = [*before[:7], replace(before[7], documents=(BrainDocument(plan("offer"), page="x.md", written=True),)), *before[8:]]
    write_index(target, [make_brain_rows("handbook", before)])
    digests = {row[:2]: row[2] for row in run_sql(target, "SELECT part, path, digest FROM written").rows}
    write_index(target, [make_brain_rows("handbook", after)], previous=target)
    written = {row[:2]: row[2] for row in run_sql(target, "SELECT part, path, digest FROM written").rows}
    assert [part for part in written if written[part] != digests.get(part)] == [("page", "brain07/brain.md")]
    assert run_sql(target, "SELECT updates FROM index_version").rows == ((1,),)
    whole = target.with_name("whole.duckdb")
    write_index(whole, [make_brain_rows("handbook", after)])
    assert export_rows(target) == export_rows(whole)


@pytest.mark.req("P07")
def test_a_card_that_goes_takes_its_rows_along(target: Path) -> None:
    before = [make_brain(f"brain{number:02}") for number in range(40)]
    write_index(target, [make_brain_rows("handbook", before)])
    write_index(target, [make_brain_rows("handbook", before[1:])], previous=target)
    rows = export_rows(target)
    assert [row for table in BRAIN_TABLES for row in rows[table] if "brain00" in row] == []
    assert len(rows["document"]) == 39


@pytest.mark.req("P01")
def test_brains_of_a_repo_that_could_not_be_read_stay(target: Path) -> None:
    brain = make_brain("a")
    write_index(target, [make_brain_rows("handbook", [brain])])
    write_index(target, [make_failed("handbook")], previous=target)
    with open_index(target) as reader:
        assert reader.fetch_brains(["handbook"]) == [brain]
        assert [(repo.status, repo.date) for repo in reader.fetch_repos()] == [("failed", TODAY)]


@pytest.mark.req("S06", "S07")
@settings(max_examples=20, deadline=None)
@given(st.lists(documents, min_size=1, max_size=20), st.none() | st.dates().map(str))
def test_the_views_judge_as_the_program_does(
    tmp_path_factory: pytest.TempPathFactory, found: list[BrainDocument], date: str | None
) -> None:
    target = tmp_path_factory.mktemp("store") / "index.duckdb"
    write_index(target, [make_brain_rows("handbook", [make_brain("a", *found)], date)])
    with open_index(target) as reader:
        standing = reader.fetch_document_states("handbook")
    assert [(each.position, each.state, each.due or "") for each in standing] == [
        (position, state_of(document, date), due_date(document)) for position, document in enumerate(found)
    ]
    depth = run_sql(target, "SELECT ring, documents, filled, checked, declined, out_of_date, missing FROM brain_depth ORDER BY ring").rows
    scored = [
        (ring.ring, ring.documents, ring.filled, ring.checked, ring.declined, ring.out_of_date, ring.missing)
        for ring in score_depth(found, date)
    ]
    assert list(depth) == sorted(scored)
    missing = sum(ring.missing for ring in score_depth(found, date))
    assert run_sql(target, "SELECT count(*) FROM missing_documents").rows == ((missing,),)


def test_values_have_the_columns_of_their_view(target: Path) -> None:
    write_index(target, [make_brain_rows("handbook", [make_brain("a")])])
    columns = run_sql(target, "SELECT * FROM document_states LIMIT 0").columns
    assert ["repo", *(field.name for field in fields(index_views.DocumentStanding))] == list(columns)


def test_a_missing_document_is_listed_with_the_place_where_it_belongs(target: Path) -> None:
    write_index(target, [make_brain_rows("brain", list(judge(FIRM).brains))])
    rows = run_sql(target, "SELECT brain, path, asks FROM missing_documents ORDER BY ALL").rows
    assert rows == (("brain/site", "site/news.md", "What is news?"), ("brain/site", "site/shop.md", "What is shop?"))


@pytest.mark.req("P11")
def test_the_history_counts_documents_by_state(target: Path) -> None:
    rows = replace(make_brain_rows("brain", list(judge(FIRM).brains)), revision="a" * 40)
    write_index(target, [rows, replace(make_brain_rows("empty", []), revision="b" * 40)])
    with open_index(target) as reader:
        assert reader.fetch_build_figures("brain") == {
            "a" * 40: {
                "documents": 6,
                "documents filled": 3,
                "documents checked": 2,
                "documents declined": 1,
                "documents out of date": 1,
                "documents missing": 2,
            }
        }
        assert reader.fetch_build_figures("empty") == {}
