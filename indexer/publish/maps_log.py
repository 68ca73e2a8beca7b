"""`.brain/log.md`: what each refresh did, a line each, newest last (SPEC T31). Called by the refresh; pure.

The file is a view for people and agents, no record to rely on: whoever may write to the repo may change it (THREATS 47).
"""

from indexer.publish.maps_text import escape_markdown
from indexer.publish.visible import clean_line

_HEAD = ["# Log", "", "What each refresh did; the newest line is the last one, and old ones are dropped.", ""]
_MOST_LINES = 200
_MOST_BYTES = 16_000
"""Of all lines together: less than 6,000 tokens."""
_LONGEST_LINE = 300


def add_log(text: bytes, when: str, what: str) -> bytes:
    """Return the log with one more line; `when` is a time as it is to stand there, `what` one sentence. The oldest lines make room.

    Lines that are no entries are left out, so the file can be no longer than we write it, whatever it held.
    """
    entry = f"- {clean_line(when, 40)}: {escape_markdown(clean_line(what, _LONGEST_LINE))}"
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.startswith("- ") and len(line) <= 2 * _LONGEST_LINE]
    kept: list[str] = []
    room = _MOST_BYTES
    for line in reversed([*lines, entry]):
        room -= len(line.encode()) + 1
        if room < 0 or len(kept) == _MOST_LINES:
            break
        kept.append(line)
    return ("\n".join([*_HEAD, *reversed(kept)]) + "\n").encode()
