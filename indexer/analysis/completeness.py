"""Brains → what both reports say about completeness (SPEC P11, S06–S08, S16): for the owner and for every reader of the site.

Called by `report` and `public_report`; pure. Reports are files without a reader, so only parents in the same repo count: whatever a
parent elsewhere covers, and that there is one at all, depends on who asks.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from typing import Any

from indexer.analysis.conflicts import Facts, find_conflicts, remember_facts
from indexer.analysis.index import show_day
from indexer.analysis.parents import cover_document, follow_parents
from indexer.analysis.states import due_date, score_depth, state_of
from indexer.model.blueprint import Brain, BrainDocument, Conflict, Cover, RingDepth
from indexer.model.result import IndexResult

SOON_DAYS = 30
"""Days ahead in which a document that falls out of date is announced."""
STALE_DAYS = 365
"""Days without a change after which a page is stale, as in the view `stale_pages`."""

FIGURES = {
    "documents": "documents",
    "filled": "documents filled",
    "checked": "documents checked",
    "declined": "documents declined",
    "outOfDate": "documents out of date",
    "missing": "documents missing",
}
"""Figure of a report → its name in the history of the index."""

_DAY = 24 * 60 * 60


def make_completeness(result: IndexResult, only: Collection[str] | None = None) -> dict[str, Any]:
    """Return the keys `date`, `brains`, `totals`, `dueSoon` and `stale` of a report; `only` are ids of brains (None = all).

    Paths are relative to the repo.
    """
    by_id = {brain.id: brain for brain in result.brains}
    brains = [brain for brain in result.brains if only is None or brain.id in only]
    read = remember_facts()
    return {
        "date": result.date,
        "brains": [_show_brain(brain, follow_parents(brain, by_id.get), result, read) for brain in brains],
        "totals": score_totals(brains, result.date),
        "dueSoon": list(_list_due_soon(brains, result.date)),
        "stale": [{"path": path, "title": result.title_of(path), "days": days} for path, days in find_stale(result)],
    }


def score_totals(brains: Sequence[Brain], date: str | None) -> dict[str, int]:
    """Return the number of brains and of their documents by state."""
    rings = [ring for brain in brains for ring in score_depth(brain.documents, date)]
    return {"brains": len(brains), **_add_rings(rings)}


def find_stale(result: IndexResult) -> list[tuple[str, int]]:
    """Return published pages that nobody has touched in the year before the commit, with days since then; oldest first."""
    now = result.snapshot.committed_at
    if now is None or show_day(now) is None:
        return []
    found = []
    for path in result.graph.nodes:
        change = result.history.last.get(path)
        days = now // _DAY - change.at // _DAY if change else 0
        if change and days >= STALE_DAYS and show_day(change.at) is not None:
            found.append((path, days))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def place_document(brain: Brain, document: BrainDocument) -> str:
    """Return the path of a document's page, or where it belongs, inside the repo."""
    return document.page or f"{brain.folder}/{document.plan.file}"


def _add_rings(rings: Sequence[RingDepth]) -> dict[str, int]:
    return {
        "documents": sum(ring.documents for ring in rings),
        "filled": sum(ring.filled for ring in rings),
        "checked": sum(ring.checked for ring in rings),
        "declined": sum(ring.declined for ring in rings),
        "outOfDate": sum(ring.out_of_date for ring in rings),
        "missing": sum(ring.missing for ring in rings),
    }


def _show_brain(brain: Brain, parents: Sequence[Brain], result: IndexResult, read: Callable[[Brain], Facts]) -> dict[str, Any]:
    depth = score_depth(brain.documents, result.date)
    return {
        "id": brain.id,
        "title": brain.title,
        "type": brain.type or None,
        "blueprint": brain.blueprint or None,
        "card": brain.card,
        "parent": parents[0].id if parents else None,
        "depth": [{"ring": each.ring, "stage": each.stage, **_add_rings([each])} for each in depth] if brain.known else None,
        "documents": [_show_document(brain, document, parents, result.date) for document in brain.documents],
        "dropped": [{"id": each.id, "file": each.file, "title": each.title, "reason": each.reason} for each in brain.dropped],
        "warnings": list(brain.warnings),
        "conflicts": [_show_conflict(each, result.repo) for each in find_conflicts(brain, parents, read)],
    }


def _show_document(brain: Brain, document: BrainDocument, parents: Sequence[Brain], date: str | None) -> dict[str, Any]:
    plan = document.plan
    return {
        "id": plan.id,
        "title": plan.title,
        "ring": plan.ring,
        "stage": plan.stage,
        "state": state_of(document, date),
        "path": place_document(brain, document),
        "page": document.page or None,
        "summary": document.summary or None,
        "owner": document.owner or None,
        "checked": document.checked or None,
        "checkedBy": document.checked_by or None,
        "due": due_date(document) or None,
        "declined": document.declined or None,
        "deepens": list(plan.deepens),
        "outOfDateAfterDays": plan.out_of_date_after_days,
        "asks": plan.asks,
        "added": document.added,
        "reason": document.reason or None,
        "parentCovers": [_show_cover(each, brain.repo) for each in cover_document(document, parents, date)],
    }


def _show_cover(cover: Cover, repo: str) -> dict[str, Any]:
    path = cover.path.removeprefix(f"{repo}/")
    return {"brain": cover.brain, "title": cover.title, "path": path, "state": cover.state, "deepens": list(cover.deepens)}


def _show_conflict(conflict: Conflict, repo: str) -> dict[str, Any]:
    claims = [
        {"brain": each.brain, "path": each.path.removeprefix(f"{repo}/"), "title": each.title, "value": each.value}
        for each in conflict.claims
    ]
    return {"fact": conflict.fact, "claims": claims}


def _list_due_soon(brains: Sequence[Brain], date: str | None) -> Iterator[dict[str, Any]]:
    """Yield documents that are checked now and will be out of date within SOON_DAYS, the nearest first."""
    if date is None:
        return
    found = []
    for brain in brains:
        for document in brain.documents:
            due = due_date(document)
            days = count_days(date, due) if due and state_of(document, date) == "checked" else -1
            if 0 < days <= SOON_DAYS:
                found.append((days, brain.id, document.plan.id, brain, document, due))
    for days, _, _, brain, document, due in sorted(found, key=lambda each: each[:3]):
        plan = document.plan
        yield {"brain": brain.id, "id": plan.id, "title": plan.title, "path": place_document(brain, document), "due": due, "days": days}


def count_days(start: str, end: str) -> int:
    """Return how many days lie between two dates, `YYYY-MM-DD`."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
