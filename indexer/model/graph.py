"""What links and pages are once all pages are known: resolved links, the graph, addresses."""

from collections.abc import Mapping

from msgspec import Struct

from indexer.model.index import LinkStatus

LEAVES = "leaves the repository"
PASSED_OVER = "names that begin with a dot are not read"
NO_PAGES = "the folder holds no page"
NOT_READ = {
    "SRC002": "it lies in a submodule, which is a repository of its own",
    "SRC003": "it is kept in Git LFS, and here is only a pointer to it",
    "SRC004": "it is larger than the cap",
    "SRC005": "it lies deeper than folders are read",
    "SRC009": "it cannot be read",
}
"""Finding about a file or folder that was passed over → rule of links to it.

Not of symbolic links: one to a hidden page must look like one to a page that does not exist.
"""
_OUTSIDE = frozenset({LEAVES, PASSED_OVER, *NOT_READ.values()})
"""Rules of links to what is no content of the repo."""


class Target(Struct, frozen=True):
    """Where one link leads, and why. Same order as `ParsedPage.links`."""

    status: LinkStatus
    path: str | None = None
    """Page, file or folder (without slash) inside the repo; None when it leads nowhere or outside."""
    fragment: str = ""
    """Id in the target's HTML that it leads to; `^name` for a block."""
    candidates: tuple[str, ...] = ()
    """All pages, or all files of one name, that fit, when several do; the first is the one the rule picks."""
    rule: str = ""
    """Name of the rule that decided, for explanations: `exact`, `relative`, `letter case`, `name`, `alias`, `shortest path`, `nearest` …"""
    edge: bool = False
    """Whether it counts in the graph."""

    @property
    def is_outside(self) -> bool:
        """Whether it is at a path at which no page of the repo can be, or none that is read."""
        return self.rule in _OUTSIDE


class Graph(Struct, frozen=True):
    """The link graph of the published pages of one repo."""

    nodes: tuple[str, ...]
    """Paths, sorted."""
    edges: tuple[tuple[str, str, int], ...]
    """(from, to, number of links), sorted; never a loop."""
    backlinks: Mapping[str, tuple[str, ...]]
    """Page → distinct pages that link to it, sorted; only pages that have some."""
    outgoing: Mapping[str, tuple[str, ...]]
    """Page → distinct pages it links to, sorted; only pages that have some."""
    orphans: tuple[str, ...]
    """No page links to them; entry pages (front page, `BRAIN.md`, `log.md`) are never orphans."""
    isolated: tuple[str, ...]
    """No edge in or out."""
    dead_ends: tuple[str, ...]
    """Pages that are linked to and link to nothing."""
    hubs: tuple[str, ...]
    """Best connected first."""
    stubs: tuple[tuple[str, int], ...]
    """(name, links) of pages that are linked, not written; most wanted first."""
    pagerank: Mapping[str, float]
    """Sums to 1."""
    communities: Mapping[str, int]
    """Page → number of its community; the largest is 0."""
    components: Mapping[str, int]
    """Page → number of its connected component; the largest is 0."""


class Address(Struct, frozen=True):
    """Where a page or file lies on the site."""

    url: str
    """Relative to the site's root, percent-encoded; "" is the front page."""
    file: str
    """Path below the site's folder, not encoded."""
