"""What the index holds of one repo, row by row. The pipeline fills a RepoRows; `indexer.store` writes it and reads rows back.

Field order is column order of the table that the class names, after its leading `repo` column; a test holds the two together. Rows are
tuples because a build makes those of all pages, whatever has changed.
Texts may hold anything a page or a file name holds; the store cleans what no database can keep. What is only ever read back is in
`index_views`.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from indexer.model.finding import Finding
from indexer.model.page import LinkKind

RepoStatus = Literal["fresh", "failed"]
LinkStatus = Literal["page", "self", "asset", "folder", "external", "missing", "asset-missing", "anchor-missing", "ambiguous", "private"]


class PageRow(NamedTuple):
    """Table `page`: one Markdown file, hidden ones included."""

    path: str
    url: str
    """Relative to the site's root, percent-encoded; where it would lie, for a hidden page."""
    title: str
    published: bool
    """False for a hidden page (SPEC P19)."""
    date: str | None
    """`YYYY-MM-DD` from the frontmatter."""
    changed: int | None
    """Committer time of the last commit that touched it, seconds since the epoch; None when unknown."""
    changed_revision: str | None
    """40 hex digits."""
    words: int
    blob: str
    """Git blob id, 40 hex digits."""
    summary: str
    meta: Mapping[str, Any]
    """The frontmatter, JSON-safe."""


class HeadingRow(NamedTuple):
    """Table `heading`."""

    path: str
    position: int
    """0-based, in order on the page."""
    level: int
    text: str
    id: str
    line: int


class TagRow(NamedTuple):
    """Table `tag`."""

    path: str
    tag: str
    """Without `#`; `a/b` for a nested one."""


class AliasRow(NamedTuple):
    """Table `alias`."""

    path: str
    alias: str


class BlockRow(NamedTuple):
    """Table `block`."""

    path: str
    block: str
    """Without `^`."""


class LinkRow(NamedTuple):
    """Table `link`: one link as written and what became of it."""

    from_path: str
    number: int
    """0-based position in `ParsedPage.links`."""
    line: int
    raw: str
    kind: LinkKind
    status: LinkStatus
    target: str
    """What the link names, as written but without anchor and label; names the stub when the page is missing."""
    to_path: str | None
    """Page, file or folder inside the repo that it leads to; None when it leads nowhere or outside."""
    to_anchor: str
    """Heading id or `^block` it leads to; empty without one."""
    label: str


class CandidateRow(NamedTuple):
    """Table `link_candidate`: one page that an ambiguous link could mean."""

    from_path: str
    number: int
    """`number` of the link."""
    position: int
    """0-based; the first is the one the rule picks."""
    path: str


class EdgeRow(NamedTuple):
    """Table `edge`: a distinct pair of pages."""

    from_path: str
    to_path: str
    links: int
    """How many links make up the edge."""


class ScoreRow(NamedTuple):
    """Table `graph_score`: where a page stands in the graph of its repo."""

    path: str
    in_degree: int
    out_degree: int
    pagerank: float
    community: int
    component: int
    is_hub: bool
    is_orphan: bool
    is_dead_end: bool


class RedirectRow(NamedTuple):
    """Table `redirect`: a former address of a page (SPEC P15)."""

    from_path: str
    from_url: str
    to_path: str
    to_url: str


class BrainRow(NamedTuple):
    """Table `brain`: one folder with a card."""

    card: str
    """Path of the card inside the repo."""
    id: str
    """`<repo>/<folder>`."""
    folder: str
    title: str
    blueprint: str
    """Ref as the card names it; empty when it names none."""
    known: bool
    """False when there is no such blueprint."""
    parent: str
    """Id as the card names it; empty without one."""


class DocumentRow(NamedTuple):
    """Table `document`: one document that a brain should hold, and what its page says of itself. See `indexer.model.blueprint`."""

    card: str
    """Card of its brain."""
    position: int
    """0-based, in the order of the brain."""
    id: str
    file: str
    """Relative to the brain's folder."""
    title: str
    ring: str
    deepens: tuple[int, ...]
    out_of_date_after_days: int | None
    asks: str
    page: str
    """Path of the page in its place; empty when there is none."""
    written: bool
    added: bool
    reason: str
    summary: str
    owner: str
    checked: str | None
    """`YYYY-MM-DD`; None when not checked."""
    checked_by: str
    declined: str
    facts: tuple[tuple[str, str], ...]


class DroppedRow(NamedTuple):
    """Table `document_drop`: one document that a card leaves out."""

    card: str
    position: int
    """0-based, in the order of the brain."""
    id: str
    file: str
    title: str
    reason: str


class WarningRow(NamedTuple):
    """Table `brain_warning`: one sentence on what is wrong with a card."""

    card: str
    position: int
    """0-based, in the order of the brain."""
    text: str


class RepoRows(Struct, frozen=True):
    """Everything the index holds of one repo after this run."""

    name: str
    title: str = ""
    revision: str | None = None
    """Indexed commit; None for uncommitted content."""
    committed_at: int | None = None
    """Committer time of `revision`, seconds since the epoch."""
    status: RepoStatus = "fresh"
    """`failed`: the repo could not be read this time. Its last rows stay, and only `status` and `failed_reason` are taken from here."""
    failed_reason: str = ""
    built_from: tuple[str, ...] = ()
    """Names of all repos these rows were computed from; empty = this repo alone."""
    pages: tuple[PageRow, ...] = ()
    headings: tuple[HeadingRow, ...] = ()
    tags: tuple[TagRow, ...] = ()
    aliases: tuple[AliasRow, ...] = ()
    blocks: tuple[BlockRow, ...] = ()
    links: tuple[LinkRow, ...] = ()
    candidates: tuple[CandidateRow, ...] = ()
    edges: tuple[EdgeRow, ...] = ()
    scores: tuple[ScoreRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    redirects: tuple[RedirectRow, ...] = ()
    brains: tuple[BrainRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    dropped: tuple[DroppedRow, ...] = ()
    warnings: tuple[WarningRow, ...] = ()
    date: str | None = None
    """`YYYY-MM-DD` that states of documents are judged for; None = nothing ages."""
    figures: tuple[tuple[str, int], ...] = ()
    """Further named figures of this build for the trend (such as `documents filled`), kept with the build history."""
