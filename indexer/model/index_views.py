"""What the index answers about a repo and nobody writes row by row: its views, and the tables of repos and builds.

Read by `indexer.store.read` for the report, the command line, the gateway and MCP. Field order is column order of the table or view that
the class names, after its leading `repo` column; a test holds the two together.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from indexer.model.blueprint import DocumentState
from indexer.model.index import RepoStatus
from indexer.model.page import LinkKind


@dataclass(frozen=True, slots=True)
class RepoEntry:
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


@dataclass(frozen=True, slots=True)
class DocumentStanding:
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


@dataclass(frozen=True, slots=True)
class Backlink:
    """View `backlinks`: one published page that links to another."""

    path: str
    from_path: str
    from_title: str
    from_url: str
    links: int
    rank: float
    """PageRank of the linking page; 0 when it has none."""


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """View `broken_links`."""

    from_path: str
    line: int
    raw: str
    kind: LinkKind
    problem: str
    """`missing`, `asset-missing` or `anchor-missing`; a link to a hidden page counts as missing."""


@dataclass(frozen=True, slots=True)
class Stub:
    """View `stubs`: a page that is linked but not written."""

    name: str
    pages: int
    """Pages that link to it."""
    links: int


@dataclass(frozen=True, slots=True)
class RankedPage:
    """Views `hubs` and `orphans`."""

    path: str
    title: str
    in_degree: int
    out_degree: int
    pagerank: float


@dataclass(frozen=True, slots=True)
class StalePage:
    """View `stale_pages`."""

    path: str
    title: str
    days: int
    """From the last change of the page to the indexed commit."""


@dataclass(frozen=True, slots=True)
class FolderStatistics:
    """View `folder_statistics`: the published pages directly in one folder."""

    folder: str
    """Without a slash at either end; empty = the root."""
    pages: int
    words: int
    broken_links: int
    orphans: int


@dataclass(frozen=True, slots=True)
class TagCount:
    """View `tag_counts`."""

    tag: str
    pages: int


@dataclass(frozen=True, slots=True)
class BuildRow:
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


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """Tables `build` and `build_figure`: one indexed revision in the history of a repo."""

    build: BuildRow
    figures: Mapping[str, int]
    """Further figures, such as `documents filled`."""
