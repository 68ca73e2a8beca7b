"""Two results → the links that broke or were mended, why, and what to write instead (SPEC P16). Called by `changes`. Pure.

Only links of pages that are published in the head. A link is the same one when its page is and its text is; a text that occurs several
times is taken in order.
"""

import posixpath
from collections import defaultdict, deque
from collections.abc import Iterator
from difflib import SequenceMatcher
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from indexer.analysis.changes_pairs import Pair
from indexer.analysis.names import folder_of, stem
from indexer.analysis.resolve import resolve_link
from indexer.model.changes import Cause, LinkChange
from indexer.model.graph import Target
from indexer.model.page import PAGE_SUFFIXES, Link

BROKEN = frozenset({"missing", "asset-missing", "anchor-missing", "private"})
_BRACKETS = ("[[", "![[")
_MOST_HEADINGS = 500


class _Seen(Struct, frozen=True):
    """A link in the base."""

    link: Link
    target: Target


def compare_links(pair: Pair) -> list[LinkChange]:
    """Return the links of published pages that lead nowhere now or did before, by page and line."""
    changes: list[LinkChange] = []
    for path, page in pair.head.pages.items():
        if not page.hidden:
            changes += _compare_page(pair, path)
    return sorted(changes, key=lambda each: (each.path, each.line, each.raw, each.change))


def _compare_page(pair: Pair, path: str) -> Iterator[LinkChange]:
    targets = pair.head.targets[path]
    old = pair.former.get(path, "")
    before = pair.base.targets.get(old, ())
    if targets is before or (not pair.is_edited(path) and old == path and targets == before):
        return
    was_hidden = old in pair.base.pages and pair.base.pages[old].hidden
    seen: dict[str, deque[_Seen]] = defaultdict(deque)
    for link, target in zip(pair.base.pages[old].links if old in pair.base.pages else (), before, strict=True):
        seen[link.raw].append(_Seen(link, target))
    for link, target in zip(pair.head.pages[path].links, targets, strict=True):
        former = seen[link.raw].popleft() if seen.get(link.raw) else None
        yield from _compare_link(pair, path, link, target, former)
    if not was_hidden:
        yield from (
            LinkChange("corrected", path, each.link.line, each.link.raw, "text")
            for rest in seen.values()
            for each in rest
            if each.target.status in BROKEN
        )


def _compare_link(pair: Pair, path: str, link: Link, target: Target, former: _Seen | None) -> Iterator[LinkChange]:
    is_dead, was_dead = target.status in BROKEN, former is not None and former.target.status in BROKEN
    if is_dead and not was_dead:
        led = former.target if former else _look_up_before(pair, path, link)
        change = LinkChange("broke" if former else "dead", path, link.line, link.raw, "name")
        yield _explain(pair, change, link, target, led)
    elif was_dead and not is_dead:
        yield LinkChange("mended", path, link.line, link.raw, _say_mended(pair, target, former), target=_show_path(target))


def _look_up_before(pair: Pair, path: str, link: Link) -> Target | None:
    """Return where a link that was written now would have led before: its author may know pages by their old names."""
    if not link.target:
        return None
    found = resolve_link(pair.former.get(path, path), link, pair.base.pages, pair.base_names)
    return found if found.status not in BROKEN and found.status != "external" else None


def _show_path(target: Target) -> str:
    return target.path or ""


def _say_mended(pair: Pair, target: Target, former: _Seen | None) -> Cause:
    old = pair.former.get(target.path or "")
    if former is not None and former.target.status == "anchor-missing" and old:
        return "heading"
    if target.path not in pair.head.entries:
        return "name"
    if old is None:
        return "written"
    if old != target.path:
        return "renamed"
    was_hidden = old in pair.base.pages and pair.base.pages[old].hidden
    return "published" if was_hidden else "name"


def _explain(pair: Pair, change: LinkChange, link: Link, target: Target, led: Target | None) -> LinkChange:
    """Return the change with its cause and what to write."""
    if target.status == "anchor-missing" and target.path:
        return _explain_heading(pair, change, link, target)
    if target.status == "private":
        return replace(change, cause="hidden", target=_show_path(target))
    old = led.path if led else None
    if old is None:
        return replace(change, cause="text" if change.change == "dead" else "name")
    new = pair.now.get(old)
    if new is None:
        return replace(change, cause="name" if old in pair.head.entries else "removed", target=old)
    if new in pair.head.pages and pair.head.pages[new].hidden:
        return replace(change, cause="hidden", target=old)
    own_move = pair.former.get(change.path, change.path) != change.path
    cause: Cause = "renamed" if new != old else "moved" if own_move else "name"
    return replace(change, cause=cause, target=old, now=new if new != old else "", write=_suggest(pair, change.path, link, new))


def _explain_heading(pair: Pair, change: LinkChange, link: Link, target: Target) -> LinkChange:
    """The page is there and the heading is not: perhaps it has other words now, at the same place among the others."""
    page, old = pair.head.pages[target.path or ""], pair.former.get(target.path or "", "")
    change = replace(change, cause="heading", target=target.path or "")
    before = pair.base.pages.get(old)
    if before is None or link.anchor.startswith("^"):
        return change
    found = resolve_link(pair.former.get(change.path, change.path), link, pair.base.pages, pair.base_names)
    ids = [heading.id for heading in before.headings]
    if found.fragment not in ids:
        return change
    place = _follow_place(ids, [heading.id for heading in page.headings], ids.index(found.fragment))
    if place is None:
        return change
    heading = page.headings[place]
    anchor = heading.text if link.raw.startswith(_BRACKETS) else heading.id
    write = _swap(link.raw, f"#{link.anchor}", f"#{anchor}") if link.raw.startswith(_BRACKETS) else f"#{anchor}"
    return replace(change, now=heading.text, write=write)


def _follow_place(old: list[str], new: list[str], place: int) -> int | None:
    """Return where the heading at `place` is now: what stands between the same neighbours. Very long pages are not compared."""
    if max(len(old), len(new)) > _MOST_HEADINGS:
        return None
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "replace" and start <= place < end and end - start == new_end - new_start:
            return new_start + place - start
    return None


def _suggest(pair: Pair, path: str, link: Link, to: str) -> str:
    """Return what to write so that the link leads to `to`; empty when nothing was found that does."""
    named = link.raw.startswith(_BRACKETS)
    for name in _spell_names(link, to) if named else _spell_paths(path, link, to):
        proposed = replace(link, target=name, anchor="", raw=f"[[{name}]]" if named else link.raw)
        found = resolve_link(path, proposed, pair.head.pages, pair.head_names)
        if found.path == to and found.status not in BROKEN and found.status != "ambiguous":
            return _swap(link.raw, link.target, name) if named else _encode(name) + (f"#{link.anchor}" if link.anchor else "")
    return ""


def _spell_names(link: Link, to: str) -> Iterator[str]:
    """The name alone, then the path; with the suffix where the link had one."""
    plain = to[: to.rindex(".")] if to.lower().endswith(PAGE_SUFFIXES) else to
    if "/" not in link.target:
        yield stem(to)
    yield to if link.target.lower().endswith(PAGE_SUFFIXES) else plain


def _spell_paths(path: str, link: Link, to: str) -> Iterator[str]:
    """From the root where the link was written so, else from its page; without the suffix where it had none."""
    place = "/" + to if link.target.startswith("/") else posixpath.relpath("/" + to, "/" + folder_of(path))
    if not link.target.lower().endswith(PAGE_SUFFIXES) and place.lower().endswith(PAGE_SUFFIXES):
        yield place[: place.rindex(".")]
    yield place


def _encode(place: str) -> str:
    return quote(place, safe="/-._~!$&'*+,;=@", errors="surrogateescape")


def _swap(raw: str, old: str, new: str) -> str:
    """Return the link with one part of it exchanged; empty when that part is not written there."""
    return raw.replace(old, new, 1) if old and old in raw else ""
