"""A limit on how often something may be done that costs a row in the registry. Called by the sign-in."""

import time


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
