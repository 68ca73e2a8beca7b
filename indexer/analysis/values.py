"""Frontmatter values that a brain uses → plain text, dates and keys. Used by `cards`, `documents` and `conflicts`.

Frontmatter is untrusted JSON (see `indexer.parse.frontmatter`): any type may stand anywhere, and nothing here raises.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from indexer.analysis.names import nfc
from indexer.model.page import PageFacts
from indexer.parse import dates
from indexer.parse.outline import show_target

_WIKILINK = re.compile(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What no page, terminal or JSON can show, or what turns text around; escapes in YAML can bring any of it."""
_SEPARATORS = re.compile(r"[\s_-]+")
_NO = frozenset({"", "no", "none", "false", "off", "n"})
_YES = frozenset({"yes", "true", "on", "y"})
LONGEST_KEY = 80
_LONGEST_MISSPELT = 14
LONGEST_READ = 20_000
"""Characters of one value that are looked at; a whole frontmatter may have 64 kB."""


def fold_key(key: str) -> str:
    """Return the form in which `checkedBy`, `checked_by`, `checked-by` and `Checked by` are one key; no key that counts is long."""
    return _fold_short(key) if len(key) <= LONGEST_KEY else key


@lru_cache(maxsize=4096)
def _fold_short(key: str) -> str:
    return _SEPARATORS.sub("", nfc(key).casefold())


def fold_value(text: str) -> str:
    """Return the form in which letter case, composition and white space make no difference."""
    return " ".join(nfc(nfc(text).casefold()).split())


def read_keys(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return folded key → value; of several spellings of a key the first by code points counts, so order in the file says nothing."""
    values = {fold_key(key): value for key, value in meta.items()}
    if len(values) < len(meta):
        values = {fold_key(key): meta[key] for key in sorted(meta, reverse=True)}
    return values


def find_misspelt(meta: Mapping[str, Any], known: Sequence[str]) -> list[tuple[str, str]]:
    """Return (key as written, known key) where a key is spelt much like a known one that is not there, sorted."""
    there = {fold_key(key): key for key in sorted(meta, reverse=True)}
    absent = {fold_key(key): key for key in known if fold_key(key) not in there}
    others = there.keys() - {fold_key(key) for key in known}
    near = [(there[key], difflib.get_close_matches(key, absent, n=1, cutoff=0.8)) for key in others if 3 <= len(key) <= _LONGEST_MISSPELT]
    return sorted((written, absent[found[0]]) for written, found in near if found)


def find_line(page: PageFacts, key: str, entry: int = 0) -> int:
    """Return the 1-based line of a folded key of the frontmatter, or of an entry of its list (from 1); 0 when it is not there."""
    spelled = [(written, place) for place, written in enumerate(page.meta) if fold_key(written) == key]
    if not spelled:
        return 0
    written, place = min(spelled)
    lines = next((lines for listed, lines in page.entry_lines if listed == written), ())
    if 0 < entry <= len(lines):
        return lines[entry - 1]
    return page.meta_lines[place] if page.meta_lines else place + 2


def read_text(value: object, most: int = 500) -> str:
    """Return one plain value as one line of at most `most` characters; empty for null, lists and mappings."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)[:most]
    return cut_text(_show_words(value[:LONGEST_READ]), most) if isinstance(value, str) else ""


def cut_text(text: str, most: int) -> str:
    """Return at most `most` characters of a text; the last one says that more was there."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def read_names(value: object) -> str:
    """Return who is named: one plain value, or a list of them joined by commas."""
    if isinstance(value, list):
        return cut_text(", ".join(filter(None, (_read_name(each) for each in value[:20]))), 200)
    return _read_name(value)


def read_day(value: object) -> str:
    """Return `YYYY-MM-DD` of a date, or of a link to the note of a day; empty when it is none."""
    if not isinstance(value, str) or len(value) > 100:
        return ""
    target = read_target(value)
    return dates.read_day(target.rpartition("/")[2].strip() if target else value.strip()) or ""


def read_target(value: str) -> str:
    """Return what a value that is one wikilink leads to; empty for any other text."""
    link = _WIKILINK.fullmatch(value.strip())
    return link[1] if link else ""


def is_no(value: object) -> bool:
    """Whether a value says that its key does not apply: nothing, `false`, `no`, `none`."""
    return value is None or value is False or (isinstance(value, str) and value.strip().casefold() in _NO)


def is_yes(value: object) -> bool:
    """Whether a value says no more than yes."""
    return value is True or (isinstance(value, str) and value.strip().casefold() in _YES)


def _read_name(value: object) -> str:
    """Yes and no name nobody."""
    return "" if is_no(value) or is_yes(value) else read_text(value, 200)


def _show_words(text: str) -> str:
    """Return the words that a reader of the page sees: of links their label, never a path behind one, for the page there may be hidden."""
    if "[" not in text and "  " not in text and text.isascii() and text.isprintable():
        return text.strip()  # as nearly all are
    if "[" in text:
        text = _WIKILINK.sub(lambda link: (link[2] or "").strip() or show_target(link[1]), text)
        text = _MARKDOWN_LINK.sub(lambda link: link[1], text)
    return UNSHOWN.sub("\ufffd", " ".join(text.split()))
