"""A page value and a frame become the bytes of one HTML file, by string assembly: about 0.2 ms a page.

Called by the pipeline in its worker processes. Pure: same values, same bytes; no file is read after the templates were compiled. The
content of a page is inserted as it is, for it was sanitised where it was made; everything else is escaped by the templates and `rows`.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import escape

from indexer.errors import PublishError
from indexer.model.site import PageView, Ref, SiteView, TocItem
from indexer.publish.frames import FrameSet
from indexer.publish.rows import link_rows, noted_rows, tag_rows, toc_rows
from indexer.resources import find_resource

# No page costs the size of the site: what is longer is folded, and the rest is listed on a page of its own.
MAX_TABS, MAX_TOP, MAX_SECTION, MAX_TOC, MAX_BACKLINKS, MAX_TAGS = 10, 30, 60, 60, 40, 30
FOLD_BACKLINKS = 15
WORDS_A_MINUTE = 220

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
    filled = {"article": _render_article(page, "".join(blocks["byline"](context)))}
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
    return Environment(loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, auto_reload=False, cache_size=-1)


@lru_cache(maxsize=1)
def _page_template() -> Template:
    return page_environment().get_template("page.html")


def _page_values(site: SiteView, page: PageView) -> dict[str, Any]:
    root = root_of(page.url)
    top = _mark_branch(page, page.top or site.top)
    tabs, more = _fold(_choose_tabs(top), MAX_TABS)
    section, cut = _fold(page.section, MAX_SECTION)
    # A page stands in its folder, the last breadcrumb; a folder's own page is the folder.
    inside = bool(page.breadcrumbs) and page.breadcrumbs[-1].title == page.section_title
    section_url = page.breadcrumbs[-1].url if inside else page.url
    backlinks_count = max(page.backlinks_count, len(page.backlinks))
    rows = {
        "tabs": link_rows(root, tabs, current="true"),
        "top": link_rows(root, _fold(top, MAX_TOP)[0], current="true"),
        "section": link_rows(root, section),
        "path": link_rows(root, page.breadcrumbs),
        "toc": toc_rows(_fold_toc(page.toc)),
        "tags": tag_rows(root, page.tags[:MAX_TAGS]),
        "backlinks": noted_rows(root, page.backlinks[:MAX_BACKLINKS]),
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
        "minutes": max(1, round(page.words / WORDS_A_MINUTE)) if page.words >= 60 else 0,
    }


def _render_article(page: PageView, byline: str) -> str:
    lang = f' lang="{escape(page.lang)}"' if page.lang else ""
    opening = f'<article class="brain-article brain-kind-{escape(page.kind)}"{lang} dir="{escape(page.direction or "auto")}">'
    if not page.has_h1:
        return f"{opening}<h1>{escape(page.title)}</h1>{byline}{page.content}</article>"
    heading, end, rest = page.content.partition("</h1>")
    return f"{opening}{heading}{end}{byline}{rest}</article>" if end else f"{opening}{byline}{page.content}</article>"


def _mark_branch(page: PageView, top: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Return the top level with the branch marked that the page is in."""
    branch = {page.url, *(crumb.url for crumb in page.breadcrumbs)} - {""}
    return tuple(replace(ref, current=True) if ref.url in branch and not ref.current else ref for ref in top)


def _choose_tabs(top: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Return what goes into the row of tabs: all of a short top level, only the folders of a long one."""
    return top if len(top) <= MAX_TABS else tuple(ref for ref in top if ref.folder)


def _fold(refs: tuple[Ref, ...], limit: int) -> tuple[tuple[Ref, ...], bool]:
    """Return at most `limit` refs, always the current one among them, and whether any was left out."""
    if len(refs) <= limit:
        return refs, False
    current = next((index for index, ref in enumerate(refs) if ref.current), 0)
    # A window around the current page: its neighbours matter most.
    start = min(max(0, current - limit // 2), len(refs) - limit)
    return refs[start : start + limit], True


def _fold_toc(toc: Iterable[TocItem]) -> tuple[TocItem, ...]:
    """Return headings below the title, as deep as fits."""
    entries = tuple(entry for entry in toc if entry.level > 1)
    for deepest in (4, 3, 2):
        shown = tuple(entry for entry in entries if entry.level <= deepest)
        if len(shown) <= MAX_TOC:
            return shown if len(shown) > 1 else ()
    return shown[:MAX_TOC]
