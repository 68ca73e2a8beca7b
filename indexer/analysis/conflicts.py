"""Facts on which the documents of a brain and of its parents differ (SPEC S16). Used by the report, the tools and `brain_findings`. Pure.

A fact is a frontmatter key with one plain value (see `documents`). Keys and values are compared without letter case, white space and
Unicode form. A fact that only parents disagree on is their own affair: at least one claim is of the brain itself.
"""

from collections.abc import Callable, Mapping, Sequence

from indexer.analysis.values import fold_key, fold_value
from indexer.model.blueprint import Brain, Claim, Conflict

MOST_CLAIMS = 20
"""Claims of one conflict; past it nobody reads on."""

Facts = Mapping[str, Sequence[tuple[str, str, Claim]]]
"""Folded key → (key as written, folded value, claim), in the order of the documents."""


def list_facts(brain: Brain) -> Facts:
    """Return what the documents of one brain say."""
    facts: dict[str, list[tuple[str, str, Claim]]] = {}
    for document in brain.documents:
        for key, value in document.facts:
            claim = Claim(brain.id, f"{brain.repo}/{document.page}", document.plan.title, value)
            facts.setdefault(fold_key(key), []).append((key, fold_value(value), claim))
    return facts


def remember_facts() -> Callable[[Brain], Facts]:
    """Return a `list_facts` that reads each brain once, for whoever asks for the conflicts of many."""
    known: dict[str, Facts] = {}

    def read(brain: Brain) -> Facts:
        if brain.id not in known:
            known[brain.id] = list_facts(brain)
        return known[brain.id]

    return read


def find_conflicts(brain: Brain, parents: Sequence[Brain], read: Callable[[Brain], Facts] = list_facts) -> tuple[Conflict, ...]:
    """Return the facts with different values, by name; claims of the brain come first, then those of parents, nearest first.

    Whoever asks for many brains gives `remember_facts()` as `read`.
    """
    own = read(brain)
    above = [read(parent) for parent in parents] if own else []
    conflicts = []
    for fact in sorted(own):
        claims: list[Claim] = []
        values: set[str] = set()
        for facts in (own, *above):
            if len(claims) >= MOST_CLAIMS and len(values) > 1:
                break
            for _, value, claim in facts.get(fact, ()):
                if len(claims) < MOST_CLAIMS or (len(values) == 1 and value not in values):
                    claims.append(claim)
                    values.add(value)
        if len(values) > 1:
            conflicts.append(Conflict(own[fact][0][0], tuple(claims)))
    return tuple(conflicts)
