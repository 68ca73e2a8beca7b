"""Near-copies: pages that say the same in the same words (DESIGN, Relations). Reported as such, never as related. Called by
`indexer.analysis.relate`; pure.

Compared are the weighted words of two pages: what they have in common of what either has. Most pages have more than a tenth for themselves
and need not be looked at. Candidates of the others are found by their rarest words: two pages that have nine tenths in common share one of
the rarest words that make up more than a tenth of either, so none is missed but where a word stands on too many pages. A page is compared
with the first of each group, so a thousand copies cost a thousand comparisons.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from indexer.analysis.relations_words import Bag
from indexer.model.relations import Copies
from indexer.model.result import IndexResult

COPY = 0.9
"""From this share on, a page is a copy: of ten words at most one is another."""
_FEWEST = 12
"""Pages of fewer different words are copies only when they are the same: too little is said to tell a copy from a form."""
_CROWD = 64
"""Groups that a word leads to at most."""


def find_duplicates(result: IndexResult, bags: Sequence[Bag]) -> tuple[Copies, ...]:
    """Return the groups of near-copies among the published pages, by path. Pages without text are none; `bags` are `read_bags`'s."""
    paths = result.graph.nodes
    groups = _group_copies(bags)
    return tuple(Copies(paths[first], tuple((paths[number], share) for number, share in others)) for first, others in groups.items())


def _group_copies(bags: Sequence[Bag]) -> dict[int, list[tuple[int, float]]]:
    """Return number of a page → its copies as (number, share); each page is in one group at most."""
    same: dict[frozenset[tuple[str, int]], int] = {}
    groups: dict[int, list[tuple[int, float]]] = defaultdict(list)
    firsts: dict[int, int] = {}
    for number, bag in enumerate(bags):
        if bag:
            first = same.setdefault(frozenset(bag.items()), number)
            if first != number:
                groups[first].append((number, 1.0))
            elif len(bag) >= _FEWEST:
                firsts[number] = sum(bag.values())
    _add_near(bags, firsts, groups)
    return {number: sorted(groups[number]) for number in sorted(groups)}


def _add_near(bags: Sequence[Bag], totals: Mapping[int, int], groups: dict[int, list[tuple[int, float]]]) -> None:
    """Add each page to the group of the page it is a near-copy of, with those that are the same as it."""
    found: Counter[str] = Counter()
    for number in totals:
        found.update(bags[number].keys())
    rank = {token: place for place, token in enumerate(sorted(found, key=lambda token: (found[token], token)))}
    leads: dict[str, list[int]] = defaultdict(list)
    words: dict[int, list[str]] = {}
    for number, total in totals.items():
        bag = bags[number]
        if sum(weight for token, weight in bag.items() if found[token] == 1) > (1 - COPY) * total:
            continue  # so much stands on no other page: it is a copy of none, and none is a copy of it
        ordered = sorted(bag, key=rank.__getitem__)
        rare = [token for token in ordered[: _count_rare(bag, ordered, total)] if found[token] > 1]
        for first in sorted({first for token in rare for first in leads[token][:_CROWD]}):
            share = _share_words(bags[first], words[first], bag, totals[first], total)
            if share >= COPY:
                groups[first] += [(number, share), *((other, share) for other, _ in groups.pop(number, ()))]
                break
        else:
            words[number] = ordered
            for token in rare:
                leads[token].append(number)


def _count_rare(bag: Bag, ordered: Sequence[str], total: int) -> int:
    """Return how many of the rarest words are together more than a tenth of the page."""
    weight = 0
    for count, token in enumerate(ordered, 1):
        weight += bag[token]
        if weight > (1 - COPY) * total:
            return count
    return len(ordered)


def _share_words(first: Bag, ordered: Sequence[str], other: Bag, first_total: int, other_total: int) -> float:
    """Return what two pages have in common of what either has; 0.0 as soon as it is too little. Rare words first: they tell soonest."""
    least = COPY / (1 + COPY) * (first_total + other_total)
    if min(first_total, other_total) < least:  # the longer page alone has more than that
        return 0.0
    common = first_total
    for token in ordered:
        weight = first[token]
        shared = other.get(token, 0)
        if shared < weight:
            common -= weight - shared
            if common < least:
                return 0.0
    return round(common / (first_total + other_total - common), 4)
