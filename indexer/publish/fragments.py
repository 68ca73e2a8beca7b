"""Content of the pages that the site makes itself: folders, tags, contents, changes, backlinks, findings, search.

Each function returns finished HTML for `PageView.content`, with addresses relative to the page at `at` (its URL below the site's root).
Called by the pipeline after all pages are resolved; pure, deterministic, escaped by the templates in `overrides/brain/`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct, field

from indexer.model.site import Ref
from indexer.publish.render import render_part, root_of, spell_date
from indexer.publish.rows import mark_state


class TagCount(Struct, frozen=True):
    """One tag and how many pages have it."""

    name: str
    """Without `#`."""
    url: str
    """Its page, relative to the site's root."""
    count: int


class PageChange(Struct, frozen=True):
    """One page that changed, newest first in the list."""

    title: str
    url: str
    """Empty when the page is gone."""
    date: str
    """`YYYY-MM-DD` (UTC)."""
    note: str = ""
    """Such as the folder; plain text."""


class ContentsFolder(Struct, frozen=True):
    """A folder of the contents tree."""

    title: str
    url: str
    """The folder's own page; empty when it has none."""
    pages: tuple[Ref, ...] = ()
    folders: "tuple[ContentsFolder, ...]" = field(default=())

    def count(self) -> int:
        """Return how many pages are in it and below."""
        return len(self.pages) + sum(folder.count() for folder in self.folders)


def render_folder(title: str, refs: Sequence[Ref], *, at: str) -> str:
    """Return the listing of a folder that has no page of its own. As everywhere here, the renderer writes the title as h1."""
    return render_part("folder.html", at, title=title, refs=_listed(at, refs), count=len(refs))


def render_tags(tag_counts: Iterable[TagCount], *, at: str) -> str:
    """Return the page of all tags."""
    tags = [(root_of(at) + tag.url, tag.name, tag.count) for tag in tag_counts]
    return render_part("tags.html", at, tags=tags)


def render_tag(tag: str, refs: Sequence[Ref], *, at: str, total: int = 0) -> str:
    """Return the page of one tag; `total` pages have it when `refs` are only a part of them."""
    return render_part("tag.html", at, tag=tag, refs=_listed(at, refs), count=total or len(refs))


def render_backlinks(title: str, refs: Sequence[Ref], *, at: str, url: str = "", total: int = 0) -> str:
    """Return the list of pages that link to the page `title` at `url`; `total` do when `refs` are only a part of them."""
    return render_part("backlinks.html", at, title=title, href=root_of(at) + url, refs=_listed(at, refs), count=total or len(refs))


def render_recent(changes: Sequence[PageChange], *, at: str) -> str:
    """Return the page of recent changes, grouped by month in the order given."""
    root = root_of(at)
    months: list[tuple[str, list[Any]]] = []
    for change in changes:
        month = spell_date(change.date[:7] + "-01").partition(" ")[2] if change.date else ""
        if not months or months[-1][0] != month:
            months.append((month, []))
        months[-1][1].append((root + change.url if change.url else "", change.title, change.date, spell_date(change.date), change.note))
    return render_part("recent.html", at, months=months)


def render_search_page(*, at: str, contents_url: str = "") -> str:
    """Return the search page: a field for browsers with scripts, the way to the contents page for all others."""
    return render_part("search.html", at, contents=root_of(at) + contents_url if contents_url else "")


def render_graph_page(*, at: str, contents_url: str) -> str:
    """Return the page of the graph explorer: a place for it, and the way to the contents page for browsers without scripts."""
    return render_part("graph.html", at, contents=root_of(at) + contents_url)


def render_graph_link(*, at: str, graph_url: str) -> str:
    """Return the way from the list of all pages to their graph."""
    return render_part("graph_link.html", at, graph=root_of(at) + graph_url)


def _listed(at: str, refs: Iterable[Ref]) -> list[tuple[str, str, str, bool, Markup]]:
    root = root_of(at)
    return [(root + ref.url, ref.title, ref.note, ref.folder, mark_state(ref)) for ref in refs]
