"""A long list in order, cut into parts that fit on a map, at places that stay where they are when the list changes a little.

Filling one part after the other would move every border behind a new page. Here a list is halved, again and again, each time at the border
of the middle third that takes the fewest letters to name: `k` before `kerb`, as in a B-tree of prefixes. A new page moves a border only
where a part has grown too large. Used by `maps_hubs` and `maps_index`; pure.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

Each = TypeVar("Each")
_SAME = 1 << 20
"""Length of a border between two that are called the same: taken only where there is no other."""


def cut_in_parts(
    listed: Sequence[Each], key: Callable[[Each], str], cost: Callable[[Each], int], most: int
) -> Iterator[tuple[str, Sequence[Each]]]:
    """Yield (border, part) of a list sorted by `key`; a part costs at most `most`, unless one entry alone costs more.

    The border is the shortest beginning of the part's first key that tells it from the part before; empty for the first part.
    """
    keys = [key(each) for each in listed]
    sums = [0, *accumulate(cost(each) for each in listed)]
    waiting = [("", 0, len(listed))]
    while waiting:
        border, start, end = waiting.pop()
        if sums[end] - sums[start] <= most or end - start <= 1:
            yield border, listed[start:end]
            continue
        middle = _find_border(keys, sums, start, end)
        waiting += [(_name_border(keys, middle), middle, end), (border, start, middle)]


def _find_border(keys: Sequence[str], sums: Sequence[int], start: int, end: int) -> int:
    total, low = sums[end] - sums[start], sums[start]
    inner = [at for at in range(start + 1, end) if total <= 3 * (sums[at] - low) <= 2 * total] or range(start + 1, end)
    return min(inner, key=lambda at: (_length(keys, at), abs(2 * (sums[at] - low) - total), at))


def _length(keys: Sequence[str], at: int) -> int:
    return len(_name_border(keys, at)) if keys[at] != keys[at - 1] else _SAME


def _name_border(keys: Sequence[str], at: int) -> str:
    before, after = keys[at - 1], keys[at]
    shared = next((index for index, (left, right) in enumerate(zip(before, after, strict=False)) if left != right), len(before))
    return after[: shared + 1]
