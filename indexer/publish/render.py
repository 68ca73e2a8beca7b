"""A page value and a frame become the bytes of one HTML file, by string assembly: about 0.2 ms a page.

Called by the pipeline in its worker processes. Pure: same values, same bytes; no file is read after the templates were compiled. The
content of a page is inserted as it is, for it was sanitised where it was made; everything else is escaped by the templates and `rows`.
"""

import re
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from indexer.errors import PublishError
from indexer.model.site import LocalGraph, PageView, Ref, SiteView
from indexer.publish.folds import BACKLINKS, SECTION, TABS, TAGS, TOP, choose_tabs, fold_path, fold_refs, fold_toc, mark_branch
from indexer.publish.frames import FrameSet
from indexer.publish.local_graph import draw_links
from indexer.publish.looks import LOOKS
from indexer.publish.rows import link_rows, neighbour_rows, noted_rows, tag_rows, toc_rows
from indexer.publish.template_cache import open_template_cache
from indexer.publish.visible import clean_text
from indexer.resources import find_resource

FOLD_BACKLINKS = 15
WORDS_A_MINUTE = 220
_TICKS = re.compile("`([^`]+)`")

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")


def render_page(frames: FrameSet, site: SiteView, page: PageView) -> bytes:
    """Return the finished HTML of one page.

    Raises PublishError when the frame set has no frame for the page's depth.
    """
    frame = frames.frames.get(page.url.count("/"))
    if frame is None:
        raise PublishError(f"BUG: there is no frame for pages as deep as {page.url!r}")
    template = _page_template()
    values = _page_values(site, page)
    context = template.new_context(values)
    blocks = template.blocks
    filled = {"article": _render_article(page, "".join(blocks["byline"](context)), line_ends=site.line_ends)}
    pieces = [frame.parts[0]]
    for name, part in zip(frame.slots, frame.parts[1:], strict=True):
        if name not in filled:
            filled[name] = "".join(blocks[name](context))
        pieces += (filled[name], part)
    return "".join(pieces).encode("utf-8", "replace")


def root_of(url: str) -> str:
    """Return what leads from a page to the site's root: `./` or `../../`."""
    # "./" and not "": a first segment such as "a:b" would read as a scheme.
    return "../" * url.count("/") or "./"


def spell_date(date: str) -> str:
    """Return `2024-03-10` as `10 March 2024`; anything else as it is. No locale: same bytes everywhere."""
    year, _, rest = date.partition("-")
    month, _, day = rest.partition("-")
    if not (month.isdecimal() and day.isdecimal() and 1 <= int(month) <= 12):
        return date
    return f"{int(day)} {_MONTHS[int(month) - 1]} {year}"


@lru_cache(maxsize=1)
def page_environment() -> Environment:
    """Return the Jinja environment of the shipped page templates; it escapes by default and never loads a template of a brain."""
    folder = find_resource("site_templates/overrides/brain")
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=open_template_cache(),
    )
    environment.filters |= {"spell": spell_date, "ticks": _mark_code, "query": _put_in_query}
    environment.globals["looks"] = tuple(LOOKS.values())
    return environment


@lru_cache(maxsize=1)
def clean_environment() -> Environment:
    """Return the same for pages of the gateway: whatever shows nothing is taken out of every value, marks that turn a line around, too.

    Without the compiled templates that are kept for builds: those do not do that.
    """
    return page_environment().overlay(finalize=_take_out_invisible, bytecode_cache=None)


def _take_out_invisible(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return Markup(clean_text(value)) if isinstance(value, Markup) else clean_text(value)  # noqa: S704 - it was safe before


def render_part(template: str, at: str, **values: Any) -> str:
    """Return the content of a page at `at` that a shipped template makes."""
    return page_environment().get_template(template).render(root=root_of(at), **values)


def _put_in_query(url: str) -> str:
    """Return an address as the value of a query: it is escaped already, but for what has a meaning there."""
    return url.replace("&", "%26").replace("+", "%2B")


def _mark_code(text: str) -> Markup:
    """Show what stands between backticks in a message of the program as code."""
    return Markup(_TICKS.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped first


@lru_cache(maxsize=1)
def _page_template() -> Template:
    return page_environment().get_template("page.html")


def _page_values(site: SiteView, page: PageView) -> dict[str, Any]:
    root = root_of(page.url)
    top = mark_branch(page, page.top or site.top)
    tabs, more = fold_refs(choose_tabs(top), TABS, root)
    section, cut = fold_refs(page.section, SECTION, root)
    # A page stands in its folder, the last breadcrumb; a folder's own page is the folder.
    inside = bool(page.breadcrumbs) and page.breadcrumbs[-1].title == page.section_title
    section_url = page.breadcrumbs[-1].url if inside else page.url
    tags, _ = fold_refs(page.tags, TAGS, root)
    backlinks_count = max(page.backlinks_count, len(page.backlinks))
    rows = {
        "tabs": link_rows(root, tabs, current="true"),
        "top": link_rows(root, fold_refs(top, TOP, root)[0], current="true"),
        "section": link_rows(root, section),
        "path": link_rows(root, fold_path(page.breadcrumbs, root)),
        "toc": toc_rows(*fold_toc(page.toc)),
        "tags": tag_rows(root, tags, len(page.tags) - len(tags)),
        "backlinks": noted_rows(root, fold_refs(page.backlinks, BACKLINKS, root)[0]),
    }
    return {
        "site": site,
        "page": page,
        "root": root,
        "rows": rows,
        "top_more": bool(site.contents_url) and more,
        "section_more": page.section_more or (Ref("All pages here", section_url) if cut else None),
        "section_url": section_url,
        "backlinks_count": backlinks_count,
        "fold": backlinks_count > FOLD_BACKLINKS,
        "changed": spell_date(page.changed),
        "created": spell_date(page.created),
        "around": _draw_around(page.around, root) if page.around else None,
        "look": LOOKS[page.document.state] if page.document else None,
        "front": Markup(page.front),  # noqa: S704 - finished where it was made, as the content is
        "minutes": max(1, round(page.words / WORDS_A_MINUTE)) if page.words >= 60 else 0,
    }


def _draw_around(graph: LocalGraph, root: str) -> dict[str, Any]:
    height, own, between = draw_links(graph)
    return {
        "sources": neighbour_rows(root, graph.sources),
        "targets": neighbour_rows(root, graph.targets),
        "height": height,
        # Numbers and letters of the program: nothing to escape.
        "own": Markup(own),  # noqa: S704
        "between": Markup(between),  # noqa: S704
        "says": _say_around(graph),
    }


def _say_around(graph: LocalGraph) -> str:
    """Return the drawing in a sentence, for those who do not see it and to say what it leaves out."""
    parts = []
    if graph.outgoing:
        parts.append(f"links to {_count_pages(graph.outgoing)}")
    if graph.incoming:
        parts.append(f"is linked from {_count_pages(graph.incoming)}")
    drawn = len(graph.sources) + len(graph.targets)
    rest = f" The drawing shows {drawn} of these {drawn + graph.more} pages." if graph.more else ""
    dotted = " Dotted lines are links between them." if graph.between else ""
    return f"This page {' and '.join(parts)}.{rest}{dotted}"


def _count_pages(count: int) -> str:
    return f"{count} {'page' if count == 1 else 'pages'}"


def _render_article(page: PageView, byline: str, *, line_ends: bool) -> str:
    lang = f' lang="{escape(page.lang)}"' if page.lang else ""
    lines = " brain-lines" if line_ends and page.kind == "page" else ""
    opening = f'<article class="brain-article brain-kind-{escape(page.kind)}{lines}"{lang} dir="{escape(page.direction or "auto")}">'
    if not page.has_h1:
        return f"{opening}<h1>{escape(page.title)}</h1>{byline}{page.content}</article>"
    heading, end, rest = page.content.partition("</h1>")
    return f"{opening}{heading}{end}{byline}{rest}</article>" if end else f"{opening}{byline}{page.content}</article>"
