"""What one change does to a repo: two results compared (SPEC P16). Made by `indexer.analysis.changes`, shown by `brain check --base`.

Hidden pages are named by their path only: nothing here holds their title, their words or their links.
"""

from typing import Literal

from msgspec import Struct, field

from indexer.model.blueprint import DocumentState, RingDepth
from indexer.model.finding import Finding

PageMove = Literal["added", "removed", "renamed", "hidden", "published"]
LinkMove = Literal["broke", "dead", "mended", "corrected"]
Cause = Literal["renamed", "removed", "hidden", "moved", "heading", "name", "written", "published", "text"]
BrainMove = Literal["added", "removed", "changed"]


class Hunk(Struct, frozen=True):
    """Lines of one file that differ, as git counts them: `count` 0 = nothing there, right after line `start`."""

    start: int
    count: int
    new_start: int
    new_count: int


class Difference(Struct, frozen=True):
    """What git says of two commits, paths relative to the content root."""

    renames: dict[str, str] = field(default_factory=dict)
    """Path in the first → path in the second, of files that git takes for the same."""
    hunks: dict[tuple[str, str], tuple[Hunk, ...]] = field(default_factory=dict)
    """(blob in the first, blob in the second) → the lines that differ; absent for binary files."""


class Side(Struct, frozen=True):
    """One of the two, in figures."""

    revision: str
    """Commit id, 40 hex digits."""
    day: str | None
    """Day of that commit, `YYYY-MM-DD` in UTC."""
    pages: int
    """Published ones."""
    hidden: int
    errors: int
    warnings: int
    infos: int
    documents: dict[str, int]
    """Brains, and documents by state; see `completeness.score_totals`."""


class PageChange(Struct, frozen=True):
    """One page that came, went, moved, or is published otherwise than before. A page can have moved and be hidden as well."""

    change: PageMove
    path: str
    """Where it is now; where it was, when it is gone."""
    former: str = ""
    """Where it was before it was renamed."""
    title: str = ""
    """Empty for a page that is hidden, or was when it was removed."""
    hidden: bool = False
    """Whether it is hidden now; for a removed page, whether it was."""
    redirected: bool = False
    """Renamed: its old address leads to the new one."""
    broken: int = 0
    """Links that lead nowhere because of it."""


class LinkChange(Struct, frozen=True):
    """One link of a published page that leads nowhere now, or did and does no more."""

    change: LinkMove
    """`broke`: same text, worked before. `dead`: written new, and leads nowhere. `mended`: same text, works now. `corrected`: the text that
    led nowhere is gone."""
    path: str
    line: int
    """In the new file; in the old one when the text is gone."""
    raw: str
    """As written."""
    cause: Cause
    target: str = ""
    """Page or file that it led to, or leads to now; empty when unknown."""
    now: str = ""
    """Where that page or file is now, when it was renamed; of a heading, its new text."""
    write: str = ""
    """What to write instead, checked to lead there; empty when nothing is known."""


class FindingChange(Struct, frozen=True):
    """One finding that only one of the two has."""

    new: bool
    """False: it is gone."""
    finding: Finding
    """Of a hidden page, with the title of its code in place of its own words."""
    on_changed_line: bool = False
    """New: whether it lies on a line that the change wrote, or is about a file as a whole that it wrote."""


class DocumentChange(Struct, frozen=True):
    """One document whose state is another now. None: the brain did not expect it, or does no more."""

    brain: str
    """Id."""
    id: str
    title: str
    """As the blueprint or the card calls it."""
    path: str
    """Of its page, or where that belongs."""
    before: DocumentState | None
    after: DocumentState | None
    checked: str = ""
    """Day of the check that counts now."""
    checked_by: str = ""
    due: str = ""
    """First day on which it is out of date."""
    reason: str = ""
    """Why it is declined, added or dropped."""


class BrainChange(Struct, frozen=True):
    """One brain that came, went, or whose documents changed."""

    change: BrainMove
    id: str
    title: str
    card: str
    blueprint: str
    """Ref; empty when the card names none."""
    former_id: str = ""
    """Another id before: its folder was renamed."""
    former_blueprint: str = ""
    """Another ref before."""
    before: tuple[RingDepth, ...] = ()
    after: tuple[RingDepth, ...] = ()
    documents: tuple[DocumentChange, ...] = ()
    """Of a changed brain; those of a brain that came or went are only counted."""


class Changes(Struct, frozen=True):
    """Everything that the step from `base` to `head` does. All lists are sorted; the same two commits give the same value."""

    base: Side
    head: Side
    date: str | None
    """Day that documents of both were judged for, so that time alone changes nothing."""
    folder: str
    """Content root inside the git repository; empty = its top."""
    pages: tuple[PageChange, ...] = ()
    edited: int = 0
    """Pages with another text at the same path or a new one."""
    links: tuple[LinkChange, ...] = ()
    findings: tuple[FindingChange, ...] = ()
    brains: tuple[BrainChange, ...] = ()
    aged: tuple[DocumentChange, ...] = ()
    """Documents that fell out of date between the days of the two commits, whatever the change did."""
    orphans: tuple[str, ...] = ()
    """Pages that nothing links to, and did before or are new."""
    adopted: tuple[str, ...] = ()
    """Pages that something links to now, and nothing did."""
    stubs: tuple[tuple[str, int], ...] = ()
    """(name, links) that lead to no page now, and did not exist or led to one."""
    filled_stubs: tuple[str, ...] = ()
    """Names that led to no page, and do or are gone."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        told = (self.pages, self.links, self.findings, self.brains, self.orphans, self.adopted, self.stubs, self.filled_stubs)
        return not self.edited and not any(told)

    def new_findings(self) -> list[Finding]:
        """Return what only the head has."""
        return [each.finding for each in self.findings if each.new]
