"""State, due date and depth of documents, for a date that is given."""

import pytest

from indexer.analysis.states import due_date, score_depth, state_of
from indexer.model.blueprint import DocumentState, RingDepth
from tests.tools.planned import FLOW, LAND, SCOPE, document


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    ("written", "declined", "checked", "days", "date", "state"),
    [
        (False, "", "", None, "2026-11-30", "missing"),
        (False, "", "2026-01-01", None, "2026-11-30", "missing"),
        (True, "", "", None, "2026-11-30", "filled"),
        (True, "", "2026-11-30", None, "2026-11-30", "checked"),
        (True, "", "2026-12-01", None, "2026-11-30", "checked"),  # where the next day has begun
        (True, "", "2026-12-02", None, "2026-11-30", "filled"),
        (True, "", "2026-12-01", None, None, "checked"),
        (False, "Not ours.", "", None, "2026-11-30", "declined"),
        (True, "Not ours.", "2020-01-01", 1, "2026-11-30", "declined"),
        (True, "", "2020-01-01", None, "2026-11-30", "checked"),
        (True, "", "2026-11-20", 10, "2026-11-30", "checked"),
        (True, "", "2026-11-19", 10, "2026-11-30", "outOfDate"),
        (True, "", "2026-11-19", 10, None, "checked"),
        (True, "", "9999-12-31", 10, "9999-12-31", "checked"),
    ],
)
def test_the_state_comes_from_what_the_page_says_and_the_date(
    written: bool, declined: str, checked: str, days: int | None, date: str | None, state: DocumentState
) -> None:
    assert state_of(document(written=written, declined=declined, checked=checked, days=days), date) == state


@pytest.mark.req("S06")
def test_the_due_date_is_the_first_day_on_which_the_document_is_out_of_date() -> None:
    leap = document(written=True, checked="2024-02-28", days=1)
    assert due_date(leap) == "2024-03-01"
    assert (state_of(leap, "2024-02-29"), state_of(leap, "2024-03-01")) == ("checked", "outOfDate")


@pytest.mark.req("S06")
@pytest.mark.parametrize(
    "change",
    [{"days": None}, {"checked": ""}, {"written": False}, {"declined": "No."}, {"checked": "9999-12-30"}],
)
def test_what_never_falls_out_of_date_has_no_due_date(change: dict[str, str | bool | int | None]) -> None:
    made = {"written": True, "checked": "2026-01-01", "days": 10, **change}
    assert due_date(document(**made)) == ""  # type: ignore[arg-type]  # one value of each kind


@pytest.mark.req("S07")
def test_depth_lists_rings_that_have_documents_from_the_outside_in() -> None:
    documents = [
        document("a", ring=FLOW, written=True),
        document("b", ring=SCOPE),
        document("c", ring=SCOPE, written=True, checked="2026-11-01"),
        document("d", ring=SCOPE, written=True, checked="2026-01-01", days=30),
        document("e", ring=SCOPE, declined="No."),
        document("f", ring=SCOPE, written=True),
        document("g", ring=LAND),
    ]
    assert score_depth(documents, "2026-11-30") == (
        RingDepth("Public Context", "Scope", documents=5, filled=3, checked=1, declined=1, out_of_date=1, missing=1),
        RingDepth("Organisational Knowledge", "Land", documents=1, filled=0, checked=0, declined=0, out_of_date=0, missing=1),
        RingDepth("Flow", "Flow", documents=1, filled=1, checked=0, declined=0, out_of_date=0, missing=0),
    )
    assert score_depth([], "2026-11-30") == ()


@pytest.mark.req("S07")
def test_without_a_date_nothing_is_out_of_date() -> None:
    (depth,) = score_depth([document(written=True, checked="2000-01-01", days=1)], None)
    assert (depth.filled, depth.checked, depth.out_of_date) == (1, 1, 0)
