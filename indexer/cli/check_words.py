"""Changes → what people read of them, in words that terminal and Markdown share. Used by `check_text` and `check_markdown`; pure.

A part says where its text comes from, so that each of the two can show it harmlessly: `word` is ours, `code` and `text` are other people's.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from indexer.cli.check_reading import Comparison
from indexer.cli.report_words import count, say_state
from indexer.model.blueprint import RingDepth
from indexer.model.changes import BrainChange, Changes, DocumentChange, FindingChange, LinkChange, PageChange, PageMove
from indexer.model.finding import Finding

Kind = Literal["word", "code", "text", "strong"]
Part = tuple[Kind, str]
Line = tuple[Part, ...]

_LINK_CODES = ("LNK001", "LNK002", "LNK004", "LNK006", "LNK007")
_SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and what is listed below it."""

    title: str
    lines: tuple[Line, ...]


def say_head(comparison: Comparison) -> Line:
    """Return which commits were compared, and why just these."""
    changes, (base, head) = comparison.changes, comparison.named
    if changes.base.revision == changes.head.revision:
        nothing: Part = ("word", " holds nothing that ")
        return _join(("word", "Nothing to compare: "), ("code", head), nothing, ("code", base), ("word", " lacks."))
    said: list[Part] = [("word", "Compared "), *_name(head, changes.head.revision), ("word", " with ")]
    if comparison.tip == changes.base.revision:
        return _join(*said, *_name(base, changes.base.revision), ("word", "."))
    parted: list[Part] = [("word", "the commit at which it left "), ("code", base), ("word", " ("), ("code", changes.base.revision[:9])]
    return _join(*said, *parted, ("word", "); what came to that branch since then is not counted."))


def _name(name: str, revision: str) -> list[Part]:
    if revision.startswith(name):
        return [("code", revision[:9])]
    return [("code", name), ("word", " ("), ("code", revision[:9]), ("word", ")")]


def say_verdict(changes: Changes) -> str:
    """Return the whole in one sentence."""
    if changes.empty:
        return "No page, link, finding or document is another one." if changes.base.revision != changes.head.revision else ""
    new: Counter[str] = Counter(finding.severity for finding in changes.new_findings())
    gone = sum(1 for each in changes.findings if not each.new)
    named = [f"{new[each]:,} new {_plural(each, new[each])}" for each in _SEVERITIES if new[each]] or ["No new findings"]
    said = [*named, *([f"{count(gone, 'finding')} gone"] if gone else []), *_say_filled(changes)]
    return ", ".join(said) + "."


def _say_filled(changes: Changes) -> list[str]:
    before, after = changes.base.documents, changes.head.documents
    if not before["documents"] and not after["documents"]:
        return []
    now = f"{after['filled']:,} of {count(after['documents'], 'document')} filled"
    same = (before["filled"], before["documents"]) == (after["filled"], after["documents"])
    return [now if same else f"{now} (before: {before['filled']:,} of {before['documents']:,})"]


def make_sections(changes: Changes) -> list[Section]:
    """Return everything there is to tell, the most urgent first; sections without lines are left out."""
    links = {kind: [link for link in changes.links if link.change == kind] for kind in ("broke", "dead", "mended", "corrected")}
    told = _index_links(changes.links)
    rest = [each for each in changes.findings if each.new and not _is_told_otherwise(each.finding, told)]
    sections = (
        _section("Links that broke", map(_say_link, links["broke"])),
        _section("New links that lead nowhere", map(_say_link, links["dead"])),
        _section("New findings", map(_say_finding, _sort_by_severity(rest))),
        _section("Brains", [_say_brain(brain) for brain in changes.brains if brain.change != "changed"]),
        *(_section_of_brain(brain) for brain in changes.brains if brain.change == "changed"),
        _section(_title_pages(changes), map(_say_page, sorted(changes.pages, key=_order_page))),
        _section("Links mended", map(_say_mended, [*links["mended"], *links["corrected"]])),
        _section("Findings gone", _say_gone(changes.findings)),
        _section("Pages that nothing links to any more, or not yet", (_join(("code", path)) for path in changes.orphans)),
        _section("Pages that something links to now", (_join(("code", path)) for path in changes.adopted)),
        _section("Names that are linked and not written yet", (_say_stub(*stub) for stub in changes.stubs)),
        _section(f"Went out of date after {changes.base.day}, whatever this change does", map(_say_aged, changes.aged)),
    )
    return [section for section in sections if section.lines]


def _section(title: str, lines: Iterable[Line]) -> Section:
    return Section(title, tuple(lines))


def _join(*parts: Part) -> Line:
    return tuple(part for part in parts if part[1])


def _place(path: str, line: int) -> Part:
    return "code", f"{path}:{line}" if line else path


def _plural(severity: str, number: int) -> str:
    return severity if severity == "info" or number == 1 else severity + "s"


# --- links -----------------------------------------------------------------------------------------------------------


def _say_link(link: LinkChange) -> Line:
    write: list[Part] = [("word", "; write "), ("code", link.write)] if link.write else []
    return _join(_place(link.path, link.line), ("word", "  "), ("code", link.raw), ("word", "  "), *_say_cause(link), *write)


def _say_cause(link: LinkChange) -> list[Part]:
    target: Part = ("code", link.target)
    match link.cause:
        case "renamed":
            return [target, ("word", " is now "), ("code", link.now)]
        case "removed":
            return [target, ("word", " was removed")]
        case "hidden":
            return [target, ("word", " is not published")]
        case "moved":
            return [("word", "this page was moved, and "), target, ("word", " was not")]
        case "heading" if link.now:
            return [("word", "that heading of "), target, ("word", " is now "), ("text", link.now)]
        case "heading":
            return [target, ("word", " has no such heading or block")]
        case "name" if link.target:
            return [target, ("word", " goes by that name no more")]
        case _:
            return [("word", "nothing has this path or name")]


def _say_mended(link: LinkChange) -> Line:
    words = {
        "written": "was written",
        "renamed": "has that name now",
        "published": "is published now",
        "heading": "has that heading now",
        "name": "is found now",
    }
    place = _join(_place(link.path, link.line), ("word", "  "), ("code", link.raw), ("word", "  "))
    if link.change == "corrected":
        return (*place, ("word", "was taken out or corrected"))
    return _join(*place, ("code", link.target), ("word", f" {words.get(link.cause, 'is there now')}"))


def _index_links(links: Iterable[LinkChange]) -> Mapping[tuple[str, int], Sequence[str]]:
    raws = defaultdict(list)
    for link in links:
        raws[link.path, link.line].append(link.raw)
    return raws


def _is_told_otherwise(finding: Finding, told: Mapping[tuple[str, int], Sequence[str]]) -> bool:
    """Links and hidden pages have lists of their own."""
    return finding.code == "PRV003" or _is_told_as_link(finding, told)


def _is_told_as_link(finding: Finding, told: Mapping[tuple[str, int], Sequence[str]]) -> bool:
    return finding.code in _LINK_CODES and any(finding.message.startswith(raw) for raw in told.get((finding.path, finding.line), ()))


def _say_stub(name: str, links: int) -> Line:
    return _join(("text", name), ("word", f"  {count(links, 'link')}"))


# --- findings --------------------------------------------------------------------------------------------------------


def _sort_by_severity(findings: Iterable[FindingChange]) -> list[FindingChange]:
    return sorted(findings, key=lambda each: _SEVERITIES.index(each.finding.severity))


def _say_finding(change: FindingChange) -> Line:
    finding = change.finding
    place: list[Part] = [_place(finding.path, finding.line), ("word", "  ")] if finding.path else []
    head: Line = (*place, ("strong", f"{finding.severity} {finding.code}"), ("word", "  "))
    hint: list[Part] = [("word", " "), ("text", finding.hint)] if finding.hint else []
    return _join(*head, ("text", finding.message), *hint)


def _say_gone(findings: Iterable[FindingChange]) -> Iterator[Line]:
    gone = Counter((each.finding.code, each.finding.path) for each in findings if not each.new)
    for (code, path), number in sorted(gone.items(), key=lambda pair: (pair[0][1], pair[0][0])):
        yield _join(("code", path), ("word", "  " if path else ""), ("word", f"{code}{f' × {number:,}' if number > 1 else ''}"))


# --- brains ----------------------------------------------------------------------------------------------------------


def _say_brain(brain: BrainChange) -> Line:
    place: Line = (("code", brain.card), ("word", "  "), ("text", brain.title), ("word", "  "))
    if brain.change == "removed":
        return _join(("word", "removed  "), *place, ("word", f"was {_say_sum(brain.before)}"))
    return _join(
        ("word", "new  "), *place, ("code", brain.blueprint), ("word", ": " if brain.blueprint else ""), ("word", _say_sum(brain.after))
    )


def _say_sum(rings: Sequence[RingDepth]) -> str:
    documents = sum(ring.documents for ring in rings)
    return f"{sum(ring.filled for ring in rings):,} of {count(documents, 'document')} filled" if rings else "without a known blueprint"


def _section_of_brain(brain: BrainChange) -> Section:
    head = _join(("code", brain.id), ("word", "  "), ("text", brain.title), ("word", "  "), ("code", brain.blueprint), *_say_former(brain))
    return Section("Documents", (head, *map(_say_document, brain.documents), *_say_rings(brain)))


def _say_former(brain: BrainChange) -> list[Part]:
    blueprint: list[Part] = [("word", " in place of "), ("code", brain.former_blueprint)] if brain.former_blueprint else []
    folder: list[Part] = [("word", ", before: "), ("code", brain.former_id)] if brain.former_id else []
    return [*blueprint, *folder]


def _say_rings(brain: BrainChange) -> Iterator[Line]:
    before, after = {ring.ring: ring for ring in brain.before}, {ring.ring: ring for ring in brain.after}
    for ring in dict.fromkeys([*after, *before]):
        if before.get(ring) != after.get(ring):
            yield _join(("word", f"{ring}: {_say_depth(after.get(ring))} (before: {_say_depth(before.get(ring))})"))


def _say_depth(ring: RingDepth | None) -> str:
    if ring is None:
        return "no documents"
    further = (("checked", ring.checked), ("out of date", ring.out_of_date), ("declined", ring.declined), ("missing", ring.missing))
    return ", ".join([f"{ring.filled:,} of {ring.documents:,} filled", *(f"{number:,} {word}" for word, number in further if number)])


def _say_document(document: DocumentChange) -> Line:
    head = _join(("code", document.path), ("word", "  "), ("text", document.title), ("word", "  "))
    reason: list[Part] = [("word", ": "), ("text", document.reason)] if document.reason else []
    if document.before is None:
        return _join(*head, ("word", f"is expected now, {say_state(document.after or '')}"), *reason)
    if document.after is None:
        return _join(*head, ("word", f"{say_state(document.before)}, is not expected any more"), *reason)
    said = f"{say_state(document.before)} → {say_state(document.after)}"
    match document.after:
        case "checked":
            return _join(*head, ("word", f"{said}: "), ("text", f"{document.checked}, by {document.checked_by}"))
        case "outOfDate":
            return _join(*head, ("word", f"{said}: "), ("text", f"checked {document.checked}, out of date since {document.due}"))
        case "declined":
            return _join(*head, ("word", said), *reason)
    return _join(*head, ("word", said))


def _say_aged(document: DocumentChange) -> Line:
    return _join(("code", document.path), ("word", "  "), ("text", document.title), ("word", "  since "), ("text", document.due))


# --- pages -----------------------------------------------------------------------------------------------------------


_MOVES: Mapping[PageMove, str] = {
    "removed": "removed",
    "hidden": "made private",
    "renamed": "renamed",
    "published": "made public",
    "added": "added",
}
"""In order of how much a reader may miss."""


def _order_page(page: PageChange) -> tuple[int, str]:
    return list(_MOVES).index(page.change), page.path


def _title_pages(changes: Changes) -> str:
    counted = Counter(page.change for page in changes.pages)
    named = [f"{counted[kind]:,} {word}" for kind, word in _MOVES.items() if counted[kind]]
    return "Pages: " + ", ".join([*named, *([f"{changes.edited:,} edited"] if changes.edited else [])])


def _say_page(page: PageChange) -> Line:
    broken = count(page.broken, "link") + (" breaks" if page.broken == 1 else " break") if page.broken else ""
    title: list[Part] = [("word", "  "), ("text", page.title)] if page.title else []
    match page.change:
        case "added":
            return _join(("word", "added  "), ("code", page.path), *title, ("word", "  (private)" if page.hidden else ""))
        case "removed":
            return _join(("word", "removed  "), ("code", page.path), *title, ("word", f"  ({broken})" if broken else ""))
        case "renamed":
            old = "its old address leads to the new one" if page.redirected else "" if page.hidden else "its old address is gone"
            notes = "; ".join(note for note in (old, broken or "no link breaks") if note)
            return _join(("word", "renamed  "), ("code", page.former), ("word", " → "), ("code", page.path), ("word", f"  ({notes})"))
        case "hidden":
            return _join(("word", "made private  "), ("code", page.path), ("word", f"  ({broken})" if broken else ""))
        case "published":
            return _join(("word", "made public  "), ("code", page.path), *title)
