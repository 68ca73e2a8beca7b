"""Documents → their states and the depth of a brain, for a date that the caller gives (SPEC S06, S07). Pure; knows no clock.

Used by the report, the website and the tools. `date` is `YYYY-MM-DD`, or None: then nothing ages and nothing is in the future.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from indexer.model.blueprint import RINGS, Brain, BrainDocument, DocumentState, RingDepth


def state_of(document: BrainDocument, date: str | None) -> DocumentState:
    """Return the state of a document. Declined comes first, then missing; a check after the `latest_day` does not count yet."""
    if document.declined:
        return "declined"
    if not document.written:
        return "missing"
    if not document.checked or (date is not None and document.checked > latest_day(date)):
        return "filled"
    due = due_date(document) if date is not None else ""
    return "outOfDate" if date is not None and due and due <= date else "checked"


@lru_cache(maxsize=64)
def latest_day(date: str) -> str:
    """Return the day after `date`, which is counted in UTC: somewhere it has begun, and who checked a document there writes it."""
    try:
        return (datetime.fromisoformat(date) + timedelta(days=1)).date().isoformat()
    except OverflowError:  # after the year 9999
        return date


def find_states(brains: Iterable[Brain], date: str | None) -> dict[str, DocumentState]:
    """Return the states of all pages that are documents; of a page in several brains, its state in the first of them."""
    states: dict[str, DocumentState] = {}
    for brain in brains:
        for document in brain.documents:
            if document.page:
                states.setdefault(document.page, state_of(document, date))
    return states


def due_date(document: BrainDocument) -> str:
    """Return the first day on which the document is out of date, `YYYY-MM-DD`; empty when it never will be, or is not checked."""
    days = document.plan.out_of_date_after_days
    if days is None or not document.checked or not document.written or document.declined:
        return ""
    try:
        return (datetime.fromisoformat(document.checked) + timedelta(days=days + 1)).date().isoformat()
    except (ValueError, OverflowError):  # after the year 9999
        return ""


def score_depth(documents: Sequence[BrainDocument], date: str | None) -> tuple[RingDepth, ...]:
    """Return how deep a brain is in each ring that has documents, from the outside in."""
    return score_states((document.plan.ring, state_of(document, date)) for document in documents)


def score_states(documents: Iterable[tuple[str, DocumentState]]) -> tuple[RingDepth, ...]:
    """Return the same as `score_depth` for (ring, state) of each document."""
    counts = {ring: Counter[DocumentState]() for ring, _ in RINGS}
    for ring, state in documents:
        counts[ring][state] += 1
    return tuple(_score_ring(ring, stage, counts[ring]) for ring, stage in RINGS if counts[ring])


def _score_ring(ring: str, stage: str, states: Counter[DocumentState]) -> RingDepth:
    return RingDepth(
        ring=ring,
        stage=stage,
        documents=states.total(),
        filled=states["filled"] + states["checked"] + states["outOfDate"],
        checked=states["checked"],
        declined=states["declined"],
        out_of_date=states["outOfDate"],
        missing=states["missing"],
    )
