"""The frontmatter of a card → what its brain is to hold, and what is wrong with the card (SPEC S01, S05, S12). Used by `brains`. Pure.

A card is untrusted; nothing in it raises. What is decided here: documents = blueprint − drop + add; an add with the id of a dropped
document replaces it and keeps its file; an add without a reason counts, a drop without one does not, for dropping makes a brain look more
complete. Problems never repeat the parent as written: it may name a repo that is hidden from the reader.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from indexer.analysis.card_entries import AddEntry, DropEntry, Problem, note_entry, parse_adds, parse_drops, show_value
from indexer.analysis.names import fold
from indexer.analysis.values import UNSHOWN, find_misspelt, read_keys, read_text
from indexer.model.blueprint import RINGS, Blueprint, Blueprints, Dropped, PlannedDocument
from indexer.registry.names import NAME_PATTERN, REF_PATTERN, suggest

_REF = re.compile(REF_PATTERN)
_REPO = re.compile(NAME_PATTERN)
_KEYS = ("blueprint", "parent", "add", "drop")
_LONGEST_ID = 1000
_LONGEST_REF = 100
_MOST_COMPARED = 100
"""Blueprints among which one of a similar name is looked for."""


class Planned(Struct, frozen=True):
    """One document of the brain, wherever it comes from."""

    plan: PlannedDocument
    added: bool = False
    reason: str = ""


class Card(Struct, frozen=True):
    """What a card says."""

    blueprint: str
    """Ref as written; empty when there is none."""
    known: bool
    parent: str
    """Empty when there is none, when it can be no id, and when it is the brain itself."""
    documents: tuple[Planned, ...] = ()
    """By ring; those of the blueprint first."""
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[Problem, ...] = ()


def parse_card(meta: Mapping[str, Any], brain: str, blueprints: Blueprints) -> Card:
    """Return what the frontmatter of a card says; `brain` is the id of its brain."""
    keys = read_keys(meta)
    ref, problems = _read_ref(keys.get("blueprint"), blueprints)
    problems += [_note_misspelt(key, meant) for key, meant in find_misspelt(meta, _KEYS)]
    parent, problems_of_parent = _read_parent(keys.get("parent"), brain)
    problems += problems_of_parent
    blueprint = blueprints.get(ref)
    if blueprint is None:
        return Card(ref, known=False, parent=parent, problems=tuple(problems))
    drops, wrong_drops = parse_drops(keys.get("drop"))
    dropped, unknown_drops = _drop(blueprint, drops)
    adds, wrong_adds = parse_adds(keys.get("add"))
    documents, adds_in_the_way = _add(blueprint, {each.id for each in dropped}, adds)
    problems += [*wrong_drops, *unknown_drops, *wrong_adds, *adds_in_the_way]
    return Card(ref, known=True, parent=parent, documents=documents, dropped=dropped, problems=tuple(problems))


def _note_misspelt(key: str, meant: str) -> Problem:
    return Problem("BPR013", f"{show_value(key)} is no key of a card; did you mean `{meant}`?", key=key)


def _read_ref(value: object, blueprints: Blueprints) -> tuple[str, list[Problem]]:
    known = f"Write one of: {', '.join(sorted(blueprints)[:20])}." if blueprints else ""
    if value is None or value == "":
        return "", [Problem("BPR001", "the card names no blueprint", known)]
    if not isinstance(value, str):
        return "", [Problem("BPR001", f"the card names no blueprint: {show_value(value)} is no name with a version", known, "blueprint")]
    ref = read_text(value, _LONGEST_REF)
    if ref in blueprints:
        return ref, []
    near = suggest(ref, blueprints) if len(blueprints) <= _MOST_COMPARED else ""
    hint = f"Did you mean {near.partition('did you mean ')[2]}" if near else known
    if _REF.fullmatch(ref):
        return ref, [Problem("BPR002", f"there is no blueprint {show_value(ref)}, so no documents are expected", hint, "blueprint")]
    text = f"the blueprint {show_value(ref)} is no name with a version such as `site@1`, so no documents are expected"
    return ref, [Problem("BPR002", text, hint, "blueprint")]


def _read_parent(value: object, brain: str) -> tuple[str, list[Problem]]:
    if value is None or value == "":
        return "", []
    # Tools give the path of a card beside the id of its brain: one is as good as the other.
    parent = value.strip().strip("/").removesuffix("/brain.md") if isinstance(value, str) else ""
    if not _is_brain_id(parent):
        text = "parent: it is no id of a brain, which is the repository, a slash and the folder"
        hint = (
            "Write it as `handbook/brains/business`." if isinstance(value, str) else "Name one brain, such as `handbook/brains/business`."
        )
        return "", [Problem("BPR004", text, hint, "parent")]
    if parent == brain:
        return "", [Problem("BPR004", "parent: the brain names itself", "Name the brain above this one, or leave `parent` out.", "parent")]
    return parent, []


def _is_brain_id(text: str) -> bool:
    repo, _, folder = text.partition("/")
    usable = _REPO.fullmatch(repo) and folder and len(text) <= _LONGEST_ID and not UNSHOWN.search(text) and "\\" not in text
    return bool(usable) and not any(part in {"", ".", ".."} for part in folder.split("/"))


def _drop(blueprint: Blueprint, drops: list[DropEntry]) -> tuple[tuple[Dropped, ...], list[Problem]]:
    """Return what is left out, in the order of the blueprint."""
    reasons = {drop.id: drop.reason for drop in drops}
    dropped = [Dropped(each.id, each.file, each.title, reasons[each.id]) for each in blueprint.documents if each.id in reasons]
    unknown = reasons.keys() - {each.id for each in dropped}
    known = [each.id for each in blueprint.documents]
    named = f"Its documents are called {', '.join(known[:20])}{', …' if len(known) > 20 else ''}."
    problems = []
    for drop in (drop for drop in drops if drop.id in unknown):
        text = f"drop `{drop.id}`: {blueprint.ref} has no such document{suggest(drop.id, known)}"
        problems.append(note_entry("drop", drop.number, text, "" if text.endswith("?") else named))
    return tuple(dropped), problems


def _add(blueprint: Blueprint, dropped: set[str], adds: list[AddEntry]) -> tuple[tuple[Planned, ...], list[Problem]]:
    """Return all documents by ring, those of the blueprint before those that are added."""
    planned = [Planned(each) for each in blueprint.documents if each.id not in dropped]
    kept = {each.plan.id for each in planned}
    files = {fold(each.plan.file): each.plan.id for each in planned}
    replaced = {each.id: each.file for each in blueprint.documents if each.id in dropped}
    problems = []
    for add in adds:
        file = replaced.get(add.id, f"{add.id}.md")
        if add.id in kept:
            text = f"add `{add.id}`: {blueprint.ref} has a document of this id; drop that one to replace it"
            problems.append(
                note_entry("add", add.number, text, f"Write `{add.id}` under `drop` as well, with a reason, or take another id.")
            )
        elif fold(file) in files:
            text = f"add `{add.id}`: its file `{file}` is that of the document `{files[fold(file)]}`"
            problems.append(note_entry("add", add.number, text, "Take another id."))
        else:
            files[fold(file)] = add.id
            planned.append(Planned(add.plan(file), added=True, reason=add.reason))
    order = {ring: place for place, (ring, _) in enumerate(RINGS)}
    return tuple(sorted(planned, key=lambda each: order[each.plan.ring])), problems
