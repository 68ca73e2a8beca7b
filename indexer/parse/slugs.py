"""Heading text → id, by GitHub's rule, so that links written for GitHub work on the site.

Used by `indexer.parse.outline` and link resolution.
"""

import re
import unicodedata

_ASCII_DROPPED = re.compile(r"[^a-z0-9_\- ]")
_RESERVED = ("__", "brain-")


def slugify(text: str) -> str:
    """Return the id of a heading that stands alone: lower case, letters, digits, marks, `-` and `_` kept, spaces to `-`."""
    text = text.strip().lower()
    kept = _ASCII_DROPPED.sub("", text) if text.isascii() else "".join(filter(_is_kept, unicodedata.normalize("NFC", text)))
    return kept.replace(" ", "-")


def _is_kept(char: str) -> bool:
    return char.isalnum() or char in "-_ " or unicodedata.category(char)[0] == "M" or unicodedata.category(char) == "Pc"


class IdRegister:
    """Hands out ids that are unique on one page: `errors`, `errors-1`, `errors-2`, skipping what a heading took by its own name."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Return `wanted`, or the next free numbered form of it."""
        base = guard_id(wanted)
        if base not in self._taken:
            self._taken.add(base)
            return base
        count = self._counts.get(base, 0)
        while True:
            count += 1
            numbered = f"{base}-{count}"
            if numbered not in self._taken:
                break
        self._counts[base] = count
        self._taken.add(numbered)
        return numbered

    def is_free(self, wanted: str) -> bool:
        """Whether nothing on the page has this id yet."""
        return wanted not in self._taken


def guard_id(wanted: str) -> str:
    """Keep ids that the frame uses for itself out of content's reach."""
    if not wanted:
        return "section"
    return f"h-{wanted}" if wanted.startswith(_RESERVED) else wanted
