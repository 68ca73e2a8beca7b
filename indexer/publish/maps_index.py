"""The way to the maps: `.brain/index.md` names every hub, or what gathers hubs where they are many. Used by `maps`; pure.

The lines say what is below: a folder by the words of its titles, a part from A to Z by its first and last title. How many words depends
on how many lines there are.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from indexer.publish.maps_hubs import SHOWN_TITLE, Hub, HubPlan
from indexer.publish.maps_split import cut_in_parts
from indexer.publish.maps_text import count_map_tokens, escape_markdown, link_to, list_words, show_tokens, sort_key
from indexer.publish.visible import clean_line

_MOST_LINES = 96
"""Of an index: more would leave no room for what they are about."""
_GATHERED = 6
"""Hubs of one top-level folder that get an index of their own where there are too many lines."""
_WORDS = ((12, 160), (24, 110), (48, 60), (_MOST_LINES, 25))
"""(lines, tokens): words for each line of an index that has at most so many lines."""
_FEW_WORDS = frozenset("a an and are as at be by do for from how in is it not of on or the to use what when with your".split())
_SHOWN_WORD = 24


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an index: a hub, or an index of hubs."""

    name: str
    title: str
    tokens: int
    """Of all maps below it."""
    first: str
    """Title with which it begins."""
    last: str
    words: tuple[str, ...] = ()
    """Most telling first."""
    maps: int = 1
    """Hubs below it."""


class Index(NamedTuple):
    """One index: the first, or one between the first and the hubs."""

    name: str
    title: str
    entries: tuple[Entry, ...]


def plan_index(hubs: Sequence[Hub], plan: HubPlan) -> tuple[Index, ...]:
    """Return the indexes of the hubs: the first one, and those that it leads to where it cannot name all hubs itself."""
    if len(hubs) <= _MOST_LINES:
        return (Index("", "", tuple(map(make_entry, hubs))),)
    by_top: dict[str, list[Hub]] = defaultdict(list)
    for hub in hubs:
        by_top[hub.top].append(hub)
    first: list[Entry] = []
    indexes: list[Index] = []
    small: list[Entry] = []
    for top, below in by_top.items():
        entries = list(map(make_entry, below))
        if len(below) >= _GATHERED:
            gathered = _gather(entries, plan.title_folder(top or plan.start), below[0].name.split("-from-")[0])
            indexes += gathered
            first += map(_summarise, gathered)
        else:
            small += entries
    if len(first) + len(small) > _MOST_LINES:
        small.sort(key=lambda entry: (sort_key(entry.title), entry.name))
        gathered = _gather(small, "Small folders", "folders")
        indexes += gathered
        small = list(map(_summarise, gathered))
    return (Index("", "", (*first, *small)), *indexes)


def _gather(entries: Sequence[Entry], title: str, name: str) -> list[Index]:
    """Return one index, or as many as these entries need, each with consecutive ones."""
    parts = [part for _, part in cut_in_parts(entries, lambda entry: entry.name, lambda _: 1, _MOST_LINES)]
    if len(parts) == 1:
        return [Index(f"index-{name}", title, tuple(entries))]
    return [Index(f"index-{part[0].name}", f"{title}: {part[0].first} … {part[-1].last}", tuple(part)) for part in parts]


def make_entry(hub: Hub) -> Entry:
    """Return the line of an index for a hub."""
    first, last = (hub.lines[0].title, hub.lines[-1].title) if hub.by_title else (hub.title, hub.title)
    words = () if hub.by_title else _pick_words(hub)
    return Entry(hub.name, hub.title, hub.tokens, clean_line(first, SHOWN_TITLE), clean_line(last, SHOWN_TITLE), words)


def _summarise(index: Index) -> Entry:
    titles = dict.fromkeys(entry.title for entry in index.entries if entry.first == entry.last or entry.maps > 1)
    tokens = sum(entry.tokens for entry in index.entries)
    return Entry(index.name, index.title, tokens, index.entries[0].first, index.entries[-1].last, tuple(titles), len(index.entries))


def _pick_words(hub: Hub) -> tuple[str, ...]:
    """Return the words of the titles of a hub, so ordered that the first ones say something of every page."""
    known = {*list_words(hub.title), *_FEW_WORDS}
    chosen: dict[str, None] = {}
    later: dict[str, None] = {}
    for line in hub.lines:
        words = [word[:_SHOWN_WORD] for word in dict.fromkeys(list_words(line.title)) if word not in known and not word.isdecimal()]
        if words and chosen.keys().isdisjoint(words):
            chosen[max(words, key=len)] = None
        later.update(dict.fromkeys(words))
    return tuple(chosen | later)


def render_entries(entries: Sequence[Entry], folder: str, room: int) -> list[str]:
    """Return the lines of an index that may cost `room` tokens; `folder` leads from it to the hubs."""
    budgets = [tokens for lines, tokens in _WORDS if lines >= len(entries)] or [10]
    for budget in (*budgets, 0):
        lines = [_render_entry(entry, folder, budget) for entry in entries]
        if sum(count_map_tokens(line) + 1 for line in lines) <= room:
            break
    return lines


def _render_entry(entry: Entry, folder: str, budget: int) -> str:
    size = f"{show_tokens(entry.tokens)} in {entry.maps} maps" if entry.maps > 1 else show_tokens(entry.tokens)
    shown: list[str] = []
    for word in entry.words:
        budget -= count_map_tokens(word) + 1
        if budget < 0:
            break
        shown.append(word)
    about = ", ".join(map(escape_markdown, sorted(shown)))
    return f"- {link_to(entry.title, f'{folder}{entry.name}.md')} {size}" + (f": {about}" if about else "")
