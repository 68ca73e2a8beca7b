"""Blueprints, cards and documents: what a brain should hold and what it does (SPEC S01–S09).

A blueprint is read from a file (`indexer.registry.blueprint_file`), a card from a page (`indexer.analysis.cards`); a Brain joins both with
the pages that exist. Nothing here knows today's date: states are worked out for a date in `indexer.analysis.states`.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

RINGS: tuple[tuple[str, str], ...] = (
    ("Public Context", "Scope"),
    ("Organisational Knowledge", "Land"),
    ("Proprietary Methodology", "Expand"),
    ("System Integration", "Embed"),
    ("Flow", "Flow"),
)
"""(ring, stage), from the outside in."""
_STAGES = dict(RINGS)

DocumentState = Literal["missing", "filled", "checked", "declined", "outOfDate"]
"""`checked` and `outOfDate` documents are filled as well; depth counts them so."""


class PlannedDocument(Struct, frozen=True):
    """One document that a brain should have."""

    id: str
    """Lower-case letters, digits and dashes; unique in its brain. The stem of `file`."""
    file: str
    """Relative to the brain's folder, such as `offer.md`."""
    title: str
    ring: str
    """Name of one of RINGS."""
    deepens: tuple[int, ...]
    """Context Spine domains, 1–20, ascending."""
    out_of_date_after_days: int | None
    """Days after which a checked document must be checked again; None = never."""
    asks: str
    """One line: what the document should contain."""

    @property
    def stage(self) -> str:
        """Stage that its ring belongs to."""
        return _STAGES[self.ring]


class Blueprint(Struct, frozen=True):
    """The plan for one kind of brain."""

    ref: str
    """Name and version, such as `site@1`."""
    title: str
    summary: str
    """One line: what a brain of this kind is for."""
    documents: tuple[PlannedDocument, ...]
    """By ring, in the order of the file."""

    @property
    def type(self) -> str:
        """Name without version."""
        return self.ref.partition("@")[0]


Blueprints = Mapping[str, Blueprint]
"""Ref → blueprint: those that ship with the program and those of the tenant."""


class Dropped(Struct, frozen=True):
    """A document of the blueprint that the card leaves out."""

    id: str
    file: str
    title: str
    reason: str


class BrainDocument(Struct, frozen=True):
    """One document of a brain, and what its page says of itself. Pages that are not published do not exist here."""

    plan: PlannedDocument
    page: str = ""
    """Path inside the repo of the page in its place; empty when there is none."""
    written: bool = False
    """True when that page has anything to read or see besides frontmatter, headings and comments."""
    added: bool = False
    """True when the card adds it."""
    reason: str = ""
    """Why the card adds it."""
    summary: str = ""
    owner: str = ""
    checked: str = ""
    """`YYYY-MM-DD`; empty when not checked, unreadable, or without `checkedBy`."""
    checked_by: str = ""
    declined: str = ""
    """The reason; empty when not declined."""
    facts: tuple[tuple[str, str], ...] = ()
    """Other frontmatter with one plain value each, (key, value), sorted by key: what two documents can disagree on."""


class Brain(Struct, frozen=True):
    """One folder with a card."""

    id: str
    """`<repo>/<folder>`."""
    repo: str
    folder: str
    """Inside the repo, no slash at either end, never empty."""
    title: str
    card: str
    """Path of the card inside the repo."""
    blueprint: str
    """Ref as the card names it; empty when it names none."""
    known: bool
    """False when there is no such blueprint: then there are no documents and no depth."""
    parent: str
    """Id as the card names it; empty without one. Whether the reader can reach it is decided elsewhere."""
    documents: tuple[BrainDocument, ...] = ()
    """By ring, in the order of the blueprint, added ones after those of their ring."""
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was wrong with the card and its entries, one sentence each; nothing here depends on another repo or on a date."""

    @property
    def type(self) -> str:
        """Name of the blueprint without version; empty when the card names none."""
        return self.blueprint.partition("@")[0]


class RingDepth(Struct, frozen=True):
    """How deep a brain is in one ring. documents = filled + declined + missing; checked and out_of_date are among the filled."""

    ring: str
    stage: str
    documents: int
    filled: int
    checked: int
    declined: int
    out_of_date: int
    missing: int


class Cover(Struct, frozen=True):
    """A document of a parent that covers a missing one: filled or checked, and of a domain that both deepen."""

    brain: str
    """Id of the parent."""
    title: str
    path: str
    """With the repo in front: `<repo>/<path>`."""
    state: DocumentState
    deepens: tuple[int, ...]
    """The domains that both have."""


class Claim(Struct, frozen=True):
    """What one document says about a fact."""

    brain: str
    path: str
    """With the repo in front."""
    title: str
    value: str


class Conflict(Struct, frozen=True):
    """One fact on which documents of a brain and its parents differ (SPEC S16)."""

    fact: str
    """Frontmatter key."""
    claims: tuple[Claim, ...]
    """At least two with different values; those of the brain itself first."""
