"""Pages that belong together though nothing links them (DESIGN, Relations): weighted words. Called by `brain inspect`; pure.

The lexical part only: cosine of TF-IDF over the words of the search index. Graph signals, mentions and duplicates are still to come.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np

from indexer.model.result import IndexResult
from indexer.model.search import PageTerms

MOST = 10
_LEAST = 0.05
_COMMON = 0.25
_BLOCK = 512


def find_related(result: IndexResult, terms: Mapping[str, PageTerms]) -> dict[str, list[tuple[str, float]]]:
    """Return for each published page at most ten others, best first, with a likeness from 0 to 1; linked pages are left out.

    `terms` are by blob id.
    """
    paths = result.graph.nodes
    if len(paths) < 2:
        return {}
    rows = [_count_words(terms[result.entries[path].blob]) for path in paths]
    postings = _weigh(rows)
    related: dict[str, list[tuple[str, float]]] = {}
    for start in range(0, len(paths), _BLOCK):
        scores = _score_block(rows, postings, range(start, min(start + _BLOCK, len(paths))), len(paths))
        for offset, row in enumerate(scores):
            path = paths[start + offset]
            linked = {path, *result.graph.backlinks.get(path, ()), *result.graph.outgoing.get(path, ())}
            best = np.argsort(-row, kind="stable")[: MOST + len(linked)]
            pairs = [
                (paths[number], round(float(row[number]), 4)) for number in best if row[number] >= _LEAST and paths[number] not in linked
            ]
            if pairs:
                related[path] = pairs[:MOST]
    return related


def _count_words(terms: PageTerms) -> Counter[str]:
    counts: Counter[str] = Counter()
    for section in terms.sections:
        counts.update(section)
    return counts


def _weigh(rows: list[Counter[str]]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return token → (pages, weights) with rows of length 1; words of one page alone, or of a quarter of all, say nothing."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for token in row:
            found[token].append(number)
    most = max(8, int(_COMMON * len(rows)))
    idf = {token: math.log(len(rows) / len(pages)) for token, pages in found.items() if 2 <= len(pages) <= most}
    norms = [math.sqrt(sum((math.log1p(count) * idf[token]) ** 2 for token, count in row.items() if token in idf)) or 1.0 for row in rows]
    return {
        token: (
            np.array(found[token], dtype=np.int64),
            np.array([math.log1p(rows[number][token]) * weight / norms[number] for number in found[token]]),
        )
        for token, weight in sorted(idf.items())
    }


def _score_block(rows: list[Counter[str]], postings: Mapping[str, tuple[np.ndarray, np.ndarray]], block: range, total: int) -> np.ndarray:
    scores = np.zeros((len(block), total))
    for offset, number in enumerate(block):
        for token in sorted(rows[number]):
            if token in postings:
                pages, weights = postings[token]
                own = weights[np.searchsorted(pages, number)]
                scores[offset, pages] += own * weights
    return scores
