"""Brains → findings about their documents, parents and facts (codes BPR…). Called by `brains.check_brains`; pure.

Everything here is of one repo: a parent in another one is followed by whoever knows that the reader reaches it, never here. Only published
pages are named.
"""

import difflib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from indexer.analysis.card_entries import Problem, show_value
from indexer.analysis.cards import Planned
from indexer.analysis.conflicts import find_conflicts, remember_facts
from indexer.analysis.documents import Slots, assign_pages, read_reason
from indexer.analysis.names import nfc
from indexer.analysis.parents import find_circles, follow_parents
from indexer.analysis.states import due_date, latest_day, state_of
from indexer.analysis.values import (
    find_line,
    find_misspelt,
    fold_key,
    fold_value,
    is_no,
    read_day,
    read_keys,
    read_names,
    read_target,
)
from indexer.model.blueprint import Brain, BrainDocument, Conflict
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.page import PageFacts

_LIKE_A_CARD = re.compile(r"(?:.*/)?brain\.(?:md|markdown)", re.IGNORECASE | re.DOTALL)
_KEYS = ("checked", "checkedBy", "declined")
_IN_A_FOLDER = "Put the card and its documents in a folder; or, where this is that folder, read the one above it."
_LONGEST_PARENT = 200
_MOST_COMPARED = 200
_MOST_NAMED = 5


def check_cards_in_odd_places(pages: Mapping[str, PageFacts]) -> list[Finding]:
    """Return a finding for each page that was meant as a card and is none: at the root, or with another name than `brain.md`."""
    findings = []
    for path, page in pages.items():
        if not page.meta or "blueprint" not in page.meta or page.hidden or not _LIKE_A_CARD.fullmatch(path):
            continue
        if path == "brain.md":
            message = "A card in the top folder makes no brain: the whole repository is one already."
            findings.append(make_finding("BPR012", path, find_line(page, "blueprint"), message, _IN_A_FOLDER))
        elif not path.endswith("/brain.md"):
            message = f"The page looks like a card, but is none: a card is called `brain.md`, not `{path.rsplit('/', 1)[-1]}`."
            findings.append(
                make_finding(
                    "BPR012", path, find_line(page, "blueprint"), message, "Rename it to `brain.md`, in a folder below the top one."
                )
            )
    return findings


def check_card(problems: Sequence[Problem], brain: Brain, pages: Mapping[str, PageFacts], brains: Sequence[Brain]) -> Iterator[Finding]:
    """Yield a finding for each problem of a card, in the line that it is about."""
    page = pages[brain.card]
    for each in problems:
        hint = each.hint
        if each.code == "BPR004" and (near := _find_parent(read_keys(page.meta).get("parent"), brain, brains)):
            hint = f"Write `{near}`, if that brain is meant."
        elif each.code == "BPR001" and not page.meta and any(finding.code.startswith("FMT") for finding in page.findings):
            hint = "Repair its frontmatter, which cannot be read; another finding says where."
        yield make_finding(each.code, brain.card, find_line(page, fold_key(each.key), each.entry), say_problem(each.text), hint)


def say_problem(text: str) -> str:
    """Return a problem as a sentence."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _find_parent(value: object, brain: Brain, brains: Sequence[Brain]) -> str:
    """Return the one brain of this repo that is meant by a link, a path from the card, or the name of a folder; empty when none is."""
    if not isinstance(value, str) or len(value) > _LONGEST_PARENT:
        return ""
    path = (read_target(value) or value).strip().removesuffix(".md").removesuffix("/brain").strip("/")
    others = [each for each in brains if each is not brain]
    beside = posixpath.normpath(posixpath.join(brain.folder, path))
    name = path.rsplit("/", 1)[-1].lower()
    for fits in (lambda each: each.folder in {path, beside}, lambda each: each.folder.rsplit("/", 1)[-1].lower() == name):
        found = [each.id for each in others if fits(each)]
        if found:
            return found[0] if len(found) == 1 else ""
    return ""


def check_documents(brain: Brain, pages: Mapping[str, PageFacts], slots: Slots, date: str | None) -> Iterator[Finding]:
    """Yield what is wrong with the pages of a brain's documents: where they lie and what they say of themselves."""
    planned = [Planned(document.plan) for document in brain.documents]
    for document, fitting in zip(brain.documents, assign_pages(brain.folder, planned, slots), strict=True):
        if not fitting:
            continue
        yield from _check_place(brain, document, fitting)
        yield from _check_words(document, pages[document.page], date)


def _check_place(brain: Brain, document: BrainDocument, fitting: Sequence[str]) -> Iterator[Finding]:
    place = f"{brain.folder}/{document.plan.file}"
    for other in fitting[1:]:
        message = f"The document `{document.plan.id}` has another page, {document.page}, which counts; this one does not."
        yield make_finding("BPR005", other, 0, message, "Merge the two pages, or rename this one.")
    if nfc(document.page) != nfc(place):
        message = f"The page counts as the document `{document.plan.id}`, whose place is {place}."
        yield make_finding("BPR006", document.page, 0, message, f"Move it to {place}.")


def _check_words(document: BrainDocument, page: PageFacts, date: str | None) -> Iterator[Finding]:
    keys = read_keys(page.meta)
    for key, meant in find_misspelt(page.meta, _KEYS):
        message = f"{show_value(key)} is no key that says how a document stands; did you mean `{meant}`?"
        yield make_finding("BPR013", document.page, find_line(page, fold_key(key)), message)
    yield from _check_day(document, page, keys, date)
    declined = keys.get("declined")
    if not is_no(declined) and not read_reason(declined):
        message = f"`declined` is {show_value(declined)}, which gives no reason, so the document does not count as declined."
        yield make_finding("BPR009", document.page, find_line(page, "declined"), message, "Write why this brain does without the document.")
    if state_of(document, date) == "outOfDate":
        days = document.plan.out_of_date_after_days
        message = f"The document was checked on {document.checked}, is good for {days} days, and is out of date since {due_date(document)}."
        hint = "Read it, correct it, and set `checked` to the day you did."
        yield make_finding("BPR010", document.page, find_line(page, "checked"), message, hint)


def _check_day(document: BrainDocument, page: PageFacts, keys: Mapping[str, Any], date: str | None) -> Iterator[Finding]:
    checked, line = keys.get("checked"), find_line(page, "checked")
    day = read_day(checked)
    if not day and not is_no(checked):
        message = f"`checked` is {show_value(checked)}, which is no date, so the document does not count as checked."
        yield make_finding("BPR007", document.page, line, message, "Write the day of the check, such as 2026-01-31.")
    elif day and date is not None and day > latest_day(date):
        message = f"`checked` is {day}, which is after {date}, so the document does not count as checked yet."
        yield make_finding("BPR007", document.page, line, message, "Write the day on which it was checked.")
    if day and not read_names(keys.get("checkedby")):
        message = f"`checked` is {day}, but nobody is named in `checkedBy`, so the document does not count as checked."
        yield make_finding("BPR008", document.page, line, message, "Add `checkedBy` with the name of who checked it.")


def check_parents(brains: Sequence[Brain], pages: Mapping[str, PageFacts]) -> Iterator[Finding]:
    """Yield a finding for each parent in the same repo that is no brain, and for each brain that is its own ancestor."""
    by_id = {brain.id: brain for brain in brains}
    circles = find_circles(brains)
    for brain in brains:
        line = find_line(pages[brain.card], "parent")
        if brain.parent.startswith(f"{brain.repo}/") and brain.parent not in by_id:
            # The same words for a brain that is hidden as for one that does not exist.
            message = f"Parent: there is no brain `{brain.parent}` in this repository."
            yield make_finding("BPR004", brain.card, line, message, _suggest_brain(brain.parent, by_id))
        elif f"{brain.repo}/{brain.parent}" in by_id and brain.parent not in by_id:
            message = f"Parent: `{brain.parent}` is the folder of a brain here, but no id of one: that begins with the repository."
            yield make_finding("BPR004", brain.card, line, message, f"Write `{brain.repo}/{brain.parent}`, if that brain is meant.")
        elif brain.id in circles:
            message = f"Parent: the brain is above itself ({_show_circle(brain, by_id)})."
            yield make_finding("BPR004", brain.card, line, message, "Take `parent` out of the card of the topmost of them.")


def _suggest_brain(parent: str, by_id: Mapping[str, Brain]) -> str:
    near = difflib.get_close_matches(parent, sorted(by_id), n=1, cutoff=0.8) if len(by_id) <= _MOST_COMPARED else []
    return f"Did you mean `{near[0]}`?" if near else ""


def _show_circle(brain: Brain, by_id: Mapping[str, Brain]) -> str:
    named = [brain.id]
    while len(named) < _MOST_NAMED and (len(named) == 1 or named[-1] != brain.id):
        named.append(by_id[named[-1]].parent)
    return " → ".join(named if named[-1] == brain.id else [*named, "…"])


def check_conflicts(brains: Sequence[Brain], pages: Mapping[str, PageFacts]) -> Iterator[Finding]:
    """Yield a finding for each claim of a brain that another document, of it or of a parent in the same repo, contradicts."""
    by_id = {brain.id: brain for brain in brains}
    read = remember_facts()
    for brain in brains:
        if read(brain):
            for conflict in find_conflicts(brain, follow_parents(brain, by_id.get), read):
                yield from _tell_conflict(brain, conflict, pages)


def _tell_conflict(brain: Brain, conflict: Conflict, pages: Mapping[str, PageFacts]) -> Iterator[Finding]:
    values = [fold_value(claim.value) for claim in conflict.claims]
    for claim, value in zip(conflict.claims, values, strict=True):
        if claim.brain != brain.id:
            continue
        others = [other for other, differing in zip(conflict.claims, values, strict=True) if differing != value][: _MOST_NAMED + 1]
        said = [f"{show_value(each.value)} in {each.path.removeprefix(brain.repo + '/')}" for each in others[:_MOST_NAMED]]
        more = " and elsewhere" if len(others) > _MOST_NAMED else ""
        message = f"`{conflict.fact}` is {show_value(claim.value)} here, but {', '.join(said)}{more}."
        path = claim.path.removeprefix(brain.repo + "/")
        yield make_finding(
            "BPR011", path, find_line(pages[path], fold_key(conflict.fact)), message, "Find out which one is right, and correct the other."
        )
