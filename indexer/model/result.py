"""What is known of one repo after reading, parsing and resolving: the value that the store and the website are made from."""

from collections.abc import Mapping

from msgspec import Struct, field

from indexer.model.blueprint import Blueprints, Brain
from indexer.model.finding import Finding
from indexer.model.graph import Address, Graph, Target
from indexer.model.known import Known
from indexer.model.page import PageFacts
from indexer.model.relations import Relations
from indexer.model.snapshot import Entry, History, Origin, Snapshot


class IndexResult(Struct, frozen=True):
    """One repo at one revision."""

    repo: str
    """Id of the repo, such as `handbook`."""
    title: str
    snapshot: Snapshot
    origin: Origin
    history: History
    entries: Mapping[str, Entry]
    """Path → entry, for all files."""
    pages: Mapping[str, PageFacts]
    """Path → facts, hidden pages included, sorted by path."""
    targets: Mapping[str, tuple[Target, ...]]
    """Path → where each of its links leads."""
    graph: Graph
    addresses: Mapping[str, Address]
    """Published pages, the files they use, and folders that have a page of their own (path with a trailing slash)."""
    redirects: Mapping[str, str]
    """Former file of the site → address it leads to now."""
    findings: tuple[Finding, ...]
    """Sorted by path, line and code."""
    known: Known
    """What the next run can take over."""
    touched: frozenset[str] | None = None
    """Pages whose text, links or backlinks are other than in the last run; None = all may be."""
    brains: tuple[Brain, ...] = ()
    """Folders with a card, sorted by id; of published pages only."""
    blueprints: Blueprints = field(default_factory=dict)
    """What the cards may name: shipped and the tenant's own."""
    date: str | None = None
    """`YYYY-MM-DD` that states are judged for; None = nothing ages."""
    relations: Relations | None = None
    """Between the published pages; None = not known: those of a large brain are found by refresh."""
    kept_as_is: bool = False
    """The owner wants nothing of it but pages: no graph, no maps, no relations (SPEC T06)."""

    def title_of(self, path: str) -> str:
        """Title of a page: its own, else its file name, else (index pages) its folder."""
        return self.pages[path].title or _name_page(path, self.title)


def _name_page(path: str, site_title: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name[: name.rindex(".")] if "." in name else name
    if stem.lower() in {"index", "readme", "_index"}:
        return folder.rsplit("/", 1)[-1] or site_title
    return stem


class RepoOutcome(Struct, frozen=True):
    """How the build of one repo ended."""

    repo: str
    status: str
    """`built`, `unchanged` or `failed`."""
    files: int = 0
    """Markdown files in the snapshot; always pages + hidden."""
    pages: int = 0
    hidden: int = 0
    links: int = 0
    written: int = 0
    """Files that differ from the last release."""
    findings: tuple[Finding, ...] = ()
    site: str = ""
    """Folder of the website."""
    tenant: str = ""
    """Id of the tenant that the repo belongs to; empty for a folder or repository by itself."""
    revision: str | None = None
    """What was read, 40 hex digits; None for uncommitted content and for a repo that failed."""
    error: str = ""
    hint: str = ""


class Leftover(Struct, frozen=True):
    """What an earlier build of a workspace made for a tenant or repo that it names no more."""

    name: str
    """`tenant/repo`, or `tenant`."""
    folder: str
    reason: str = ""
    """Why the folder stays; empty = it was removed."""

    @property
    def removed(self) -> bool:
        """Whether it is gone."""
        return not self.reason


class Built(Struct, frozen=True):
    """How a build ended."""

    outcomes: tuple[RepoOutcome, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
