"""One part of a file, as players of sound and film ask for it. Called by `sites`, after the reader was let in. Pure."""

import re

_ONE = re.compile(rb"bytes=([0-9]{0,15})-([0-9]{0,15})")


def parse_range(asked: bytes, size: int) -> tuple[int, int] | None:
    """Return start and end (exclusive) of the one part that was asked for; None = send the whole file.

    Several parts, other units and what lies outside the file are treated as not asked for.
    """
    found = _ONE.fullmatch(asked)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        start, end = max(0, size - int(found[2])), size
    else:
        start, end = int(found[1]), min(size, int(found[2]) + 1) if found[2] else size
    return (start, end) if start < end else None
