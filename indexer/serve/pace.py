"""Limits on how often something may be done that costs a row in the registry. Called by the sign-in."""

import time
from collections import OrderedDict

_MOST_KEPT = 10_000


class Pace:
    """Allows `burst` at once and `per_second` in the long run, in this process."""

    def __init__(self, *, per_second: float, burst: int) -> None:
        self._rate, self._burst = per_second, float(burst)
        self._left, self._at = float(burst), time.monotonic()

    def allows(self) -> bool:
        """Return whether it may be done once more now, and count it."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class SharedPace:
    """A pace for everybody, of which one address gets a part: whoever begins sign-ins without end keeps nobody else from signing in."""

    def __init__(self, *, per_second: float, burst: int, parts: int) -> None:
        self._all = Pace(per_second=per_second, burst=burst)
        self._per_second, self._burst = per_second / parts, burst // parts
        self._each: OrderedDict[str, Pace] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Return whether an address may do it once more now, and count it. Empty = unknown: only the whole counts."""
        return (not address or self._find(address).allows()) and self._all.allows()

    def _find(self, address: str) -> Pace:
        pace = self._each.pop(address, None) or Pace(per_second=self._per_second, burst=self._burst)
        self._each[address] = pace
        if len(self._each) > _MOST_KEPT:
            self._each.popitem(last=False)
        return pace
