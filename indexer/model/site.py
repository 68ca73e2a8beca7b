"""Page values: everything one published page shows. Made by `publish/`, framed by the templates (SPEC P08).

Every URL in these values is relative to the site's root ("" is the front page) unless it says absolute; the renderer makes it relative
to the page. Nothing here may hold a hidden page or another repo's content.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from indexer.model.blueprint import DocumentState


class Ref(Struct, frozen=True):
    """A link to a page of this site."""

    title: str
    url: str
    """Relative to the site's root, already percent-encoded."""
    note: str = ""
    """One line beside it (summary, folder, count); plain text."""
    current: bool = False
    """True for the page itself."""
    folder: bool = False
    """True when it opens a folder."""
    state: DocumentState | None = None
    """State of the document that it leads to, where a list shows it."""


class TocItem(Struct, frozen=True):
    """One entry of the table of contents."""

    text: str
    id: str
    level: int


class Neighbour(Struct, frozen=True):
    """A page that is drawn beside another one."""

    title: str
    url: str
    mutual: bool = False
    """Whether links lead both ways."""


class LocalGraph(Struct, frozen=True):
    """What is drawn of the pages around one page."""

    sources: tuple[Neighbour, ...]
    """On the left, from above: they link to the page."""
    targets: tuple[Neighbour, ...]
    """On the right: the page links to them, and they do not link back."""
    between: tuple[tuple[int, int], ...] = ()
    """Neighbours that are linked with each other, whichever way; numbers count through the left side, then the right one."""
    incoming: int = 0
    """Pages that link to it, drawn or not."""
    outgoing: int = 0
    """Pages that it links to, drawn or not."""
    more: int = 0
    """Neighbours that are not drawn."""


class DocumentView(Struct, frozen=True):
    """What a page says of itself as a document of a brain. Nothing in it counts days: it changes with the state, not with every day."""

    state: DocumentState
    brain: Ref
    """The brain's front page."""
    ring: str
    stage: str
    asks: str
    """What the blueprint, or the card that adds the document, wants it to contain."""
    owner: str = ""
    checked: str = ""
    """`YYYY-MM-DD`; empty when nobody has checked it."""
    checked_by: str = ""
    due: str = ""
    """`YYYY-MM-DD`, first day on which the check is out of date; empty when it never is."""
    declined: str = ""
    """Why there is no such document."""
    begin_url: str = ""
    """Page that says how to begin it, relative to the site's root; empty for a document that has text or was declined."""


class PageView(Struct, frozen=True):
    """One page of the website."""

    kind: str
    """`page`, `folder`, `tag`, `tags`, `contents`, `recent`, `backlinks`, `report`, `missing`, `search`, `graph`."""
    url: str
    """Relative to the site's root, percent-encoded: "", "a/b/"."""
    title: str
    content: str
    """Finished, sanitised HTML; the renderer inserts it as it is. It starts with the page's h1 where the Markdown has one."""
    has_h1: bool
    """False: the renderer writes the title as h1."""
    summary: str = ""
    toc: tuple[TocItem, ...] = ()
    breadcrumbs: tuple[Ref, ...] = ()
    """From the front page to the parent; the page itself is not in it."""
    section: tuple[Ref, ...] = ()
    """The pages and folders beside it (its own folder), in order, folded past a limit; one is `current`."""
    section_more: Ref | None = None
    """Where the rest of a long section is listed."""
    section_title: str = ""
    top: tuple[Ref, ...] = ()
    """Top level of the site."""
    previous: Ref | None = None
    next: Ref | None = None
    backlinks: tuple[Ref, ...] = ()
    """First ones, best first."""
    backlinks_count: int = 0
    backlinks_more: Ref | None = None
    """Page with all of them, when they were folded."""
    around: LocalGraph | None = None
    """None when nothing is linked with the page."""
    tags: tuple[Ref, ...] = ()
    changed: str = ""
    """`YYYY-MM-DD` (UTC) of the last commit that touched it; empty when unknown."""
    changed_revision: str = ""
    """40 hex digits; empty when unknown."""
    created: str = ""
    """Date of the frontmatter."""
    path: str = ""
    """Repo-relative file; empty for generated pages."""
    edit_url: str = ""
    """Absolute; empty when there is no forge."""
    source_url: str = ""
    """Absolute, at the built revision; empty when there is no forge."""
    twin_url: str = ""
    """The page's `.md` twin, relative to the site's root; empty for generated pages."""
    lang: str = ""
    """BCP 47 tag of the content when the page says so."""
    direction: str = ""
    """`rtl`, `ltr` or empty."""
    features: tuple[str, ...] = ()
    """`math`, `mermaid`."""
    words: int = 0
    document: DocumentView | None = None
    """Set when it is a document of a brain."""
    front: str = ""
    """Finished HTML that follows the text of a brain's card: how deep the brain is, and its documents."""


class SiteView(Struct, frozen=True):
    """What all pages of one site share."""

    title: str
    revision: str
    """Built revision, 40 hex digits; empty when uncommitted."""
    top: tuple[Ref, ...]
    counts: tuple[tuple[str, int], ...] = field(default=())
    """Named figures for the footer and the front page."""
    repo_url: str = ""
    """Absolute address of the forge's page; empty when unknown."""
    contents_url: str = ""
    """Page that lists all pages; this and the next ones relative to the site's root, empty = the site has none and links to none."""
    tags_url: str = ""
    recent_url: str = ""
    report_url: str = ""
    graph_url: str = ""
    """The graph explorer."""
    search_url: str = ""
    """Search as a page of its own, for readers without a dialog."""
    feed_url: str = ""
    """Atom feed of changes."""
    home_url: str = ""
    """Absolute address of the page that lists all sites of the tenant, as its tenant.yml declares it; empty when none is declared."""
    home_title: str = ""
    """Title of the tenant; shown with that address alone."""
    line_ends: bool = False
    """Ends of lines in a paragraph are shown, as in Obsidian."""


class SiteContent(Struct, frozen=True):
    """A whole site as values, before any frame: what plain `mkdocs` asks for (see `indexer.publish.mkdocs_live`)."""

    site: SiteView
    pages: tuple[PageView, ...]
    files: Mapping[str, bytes]
    """Everything that is not a page: attachments, twins, search index; path below the site's root → bytes."""
