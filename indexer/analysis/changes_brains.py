"""Two results → the brains that came or went and the documents whose state changed (SPEC P16, S05–S07). Called by `changes`. Pure.

Both sides are judged for one day, so that a document that merely grew old is nobody's doing; those are told apart (`find_aged`).
"""

from collections.abc import Iterator

from indexer.analysis.changes_pairs import Pair
from indexer.analysis.completeness import place_document
from indexer.analysis.states import due_date, score_depth, state_of
from indexer.model.blueprint import Brain, BrainDocument
from indexer.model.changes import BrainChange, DocumentChange


def compare_brains(pair: Pair) -> list[BrainChange]:
    """Return the brains that are not as before, by id."""
    old = {brain.card: brain for brain in pair.base.brains}
    changes: list[BrainChange] = []
    for brain in pair.head.brains:
        former = old.pop(pair.former.get(brain.card, ""), None)
        changes += [_add(brain, pair.head.date)] if former is None else _compare(pair, former, brain)
    changes += [_remove(pair, brain) for brain in old.values()]
    return sorted(changes, key=lambda each: each.id)


def _add(brain: Brain, date: str | None) -> BrainChange:
    return BrainChange("added", brain.id, brain.title, brain.card, brain.blueprint, after=score_depth(brain.documents, date))


def _remove(pair: Pair, brain: Brain) -> BrainChange:
    """A card that is hidden now keeps its title to itself."""
    now = pair.head.pages.get(pair.now.get(brain.card, ""))
    title = brain.id if now and now.hidden else brain.title
    return BrainChange("removed", brain.id, title, brain.card, brain.blueprint, before=score_depth(brain.documents, pair.base.date))


def _compare(pair: Pair, old: Brain, new: Brain) -> Iterator[BrainChange]:
    before, after = score_depth(old.documents, pair.base.date), score_depth(new.documents, pair.head.date)
    documents = tuple(_compare_documents(pair, old, new))
    if documents or before != after or (old.id, old.blueprint) != (new.id, new.blueprint):
        yield BrainChange(
            "changed",
            new.id,
            new.title,
            new.card,
            new.blueprint,
            former_id=old.id if old.id != new.id else "",
            former_blueprint=old.blueprint if old.blueprint != new.blueprint else "",
            before=before,
            after=after,
            documents=documents,
        )


def _compare_documents(pair: Pair, old: Brain, new: Brain) -> Iterator[DocumentChange]:
    """Yield the documents with another state, in the order of the brain; those that it no longer expects come last."""
    known = {document.plan.id: document for document in old.documents}
    for document in new.documents:
        former = known.pop(document.plan.id, None)
        before = state_of(former, pair.base.date) if former else None
        if before != state_of(document, pair.head.date):
            yield _tell(new, document, before, pair.head.date)
    reasons = {dropped.id: dropped.reason for dropped in new.dropped}
    for document in known.values():
        state = state_of(document, pair.base.date)
        reason = reasons.get(document.plan.id, "")
        yield DocumentChange(old.id, document.plan.id, document.plan.title, place_document(old, document), state, None, reason=reason)


def _tell(brain: Brain, document: BrainDocument, before: str | None, date: str | None) -> DocumentChange:
    return DocumentChange(
        brain.id,
        document.plan.id,
        document.plan.title,
        place_document(brain, document),
        before,  # type: ignore[arg-type]
        state_of(document, date),
        checked=document.checked,
        checked_by=document.checked_by,
        due=due_date(document),
        reason=document.declined or document.reason,
    )


def find_aged(pair: Pair, day: str | None) -> list[DocumentChange]:
    """Return documents that the base held for checked on its own `day`, and that time has put out of date since."""
    old = {brain.card: {document.plan.id: document for document in brain.documents} for brain in pair.base.brains}
    aged = []
    for brain in pair.head.brains:
        known = old.get(pair.former.get(brain.card, ""), {})
        for document in brain.documents:
            former = known.get(document.plan.id)
            if former is None or state_of(document, pair.head.date) != "outOfDate" or state_of(former, pair.base.date) != "outOfDate":
                continue
            if day is not None and state_of(former, day) == "checked":
                aged.append(_tell(brain, document, "checked", pair.head.date))
    return aged
