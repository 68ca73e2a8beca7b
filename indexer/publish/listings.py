"""Pages that the site makes itself: folders without an index page, tags, all pages, recent changes, long backlink lists, search.

Called by the pipeline; each yields a PageJob with finished content. All but the folders lie below `_/`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from indexer.model.job import PageJob
from indexer.model.result import IndexResult
from indexer.model.site import PageView, Ref, SiteView
from indexer.publish.contents import build_contents
from indexer.publish.fragments import (
    ContentsFolder,
    PageChange,
    TagCount,
    render_backlinks,
    render_folder,
    render_graph_link,
    render_graph_page,
    render_recent,
    render_search_page,
    render_tag,
    render_tags,
)
from indexer.publish.jobs import BACKLINKS, SHOWN_BACKLINKS, JobMaker, make_generated, to_day
from indexer.publish.sections import Folder, Sections
from indexer.publish.shelves import REPORT
from indexer.publish.tags import ROOT as TAGS
from indexer.publish.tags import TagPages

CONTENTS, RECENT, SEARCH, GRAPH = "_/contents/", "_/recent/", "_/search-page/", "_/graph/"
_RECENT_PAGES = 200
MORE = "_/more/"
PART = 300
"""Most entries of a listing on one page."""
_TOP = 30


def make_site_view(result: IndexResult, sections: Sections) -> SiteView:
    """Return what all pages of a site share."""
    has_changes = bool(result.history.last)
    return SiteView(
        title=result.title,
        revision=result.snapshot.revision or "",
        # Every page shows the top level: with states in it, a new one would change them all.
        top=tuple(replace(ref, state=None) for ref in sections.folders[""].refs if ref.folder)[:_TOP],
        counts=(("pages", len(result.graph.nodes)), ("links", len(result.graph.edges))),
        repo_url=result.origin.web,
        contents_url=CONTENTS,
        tags_url=TAGS if any(page.tags for page in result.pages.values() if not page.hidden) else "",
        recent_url=RECENT if has_changes else "",
        report_url=REPORT,
        graph_url="" if result.kept_as_is else GRAPH,
        search_url=SEARCH,
        feed_url="feed.xml" if has_changes else "",
    )


def make_listings(
    result: IndexResult, sections: Sections, tags: TagPages, maker: JobMaker, touched: frozenset[str] | None = None
) -> Iterator[PageJob]:
    """Yield the jobs of all generated pages, or only of those on which something of the `touched` pages stands."""
    home = (Ref(result.title, ""),)
    yield from _list_folders(result, sections, maker, touched)
    yield from _list_tags(tags, maker, home, touched)
    yield from _list_backlinks(result, maker, home, touched)
    if result.history.last:
        yield _list_recent(result, home)
    if touched is not None:
        return  # the rest shows names only, and those are the same in a partial plan
    yield from _list_contents(result, sections, home)
    content = render_search_page(at=SEARCH, contents_url=CONTENTS)
    yield make_generated(PageView("search", SEARCH, "Search", content, has_h1=False, breadcrumbs=home))
    if not result.kept_as_is:
        content = render_graph_page(at=GRAPH, contents_url=CONTENTS)
        yield make_generated(PageView("graph", GRAPH, "Graph", content, has_h1=False, breadcrumbs=home))


def _spread(view: PageView, file: str, refs: Sequence[Ref], render: Callable[[Sequence[Ref], str], str]) -> Iterator[PageJob]:
    """Yield a listing in parts of bounded size; each leads on to the next.

    The first lies at the view's address, the others below `_/more/`.
    """
    total = max(1, -(-len(refs) // PART))
    for number in range(1, total + 1):
        url, part_file = (
            (view.url, file) if number == 1 else (_part(view.url, number), _part(file.removesuffix("index.html"), number) + "index.html")
        )
        shown = list(refs[(number - 1) * PART : number * PART])
        if number < total:
            rest = f"{number * PART + 1:,}–{min((number + 1) * PART, len(refs)):,} of {len(refs):,}"
            shown.append(Ref(f"Next: {rest}", _part(view.url, number + 1)))
        title = view.title if number == 1 else f"{view.title}, part {number}"
        yield PageJob(view=replace(view, url=url, title=title, content=render(shown, url)), file=part_file)


def _part(base: str, number: int) -> str:
    return f"{MORE}{base}{number}/"


def _list_folders(result: IndexResult, sections: Sections, maker: JobMaker, touched: frozenset[str] | None) -> Iterator[PageJob]:
    for folder in sections.folders.values():
        if folder.index or (touched is not None and touched.isdisjoint(_list_shown(folder, sections))):
            continue
        place = sections.locate_folder(folder.path)
        refs = [_note(ref, key, maker, sections) for ref, key in zip(folder.refs, folder.paths, strict=True)]
        view = PageView(
            kind="folder",
            url=folder.url,
            title=folder.title,
            content="",
            has_h1=False,
            breadcrumbs=place.breadcrumbs,
            section=place.section,
            section_title=place.section_title,
        )
        file = result.addresses[f"{folder.path}/"].file
        yield from _spread(view, file, refs, partial(_render_folder, folder.title))


def _list_shown(folder: Folder, sections: Sections) -> Iterator[str]:
    """Yield the pages of which something stands in the list of a folder: its own, and the index pages of the folders in it."""
    for key in folder.paths:
        yield sections.folders[key[:-1]].index if key.endswith("/") else key


def _note(ref: Ref, key: str, maker: JobMaker, sections: Sections) -> Ref:
    if not key.endswith("/"):
        return replace(maker.refer(key, note=True), state=ref.state)
    inside = sections.folders[key[:-1]]
    note = maker.refer(inside.index, note=True).note if inside.index else ""
    count = len(inside.refs)
    if not note and count:
        note = f"{count} {'entry' if count == 1 else 'entries'}"
    return replace(ref, note=note)


def _list_tags(tags: TagPages, maker: JobMaker, home: tuple[Ref, ...], touched: frozenset[str] | None) -> Iterator[PageJob]:
    if not tags.names:
        return
    counts = [TagCount(name, tags.url(name), len(tags.pages[key])) for key, name in tags.names.items()]
    yield make_generated(PageView("tags", TAGS, "Tags", render_tags(counts, at=TAGS), has_h1=False, breadcrumbs=home))
    crumbs = (*home, Ref("Tags", TAGS))
    for key, name in tags.names.items():
        if touched is not None and touched.isdisjoint(tags.pages[key]):
            continue
        refs = [maker.refer(path, note=True) for path in tags.pages[key]]
        view = PageView("tag", tags.url(name), f"#{name}", "", has_h1=False, breadcrumbs=crumbs)
        yield from _spread(view, tags.file(name), refs, partial(_render_tag, name, len(refs)))


def _list_contents(result: IndexResult, sections: Sections, home: tuple[Ref, ...]) -> Iterator[PageJob]:
    tree = _make_tree(sections.folders[""], sections, result)
    for part in build_contents(tree, at=CONTENTS):
        link = render_graph_link(at=CONTENTS, graph_url=GRAPH) if part.url == CONTENTS and not result.kept_as_is else ""
        crumbs = (*home, *part.breadcrumbs)
        yield make_generated(PageView("contents", part.url, part.title, link + part.content, has_h1=False, breadcrumbs=crumbs))


def _make_tree(folder: Folder, sections: Sections, result: IndexResult) -> ContentsFolder:
    index = (Ref(result.title_of(folder.index), folder.url),) if folder.index else ()
    # Names only: a new state must not write every part of the contents anew.
    pages = tuple(
        replace(ref, state=None) if ref.state else ref for ref, key in zip(folder.refs, folder.paths, strict=True) if not key.endswith("/")
    )
    inside = tuple(_make_tree(sections.folders[key[:-1]], sections, result) for key in folder.paths if key.endswith("/"))
    return ContentsFolder(folder.title, folder.url, (*index, *pages), inside)


def long_backlinks(result: IndexResult) -> list[str]:
    """Pages with so many backlinks that these have a page of their own."""
    return [path for path, sources in result.graph.backlinks.items() if len(sources) > SHOWN_BACKLINKS]


def backlinks_files(result: IndexResult, path: str) -> Iterator[str]:
    """Yield the HTML files of all parts of the list of a page's backlinks."""
    file = backlinks_file(result, path)
    yield file
    for number in range(2, -(-len(result.graph.backlinks[path]) // PART) + 1):
        yield _part(file.removesuffix("index.html"), number) + "index.html"


def backlinks_file(result: IndexResult, path: str) -> str:
    """HTML file of the page that lists all backlinks of `path`."""
    return BACKLINKS + result.addresses[path].file


def _list_backlinks(result: IndexResult, maker: JobMaker, home: tuple[Ref, ...], touched: frozenset[str] | None) -> Iterator[PageJob]:
    for path in long_backlinks(result):
        sources = result.graph.backlinks[path]
        if touched is not None and path not in touched and touched.isdisjoint(sources):
            continue
        ref, target = maker.backlinks_page(path), maker.refer(path)
        refs = maker.refer_apart(maker.rank(sources), besides=path)
        view = PageView("backlinks", ref.url, f"Pages that link to {target.title}", "", has_h1=False, breadcrumbs=(*home, target))
        render = partial(_render_backlinks, target, len(refs))
        yield from _spread(view, backlinks_file(result, path), refs, render)


def _render_folder(title: str, shown: Sequence[Ref], at: str) -> str:
    return render_folder(title, shown, at=at)


def _render_tag(name: str, total: int, shown: Sequence[Ref], at: str) -> str:
    return render_tag(name, shown, at=at, total=total)


def _render_backlinks(target: Ref, total: int, shown: Sequence[Ref], at: str) -> str:
    return render_backlinks(target.title, shown, at=at, url=target.url, total=total)


def _list_recent(result: IndexResult, home: tuple[Ref, ...]) -> PageJob:
    newest = newest_pages(result)[:_RECENT_PAGES]
    changes = [
        PageChange(result.title_of(path), result.addresses[path].url, to_day(result.history.last[path].at), path.rpartition("/")[0])
        for path in newest
    ]
    content = render_recent(changes, at=RECENT)
    return make_generated(PageView("recent", RECENT, "Recent changes", content, has_h1=False, breadcrumbs=home))


def newest_pages(result: IndexResult) -> list[str]:
    """Published pages whose last change is known, newest first."""
    known = [path for path in result.graph.nodes if path in result.history.last]
    return sorted(known, key=lambda path: (-result.history.last[path].at, path))
