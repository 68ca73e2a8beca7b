"""Entries under `add` and `drop` of a card → documents and what is wrong with them (SPEC S05, S12). Used by `cards`.

A card is untrusted: every entry is looked at by itself, and a bad one costs only itself. Problems are single sentences that name the entry
and every reason; they are the same on every run and tell of nothing outside the card and its blueprint.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from indexer.analysis.values import LONGEST_READ, cut_text, fold_key, fold_value, read_keys, read_text
from indexer.model.blueprint import RINGS, PlannedDocument
from indexer.registry.names import DEVICES, DOMAINS, MOST_DAYS, NAME_PATTERN

MOST_ENTRIES = 200
"""Entries of one list that are read."""
LONGEST_TITLE, LONGEST_TEXT = 200, 500
"""Characters of a title, and of `asks` and `reason`; longer ones are cut."""
_DOMAINS = range(1, DOMAINS + 1)
_SLUG = re.compile(NAME_PATTERN)
_RESERVED = DEVICES | {"brain", "index", "readme"}
"""`brain.md` is the card; `index.md` and `readme.md` are the page of the folder."""
_KEYS_OF_ADD = ("id", "title", "ring", "deepens", "outOfDateAfterDays", "asks", "reason")
_KEYS_OF_DROP = ("id", "reason")
_HINTS = {
    "add": (
        f"An entry under `add` takes `id`, `title`, `ring` and `asks`, and wants a `reason`. Rings: {', '.join(ring for ring, _ in RINGS)}."
    ),
    "drop": "An entry under `drop` is a line `- id: …` and, below it, a line `reason: …` that says why.",
}
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029`\s]+")
_RING_NAMES = {
    **{fold_value(stage): ring for ring, stage in RINGS},
    **{fold_value(ring): ring for ring, _ in RINGS},
    "organizational knowledge": "Organisational Knowledge",
}


class Problem(Struct, frozen=True):
    """Something wrong with a card."""

    code: str
    """Code of the finding that it becomes."""
    text: str
    """One sentence without a full stop, unless it ends with a question; the brain's warning."""
    hint: str = ""
    key: str = ""
    """Key of the card that it is about, folded; empty when it is about none."""
    entry: int = 0
    """Number of the entry under that key, from 1; 0 = the key itself."""


class AddEntry(Struct, frozen=True):
    """One document that a card adds, before it is held against the blueprint."""

    id: str
    title: str
    ring: str
    deepens: tuple[int, ...]
    out_of_date_after_days: int | None
    asks: str
    reason: str
    number: int = 0
    """Place in the list, from 1."""

    def plan(self, file: str) -> PlannedDocument:
        """Return the document that it asks for."""
        return PlannedDocument(self.id, file, self.title, self.ring, self.deepens, self.out_of_date_after_days, self.asks)


class DropEntry(Struct, frozen=True):
    """One document that a card leaves out, before it is held against the blueprint."""

    id: str
    reason: str
    number: int = 0
    """Place in the list, from 1."""


Entry = TypeVar("Entry", AddEntry, DropEntry)


def read_ring(value: object) -> str:
    """Return the ring of a name in any case, or of the name of its stage; empty when there is none."""
    return _RING_NAMES.get(fold_value(value[:100]), "") if isinstance(value, str) else ""


def parse_adds(value: object) -> tuple[list[AddEntry], list[Problem]]:
    """Return the usable entries under `add`, each id once, and what is wrong with the others."""
    entries, problems = _list_entries("add", value)
    return _parse_entries("add", entries, problems, _KEYS_OF_ADD, _parse_add, "another entry has this id; the first one counts")


def parse_drops(value: object) -> tuple[list[DropEntry], list[Problem]]:
    """Return the usable entries under `drop`, each id once, and what is wrong with the others."""
    entries, problems = _list_entries("drop", value)
    named = [(number, {"id": raw} if isinstance(raw, str) else raw) for number, raw in entries]
    return _parse_entries("drop", named, problems, _KEYS_OF_DROP, _parse_drop, "another entry drops it already")


def show_value(value: object) -> str:
    """Return a value as it can stand in a sentence: on one line, between backticks, cut when it is long."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    text = _UNSHOWN.sub(" ", read_text(value, 1000)).strip()
    return f"`{cut_text(text, 60)}`"


def note_entry(key: str, number: int, text: str, hint: str = "") -> Problem:
    """Return a problem with an entry under `add` or `drop`; 0 is the list itself."""
    return Problem("BPR003", text, hint or ("" if text.endswith("?") else _HINTS[key]), key, number)


def _list_entries(key: str, value: object) -> tuple[list[tuple[int, object]], list[Problem]]:
    if value is None:
        return [], []
    if not isinstance(value, list):
        return [], [note_entry(key, 0, f"{key}: it is no list of entries, each of which begins with a dash")]
    text = f"{key}: it has {len(value)} entries; only the first {MOST_ENTRIES} count"
    cut = [note_entry(key, MOST_ENTRIES + 1, text)] if len(value) > MOST_ENTRIES else []
    return list(enumerate(value[:MOST_ENTRIES], 1)), cut


def _parse_entries(
    key: str,
    entries: Iterable[tuple[int, object]],
    problems: list[Problem],
    known: tuple[str, ...],
    parse: Callable[[Mapping[str, Any], list[str]], Entry | None],
    twice: str,
) -> tuple[list[Entry], list[Problem]]:
    """Return the usable entries, each id once, and what is wrong with the others after the problems of the list itself."""
    found: dict[str, Entry] = {}
    for number, raw in entries:
        keys, name, reasons = _open_entry(key, number, raw, known)
        entry = replace(parsed, number=number) if keys is not None and (parsed := parse(keys, reasons)) else None
        if entry and entry.id in found:
            reasons.append(twice)
        elif entry:
            found[entry.id] = entry
        if reasons:
            problems.append(note_entry(key, number, f"{name}: {'; '.join(reasons)}", _suggest_id(raw) if keys is None else ""))
    return list(found.values()), problems


def _open_entry(key: str, number: int, raw: object, known: tuple[str, ...]) -> tuple[dict[str, Any] | None, str, list[str]]:
    """Return the keys of an entry (None when it has no usable id), how it is called in a problem, and what is wrong so far."""
    name = f"entry {number} of {key}"
    if not isinstance(raw, Mapping):
        return None, name, ["it is no mapping with an id"]
    keys = read_keys(raw)
    written = keys.get("id")
    if written is None or written == "":
        return None, name, ["it has no id"]
    identifier = _read_id(written)
    if not identifier:
        name = name if isinstance(written, list | dict) else f"{key} {show_value(written)}"
        return None, name, ["the id must be 1 to 63 lower-case letters, digits and dashes"]
    keys["id"] = identifier
    unknown = sorted(set(keys) - {fold_key(each) for each in known})[:3]
    reasons = [f"unknown key {', '.join(show_value(each) for each in unknown)}, left out"] if unknown else []
    return keys, f"{key} `{identifier}`", reasons


def _read_id(value: object) -> str:
    """Return a slug; a plain number is one as well."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return text if isinstance(text, str) and _SLUG.fullmatch(text) else ""


def _suggest_id(raw: object) -> str:
    """Return what to write in place of an id such as `Team Page` or `offer.md`; empty when nothing is near."""
    written = read_keys(raw).get("id") if isinstance(raw, Mapping) else None
    slug = _NOT_IN_SLUG.sub("-", written[:100].strip().lower().removesuffix(".md")).strip("-") if isinstance(written, str) else ""
    return f"Write `id: {slug}`." if _SLUG.fullmatch(slug) else ""


def _parse_add(keys: Mapping[str, Any], reasons: list[str]) -> AddEntry | None:
    wrong = ["the id is reserved"] if keys["id"] in _RESERVED else []
    missing = [key for key in ("title", "asks", "ring") if not read_text(keys.get(key))]
    if missing:
        wrong.append(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing or no text")
    ring = read_ring(keys.get("ring"))
    if not ring and "ring" not in missing:
        wrong.append(f"ring {show_value(keys['ring'])} is none of the five rings")
    deepens, problem = _read_domains(keys.get("deepens"))
    days, problem_of_days = _read_days(keys.get("outofdateafterdays"))
    wrong += [each for each in (problem, problem_of_days) if each]
    if wrong:
        reasons[:0] = wrong
        return None
    title = _read_capped("title", LONGEST_TITLE, keys, reasons)
    asks = _read_capped("asks", LONGEST_TEXT, keys, reasons)
    reason = _read_capped("reason", LONGEST_TEXT, keys, reasons)
    if not reason:
        reasons.append("it counts, but gives no reason")
    return AddEntry(keys["id"], title, ring, deepens, days, asks, reason)


def _parse_drop(keys: Mapping[str, Any], reasons: list[str]) -> DropEntry | None:
    reason = _read_capped("reason", LONGEST_TEXT, keys, reasons)
    if not reason:
        reasons.insert(0, "it gives no reason")
        return None
    return DropEntry(keys["id"], reason)


def _read_capped(key: str, most: int, keys: Mapping[str, Any], reasons: list[str]) -> str:
    text = read_text(keys.get(key), LONGEST_READ)
    if len(text) > most:
        reasons.append(f"{key} is longer than {most} characters and is cut")
    return cut_text(text, most)


def _read_domains(value: object) -> tuple[tuple[int, ...], str]:
    if value is None:
        return (), ""
    if not isinstance(value, list):
        return (), f"deepens is no list of whole numbers from 1 to {DOMAINS}"
    if len(value) > len(_DOMAINS):
        return (), f"deepens has more than {len(_DOMAINS)} numbers"
    wrong = [each for each in value if not isinstance(each, int) or isinstance(each, bool) or each not in _DOMAINS]
    if wrong:
        return (), f"deepens holds {show_value(wrong[0])}, which is no whole number from 1 to {DOMAINS}"
    return tuple(sorted(set(value))), ""


def _read_days(value: object) -> tuple[int | None, str]:
    if value is None:
        return None, ""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_DAYS:
        return None, f"outOfDateAfterDays {show_value(value)} is no whole number of days from 1 to {MOST_DAYS}"
    return value, ""
