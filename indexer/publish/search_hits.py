"""Where the words of a query stand: postings of several tokens become the hits of one word. Pure; twin of `hits.ts` in the site's code.

All numbers are integers, here and there, so that both give the same order.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from indexer.publish.search_format import TITLE_SHIFT


class Hits(Struct):
    """Where one word (or one token of it) stands, in pages by slot."""

    titles: dict[int, int] = field(default_factory=dict)
    """Slot → (weight 1–63 in sixteenths) × 16 + shortness of the path."""
    body: dict[int, dict[int, int]] = field(default_factory=dict)
    """Slot → section → weight 1–15 in sixteenths."""
    pages: int = 0
    """In how many pages it stands; 0 = it does not occur."""
    cut: bool = False
    """True when it stands in further pages, which are not listed; perhaps none is."""

    def has(self, slot: int) -> bool:
        """True when the page in this slot has the word, or may have it."""
        return self.cut or slot in self.titles or slot in self.body

    def __bool__(self) -> bool:
        return self.pages > 0


def read_hits(titles: Iterable[int], body: Iterable[int], share: int, pages: int = 0, cut: bool = False) -> Hits:
    """Return the hits of one token whose weights count for `share` sixteenths."""
    hits = Hits(cut=cut)
    slot = -1
    for number in titles:
        slot += number >> TITLE_SHIFT
        weight = number & ((1 << TITLE_SHIFT) - 1)
        hits.titles[slot] = (weight >> 4) * share << 4 | weight & 15
    slot, section = -1, 0
    places: dict[int, int] = {}
    for number in body:
        if number > 0:
            slot, section, places = slot + (number >> 4), 0, {}
            hits.body[slot] = places
            if number & 15:
                places[0] = (number & 15) * share
        else:
            section += -number >> 4
            places[section] = (-number & 15) * share
    hits.pages = pages or len(hits.titles.keys() | hits.body.keys())
    return hits


def join_any(found: Sequence[Hits]) -> Hits:
    """Return the hits of a word that may stand there in any of several forms, of which the first is the word itself."""
    found = [hits for hits in found if hits]
    if len(found) < 2:
        return found[0] if found else Hits()
    joined = Hits(cut=found[0].cut)
    for hits in found:
        for slot, weight in hits.titles.items():
            if weight > joined.titles.get(slot, 0):
                joined.titles[slot] = weight
        for slot, places in hits.body.items():
            known = joined.body.get(slot)
            if known is None:
                joined.body[slot] = dict(places)
                continue
            for section, weight in places.items():
                if weight > known.get(section, 0):
                    known[section] = weight
    joined.pages = max(found[0].pages, len(joined.titles.keys() | joined.body.keys()))
    return joined


def join_all(found: Sequence[Hits], share: int) -> Hits:
    """Return the hits of a word of which all parts have to stand in one section, or in the names of one page.

    A cut part that is not listed for a page may stand there nevertheless: it is left out of account, as long as another one counts.
    """
    listed = [hits for hits in found if not hits.cut] or list(found)
    if not all(found):
        return Hits()
    first, *others = sorted(listed, key=lambda hits: len(hits.titles) + len(hits.body))
    joined = Hits(cut=all(hits.cut for hits in found))
    for slot, weight in first.titles.items():
        weights = [weight, *(hits.titles.get(slot, 0) for hits in others)]
        if all(weights):
            joined.titles[slot] = _share(min(weights), share)
    for slot, places in first.body.items():
        rest = [hits.body.get(slot) for hits in others]
        if None in rest:
            continue
        together = {
            section: min([weight, *(more[section] for more in rest if more)]) * share >> 4
            for section, weight in places.items()
            if all(more and section in more for more in rest)
        }
        if together:
            joined.body[slot] = together
    joined.pages = len(joined.titles.keys() | joined.body.keys())
    return joined


def _share(title: int, share: int) -> int:
    return ((title >> 4) * share >> 4) << 4 | title & 15
