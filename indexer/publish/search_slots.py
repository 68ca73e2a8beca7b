"""Pages → numbers ("slots") by which postings name them. Pure; called by the builder and the updater of the search index.

A slot follows from the hash of the path in a space of 16 to 32 slots a page, so that a page which comes or goes moves almost no other,
and the numbers follow from the set of paths alone: a full build and an update agree.
"""

from collections.abc import Iterable
from hashlib import blake2b

_SMALLEST = 10


def count_bits(pages: int) -> int:
    """Return the logarithm of the space for so many pages: the power of two at or above 16 × pages, at least 1024."""
    return max(_SMALLEST, (16 * pages - 1).bit_length())


def assign_slots(paths: Iterable[str], bits: int) -> dict[str, int]:
    """Return path → slot. Where two pages want one slot, the second in order of hash takes the next one; nobody before it moves."""
    hashed = sorted((_hash(path), path) for path in paths)
    slots: dict[str, int] = {}
    shift, before = 64 - bits, -1
    for number, path in hashed:
        wanted = number >> shift
        before = wanted if wanted > before else before + 1
        slots[path] = before
    return slots


def _hash(path: str) -> int:
    return int.from_bytes(blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
