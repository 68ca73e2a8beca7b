"""Cursors: where an answer that was cut goes on. Opaque to callers, and made of nothing but what they were shown (SPEC S10).

Used by listBrains and readDocument.
"""

import base64
import binascii
import json

from indexer.serve.tool_error import ToolError

UNUSABLE_CURSOR = "This cursor is not one that an answer held. Leave it out to begin again."


def make_cursor(*parts: str | int) -> str:
    """Return a cursor that holds some values."""
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def parse_cursor(cursor: str, kinds: tuple[type, ...]) -> tuple[str | int, ...]:
    """Return the values of a cursor, one for each kind; ToolError for anything that no answer ever held."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = json.loads(raw.decode())
    except (binascii.Error, ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or [type(part) for part in parts] != list(kinds) or make_cursor(*parts) != cursor:
        raise ToolError(UNUSABLE_CURSOR)
    return tuple(parts)
