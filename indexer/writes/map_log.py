"""What a refresh says of itself, in its commit and in `.brain/log.md`: numbers and revisions alone (SPEC T31). Pure.

No word of a page enters it, so that none can forge a line (THREATS 47), and no clock: a line has the day of what was read.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import Struct

AddLog = Callable[[bytes, str, str], bytes]
"""(log, when, what) → the log with one more line, bounded."""
_LATEST = 253_402_300_799
"""End of the year 9999, the last one there is a date for."""


class Counts(Struct, frozen=True):
    """What a refresh did to the maps."""

    pages: int = 0
    """Published pages that the maps cover."""
    new: int = 0
    changed: int = 0
    gone: int = 0


def describe_counts(counts: Counts) -> str:
    """Return the counts as words."""
    parts = [f"{number:,} {word}" for number, word in ((counts.new, "new"), (counts.changed, "changed"), (counts.gone, "gone")) if number]
    return f"maps of {counts.pages:,} {'page' if counts.pages == 1 else 'pages'}; {', '.join(parts) or 'none changed'}"


def show_day(at: int) -> str:
    """Return the day of a moment, `YYYY-MM-DD` in UTC; a commit may claim any moment."""
    return datetime.fromtimestamp(min(max(at, 0), _LATEST), UTC).date().isoformat()
