"""What names may be in declarations and cards, and the nearest spelling of a wrong one. Needs no library, so that every command can use it.

Used by the readers of tenant.yml, blueprints and cards. Nothing here reads or decides.
"""

import difflib
import re
from collections.abc import Iterable

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]{0,62}$"
"""Of tenants, repos, blueprints and documents."""
REF_PATTERN = r"^[a-z0-9][a-z0-9-]{0,62}@[1-9][0-9]{0,5}$"
"""Of a blueprint with its version."""
DOMAINS = 20
"""Domains of the Context Spine are numbers from 1 to this one."""
MOST_DAYS = 36_500
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))})
"""Names that Windows keeps for devices, so nothing there can be called so."""

_LONGEST_WORD = 60
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def suggest(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` when something known is spelt much like the word, else nothing."""
    near = difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else ""


def show_word(word: str) -> str:
    """Return a word of a file as it can stand in a sentence: on one line, and cut when it is long."""
    line = join_lines(word)
    return line if len(line) <= _LONGEST_WORD else f"{line[: _LONGEST_WORD - 1]}…"


def join_lines(text: str) -> str:
    """Return text on one line, without control characters."""
    return _CONTROL.sub(" ", text)
