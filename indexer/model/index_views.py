"""What the index answers about a repo and nobody writes row by row: its views, and the tables of repos and builds.

Read by `indexer.store.read` for the report, the command line, the gateway and MCP. Field order is column order of the table or view that
the class names, after its leading `repo` column; a test holds the two together.
"""

from collections.abc import Mapping

from msgspec import Struct

from indexer.model.blueprint import DocumentState
from indexer.model.index import RepoStatus
from indexer.model.page import LinkKind


class RepoEntry(Struct, frozen=True):
    """Table `repo` as it is read back."""

    name: str
    title: str
    revision: str | None
    committed_at: int | None
    """Seconds since the epoch."""
    status: RepoStatus
    failed_reason: str
    pages: int
    """Published pages."""
    hidden: int
    """Pages that are not published."""
    built_from: tuple[str, ...]
    date: str | None = None
    """`YYYY-MM-DD` that states of documents were judged for."""


class DocumentStanding(Struct, frozen=True):
    """View `document_states`: one document of a brain with its state on the date that the repo was indexed for."""

    brain: str
    """Id of the brain."""
    position: int
    id: str
    title: str
    ring: str
    state: DocumentState
    path: str
    """Where it lies, or belongs, inside the repo."""
    asks: str
    owner: str
    checked: str | None
    """`YYYY-MM-DD`."""
    checked_by: str
    due: str | None
    """First day on which it is out of date, `YYYY-MM-DD`; None when never."""
    declined: str


class Backlink(Struct, frozen=True):
    """View `backlinks`: one published page that links to another."""

    path: str
    from_path: str
    from_title: str
    from_url: str
    links: int
    rank: float
    """PageRank of the linking page; 0 when it has none."""


class BrokenLink(Struct, frozen=True):
    """View `broken_links`."""

    from_path: str
    line: int
    raw: str
    kind: LinkKind
    problem: str
    """`missing`, `asset-missing` or `anchor-missing`; a link to a hidden page counts as missing."""


class Stub(Struct, frozen=True):
    """View `stubs`: a page that is linked but not written."""

    name: str
    pages: int
    """Pages that link to it."""
    links: int


class RankedPage(Struct, frozen=True):
    """Views `hubs` and `orphans`."""

    path: str
    title: str
    in_degree: int
    out_degree: int
    pagerank: float


class StalePage(Struct, frozen=True):
    """View `stale_pages`."""

    path: str
    title: str
    days: int
    """From the last change of the page to the indexed commit."""


class FolderStatistics(Struct, frozen=True):
    """View `folder_statistics`: the published pages directly in one folder."""

    folder: str
    """Without a slash at either end; empty = the root."""
    pages: int
    words: int
    broken_links: int
    orphans: int


class TagCount(Struct, frozen=True):
    """View `tag_counts`."""

    tag: str
    pages: int


class BuildRow(Struct, frozen=True):
    """Table `build`: figures of one indexed revision, for the trend."""

    revision: str
    committed_at: int | None
    """Committer time of the revision, seconds since the epoch; the index knows no clock."""
    pages: int
    hidden: int
    words: int
    links: int
    edges: int
    broken_links: int
    orphans: int
    stubs: int
    errors: int
    warnings: int
    infos: int


class TrendPoint(Struct, frozen=True):
    """Tables `build` and `build_figure`: one indexed revision in the history of a repo."""

    build: BuildRow
    figures: Mapping[str, int]
    """Further figures, such as `documents filled`."""
