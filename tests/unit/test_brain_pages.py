"""Brains on the website: badges, fronts, missing pages, reports; untrusted words stay words; an edited site is that of a fresh build."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields

from indexer.analysis.index import judge_brains
from indexer.model.blueprint import DocumentState, RingDepth
from indexer.model.job import PageJob
from indexer.model.result import IndexResult
from indexer.publish.report_values import MOST_CELLS, draw_bar
from indexer.publish.state import BuildState
from indexer.publish.website import compare_jobs
from tests.tools.judged import FIRM, PLANS, TODAY, judge
from tests.tools.results import copy_known, make_plan, make_result

pytestmark = pytest.mark.req("P11")

BAD = "\"'><script>alert(1)</script>&{{ x }}"
HOSTILE = {
    "x/brain.md": f"---\ntitle: |-\n  {BAD}\nblueprint: firm@1\nadd:\n- id: evil\n  title: |-\n    {BAD}\n  ring: Flow\n  deepens: [1]\n"
    f"  asks: |-\n    {BAD}\n  reason: |-\n    {BAD}\ndrop:\n- id: tools\n  reason: |-\n    {BAD}\n---\nCard.",
    "x/offer.md": f"---\nowner: |-\n  {BAD}\nchecked: 2025-01-01\ncheckedBy: |-\n  {BAD}\nfact: |-\n  {BAD}\n---\nOffer.",
    "x/price.md": f"---\ndeclined: |-\n  {BAD}\n---\n",
    "x/people.md": "---\nfact: other\n---\nPeople. [[nowhere|<script>alert(2)</script>]]",
}
HARMLESS = {path: text.replace(BAD, "words").replace("<script>alert(2)</script>", "words") for path, text in HOSTILE.items()}


class Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, list[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, [name for name, _ in attrs]))


def plan(result: IndexResult) -> dict[str, PageJob]:
    return {job.file: job for job in make_plan(result).jobs}


def text_of(job: PageJob) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", job.view.content + job.view.front).split())


@pytest.mark.req("S06", "P08")
@pytest.mark.parametrize(
    ("file", "state"),
    [("firm/offer", "checked"), ("firm/price", "outOfDate"), ("firm/people", "declined"), ("site/home", "checked")],
)
def test_a_document_says_its_state_owner_check_and_what_is_asked(file: str, state: DocumentState) -> None:
    document = plan(judge(FIRM))[f"{file}/index.html"].view.document
    assert document is not None
    assert document.state == state
    assert document.asks == f"What is {file.split('/')[1]}?"
    if file == "firm/offer":
        assert (document.owner, document.checked, document.checked_by, document.due) == ("Bo", "2026-11-01", "Ada", "2027-02-10")
        assert (document.brain.title, document.brain.url, document.ring, document.stage) == (
            "The firm",
            "firm/brain/",
            "Public Context",
            "Scope",
        )


def test_pages_that_are_no_documents_say_nothing() -> None:
    jobs = plan(judge(FIRM))
    assert jobs["index.html"].view.document is None
    assert jobs["firm/brain/index.html"].view.document is None


@pytest.mark.req("P08", "S01")
def test_a_folder_without_an_index_page_is_called_as_its_card_says() -> None:
    view = plan(judge(FIRM))["firm/offer/index.html"].view
    assert view.breadcrumbs[-1].title == view.section_title == "The firm"


@pytest.mark.req("S08")
def test_a_missing_document_has_a_page_until_it_is_written() -> None:
    jobs = plan(judge(FIRM))
    job = jobs["_/report/site/shop/index.html"]
    assert (job.view.kind, job.view.title) == ("missing", "Shop")
    assert "What is shop?" in job.view.content
    assert "<code>site/shop.md</code>" in job.view.content
    assert "title: Shop" in job.view.content
    fresh = FIRM | {"firm/price.md": "---\nchecked: 2026-11-01\ncheckedBy: Ada\n---\nPrice."}
    assert "Price" not in text_of(job), "an outdated document covers nothing"
    assert 'href="../../../../firm/price/"' in plan(judge(fresh))["_/report/site/shop/index.html"].view.content
    assert "_/report/site/shop/index.html" not in plan(judge(FIRM | {"site/shop.md": "Text."}))


@pytest.mark.req("S08", "X01")
def test_a_parent_that_is_hidden_missing_or_elsewhere_is_not_named() -> None:
    shown = []
    for parent in ("brain/secret", "brain/gone", "other-repo/firm"):
        files = FIRM | {"site/brain.md": f"---\ntitle: The site\nblueprint: site@7\nparent: {parent}\n---\n"}
        files |= {"secret/brain.md": "---\ntitle: Secret\nblueprint: firm@1\nprivate: true\n---\n"} if parent == "brain/secret" else {}
        result = judge(files)
        job = plan(result)["_/report/site/index.html"]
        shown.append(re.sub(r"\s+", " ", job.view.content.partition('id="card"')[0]))
        assert "secret" not in job.view.content.partition('id="card"')[0].lower()
    assert shown[0] == shown[1] == shown[2]


@pytest.mark.req("S01", "S07")
def test_the_front_of_a_brain_lists_its_documents_with_state() -> None:
    front = plan(judge(FIRM))["site/brain/index.html"].view.front
    assert re.findall(r'<li><a href="([^"]*)" dir="auto">([^<]*)</a><span class="brain-state brain-state--([a-z]+)">', front) == [
        ("../../site/home/", "Home", "checked"),
        ("../../_/report/site/shop/", "Shop", "missing"),
        ("../../_/report/site/news/", "News", "missing"),
    ]
    assert 'aria-label="Public Context: 1 of 2 written (1 checked, 1 missing)"' in front
    assert "We use none." in plan(judge(FIRM))["firm/brain/index.html"].view.front


def test_the_report_of_the_site_tells_what_to_do_next() -> None:
    report = text_of(plan(judge(FIRM))["_/report/index.html"])
    for words in (
        "As things stand on 30 November 2026",
        "3 of 6 documents written",
        "Since 12 April 2026 (232 days)",
        "Check before 11 December 2026",
        "Everybody knows everybody.",
        "hourly rate",
        "site/home.md",
        "firm/price.md",
        "Every link leads somewhere.",
    ):
        assert words in report, words
    assert report.index("Shop") < report.index("News"), "the first ring comes first"


@pytest.mark.req("S12")
def test_a_card_with_an_unknown_blueprint_says_so() -> None:
    jobs = plan(judge({"x/brain.md": "---\ntitle: X\nblueprint: none@3\n---\n"}))
    assert "There is no blueprint none@3" in text_of(jobs["_/report/index.html"])
    assert "Problems of the card" in text_of(jobs["_/report/x/index.html"])
    assert "There is no blueprint none@3" in text_of(jobs["x/brain/index.html"])


def test_a_repo_without_a_card_says_how_to_begin_and_still_reports_links() -> None:
    report = text_of(plan(judge({"a.md": "[[nowhere]]", "b.md": "[[a]]"}))["_/report/index.html"])
    assert "No brain has a card here yet" in report
    assert "nowhere on a a.md , line 1" in report
    assert "brain report" in report


@pytest.mark.threat(17)
@pytest.mark.threat(21)
def test_words_of_cards_and_documents_stay_words_on_every_page() -> None:
    hostile, harmless = plan(judge(HOSTILE)), plan(judge(HARMLESS))
    assert hostile.keys() == harmless.keys()
    checked = 0
    for file, job in hostile.items():
        if job.view.kind in {"report", "missing"} or job.view.front:
            checked += 1
            for name in ("content", "front"):
                assert Reader(getattr(job.view, name)).elements == Reader(getattr(harmless[file].view, name)).elements, file
                assert "<script" not in getattr(job.view, name)
    assert checked == 4


@pytest.mark.req("P19")
@pytest.mark.threat(28)
def test_hidden_pages_change_nothing_of_the_report() -> None:
    files = FIRM | {"index.md": "[a](site/shop.md) [[site/shop|the shop]] [[site/shop]]"}
    without = plan(judge(files))
    hidden = plan(
        judge(files | {"site/shop.md": "---\nprivate: true\n---\nSecret.", "h/brain.md": "---\ndraft: true\nblueprint: firm@1\n---\n"})
    )
    assert hidden == without
    assert "site/shop.md" not in text_of(without["_/report/index.html"])


@pytest.mark.threat(8)
def test_a_brain_inside_another_and_a_document_of_the_same_name_have_two_addresses() -> None:
    files = FIRM | {"site/shop/brain.md": "---\nblueprint: firm@1\ntitle: Shop brain\n---\n"}
    jobs = plan(judge(files))
    assert jobs["_/report/site/shop/index.html"].view.title == "Report: Shop brain"
    assert jobs["_/report/site/shop-2/index.html"].view.kind == "missing"
    assert "../../_/report/site/shop-2/" in jobs["site/brain/index.html"].view.front


def test_every_planned_page_is_linked_from_somewhere_and_no_two_share_a_file() -> None:
    made = make_plan(judge(FIRM)).jobs
    assert len({job.file for job in made}) == len(made)
    links = {href for job in made for href in re.findall(r'href="(?:\.\./)+([^"#]+)"', job.view.content + job.view.front)}
    assert {job.view.url for job in made if job.view.kind in {"report", "missing"} and job.view.url != "_/report/"} <= links


def test_bars_of_large_rings_are_drawn_to_scale_and_lose_no_state() -> None:
    bar = draw_bar([RingDepth("Flow", "Flow", 500, 3, 1, 1, 1, 496)], "Flow")
    assert len(bar.cells) <= MOST_CELLS + 4
    assert set(bar.cells) == {"checked", "filled", "outdated", "declined", "missing"}
    assert bar.text == "3 of 500"


def test_many_brains_are_listed_in_parts() -> None:
    files = {f"b{n:03d}/brain.md": f"---\ntitle: B{n:03d}\nblueprint: site@7\n---\n" for n in range(250)}
    jobs = plan(judge(files))
    parts = [
        job for file, job in jobs.items() if file in {"_/report/index.html", "_/more/_/report/2/index.html", "_/more/_/report/3/index.html"}
    ]
    assert [job.view.content.count("brain-standing__title") for job in parts] == [100, 100, 50]
    assert all(len(job.view.content) < 200_000 for job in parts)


def test_no_view_of_a_document_counts_days() -> None:
    """Or every page of a document that is out of date would be written anew each day."""
    jobs = {day: plan(judge(FIRM, day)) for day in ("2026-11-20", "2026-11-29")}
    same = [file for file, job in jobs["2026-11-20"].items() if jobs["2026-11-29"][file] == job]
    assert set(jobs["2026-11-20"]) - set(same) == {"_/report/index.html"}


DAYS = ("2025-01-01", "2026-09-02", "2026-11-29", "2026-12-10", "2026-12-11", "2027-06-01")
EDITS = {
    "firm/offer.md": ["---\nchecked: 2026-11-20\ncheckedBy: Ada\n---\nOffer.", "---\ntitle: Offer\n---\n", "Words."],
    "site/brain.md": [
        "---\ntitle: The site\nblueprint: site@7\n---\n",
        "---\ntitle: The site\nblueprint: none@1\n---\n",
        "---\ntitle: The site\nblueprint: site@7\nparent: brain/firm\nadd: [{id: x, title: X, ring: Flow, asks: Why}]\n---\n",
    ],
    "site/shop.md": ["Shop.", "---\nprivate: true\n---\n", "---\ndeclined: no\n---\n", "---\ndeclined: None here.\n---\n"],
    "firm/brain.md": ["---\ntitle: The firm\nblueprint: firm@1\n---\n", "---\nprivate: true\n---\n"],
    "index.md": ["[[firm/offer]] [[gone]]", "Home."],
}
STEPS = st.lists(st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, 3), st.sampled_from(DAYS)), min_size=1, max_size=5)


@pytest.mark.req("P02", "P14", "S06")
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_after_edits_and_days_the_site_is_that_of_a_fresh_build(steps: list[tuple[str, int, str]]) -> None:
    files: dict[str, str] = dict(FIRM)
    last = judge(files, TODAY)
    made = make_plan(last)
    first = compare_jobs(made, BuildState(), "")
    state = BuildState(fingerprints=first.fingerprints, brains=made.brains, known=last.known)
    for path, number, day in steps:
        texts = EDITS[path]
        files[path] = texts[number % len(texts)]
        now = judge_brains(make_result(files, last=copy_known(state.known), before=last.history), PLANS, day)
        partial = make_plan(now, touched=now.touched, brains=state.brains)
        pending = compare_jobs(partial, state, "")
        fresh = make_plan(judge(files, day))
        assert pending.fingerprints == compare_jobs(fresh, BuildState(), "").fingerprints
        assert partial.brains == fresh.brains
        state, last = BuildState(fingerprints=pending.fingerprints, brains=partial.brains, known=now.known), now


@pytest.mark.req("P02", "S06")
def test_a_later_day_alone_rewrites_the_pages_that_show_it_and_no_other() -> None:
    before = judge(FIRM, "2026-12-09")
    made = make_plan(before)
    state = BuildState(fingerprints=compare_jobs(made, BuildState(), "").fingerprints, brains=made.brains)
    now = judge_brains(make_result(FIRM, last=copy_known(before.known)), PLANS, "2026-12-20")
    assert now.touched == frozenset()
    written = compare_jobs(make_plan(now, touched=now.touched, brains=state.brains), state, "").jobs
    # The check of site/home ran out on 11 December; the firm has nothing new.
    assert {job.file for job in written} == {
        "site/home/index.html", "site/brain/index.html", "_/report/site/index.html", "_/report/index.html",
        "site/index.html",  # the list of the folder
    }  # fmt: skip


@pytest.mark.req("P02")
def test_one_edited_document_of_many_brains_plans_its_brain_only() -> None:
    files: dict[str, str] = {}
    for n in range(40):
        files |= {f"b{n}/brain.md": f"---\ntitle: B{n}\nblueprint: site@7\n---\n", f"b{n}/home.md": "Home."}
    before = judge(files)
    made = make_plan(before)
    edited = files | {"b7/home.md": "---\ndeclined: No home.\n---\n"}
    now = judge_brains(make_result(edited, last=copy_known(before.known), before=before.history), PLANS, TODAY)
    planned = {job.file for job in make_plan(now, touched=now.touched, brains=made.brains).jobs}
    reports = {file for file in planned if file.startswith("_/report/")}
    assert {file.split("/")[2] for file in reports} == {"index.html", "b7"}
    assert {file.split("/")[0] for file in planned if not file.startswith("_")} <= {"b7", "index.html"}


def walk(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Struct):
        return [text for field in fields(value) for text in walk(getattr(value, field.name))]
    return [text for each in value for text in walk(each)] if isinstance(value, tuple | list) else []


@pytest.mark.req("X01")
def test_nothing_of_another_repo_is_in_any_page() -> None:
    files = FIRM | {"site/brain.md": "---\ntitle: The site\nblueprint: site@7\nparent: qzjx/secret\n---\n"}
    for job in make_plan(judge(files)).jobs:
        assert not [text for text in walk(job.view) if "qzjx" in text and job.view.kind in {"report", "missing"}], job.file
        assert "qzjx" not in job.view.front
