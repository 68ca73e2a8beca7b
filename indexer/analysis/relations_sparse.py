"""Rows of few weights and the products of one with all: the arithmetic of `indexer.analysis.relations`, in bounded memory. Pure.

Sums run in the order of the columns, one after the other, so they come out the same everywhere, and the same for (a, b) as for (b, a).
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_AT_ONCE = 1 << 22
"""Products held at a time."""


class Lines(Struct, frozen=True):
    """The entries of a sparse matrix, row after row or column after column."""

    ends: Places
    """Line → where its entries end; one more at the front, so that each begins where the one before ends."""
    numbers: Numbers
    """Of the other side, ascending in each line."""
    weights: Weights


class Postings(Struct, frozen=True):
    """A sparse matrix, by row and by column."""

    rows: Lines
    columns: Lines

    def score_row(self, number: int) -> Scores | None:
        """Return the product of one row with each row, itself included; None for a row without entries."""
        first, last = self.rows.ends[number : number + 2].tolist()
        if first == last:
            return None
        own, weights = self.rows.numbers[first:last], self.rows.weights[first:last]
        starts = self.columns.ends[own]
        lengths = self.columns.ends[own + 1] - starts
        ends = np.cumsum(lengths)
        height = len(self.rows.ends) - 1
        total = np.zeros(height)
        start = 0
        while start < len(own):
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + _AT_ONCE, side="right")))
            some = lengths[start:stop]
            # The entries of all these columns: each column begins at its start, and they follow one another.
            places = np.arange(int(ends[stop - 1]) - before) + np.repeat(starts[start:stop] - (ends[start:stop] - some - before), some)
            products = self.columns.weights[places] * np.repeat(weights[start:stop], some)
            total += np.bincount(self.columns.numbers[places], weights=products, minlength=height)
            start = stop
        return total


def build_postings(rows: Places, columns: Places, weights: Scores, height: int, width: int) -> Postings:
    """Return the matrix of entries (row, column, weight), each pair once, in any order."""
    light = weights.astype(np.float32)
    return Postings(_sort_lines(rows, columns, light, height), _sort_lines(columns, rows, light, width))


def _sort_lines(lines: Places, numbers: Places, weights: Weights, count: int) -> Lines:
    order = np.lexsort((numbers, lines))
    ends = np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))])
    return Lines(ends.astype(np.int64), numbers[order].astype(np.int32), weights[order])


def pick_best(numbers: Places, scores: Scores, most: int) -> tuple[Numbers, Weights]:
    """Return the best `most`, best first; of equal ones the lower numbers. `numbers` ascend."""
    if len(scores) > most:
        bar = np.partition(scores, -most)[-most]
        above, level = np.flatnonzero(scores > bar), np.flatnonzero(scores == bar)
        kept = np.concatenate([above, level[: most - len(above)]])
        kept.sort()
        numbers, scores = numbers[kept], scores[kept]
    order = np.argsort(-scores, kind="stable")
    return numbers[order].astype(np.int32), scores[order].astype(np.float32)


def join(first: Scores, second: Scores) -> Scores:
    """Return the strength of two signs together: either is enough, both say more, never above 1."""
    return np.asarray(1 - (1 - first) * (1 - np.minimum(second, 1)))
