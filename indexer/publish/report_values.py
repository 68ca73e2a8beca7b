"""What the report pages show, as values: bars, sentences and rows (SPEC P11). Called by `indexer.publish.report_pages`; pure.

Rows of a brain's own pages never count days: a page must not change because a day has passed. Only the first page of the report does.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from indexer.analysis.completeness import count_days, place_document
from indexer.model.blueprint import RINGS, RingDepth
from indexer.model.snapshot import Origin
from indexer.publish.forges import start_url
from indexer.publish.looks import LOOKS, StateLook
from indexer.publish.shelves import Placed, Shelf
from indexer.publish.starts import write_start

FIRST_RING = RINGS[0][0]
MOST_CELLS = 40
"""Cells of a bar; a ring with more documents is drawn to scale."""


class Bar(Struct, frozen=True):
    """One ring, or a whole brain, as a bar of cells."""

    name: str
    stage: str
    cells: tuple[str, ...]
    """Names of state classes in order."""
    text: str
    """Such as `2 of 4`."""
    label: str
    """The bar in words."""


class Row(Struct, frozen=True):
    """One document in a list of a report."""

    title: str
    url: str
    """Relative to the site's root."""
    look: StateLook
    ring: str = ""
    brain: str = ""
    """Title of its brain; empty on that brain's own pages."""
    brain_url: str = ""
    text: str = ""
    """What it should contain, or why it was declined."""
    owner: str = ""
    due: str = ""
    """`YYYY-MM-DD`."""
    days: int = -1
    """Days for which it has been out of date; -1 = not said."""
    start: str = ""
    """Absolute address at which the forge opens an editor for it; empty when there is none."""


SHOWN = 100
"""Most entries of a list on a page of the report."""
_SAID = {"filled": "written but not checked", "outdated": "out of date"}
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Listed(Struct, Generic[T_co], frozen=True):
    """The beginning of a list that may be as long as the site."""

    rows: tuple[T_co, ...]
    total: int


def cut(rows: Iterable[T]) -> Listed[T]:
    """Return the first rows, and how many there are."""
    kept = tuple(rows)
    return Listed(kept[:SHOWN], len(kept))


def draw_bars(depth: Sequence[RingDepth]) -> tuple[Bar, ...]:
    """Return one bar for each ring."""
    return tuple(draw_bar((ring,), ring.ring, ring.stage) for ring in depth)


def draw_bar(depth: Sequence[RingDepth], name: str, stage: str = "") -> Bar:
    """Return one bar for several rings together."""
    documents, filled, checked, declined, outdated, missing = (
        sum(getattr(ring, figure) for ring in depth) for figure in ("documents", "filled", "checked", "declined", "out_of_date", "missing")
    )
    counts = {"checked": checked, "filled": filled - checked - outdated, "outdated": outdated, "declined": declined, "missing": missing}
    words = ", ".join(f"{count} {_SAID.get(state, state)}" for state, count in counts.items() if count)
    cells = tuple(state for state, count in _scale(counts).items() for _ in range(count))
    return Bar(name, stage, cells, f"{filled} of {documents}", f"{name}: {filled} of {documents} written ({words})")


def _scale(counts: dict[str, int]) -> dict[str, int]:
    """Shrink counts to MOST_CELLS in all; what is there keeps a cell."""
    total = sum(counts.values())
    if total <= MOST_CELLS:
        return counts
    return {state: max(1, count * MOST_CELLS // total) if count else 0 for state, count in counts.items()}


def say_brain(shelf: Shelf) -> str:
    """Return one sentence, without its full stop, that says how complete a brain is."""
    brain = shelf.brain
    if not brain.blueprint:
        return "The card names no blueprint, so nothing says what belongs here"
    if not brain.known:
        return f"There is no blueprint {brain.blueprint}, so nothing says what belongs here"
    documents = shelf.count("documents")
    if not documents:
        return "The card leaves out every document"
    missing = shelf.count("missing")
    first = sum(ring.missing for ring in shelf.depth if ring.ring == FIRST_RING)
    said = [f"{shelf.count('filled')} of {documents} {'document' if documents == 1 else 'documents'} written"]
    if missing:
        said.append(f"{first} missing in the first ring" if first else f"{missing} missing")
    if outdated := shelf.count("out_of_date"):
        said.append(f"{outdated} out of date")
    if declined := shelf.count("declined"):
        said.append(f"{declined} declined")
    return ", ".join(said)


def list_missing(shelves: Iterable[Shelf], origin: Origin, *, name_brains: bool = True) -> Iterator[Row]:
    """Yield what is to be written, the first ring of all brains first."""
    kept = tuple(shelves)
    for ring, _ in RINGS:
        for shelf in kept:
            for placed in shelf.documents:
                if placed.state == "missing" and placed.document.plan.ring == ring:
                    yield make_row(shelf, placed, name_brain=name_brains, text=placed.document.plan.asks, origin=origin)


def list_outdated(shelves: Iterable[Shelf], day: str | None, *, name_brains: bool = True) -> list[Row]:
    """Return what is out of date, the longest first. Days are counted when `day` is given."""
    found = [
        make_row(shelf, placed, name_brain=name_brains, days=count_days(placed.due, day) if day else -1)
        for shelf in shelves
        for placed in shelf.documents
        if placed.state == "outOfDate"
    ]
    return sorted(found, key=lambda row: row.due)


def list_due(shelves: Iterable[Shelf], *, name_brains: bool = True) -> list[Row]:
    """Return what falls due soon, the next first."""
    found = [make_row(shelf, placed, name_brain=name_brains) for shelf in shelves for placed in shelf.documents if placed.soon]
    return sorted(found, key=lambda row: row.due)


def list_declined(shelves: Iterable[Shelf], *, name_brains: bool = True) -> Iterator[Row]:
    """Yield what was declined, with the reason."""
    for shelf in shelves:
        for placed in shelf.documents:
            if placed.state == "declined":
                yield make_row(shelf, placed, name_brain=name_brains, text=placed.document.declined)


def make_row(
    shelf: Shelf, placed: Placed, *, name_brain: bool = False, text: str = "", days: int = -1, origin: Origin | None = None
) -> Row:
    """Return one document as a list shows it; `origin` asks for the address at which it is begun."""
    document = placed.document
    return Row(
        title=document.plan.title,
        url=placed.url,
        look=LOOKS[placed.state],
        ring=document.plan.ring,
        brain=shelf.brain.title if name_brain else "",
        brain_url=shelf.url if name_brain else "",
        text=text,
        owner=document.owner,
        due=placed.due,
        days=days,
        start=begin_document(shelf, placed, origin) if origin else "",
    )


def list_documents(shelf: Shelf) -> tuple[tuple[Bar, tuple[Row, ...]], ...]:
    """Return all documents by ring, as the brain's front page lists them."""
    rings: dict[str, list[Row]] = {ring.ring: [] for ring in shelf.depth}
    for placed in shelf.documents:
        text = placed.document.declined if placed.state == "declined" else ""
        rings[placed.document.plan.ring].append(make_row(shelf, placed, text=text))
    return tuple((bar, tuple(rings[bar.name])) for bar in draw_bars(shelf.depth))


def begin_document(shelf: Shelf, placed: Placed, origin: Origin) -> str:
    """Return the address at which the forge opens an editor for a missing document."""
    document = placed.document
    return start_url(origin, place_document(shelf.brain, document), write_start(document.plan), exists=bool(document.page))
