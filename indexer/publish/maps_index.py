"""The way to the maps: `.brain/index.md` names every hub, or what gathers hubs where they are many. Used by `maps`; pure.

The lines say what is below: a folder by the words of its titles, a part from A to Z by its first and last title. Words end with `…` where
there was no room for all of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from indexer.publish.maps_hubs import SHOWN_TITLE, Hub, HubPlan
from indexer.publish.maps_split import cut_in_parts
from indexer.publish.maps_text import (
    ROOM,
    count_bytes,
    count_map_tokens,
    escape_markdown,
    join_lines,
    link_to,
    list_words,
    show_tokens,
    sort_key,
)
from indexer.publish.visible import clean_line

_MOST_LINES = 140
"""Of an index: more would not fit."""
_GATHERED = 6
"""Hubs of one top-level folder that get an index of their own where there are too many lines."""
_WORDS = (300, 180, 90, 40, 15, 0)
"""Tokens for the words of each line: as many as leave the index at the size below."""
_COMFORTABLE = 4_500
_FEW_WORDS = frozenset("a an and are as at be by do for from how in is it not of on or the to use what when with your".split())
_SHOWN_WORD = 24


class Entry(Struct, frozen=True):
    """One line of an index: a hub, or an index of hubs."""

    name: str
    title: str
    tokens: int
    """What it takes to read the map."""
    first: str
    """Title with which it begins."""
    last: str
    words: tuple[str, ...] = ()
    """Most telling first."""
    maps: int = 1
    """Hubs below it; more than one for an index."""
    pages: int = 1
    """Pages below it."""
    cut: str = ""
    """The folder of which it is a part from A to Z; many such parts need no words, for the titles are in order."""


class Index(NamedTuple):
    """One index: the first, or one between the first and the hubs."""

    name: str
    title: str
    entries: tuple[Entry, ...]


def plan_index(hubs: Sequence[Hub], plan: HubPlan, tokens: Mapping[str, int]) -> tuple[Index, ...]:
    """Return the indexes of the hubs: the first one, and those that it leads to where it cannot name all hubs itself.

    `tokens` are the sizes of the hubs, by name. There is never more than one index between the first one and a hub.
    """
    entries = {hub.name: make_entry(hub, tokens[hub.name]) for hub in hubs}
    if len(hubs) <= _MOST_LINES:
        return (Index("", "", tuple(entries.values())),)
    for gather_by in (lambda hub: (hub.folder, hub.by_title), lambda hub: hub.top):
        groups: dict[object, list[Hub]] = defaultdict(list)
        for hub in hubs:
            groups[gather_by(hub)].append(hub)
        first, indexes = _gather_groups(groups.values(), entries, plan)
        if len(first) <= _MOST_LINES:
            break
    else:
        small = sorted((entry for entry in first if entry.maps == 1), key=lambda entry: (sort_key(entry.title), entry.name))
        gathered = _gather(small, "Small folders", "folders")
        first = [*(entry for entry in first if entry.maps > 1), *map(_summarise, gathered)]
        indexes += gathered
    return (Index("", "", tuple(first)), *indexes)


def _gather_groups(groups: Iterable[Sequence[Hub]], entries: Mapping[str, Entry], plan: HubPlan) -> tuple[list[Entry], list[Index]]:
    """Return the lines of the first index, and the indexes of the groups that are too large for it."""
    first: list[Entry] = []
    indexes: list[Index] = []
    for hubs in groups:
        below = [entries[hub.name] for hub in hubs]
        if len(hubs) < _GATHERED:
            first += below
            continue
        one_folder = all(hub.by_title and hub.folder == hubs[0].folder for hub in hubs)
        folder = hubs[0].folder if one_folder else hubs[0].top
        below = [replace(entry, title=f"{entry.first} … {entry.last}") for entry in below] if one_folder else below
        gathered = _gather(below, plan.title_folder(folder or plan.start), hubs[0].name.split("-from-")[0], in_order=one_folder)
        indexes += gathered
        first += map(_summarise, gathered)
    return first, indexes


def _gather(entries: Sequence[Entry], title: str, name: str, *, in_order: bool = False) -> list[Index]:
    """Return one index, or as many as these entries need, each with consecutive ones; `in_order` when titles run through all of them."""
    parts = [part for _, part in cut_in_parts(entries, lambda entry: entry.name, lambda _: 1, _MOST_LINES)]
    if len(parts) == 1 and not in_order:
        return [Index(f"index-{name}", title, tuple(entries))]
    names = [f"index-{part[0].name}" for part in parts] if len(parts) > 1 else [f"index-{name}"]
    return [Index(each, f"{title}: {part[0].first} … {part[-1].last}", tuple(part)) for each, part in zip(names, parts, strict=True)]


def make_entry(hub: Hub, tokens: int) -> Entry:
    """Return the line of an index for a hub of so many tokens."""
    first, last = (hub.lines[0].title, hub.lines[-1].title) if hub.by_title else (hub.title, hub.title)
    return Entry(
        hub.name,
        hub.title,
        tokens,
        first=clean_line(first, SHOWN_TITLE),
        last=clean_line(last, SHOWN_TITLE),
        words=_pick_words(hub),
        pages=len(hub.lines),
        cut=f"{hub.folder}/" if hub.by_title else "",
    )


def _summarise(index: Index) -> Entry:
    titles = dict.fromkeys(entry.title for entry in index.entries if entry.first == entry.last or entry.maps > 1)
    tokens, pages = count_bytes(render_subindex(index)), sum(entry.pages for entry in index.entries)
    return Entry(index.name, index.title, tokens, index.entries[0].first, index.entries[-1].last, tuple(titles), len(index.entries), pages)


def render_subindex(index: Index) -> bytes:
    """Return an index between the first one and the hubs, as Markdown."""
    head = [f"# {escape_markdown(index.title)}", "", "Part of the [index](../index.md). Each line leads to a map.", ""]
    return join_lines([*head, *render_entries(index.entries, "", ROOM)])


def _pick_words(hub: Hub) -> tuple[str, ...]:
    """Return the words of the titles of a hub, so ordered that the first ones say something of every page."""
    known = {*list_words(hub.title), *_FEW_WORDS}
    chosen: dict[str, None] = {}
    later: dict[str, None] = {}
    for line in hub.lines:
        words = [
            word[:_SHOWN_WORD]
            for word in dict.fromkeys(list_words(line.title))
            if word not in known and (len(word) > 1 or not word.isascii())
        ]
        if words and chosen.keys().isdisjoint(words):
            chosen[max(words, key=len)] = None
        later.update(dict.fromkeys(words))
    return tuple(chosen | later)


def render_entries(entries: Sequence[Entry], folder: str, room: int) -> list[str]:
    """Return the lines of an index that may cost `room` tokens; `folder` leads from it to the hubs."""
    cut = Counter(entry.cut for entry in entries)
    entries = [entry if not entry.cut or cut[entry.cut] < _GATHERED else replace(entry, words=()) for entry in entries]
    for budget in _WORDS:
        lines = [_render_entry(entry, folder, budget) for entry in entries]
        if sum(count_map_tokens(line) + 1 for line in lines) <= min(room, _COMFORTABLE):
            break
    return lines


def _render_entry(entry: Entry, folder: str, budget: int) -> str:
    size = show_tokens(entry.tokens) + (f", an index of {entry.maps} maps, {show_tokens(entry.pages)} pages" if entry.maps > 1 else "")
    shown: list[str] = []
    for word in entry.words:
        budget -= count_map_tokens(word) + 1
        if budget < 0:
            break
        shown.append(word)
    about = ", ".join([*map(escape_markdown, sorted(shown)), *(["…"] if 0 < len(shown) < len(entry.words) else [])])
    return f"- {link_to(entry.title, f'{folder}{entry.name}.md')} {size}" + (f": {about}" if about else "")
