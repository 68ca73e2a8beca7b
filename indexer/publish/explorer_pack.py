"""Circles beside each other without overlap, and folders as circles inside circles. Used by `explorer_layout`; pure, deterministic.

The packing is that of d3-hierarchy (Wang et al. 2006): each circle is laid against the front of those already placed, nearest the middle.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

Place = tuple[float, float]
_GOLDEN = math.pi * (3 - math.sqrt(5))
_MOST_PACKED = 3_000
"""The front is walked for each circle; more than so many are laid out in a spiral."""
_MARGIN = 0.45
"""Of the distance between pages: the rim of a folder around what is in it."""


class _Circle(Struct):
    x: float
    y: float
    r: float
    before: "_Circle | None" = None
    after: "_Circle | None" = None


class FolderCircle(Struct, frozen=True):
    """One folder of the hierarchy as a circle."""

    x: float
    y: float
    r: float


def spiral(number: int, unit: float) -> Place:
    """Return place `number` of an even spiral around 0 with `unit` between neighbours."""
    radius = unit * 0.56 * math.sqrt(number + 1) if number else 0.0
    return radius * math.cos(number * _GOLDEN), radius * math.sin(number * _GOLDEN)


def pack_circles(radii: Sequence[float], *, wide: float = 1.0) -> list[Place]:
    """Return the middles of circles that touch and do not overlap, around 0; best when the largest come first.

    What comes out is about `wide` times as wide as high.
    """
    if len(radii) > _MOST_PACKED:
        return [spiral(number, 2 * max(radii)) for number in range(len(radii))]
    circles = [_Circle(0.0, 0.0, radius) for radius in radii]
    if len(circles) > 1:
        first, second = circles[0], circles[1]
        first.x, second.x = -second.r, first.r
        if len(circles) > 2:
            _lay_against(second, first, circles[2])
            _pack_rest(circles, wide)
    x, y, _ = enclose([(circle.x, circle.y, circle.r) for circle in circles])
    return [(circle.x - x, circle.y - y) for circle in circles]


def enclose(circles: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return a circle around circles, hardly larger than the smallest: its middle moves towards whatever sticks out."""
    if not circles:
        return 0.0, 0.0, 0.0
    x = sum(cx * r * r for cx, _, r in circles) / sum(r * r for _, _, r in circles)
    y = sum(cy * r * r for _, cy, r in circles) / sum(r * r for _, _, r in circles)
    for step in range(1, 60 if len(circles) < 500 else 8):
        reach, farthest = max((math.hypot(cx - x, cy - y) + r, index) for index, (cx, cy, r) in enumerate(circles))
        cx, cy, r = circles[farthest]
        distance = reach - r
        if distance > 0:
            x += (cx - x) / (step + 2) * 0.5
            y += (cy - y) / (step + 2) * 0.5
    return x, y, max(math.hypot(cx - x, cy - y) + r for cx, cy, r in circles)


def _lay_against(left: _Circle, right: _Circle, new: _Circle) -> None:
    """Lay a circle against two that touch."""
    dx, dy = left.x - right.x, left.y - right.y
    square = dx * dx + dy * dy
    if not square:
        new.x, new.y = right.x + new.r, right.y
        return
    to_right, to_left = (right.r + new.r) ** 2, (left.r + new.r) ** 2
    if to_right > to_left:
        along = (square + to_left - to_right) / (2 * square)
        aside = math.sqrt(max(0.0, to_left / square - along * along))
        new.x, new.y = left.x - along * dx - aside * dy, left.y - along * dy + aside * dx
    else:
        along = (square + to_right - to_left) / (2 * square)
        aside = math.sqrt(max(0.0, to_right / square - along * along))
        new.x, new.y = right.x + along * dx - aside * dy, right.y + along * dy + aside * dx


def _overlap(one: _Circle, other: _Circle) -> bool:
    reach = one.r + other.r - 1e-6
    dx, dy = other.x - one.x, other.y - one.y
    return reach > 0 and reach * reach > dx * dx + dy * dy


def _score(circle: _Circle, wide: float) -> float:
    """How far the place between a circle of the front and the next one is from the middle."""
    other = _next(circle)
    both = circle.r + other.r
    dx, dy = (circle.x * other.r + other.x * circle.r) / both, (circle.y * other.r + other.y * circle.r) / both
    return dx * dx + dy * dy * wide * wide


def _next(circle: _Circle) -> _Circle:
    if circle.after is None:
        raise AssertionError("BUG: a circle of the front has no neighbour")
    return circle.after


def _last(circle: _Circle) -> _Circle:
    if circle.before is None:
        raise AssertionError("BUG: a circle of the front has no neighbour")
    return circle.before


def _join(one: _Circle, other: _Circle) -> None:
    one.after, other.before = other, one


def _pack_rest(circles: Sequence[_Circle], wide: float) -> None:
    a, b, c = circles[:3]
    for one, other in ((a, b), (b, c), (c, a)):
        _join(one, other)
    for new in circles[3:]:
        while True:
            _lay_against(a, b, new)
            hit, from_b = _find_overlap(a, b, new)
            if hit is None:
                break
            a, b = (a, hit) if from_b else (hit, b)
            _join(a, b)
        _join(a, new)
        _join(new, b)
        a = _find_nearest(new, wide)
        b = _next(a)


def _find_overlap(a: _Circle, b: _Circle, new: _Circle) -> tuple[_Circle | None, bool]:
    """Walk the front both ways from where a circle was laid; return what it overlaps first, and whether that lies behind `b`."""
    ahead, behind = _next(b), _last(a)
    along, back = b.r, a.r
    while True:
        if along <= back:
            if _overlap(ahead, new):
                return ahead, True
            along += ahead.r
            ahead = _next(ahead)
        else:
            if _overlap(behind, new):
                return behind, False
            back += behind.r
            behind = _last(behind)
        if ahead is _next(behind):
            return None, False


def _find_nearest(start: _Circle, wide: float) -> _Circle:
    """Return the circle of the front after which there is the place nearest the middle."""
    best, best_score = start, _score(start, wide)
    circle = _next(start)
    while circle is not start:
        score = _score(circle, wide)
        if score < best_score:
            best, best_score = circle, score
        circle = _next(circle)
    return best


def nest_folders(
    folders: Mapping[str, Sequence[int]], parents: Mapping[str, str], unit: float
) -> tuple[dict[int, Place], dict[str, FolderCircle]]:
    """Lay pages out as dots in the circles of their folders, and these in the circles of the folders above.

    `folders` are folder → its own pages in order, with every folder above and the root ""; `parents` name the folder above each.
    """
    inside: dict[str, list[str]] = defaultdict(list)
    for folder in sorted(folders):
        if folder:
            inside[parents[folder]].append(folder)
    sizes: dict[str, float] = {}
    offsets: dict[str, Place] = {}
    own: dict[str, Place] = {}
    # Deepest first, so that what is inside has its size.
    for folder in sorted(folders, key=lambda path: (-path.count("/") - bool(path), path)):
        pages = folders[folder]
        blob = unit * (0.56 * math.sqrt(len(pages) if len(pages) > 1 else 0) + 0.42) if pages else 0.0
        parts = sorted(inside[folder], key=lambda path: (-sizes[path], path))
        radii = [*([blob] if blob else []), *(sizes[path] for path in parts)]
        order = sorted(range(len(radii)), key=lambda number: (-radii[number], number))
        places: list[Place] = [(0.0, 0.0)] * len(radii)
        for number, place in zip(order, pack_circles([radii[number] + 0.15 * unit for number in order]), strict=True):
            places[number] = place
        own[folder] = places[0] if blob else (0.0, 0.0)
        offsets.update(zip(parts, places[1 if blob else 0 :], strict=True))
        around = [(x, y, radius) for (x, y), radius in zip(places, radii, strict=True)]
        sizes[folder] = max((math.hypot(x, y) + radius for x, y, radius in around), default=0.0) + _MARGIN * unit
    return _place_all(folders, parents, unit, (sizes, offsets, own))


def _place_all(
    folders: Mapping[str, Sequence[int]],
    parents: Mapping[str, str],
    unit: float,
    packed: tuple[Mapping[str, float], Mapping[str, Place], Mapping[str, Place]],
) -> tuple[dict[int, Place], dict[str, FolderCircle]]:
    sizes, offsets, own = packed
    circles: dict[str, FolderCircle] = {}
    pages: dict[int, Place] = {}
    for folder in sorted(folders, key=lambda path: (path.count("/") + bool(path), path)):
        x, y = 0.0, 0.0
        if folder:
            above = circles[parents[folder]]
            x, y = above.x + offsets[folder][0], above.y + offsets[folder][1]
        circles[folder] = FolderCircle(x, y, sizes[folder])
        dx, dy = own[folder]
        for number, page in enumerate(folders[folder]):
            px, py = spiral(number, unit)
            pages[page] = (x + dx + px, y + dy + py)
    return pages, circles
