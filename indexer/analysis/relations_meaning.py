"""What pages mean, as an embedding server sees it: a further sign for `indexer.analysis.relations`, where one is configured. Pure.

Vectors of a model all lean the same way, so what the pages of a brain have in common is taken off first. All sums are of whole numbers that
32-bit floats hold exactly, so they come out the same on every machine and from either page.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from indexer.analysis.relations_sparse import Scores
from indexer.model.page import PageBody, PageFacts

LONGEST = 2000
"""Characters of a page that are sent: its beginning says what it is about, and models cut off the rest."""
UNLIKE = 0.2
"""Likeness that two pages about different things have."""
_SCALE = 1000
_BLOCK = 256
"""Rows multiplied at a time."""


def write_gist(title: str, page: PageFacts, body: PageBody) -> str:
    """Return what the server is told of a page: its title and the beginning of its text, with headings and without markup."""
    parts = [title]
    for section in body.sections:
        heading = page.headings[section.heading].text if section.heading >= 0 else ""
        parts += [each for each in (heading, section.text) if each and each != title]
    return "\n\n".join(parts)[:LONGEST]


class Meanings:
    """The vectors of all pages of a brain, page by page."""

    def __init__(self, vectors: Sequence[bytes]) -> None:
        """`vectors` are as `indexer.sources.embedding.Embed` gives them."""
        rows = np.array([np.frombuffer(vector, dtype="<i2") for vector in vectors], dtype=np.int16)
        common = rows.sum(axis=0, dtype=np.int64)
        self._rows = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), _BLOCK):
            apart = rows[start : start + _BLOCK].astype(np.int64) * len(rows) - common
            lengths = np.sqrt((apart**2).sum(axis=1).astype(np.float64))
            self._rows[start : start + _BLOCK] = np.rint(apart / np.maximum(lengths, 1)[:, np.newaxis] * _SCALE)
        self._start = 0
        self._block: npt.NDArray[np.float32] = self._rows[:0]

    def score_row(self, number: int) -> Scores:
        """Return how alike each page is to this one, from 0 to 1. Quick when pages are asked for in order."""
        if not self._start <= number < self._start + len(self._block):
            self._start = number
            self._block = self._rows[number : number + _BLOCK] @ self._rows.T
        likeness = self._block[number - self._start].astype(np.float64) / _SCALE**2
        return np.asarray(np.clip((likeness - UNLIKE) / (1 - UNLIKE), 0, 1))
