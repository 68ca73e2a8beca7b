"""Small files of sites in memory, with their headers, as they go over the wire. Asked by `sites`, after the reader was let in.

A release does not change, so a file that is kept for it is the file; which release is the newest is asked for each request. What was asked
for longest ago goes first.
"""

from collections import OrderedDict

from indexer.serve.addresses import Address
from indexer.serve.answers import Written
from indexer.serve.releases import Stamp

LARGEST_KEPT = 128 * 1024
_MOST_BYTES = 64 * 1024 * 1024


class Kept:
    """What is kept by one process, up to a number of bytes."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._answers: OrderedDict[Address, tuple[Stamp, Written]] = OrderedDict()

    def find(self, address: Address, stamp: Stamp) -> Written | None:
        """Return the answer that was kept for an address in this very release."""
        kept = self._answers.get(address)
        if kept is None or kept[0] != stamp:
            return None
        self._answers.move_to_end(address)
        return kept[1]

    def keep(self, address: Address, stamp: Stamp, written: Written) -> None:
        """Keep an answer instead of that of an older release."""
        old = self._answers.pop(address, None)
        self._bytes += _weigh(written) - (_weigh(old[1]) if old else 0)
        self._answers[address] = stamp, written
        while self._bytes > self._most:
            _, (_, dropped) = self._answers.popitem(last=False)
            self._bytes -= _weigh(dropped)


_OVERHEAD = 500
"""Bytes of what is around an answer, about."""


def _weigh(written: Written) -> int:
    return len(written.head) + len(written.body) + _OVERHEAD
