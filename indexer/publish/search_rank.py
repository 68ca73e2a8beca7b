"""Hits of the words → pages in order, with the section each leads to. Pure integers; twin of `rank.ts` in the site's code."""

from collections.abc import Iterable, Sequence
from heapq import nsmallest

from msgspec import Struct
from msgspec.structs import replace

from indexer.parse.terms import ALIAS, TITLE, share_out
from indexer.publish.search_hits import Hits
from indexer.publish.search_query import EXACT, QueryWord, count_query_units

_TITLE, _BODY = 2, 3
"""What a weight in the page's names (up to 63) and one in a section (up to 15) count for."""
_SECTIONS = 4
_FEW = 5
"""Pages; where fewer match all words, such as match most are given after them."""
_SHARE_OF_TWO, _SHARE_BESIDE, _SHARE_ALONE = 6, 11, 8
"""What such a page has to have of all that the words tell, in sixteenths: one of two words; of more, beside pages with all, without any."""


class Found(Struct, frozen=True):
    """One page that matches."""

    slot: int
    section: int
    """The section to lead to."""
    sections: tuple[int, ...]
    """The best sections, best first, at most four."""
    score: int
    missing: tuple[int, ...] = ()
    """Numbers of the words that it lacks."""

    @property
    def order(self) -> tuple[bool, int, int]:
        """Best first: complete before relaxed, then by score, then by slot."""
        return bool(self.missing), -self.score, self.slot


def weigh_rarity(pages: int, all_pages: int) -> int:
    """Return 16 × log2(1 + all pages / pages with the word), cut to an integer by steps that are exact in any IEEE arithmetic."""
    ratio = (all_pages + pages) / pages
    sixteenths = 0
    while ratio >= 2:
        ratio /= 2
        sixteenths += 16
    for bit in (8, 4, 2, 1):
        ratio *= ratio
        if ratio >= 2:
            ratio /= 2
            sixteenths += bit
    return sixteenths


def rank_pages(words: Sequence[QueryWord], hits: Sequence[Hits], all_pages: int, most: int) -> list[Found]:
    """Return the best pages, at most so many: those that match all words, or, where none or too few do, the most telling ones."""
    present = [number for number, found in enumerate(hits) if found]
    if not present:
        return []
    ranking = _Ranking(words, hits, all_pages)
    complete = _find_complete(hits) if len(present) == len(hits) else set()
    best = nsmallest(most, (ranking.score(slot, ()) for slot in complete), key=lambda found: found.order)
    if len(hits) > 1 and len(best) < min(_FEW, most):
        share = _SHARE_OF_TWO if len(hits) == 2 else _SHARE_BESIDE if best else _SHARE_ALONE
        best += nsmallest(most - len(best), ranking.relax(complete, share), key=lambda found: found.order)
    return best


def _find_complete(hits: Sequence[Hits]) -> set[int]:
    """Return the slots with all words. A cut word keeps no page out, unless all words are cut: then any of them lets one in."""
    listed = [found for found in hits if not found.cut]
    if not listed:
        return {slot for found in hits for slot in (*found.titles, *found.body)}
    first, *others = sorted(listed, key=lambda found: len(found.titles) + len(found.body))
    slots = set(first.titles) | set(first.body)
    return {slot for slot in slots if all(slot in found.titles or slot in found.body for found in others)}


class _Ranking:
    def __init__(self, words: Sequence[QueryWord], hits: Sequence[Hits], all_pages: int) -> None:
        self.hits = hits
        self.rarity = [weigh_rarity(max(1, found.pages), all_pages) for found in hits]
        units = count_query_units(words)
        self.whole_title, self.whole_alias = share_out(TITLE, units) * EXACT, share_out(ALIAS, units) * EXACT

    def score(self, slot: int, missing: tuple[int, ...]) -> Found:
        """Score one page: its names, its best section, and half of what other sections have beyond that."""
        names, shortness, least = 0, 0, self.whole_title
        sections: dict[int, int] = {}
        anywhere = 0
        for number, found in enumerate(self.hits):
            title = found.titles.get(slot, 0)
            names += (title >> 4) * self.rarity[number]
            shortness = max(shortness, title & 15)
            least = min(least, title >> 4)
            places = found.body.get(slot)
            if places:
                for section, weight in places.items():
                    sections[section] = sections.get(section, 0) + weight * self.rarity[number]
                anywhere += max(places.values()) * self.rarity[number]
        best = nsmallest(_SECTIONS, sections, key=lambda number: (-sections[number], number)) or [0]
        inside = sections.get(best[0], 0)
        score = _TITLE * names + _BODY * (inside + (anywhere - inside) // 2)
        score *= 3 if least >= self.whole_title else 2 if least >= self.whole_alias else 1
        return Found(slot, 0 if least else best[0], tuple(best), score << 4 | shortness, missing)

    def relax(self, known: Iterable[int], share: int) -> Iterable[Found]:
        """Give pages that lack words, if what they have makes up so many sixteenths of what the words that occur at all tell."""
        told: dict[int, int] = {}
        for number, found in enumerate(self.hits):
            for slot in found.titles.keys() | found.body.keys():
                told[slot] = told.get(slot, 0) + self.rarity[number]
        everything = sum(rarity for rarity, found in zip(self.rarity, self.hits, strict=True) if found)
        for slot in told.keys() - set(known):
            if told[slot] * 16 >= everything * share:
                missing = tuple(number for number, found in enumerate(self.hits) if not found.has(slot))
                full = self.score(slot, missing)
                yield replace(full, score=full.score * told[slot] // everything)
