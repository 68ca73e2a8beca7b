"""The pages around one page, as a small drawing: those that link to it on the left, others that it links to on the right (SPEC P08).

Called by `indexer.publish.jobs` for what is drawn, and by `render` for the lines. Pure, and local: what is drawn of a page follows from the
links at most two steps away from it, so that a new link changes the pages nearby and no others.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import nsmallest
from itertools import zip_longest

from indexer.analysis.names import fold
from indexer.model.result import IndexResult
from indexer.model.site import LocalGraph, Neighbour

MOST, MOST_BESIDE = 12, 8
"""Neighbours that are drawn, and on one side."""
ROOM = 1_400
"""Bytes that their links may take in a page."""
MOST_BETWEEN = 20
LONGEST = 64
"""Characters of a title."""
ROW = 20
"""Height of a row in the units of the drawing, which is 100 wide and stretched to the room there is."""
LEFT, PAGE_LEFT, PAGE_RIGHT, RIGHT = 1, 30, 70, 99
"""Where the lines begin and end; the page itself covers the middle."""
_MARKUP = 40


class Surroundings:
    """The neighbours of all pages of a site."""

    def __init__(self, result: IndexResult) -> None:
        self._result = result
        self._outgoing: dict[str, frozenset[str]] = {}
        self._incoming: dict[str, frozenset[str]] = {}
        self._ranks: dict[str, tuple[int, str, str]] = {}
        # A page is drawn beside many others.
        self._shown: dict[tuple[str, bool], Neighbour] = {}
        self._costs: dict[str, int] = {}

    def choose(self, path: str) -> LocalGraph | None:
        """Return what is drawn around a page; None when nothing is linked with it, or the repo is kept as it is (SPEC T06)."""
        incoming, outgoing = self._link_to(path), self._linked_from(path)
        if self._result.kept_as_is or (not incoming and not outgoing):
            return None
        sources, targets = self._seat(path, incoming, outgoing)
        return LocalGraph(
            sources=tuple(self._show(each, each in outgoing) for each in sources),
            targets=tuple(self._show(each, False) for each in targets),
            between=self._connect((*sources, *targets)),
            incoming=len(incoming),
            outgoing=len(outgoing),
            more=len(incoming | outgoing) - len(sources) - len(targets),
        )

    def spread(self, touched: Collection[str]) -> set[str]:
        """Return the pages whose drawing may be another one though they are not `touched`, as both ends of every changed link are.

        Such a page lies between two touched ones, which may be linked now; or beside one that may weigh more or less than before.
        """
        if len(touched) < 2:
            return set()  # then no link has changed
        seen: Counter[str] = Counter()
        shown: set[str] = set()
        for path in touched:
            around = self._link_to(path) | self._linked_from(path)
            seen.update(around)
            degree = len(self._link_to(path)) + len(self._linked_from(path))
            change = 2 * len(touched)  # at most: links to each of them, and back
            if max(0, degree - change).bit_length() != (degree + change).bit_length():
                shown |= around
        shown.update(path for path, times in seen.items() if times > 1)
        return shown

    def _link_to(self, path: str) -> frozenset[str]:
        known = self._incoming.get(path)
        if known is None:
            known = self._incoming[path] = frozenset(self._result.graph.backlinks.get(path, ()))
        return known

    def _linked_from(self, path: str) -> frozenset[str]:
        known = self._outgoing.get(path)
        if known is None:
            known = self._outgoing[path] = frozenset(self._result.graph.outgoing.get(path, ()))
        return known

    def _rank(self, path: str) -> tuple[int, str, str]:
        """The best connected first, in classes: one link more seldom moves a page; then by title."""
        known = self._ranks.get(path)
        if known is None:
            graph = self._result.graph
            degree = len(graph.backlinks.get(path, ())) + len(graph.outgoing.get(path, ()))
            known = self._ranks[path] = (-degree.bit_length(), fold(self._result.title_of(path)), path)
        return known

    def _seat(self, path: str, incoming: frozenset[str], outgoing: frozenset[str]) -> tuple[list[str], list[str]]:
        """Return the neighbours on both sides, taken by turns; those linked both ways stand first on the left."""
        both = incoming & outgoing
        left = [*self._pick(both), *self._pick(incoming - both)][:MOST_BESIDE]
        sides: tuple[list[str], list[str]] = ([], [])
        room, deep = ROOM, 3 * self._result.addresses[path].url.count("/")
        turns = [(each, side) for pair in zip_longest(left, self._pick(outgoing - both)) for side, each in enumerate(pair) if each]
        for each, side in turns[:MOST]:
            room -= deep + (self._costs.get(each) or self._weigh(each))
            if room >= 0:
                sides[side].append(each)
        return sides

    def _pick(self, paths: Iterable[str]) -> list[str]:
        return nsmallest(MOST_BESIDE, paths, key=self._rank)

    def _weigh(self, path: str) -> int:
        """Return the bytes that a page takes beside another one at the root, about."""
        page = self._show(path, False)
        cost = self._costs[path] = _MARKUP + len(page.url) + len(page.title.encode("utf-8", "replace"))
        return cost

    def _show(self, path: str, mutual: bool) -> Neighbour:
        known = self._shown.get((path, mutual))
        if known is None:
            title = self._result.title_of(path)
            title = title if len(title) <= LONGEST else title[: LONGEST - 1].rstrip() + "…"
            known = self._shown[path, mutual] = Neighbour(title, self._result.addresses[path].url, mutual)
        return known

    def _connect(self, paths: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """Return the links among the first neighbours, the most important ones first."""
        numbers = {path: number for number, path in enumerate(paths)}
        drawn = frozenset(paths)
        linked = ((number, numbers[other]) for path, number in numbers.items() for other in drawn & self._linked_from(path))
        pairs = {pair if pair[0] < pair[1] else pair[::-1] for pair in linked}
        return tuple(sorted(pairs, key=lambda pair: (sum(pair), pair))[:MOST_BETWEEN]) if pairs else ()


def draw_links(graph: LocalGraph) -> tuple[int, str, str]:
    """Return the height of the drawing and the paths of its lines: of the page's own links with arrows, and of those between neighbours."""
    height = ROW * max(len(graph.sources), len(graph.targets))
    left, right = _place_rows(len(graph.sources), height), _place_rows(len(graph.targets), height)
    middle = height // 2
    own = [f"M{LEFT} {y}C16 {y} 14 {middle} {PAGE_LEFT} {middle}" for y in left]
    own += [f"M{PAGE_RIGHT} {middle}C86 {middle} 84 {y} {RIGHT} {y}" for y in right]
    if left:
        own.append(_point(PAGE_LEFT, middle, -1))
    own += [_point(RIGHT, y, -1) for y in right]
    own += [_point(LEFT, y, 1) for y, page in zip(left, graph.sources, strict=True) if page.mutual]
    places = [(LEFT, y) for y in left] + [(RIGHT, y) for y in right]
    between = [_bend(*places[first], *places[second]) for first, second in graph.between]
    return height, "".join(own), "".join(between)


def _place_rows(count: int, height: int) -> list[int]:
    """The rows of a side stand in the middle of the height."""
    top = (height - ROW * count) // 2 + ROW // 2
    return [top + ROW * row for row in range(count)]


def _point(x: int, y: int, way: int) -> str:  # way: 1 points to the left
    """An arrow's head at (x, y): every line ends level, so it needs no turning."""
    return f"M{x + 3 * way} {y - 3}L{x} {y}l{3 * way} 3"


def _bend(x: int, y: int, other_x: int, other_y: int) -> str:
    if x != other_x:
        return f"M{x} {y}C45 {y} 55 {other_y} {other_x} {other_y}"
    depth = min(8 + abs(y - other_y) // 5, 28)
    over = x + depth if x == LEFT else x - depth
    return f"M{x} {y}C{over} {y} {over} {other_y} {x} {other_y}"
