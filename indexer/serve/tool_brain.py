"""getBrain: the contents of one brain, what it lacks, what its parents cover and where they differ (SPEC S05–S08, S12, S16). Called by
`tools`. Parents count as far as the reader reaches them, worked out for each call: nothing of it is ever written to a file."""

from collections.abc import Sequence

from indexer.analysis.conflicts import find_conflicts
from indexer.analysis.parents import cover_document
from indexer.analysis.states import due_date, state_of
from indexer.model.blueprint import Brain, BrainDocument, Conflict, Cover
from indexer.publish.visible import clean_line
from indexer.serve.tool_arguments import GetBrain
from indexer.serve.tool_list import show_depth, show_warnings
from indexer.serve.tool_results import ConflictEntry, CoverEntry, DocumentEntry, DroppedEntry, GetBrainResult
from indexer.serve.view import View


def get_brain(view: View, arguments: GetBrain) -> GetBrainResult:
    """Return everything about one brain."""
    brain = view.get_brain(arguments.brain)
    parents = view.list_parents(brain)
    return {
        "id": brain.id,
        "type": brain.type or None,
        "title": clean_line(brain.title),
        "blueprint": brain.blueprint or None,
        "level": view.level_of(brain),
        "parent": parents[0].id if parents else None,
        "card": f"{brain.repo}/{brain.card}",
        "date": view.date,
        "depth": show_depth(brain, view.date),
        "documents": [_show_document(brain, document, parents, view.date) for document in brain.documents],
        "dropped": [_show_dropped(each.id, each.file, each.title, each.reason) for each in brain.dropped],
        "conflicts": [_show_conflict(conflict) for conflict in find_conflicts(brain, parents)],
        "warnings": show_warnings(brain.warnings),
    }


def _show_document(brain: Brain, document: BrainDocument, parents: Sequence[Brain], date: str) -> DocumentEntry:
    plan, state = document.plan, state_of(document, date)
    entry: DocumentEntry = {
        "id": plan.id,
        "file": plan.file,
        "title": clean_line(plan.title),
        "ring": plan.ring,
        "deepens": list(plan.deepens),
        "outOfDateAfterDays": plan.out_of_date_after_days,
        "asks": clean_line(plan.asks),
        "state": state,
        "path": f"{brain.repo}/{document.page or f'{brain.folder}/{plan.file}'}",
        "summary": clean_line(document.summary) or None,
        "owner": clean_line(document.owner) or None,
        "checked": document.checked or None,
        "checkedBy": clean_line(document.checked_by) or None,
        "due": due_date(document) or None,
    }
    if document.added:
        entry["added"] = True
        entry["reason"] = clean_line(document.reason)
    if state == "declined":
        entry["declined"] = clean_line(document.declined)
    if state == "missing":
        entry["parentCovers"] = [_show_cover(cover) for cover in cover_document(document, parents, date)]
    return entry


def _show_cover(cover: Cover) -> CoverEntry:
    return {
        "brain": cover.brain,
        "title": clean_line(cover.title),
        "path": cover.path,
        "state": cover.state,
        "deepens": list(cover.deepens),
    }


def _show_dropped(identity: str, file: str, title: str, reason: str) -> DroppedEntry:
    return {"id": identity, "file": file, "title": clean_line(title), "reason": clean_line(reason)}


def _show_conflict(conflict: Conflict) -> ConflictEntry:
    return {
        "fact": clean_line(conflict.fact),
        "claims": [
            {"brain": claim.brain, "path": claim.path, "title": clean_line(claim.title), "value": clean_line(claim.value, 500)}
            for claim in conflict.claims
        ],
    }
