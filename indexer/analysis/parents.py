"""Brains above a brain, and what they cover of what it lacks (SPEC S08). Pure.

The caller says which brains exist: `find` returns None for one that the reader does not reach just as for one that does not exist, so the
two cannot be told apart in anything that is made here.
"""

from collections.abc import Callable, Iterable, Sequence

from indexer.analysis.states import state_of
from indexer.model.blueprint import Brain, BrainDocument, Cover

MOST_PARENTS = 64
"""Length of a chain that is followed: thousands of cards, each the parent of the next, may not make every look-up slow."""


def follow_parents(brain: Brain, find: Callable[[str], Brain | None]) -> tuple[Brain, ...]:
    """Return the brains above, nearest first; the chain ends where `find` returns None, where it meets itself, and at MOST_PARENTS."""
    chain: list[Brain] = []
    seen = {brain.id}
    above = find(brain.parent) if brain.parent else None
    while above is not None and above.id not in seen and len(chain) < MOST_PARENTS:
        chain.append(above)
        seen.add(above.id)
        above = find(above.parent) if above.parent else None
    return tuple(chain)


def cover_document(document: BrainDocument, parents: Sequence[Brain], date: str | None) -> tuple[Cover, ...]:
    """Return the documents of parents (nearest first) that are filled or checked and share a domain with a missing one.

    One that is out of date covers nothing, and nothing but a missing document is covered.
    """
    wanted = frozenset(document.plan.deepens)
    if not wanted or not parents or state_of(document, date) != "missing":
        return ()
    covers = []
    for parent in parents:
        for other in parent.documents:
            shared = wanted.intersection(other.plan.deepens)
            if not shared:
                continue
            state = state_of(other, date)
            if state in {"filled", "checked"}:
                covers.append(Cover(parent.id, other.plan.title, f"{parent.repo}/{other.page}", state, tuple(sorted(shared))))
    return tuple(covers)


def find_circles(brains: Iterable[Brain]) -> frozenset[str]:
    """Return the ids of brains that are their own ancestors among these. Each brain is walked once."""
    parents = {brain.id: brain.parent for brain in brains}
    walked: dict[str, str] = {}
    inside: set[str] = set()
    for start in parents:
        trail, current = [], start
        while current in parents and current not in walked:
            walked[current] = start
            trail.append(current)
            current = parents[current]
        if walked.get(current) == start:
            inside.update(trail[trail.index(current) :])
    return frozenset(inside)
