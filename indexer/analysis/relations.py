"""Pages that belong together though nothing links them (DESIGN, Relations). Called by `indexer.analysis.relate`; pure.

Two pages are close by what they say (weighted words, each other's names; what they mean, where an embedding server is configured), by the
pages that link with both, and by where they lie. In a second step a page gains that is close to the closest pages of another. Near-copies
are left to `indexer.analysis.duplicates`. The weights below were chosen with `tests/bench/relations_cost.py`. Half of one or twice as much
costs at most one hundredth of what is found, but for `NEAR`: twice as much costs four.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from indexer.analysis.relations_meaning import Meanings
from indexer.analysis.relations_places import Places
from indexer.analysis.relations_sparse import Numbers, Postings, Scores, Weights, build_postings, join, pick_best
from indexer.analysis.relations_words import Bag, LoadTerms, find_names, list_names, read_terms, weigh_words
from indexer.model.graph import Graph
from indexer.model.relations import Copies
from indexer.model.result import IndexResult

MOST = 10
LEAST = 0.02
"""What words, names and shared links must come to before a page is related at all. Nearness alone relates nothing; an index page and the
pages of its folder need no more."""
NAMED = 0.1
"""One speaks of the other by a name that no other page uses."""
MEANT = 0.3
"""They mean the same, says a model. Less than words say: on three brains sentence embeddings alone found less than words alone."""
SHARED = 0.1
"""A page that links with these two only."""
LINKED = 0.5
"""A link between the two: linked pages are not listed, but what is close to them is."""
NEAR = 0.12
"""The same folder. With `KIN`: less than the words of two pages about one matter, more than those of two about many."""
KIN = 0.1
"""One is the index page of the other's folder."""
PULL = 0.5
"""What the closest pages of either say of the other, as a mean weighted by closeness."""
_CLOSEST = 20
"""Pages that count as closest."""
_CANDIDATES = 40
_CROWD = 200
"""Pages that link with more than this bring no two together."""


def find_related(
    result: IndexResult, bags: Sequence[Bag], load_terms: LoadTerms, copies: Iterable[Copies], meanings: Meanings | None = None
) -> dict[str, tuple[tuple[str, float], ...]]:
    """Return for each published page at most ten others, best first, with a likeness from 0 to 1; linked pages and copies are left out.

    `bags` are those that `read_bags` gives for the published pages.
    """
    paths = result.graph.nodes
    if len(paths) < 2:
        return {}
    apart = _part_copies(paths, copies)
    signs = _read_signs(result, bags, load_terms, meanings)
    closest: list[tuple[Numbers, Weights]] = []
    candidates: list[tuple[Numbers, Weights]] = []
    for number in range(len(paths)):
        numbers, scores = _score_page(number, signs)
        closest.append(pick_best(numbers, scores, _CLOSEST))
        free = ~np.isin(numbers, np.concatenate([signs.links[number], apart.get(number, _NONE)]))
        candidates.append(pick_best(numbers[free], scores[free], _CANDIDATES))
    related = {}
    for number, (others, likeness) in enumerate(_rank_again(closest, candidates)):
        pairs = [(paths[other], min(1.0, round(float(score), 4))) for other, score in zip(others, likeness, strict=True)]
        if pairs:
            related[paths[number]] = tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:MOST])
    return related


_NONE: Numbers = np.zeros(0, dtype=np.int32)


class _Signs(Struct, frozen=True):
    """All that brings pages together."""

    words: Postings
    shared: Postings
    """Page × page it is linked with; pages with too many links are left out."""
    names: Sequence[tuple[Numbers, Scores]]
    """Page → pages that speak of it or that it speaks of, and how much."""
    links: Sequence[Numbers]
    """Page → pages linked with it, in either direction."""
    places: Places
    meanings: Meanings | None


def _read_signs(result: IndexResult, bags: Sequence[Bag], load_terms: LoadTerms, meanings: Meanings | None) -> _Signs:
    paths = result.graph.nodes
    names = [list_names(path, result.pages[path], result.title_of(path)) for path in paths]
    rows, columns = _pair_links(result.graph)
    ends = np.cumsum(np.bincount(rows, minlength=len(paths)))[:-1]
    degrees = np.bincount(rows, minlength=len(paths))
    few = degrees[columns] <= _CROWD
    shared = build_postings(rows[few], columns[few], 1 / np.sqrt(degrees[columns[few]]), len(paths), len(paths))
    spoken: list[list[tuple[int, float]]] = [[] for _ in paths]
    for (number, other), weight in sorted(find_names(read_terms(result, load_terms), names).items()):
        spoken[number].append((other, weight))
    named = [
        (np.array([other for other, _ in own], dtype=np.int32), np.array([weight for _, weight in own], dtype=np.float64)) for own in spoken
    ]
    return _Signs(weigh_words(bags, names), shared, named, np.split(columns.astype(np.int32), ends), Places(paths), meanings)


def _pair_links(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return both ends of all links, each pair of pages in both orders and once, sorted."""
    number = {path: index for index, path in enumerate(graph.nodes)}
    sources = np.fromiter((number[source] for source, _, _ in graph.edges), dtype=np.int64, count=len(graph.edges))
    targets = np.fromiter((number[to] for _, to, _ in graph.edges), dtype=np.int64, count=len(graph.edges))
    keys = np.unique(np.concatenate([sources * len(number) + targets, targets * len(number) + sources]))
    return keys // len(number), keys % len(number)


def _part_copies(paths: Sequence[str], copies: Iterable[Copies]) -> dict[int, Numbers]:
    """Return page → all of its group of near-copies."""
    number = {path: index for index, path in enumerate(paths)}
    apart: dict[int, Numbers] = {}
    for each in copies:
        group = np.array([number[each.path], *(number[path] for path, _ in each.others)], dtype=np.int32)
        apart |= dict.fromkeys(group.tolist(), group)
    return apart


def _score_page(number: int, signs: _Signs) -> tuple[npt.NDArray[np.int64], Scores]:
    """Return the pages close to this one, ascending, and how close, from 0 to 1. The same seen from either page."""
    words, shared = signs.words.score_row(number), signs.shared.score_row(number)
    scores = np.minimum(words, 1.0) if words is not None else np.zeros(len(signs.links))
    if signs.meanings is not None:
        scores = join(scores, MEANT * signs.meanings.score_row(number))
    others, weights = signs.names[number]
    scores[others] = join(scores[others], NAMED * weights)
    if shared is not None:
        scores = join(scores, SHARED * shared)
    linked = signs.links[number]
    scores[linked] = join(scores[linked], np.full(len(linked), LINKED))
    scores[number] = 0.0
    kin = signs.places.find_kin(number)
    found = np.flatnonzero((scores >= LEAST) | kin)
    placed = join(scores[found], NEAR * signs.places.rate_nearness(number)[found])
    return found, join(placed, kin[found] * np.float64(KIN))


def _rank_again(
    closest: Sequence[tuple[Numbers, Weights]], candidates: Sequence[tuple[Numbers, Weights]]
) -> Iterator[tuple[Numbers, Scores]]:
    """Yield for each page its candidates with their scores, raised by how close its closest pages are to them and theirs to it."""
    pages = len(closest)
    near = np.full((pages, _CLOSEST), pages, dtype=np.int64)  # one more than there are pages stands for none
    weights = np.zeros((pages + 1, _CLOSEST))
    for number, (numbers, scores) in enumerate(closest):
        near[number, : len(numbers)] = numbers
        weights[number, : len(numbers)] = scores
    near = np.concatenate([near, np.full((1, _CLOSEST), pages)])
    shares = weights / np.maximum(np.cumsum(weights, axis=1)[:, -1:], 1e-9)
    order = np.argsort(near[:pages], axis=None, kind="stable")
    ends = np.cumsum(np.bincount(near[:pages].ravel(), minlength=pages + 1))
    line = np.zeros(pages + 1)
    for number, (numbers, scores) in enumerate(candidates):
        through = near[near[number]]
        np.add.at(line, through, shares[number][:, np.newaxis] * weights[near[number]])
        pull = line[numbers]
        line[through] = 0.0
        fans = order[ends[number - 1] if number else 0 : ends[number]]
        line[fans // _CLOSEST] = weights[:pages].ravel()[fans]
        pull += np.cumsum(shares[numbers] * line[near[numbers]], axis=1)[:, -1]
        line[fans // _CLOSEST] = 0.0
        yield numbers, join(scores.astype(np.float64), PULL / 2 * pull)
