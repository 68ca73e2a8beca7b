"""`.brain/log.md`: one line for each refresh that changed something, newest last, of numbers and revisions alone (SPEC T31).

Pure. No word of a page enters it, so that none can forge a line (THREATS 47), and no clock: a line has the time of what was read.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

MOST_LINES = 200
"""Older lines go; git still has them. As many cost less than 6,000 tokens."""

_HEAD = "# Log\n\nWhat each refresh did; the newest line is the last one, and old ones are dropped.\n\n"
_LINE = re.compile(r"- \d{4}-\d{2}-\d{2}, [0-9a-f]{12}: [a-z0-9 ,;]{1,120}")


@dataclass(frozen=True, slots=True)
class Counts:
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


def add_line(log: bytes, revision: str, at: int, counts: Counts, note: str = "") -> bytes:
    """Return the log with the line of one refresh; what is no line of ours is dropped.

    The line of a revision that is there already is written anew.
    """
    day = datetime.fromtimestamp(at, UTC).date().isoformat()
    line = f"- {day}, {revision[:12]}: {describe_counts(counts)}{f'; {note}' if note else ''}"
    kept = [each for each in log.decode("utf-8", "replace").splitlines() if _LINE.fullmatch(each) and revision[:12] not in each[:27]]
    return (_HEAD + "\n".join([*kept, line][-MOST_LINES:]) + "\n").encode()
