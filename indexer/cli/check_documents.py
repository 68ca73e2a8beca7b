"""What `brain check --base` says about brains and their documents. Used by `check_words`; pure."""

from collections.abc import Iterator, Sequence

from indexer.cli.check_lines import Line, Part, Section, join, make_section
from indexer.cli.report_words import say_state
from indexer.cli.terminal import count
from indexer.model.blueprint import RingDepth
from indexer.model.changes import BrainChange, Changes, DocumentChange


def make_brain_sections(changes: Changes) -> list[Section]:
    """Return brains that came and went, then a section for each whose documents changed."""
    came = make_section("Brains", [_say_brain(brain) for brain in changes.brains if brain.change != "changed"])
    return [came, *(_make_section_of(brain) for brain in changes.brains if brain.change == "changed")]


def make_aged_section(changes: Changes) -> Section:
    """Return the documents that time alone has put out of date."""
    return make_section(f"Went out of date after {changes.base.day}, whatever this change does", map(_say_aged, changes.aged))


def _say_brain(brain: BrainChange) -> Line:
    place: Line = (("code", brain.card), ("word", "  "), ("text", brain.title), ("word", "  "))
    if brain.change == "removed":
        return join(("word", "removed  "), *place, ("word", f"was {_say_sum(brain.before)}"))
    return join(
        ("word", "new  "), *place, ("code", brain.blueprint), ("word", ": " if brain.blueprint else ""), ("word", _say_sum(brain.after))
    )


def _say_sum(rings: Sequence[RingDepth]) -> str:
    documents = sum(ring.documents for ring in rings)
    return f"{sum(ring.filled for ring in rings):,} of {count(documents, 'document')} filled" if rings else "without a known blueprint"


def _make_section_of(brain: BrainChange) -> Section:
    head = join(("code", brain.id), ("word", "  "), ("text", brain.title), ("word", "  "), ("code", brain.blueprint), *_say_former(brain))
    return Section("Documents", (head, *map(_say_document, brain.documents), *_say_rings(brain)))


def _say_former(brain: BrainChange) -> list[Part]:
    blueprint: list[Part] = [("word", " in place of "), ("code", brain.former_blueprint)] if brain.former_blueprint else []
    folder: list[Part] = [("word", ", before: "), ("code", brain.former_id)] if brain.former_id else []
    return [*blueprint, *folder]


def _say_rings(brain: BrainChange) -> Iterator[Line]:
    before, after = {ring.ring: ring for ring in brain.before}, {ring.ring: ring for ring in brain.after}
    for ring in dict.fromkeys([*after, *before]):
        if before.get(ring) != after.get(ring):
            yield join(("word", f"{ring}: {_say_depth(after.get(ring))} (before: {_say_depth(before.get(ring))})"))


def _say_depth(ring: RingDepth | None) -> str:
    if ring is None:
        return "no documents"
    further = (("checked", ring.checked), ("out of date", ring.out_of_date), ("declined", ring.declined), ("missing", ring.missing))
    return ", ".join([f"{ring.filled:,} of {ring.documents:,} filled", *(f"{number:,} {word}" for word, number in further if number)])


def _say_document(document: DocumentChange) -> Line:
    head = join(("code", document.path), ("word", "  "), ("text", document.title), ("word", "  "))
    reason: list[Part] = [("word", ": "), ("text", document.reason)] if document.reason else []
    if document.before is None:
        return join(*head, ("word", f"is expected now, {say_state(document.after or '')}"), *reason)
    if document.after is None:
        return join(*head, ("word", f"{say_state(document.before)}, is not expected any more"), *reason)
    said = f"{say_state(document.before)} → {say_state(document.after)}"
    match document.after:
        case "checked":
            return join(*head, ("word", f"{said}: "), ("text", f"{document.checked}, by {document.checked_by}"))
        case "outOfDate":
            return join(*head, ("word", f"{said}: "), ("text", f"checked {document.checked}, out of date since {document.due}"))
        case "declined":
            return join(*head, ("word", said), *reason)
    return join(*head, ("word", said))


def _say_aged(document: DocumentChange) -> Line:
    return join(("code", document.path), ("word", "  "), ("text", document.title), ("word", "  since "), ("text", document.due))
