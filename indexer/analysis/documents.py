"""Planned documents + pages → BrainDocuments: which page is which document, and what it says of itself (SPEC S06). Used by `brains`. Pure.

What is decided here: a document is looked for at its exact path, then in another letter case or Unicode form, then under the other
spellings of a page (`.markdown`, or the index page of a folder of its name). The exact one wins; else the nearest spelling, then the first
path by byte order. One page is one document at most. Only published pages are given in, so a hidden page is the same as none.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from indexer.analysis.cards import Planned
from indexer.analysis.names import fold, folder_of, is_index_name, nfc
from indexer.analysis.values import LONGEST_KEY, LONGEST_READ, UNSHOWN, fold_key, is_no, is_yes, read_day, read_keys, read_names, read_text
from indexer.model.blueprint import BrainDocument
from indexer.model.page import PAGE_SUFFIXES, PageFacts

Slots = Mapping[str, Sequence[str]]
"""Name without case, suffix and index page → pages of one brain that can be meant by it."""

LONGEST_FACT = 200
"""Characters of a value; what is longer is prose, not a fact."""
MOST_FACTS = 100
_WORDLESS = re.compile(r"[\W\d_TZ]*")
"""Dates, times and signs: nothing that gives a reason."""
_OF_THE_PAGE = frozenset(
    fold_key(key)
    for key in (
        "title subtitle headline name summary description abstract excerpt owner checked checkedBy declined author authors "
        "editor reviewer reviewed contributors date created created_at updated updated_at modified lastmod last_modified "
        "published published_at publish_date expires tags tag aliases alias keywords category categories topics series cssclass "
        "cssclasses class id uid uuid type kind layout template theme lang language locale order weight position nav_order "
        "sidebar_position sidebar_label has_children parent up prev next related draft drafts private hidden unpublished "
        "publish public visibility status state stage permalink slug url link canonical canonical_url redirect redirect_from "
        "redirect_to source image cover banner thumbnail icon color colour emoji toc hide search comments math mermaid render "
        "robots license copyright version revision blueprint ring asks deepens add drop reason file outOfDateAfterDays"
    ).split()
)
"""Keys that describe the page itself; any other one with a plain value is a fact."""


def place_pages(folders: Iterable[str], pages: Mapping[str, PageFacts]) -> dict[str, Slots]:
    """Return brain folder → its published pages by slot; a page belongs to the deepest brain above it."""
    tables: dict[str, dict[str, list[str]]] = {folder: {} for folder in folders}
    owners: dict[str, str | None] = {"": None, **{folder: folder for folder in tables}}
    for path, page in pages.items():
        if page.hidden:
            continue
        folder = folder_of(path)
        owner = owners[folder] if folder in owners else _find_owner(folder, owners)
        if owner is not None:
            tables[owner].setdefault(_slot(path[len(owner) + 1 :]), []).append(path)
    return dict(tables)


def _find_owner(folder: str, owners: dict[str, str | None]) -> str | None:
    """Return the brain that a folder belongs to, and remember it for every folder on the way."""
    passed = []
    while folder not in owners:
        passed.append(folder)
        folder = folder_of(folder)
    owners.update(dict.fromkeys(passed, owners[folder]))
    return owners[folder]


def _slot(name: str) -> str:
    """Return what `offer.md`, `Offer.MD`, `offer.markdown`, `offer/index.md` and `offer/README.md` have in common."""
    folded = fold(name)
    for suffix in PAGE_SUFFIXES:
        if folded.endswith(suffix):
            stem = folded[: -len(suffix)]
            above = folder_of(stem)
            return above if above and is_index_name(folded) else stem
    return folded


def assign_pages(folder: str, planned: Sequence[Planned], slots: Slots) -> list[tuple[str, ...]]:
    """Return for each document the pages that can be meant by it, the one that counts first."""
    exact = {f"{folder}/{each.plan.file}" for each in planned}
    taken: set[str] = set()
    found = []
    for each in planned:
        place = f"{folder}/{each.plan.file}"
        near = slots.get(_slot(each.plan.file), ())
        fitting = [path for path in near if path == place or not (path in exact or path in taken)]
        if len(fitting) > 1:
            fitting.sort(key=lambda path: (_distance(path, place), path))
        taken.update(fitting[:1])
        found.append(tuple(fitting))
    return found


def _distance(path: str, place: str) -> int:
    return 0 if path == place else 1 if nfc(path) == nfc(place) else 2 if fold(path) == fold(place) else 3


def read_document(planned: Planned, path: str, page: PageFacts | None) -> BrainDocument:
    """Return a document with what its page says; `page` is None when it has none."""
    if page is None:
        return BrainDocument(planned.plan, added=planned.added, reason=planned.reason)
    keys = read_keys(page.meta) if page.meta else {}
    checked_by = read_names(keys.get("checkedby"))
    checked = read_day(keys.get("checked")) if checked_by else ""
    return BrainDocument(
        plan=planned.plan,
        page=path,
        written=page.has_text,
        added=planned.added,
        reason=planned.reason,
        summary=read_text(page.summary, 200),
        owner=read_names(keys.get("owner")),
        checked=checked,
        checked_by=checked_by if checked else "",
        declined=read_reason(keys.get("declined")),
        facts=_read_facts(page.meta),
    )


def read_reason(value: object) -> str:
    """Return why a document is declined; empty when it is not, or when no reason is given: `true`, or no more than a date."""
    said = isinstance(value, str) and not is_no(value) and not is_yes(value) and not _WORDLESS.fullmatch(value)
    return read_text(value) if said else ""


def _read_facts(meta: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    facts: dict[str, tuple[str, str]] = {}
    for key in sorted(meta):
        value = meta[key]
        folded = fold_key(key)
        if folded in _OF_THE_PAGE or folded in facts or not isinstance(value, str | int | float):
            continue
        text = read_text(value, LONGEST_READ)
        if folded and text and len(text) <= LONGEST_FACT and len(key) <= LONGEST_KEY and not UNSHOWN.search(key):
            facts[folded] = (key, text)
    return tuple(facts.values())[:MOST_FACTS]
