"""Rows of few weights and the products of one with all: the arithmetic of `indexer.analysis.relations`, in bounded memory. Pure.

Sums run in the order of the columns, one after the other, so they come out the same everywhere, and the same for (a, b) as for (b, a).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
_AT_ONCE = 1 << 22
"""Products held at a time."""


@dataclass(frozen=True, slots=True)
class Postings:
    """A sparse matrix, by row and by column."""

    rows: Sequence[Numbers]
    """Row → its columns, ascending."""
    weights: Sequence[Weights]
    """Row → their weights."""
    columns: Sequence[Numbers]
    """Column → the rows that have it, ascending."""
    columns_weights: Sequence[Weights]
    sizes: npt.NDArray[np.int64]
    """Column → number of its rows."""

    def score_row(self, number: int) -> Scores:
        """Return the product of one row with each row, itself included."""
        own = self.rows[number]
        total = np.zeros(len(self.rows))
        if not len(own):
            return total
        lengths = self.sizes[own]
        ends = np.cumsum(lengths)
        start = 0
        while start < len(own):
            limit = (ends[start - 1] if start else 0) + _AT_ONCE
            stop = max(start + 1, int(np.searchsorted(ends, limit, side="right")))
            some = own[start:stop].tolist()
            weights = np.concatenate([self.columns_weights[column] for column in some])
            weights *= np.repeat(self.weights[number][start:stop], lengths[start:stop])
            total += np.bincount(np.concatenate([self.columns[column] for column in some]), weights=weights, minlength=len(self.rows))
            start = stop
        return total


def build_postings(rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], weights: Scores, height: int, width: int) -> Postings:
    """Return the matrix of entries (row, column, weight), each pair once, in any order."""
    by_row = np.lexsort((columns, rows))
    by_column = np.lexsort((rows, columns))
    light = weights.astype(np.float32)
    row_ends: npt.NDArray[np.int64] = np.cumsum(np.bincount(rows, minlength=height))[:-1]
    sizes = np.bincount(columns, minlength=width)
    column_ends: npt.NDArray[np.int64] = np.cumsum(sizes)[:-1]
    return Postings(
        np.split(columns[by_row].astype(np.int32), row_ends),
        np.split(light[by_row], row_ends),
        np.split(rows[by_column].astype(np.int32), column_ends),
        np.split(light[by_column], column_ends),
        sizes,
    )


def pick_best(numbers: npt.NDArray[np.int64], scores: Scores, most: int) -> tuple[Numbers, Weights]:
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
