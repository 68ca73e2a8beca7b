"""Pages → numbers ("slots") by which postings name them. Pure; called by the builder and the updater of the search index.

A slot follows from the hash of the path in a space of 16 to 32 slots a page, so that a page which comes or goes moves almost no other,
and the numbers follow from the set of paths alone: a full build and an update agree.
"""

from collections.abc import Callable, Iterable, Set
from hashlib import blake2b

_SMALLEST = 10


def count_bits(pages: int) -> int:
    """Return the logarithm of the space for so many pages: the power of two at or above 16 × pages, at least 1024."""
    return max(_SMALLEST, (16 * pages - 1).bit_length())


def assign_slots(paths: Iterable[str], bits: int) -> dict[str, int]:
    """Return path → slot, in order of slots. Where two pages want one slot, the second by hash takes the next; nobody before it moves."""
    slots: dict[str, int] = {}
    shift, before = 64 - bits, -1
    for number, path in sorted((_hash(path), path) for path in paths):
        wanted = number >> shift
        before = wanted if wanted > before else before + 1
        slots[path] = before
    return slots


def reassign_slots(occupant: Callable[[int], str | None], leaving: Set[str], entering: Set[str], bits: int) -> dict[str, tuple[int, int]]:
    """Return path → (old slot, new slot) of the pages that leave, enter, or stand in one row with such a page; -1 = none.

    `occupant` tells which page is in a slot. A row is a stretch of slots without a gap: only there a page can push another. A page
    that leaves and is in no slot is missing from the result.
    """
    rows = _Rows(occupant)
    for path in leaving | entering:
        rows.add(_hash(path) >> (64 - bits))
    while True:
        new = assign_slots((rows.slots.keys() - leaving) | entering, bits)
        pushed = [slot for slot in new.values() if (there := occupant(slot)) and there not in rows.slots]
        if not pushed:
            return {path: (rows.slots.get(path, -1), new.get(path, -1)) for path in rows.slots.keys() | new.keys()}
        for slot in pushed:
            rows.add(slot)


class _Rows:
    """Rows of pages around some slots."""

    def __init__(self, occupant: Callable[[int], str | None]) -> None:
        self._occupant = occupant
        self.slots: dict[str, int] = {}
        """Path → slot."""

    def add(self, slot: int) -> None:
        for step in (1, -1):
            place = slot
            while (path := self._occupant(place)) is not None:
                self.slots[path] = place
                place += step


def _hash(path: str) -> int:
    return int.from_bytes(blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
