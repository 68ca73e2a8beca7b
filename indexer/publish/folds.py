"""What a page shows of lists that may be as long as the site: a window, by number and by size, so that no page costs the size of the site.

Used by `render`. The rest is always listed on a page of its own.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from indexer.model.site import PageView, Ref, TocItem

# Number of entries, and bytes of HTML, that a list may take on a page.
TABS = (10, 1_200)
TOP = (30, 3_000)
SECTION = (60, 5_500)
TOC = (60, 4_000)
BACKLINKS = (40, 4_500)
TAGS = (30, 1_800)
PATH = (32, 2_000)

LONGEST = 160
"""Characters of a title in a list of links."""
_MARKUP = 40
"""Bytes around address and words of one entry, about."""
_MARK = 50
"""And around the state of a document."""
_DEEPEST = 4


def fold_refs(refs: Sequence[Ref], room: tuple[int, int], root: str) -> tuple[tuple[Ref, ...], bool]:
    """Return the refs that fit, around the current one, and whether any was left out. Long words are cut."""
    shown = _window(refs, room[0])
    texts = [ref.url + ref.title + ref.note for ref in shown]
    if texts and max(map(len, texts)) > LONGEST:
        shown = [_shorten(ref) for ref in shown]
        texts = [ref.url + ref.title + ref.note for ref in shown]
    fixed = _MARKUP + len(root)
    costs = [
        fixed + (_MARK if ref.state else 0) + (len(text) if text.isascii() else len(text.encode("utf-8", "replace")))
        for ref, text in zip(shown, texts, strict=True)
    ]
    spent, first, end = sum(costs), 0, len(shown)
    if spent > room[1]:
        current = next((index for index, ref in enumerate(shown) if ref.current), 0)
        while spent > room[1] and end - first > 1:
            # From the end that is farther from the page itself.
            if end - 1 - current >= current - first:
                end -= 1
                spent -= costs[end]
            else:
                spent -= costs[first]
                first += 1
    return tuple(shown[first:end]), end - first < len(refs)


def fold_path(crumbs: Sequence[Ref], root: str) -> tuple[Ref, ...]:
    """Return the folders that a page is in, the site first: of too many those nearest to the page, for there the reader goes on."""
    if len(crumbs) < 2:
        return tuple(crumbs)
    below = [replace(ref, current=index == len(crumbs) - 2) for index, ref in enumerate(crumbs[1:])]
    shown, _ = fold_refs(below, PATH, root)
    return (_shorten(crumbs[0]), *(replace(ref, current=False) for ref in shown))


def fold_toc(toc: Iterable[TocItem]) -> tuple[tuple[TocItem, ...], int]:
    """Return the headings below the title, as deep as fits, and how many are left out at the end; a single one is no table."""
    entries = tuple(entry for entry in toc if 1 < entry.level <= _DEEPEST)
    shown: tuple[TocItem, ...] = ()
    for deepest in range(_DEEPEST, 1, -1):
        shown = tuple(entry for entry in entries if entry.level <= deepest)
        if len(shown) <= TOC[0] and sum(map(_toc_cost, shown)) <= TOC[1]:
            return (shown, 0) if len(shown) > 1 else ((), 0)
    spent, kept = 0, []
    for entry in shown[: TOC[0]]:
        spent += _toc_cost(entry)
        if spent > TOC[1]:
            break
        kept.append(entry)
    return tuple(kept), len(shown) - len(kept)


def mark_branch(page: PageView, top: Iterable[Ref]) -> tuple[Ref, ...]:
    """Return the top level with the branch marked that the page is in."""
    branch = {page.url, *(crumb.url for crumb in page.breadcrumbs)} - {""}
    refs = tuple(top)
    return _mark_refs(refs, tuple(index for index, ref in enumerate(refs) if ref.url in branch))


@lru_cache(maxsize=256)
def _mark_refs(refs: tuple[Ref, ...], marked: tuple[int, ...]) -> tuple[Ref, ...]:
    """Return the refs with some marked as current; the pages of a folder share the result."""
    return tuple(replace(ref, current=True) if index in marked else ref for index, ref in enumerate(refs))


def choose_tabs(top: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Return what goes into the row of tabs: all of a short top level, only the folders of a long one."""
    return top if len(top) <= TABS[0] else tuple(ref for ref in top if ref.folder)


def _window(refs: Sequence[Ref], limit: int) -> Sequence[Ref]:
    if len(refs) <= limit:
        return refs
    current = next((index for index, ref in enumerate(refs) if ref.current), 0)
    start = min(max(0, current - limit // 2), len(refs) - limit)
    return refs[start : start + limit]


def _shorten(ref: Ref) -> Ref:
    if len(ref.title) <= LONGEST and len(ref.note) <= LONGEST:
        return ref
    return replace(ref, title=_cut(ref.title), note=_cut(ref.note))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _toc_cost(entry: TocItem) -> int:
    return _MARKUP + len((entry.id + entry.text).encode("utf-8", "replace"))
