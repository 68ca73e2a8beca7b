"""The two games of forces behind the picture of the links: between discs, and between the pages in them. Used by `explorer_layout`; pure.

Pages feel every link, and of all other pages of their disc a few at a time, drawn by a fixed rule (as in LargeVis, Tang et al. 2016): the
cost grows with pages and links, never with pairs of pages. Afterwards no two dots of a disc lie on each other.
"""

from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_SAMPLES = 6
_OFFSETS = ((0, 0), (0, 1), (1, -1), (1, 0), (1, 1))
"""Cells of a grid in which the other dot of a pair may lie."""
_MOST_IN_CELL = 4
_UNFOLD = 0.04
"""How strongly discs push each other at first. More unfolds chains better and leaves more room between discs."""


class GroupOrder(Struct, frozen=True):
    """Discs that hang together."""

    left: Ints
    right: Ints
    weight: Floats
    """Links between two discs."""
    disc: Floats
    """Radii."""
    gap: float


class PageOrder(Struct, frozen=True):
    """Pages, their links, and the discs they stay in."""

    left: Ints
    right: Ints
    weight: Floats
    degree: Ints
    member: Ints
    radius: Floats
    """Of the dots."""
    gx: Floats
    gy: Floats
    disc: Floats
    """Radii of the discs."""


def settle_groups(order: GroupOrder) -> tuple[Floats, Floats]:
    """Return middles at which no disc overlaps another and those with many links between them are near."""
    disc = order.disc
    count = len(disc)
    mass = disc * disc
    # A spiral in which each disc has the room it takes: the largest in the middle.
    reach = np.sqrt(np.cumsum(mass) - mass / 2) * 1.25
    angle = np.arange(count) * 2.399963229728653
    x, y = (reach * np.cos(angle) * 1.3).round(4), (reach * np.sin(angle) / 1.3).round(4)
    total = np.bincount(order.left, order.weight, count) + np.bincount(order.right, order.weight, count)
    pull = order.weight / np.sqrt(total[order.left] * total[order.right])
    share = mass[order.right] / (mass[order.left] + mass[order.right])
    nearby = float((2 * disc.mean() + order.gap) ** 2)
    steps = 160 if count <= 250 else 100
    for step in range(steps + 60):
        heat = max(0.0, 1.0 - step / steps)
        dx, dy = x[order.right] - x[order.left], y[order.right] - y[order.left]
        distance = np.sqrt(dx * dx + dy * dy) + 1e-9
        # Small discs pass each other on their way to where they belong; then they grow.
        grown = min(1.0, 0.15 + step / (0.75 * steps))
        want = distance - grown * (disc[order.left] + disc[order.right] + order.gap)
        force = heat * 0.5 * pull * np.maximum(want, 0.0) / distance
        fx, fy = force * dx, force * dy
        x += np.bincount(order.left, fx * share, count) - np.bincount(order.right, fx * (1 - share), count)
        y += np.bincount(order.left, fy * share, count) - np.bincount(order.right, fy * (1 - share), count)
        # Screens are wider than high.
        x *= 1 - 0.013 * heat
        y *= 1 - 0.034 * heat
        _push_discs(x, y, disc * grown, mass, order.gap * grown, _UNFOLD * nearby * max(0.0, heat - 0.3))
    return x, y


def _push_discs(x: Floats, y: Floats, disc: Floats, mass: Floats, gap: float, spread: float) -> None:
    """Move discs that overlap apart, the smaller one farther; with `spread`, all others as well, so that chains and rings unfold."""
    dx, dy = x[:, None] - x[None, :], y[:, None] - y[None, :]
    distance = np.sqrt(dx * dx + dy * dy) + 1e-9
    overlap = disc[:, None] + disc[None, :] + gap - distance
    np.fill_diagonal(overlap, 0.0)
    force = (np.maximum(overlap, 0.0) / distance * 0.6 + spread / (distance * distance + 0.1 * gap)) * (
        mass[None, :] / (mass[:, None] + mass[None, :])
    )
    x += (force * dx).sum(axis=1)
    y += (force * dy).sum(axis=1)


def settle_pages(order: PageOrder, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return places inside the discs at which linked pages are near, hubs in the middle, and no dot covers another."""
    count = len(x)
    sizes = np.bincount(order.member)
    starts = np.cumsum(sizes) - sizes
    inside = np.argsort(order.member, kind="stable")
    same = order.member[order.left] == order.member[order.right]
    near = np.maximum(np.bincount(order.left, order.weight, count) + np.bincount(order.right, order.weight, count), 1.0)
    # A link into another disc draws to that side, but not out of its own.
    pull = np.where(same, 1.0, 0.12) * order.weight
    unit = float(order.radius.min()) * 2.4
    size = sizes[order.member]
    linked = order.degree > 0
    centred = 0.25 * order.degree / np.maximum(_most(order.degree, order.member), 1) + 0.02
    steps = 240 if count <= 1_000 else 110 if count <= 4_000 else 80
    for step in range(steps):
        heat = 1.0 - step / steps
        dx, dy = x[order.right] - x[order.left], y[order.right] - y[order.left]
        fx, fy = pull * dx, pull * dy
        mx = (np.bincount(order.left, fx, count) - np.bincount(order.right, fx, count)) / near * 0.35
        my = (np.bincount(order.left, fy, count) - np.bincount(order.right, fy, count)) / near * 0.35
        rx, ry = _repel(x, y, step, (inside, starts[order.member], size), unit)
        mx += rx - centred * (x - order.gx[order.member])
        my += ry - centred * (y - order.gy[order.member])
        length = np.sqrt(mx * mx + my * my) + 1e-9
        most = np.minimum(unit * (0.15 + 0.5 * np.sqrt(size)) * heat + 0.05 * unit, length) / length
        x = np.where(linked, x + mx * most, x)
        y = np.where(linked, y + my * most, y)
    x, y = _spread(order, x, y, starts)
    return _part(order, x, y, 50 if count <= 4_000 else 30)


def _most(values: Ints, member: Ints) -> Ints:
    most = np.zeros(int(member.max()) + 1, dtype=np.int64)
    np.maximum.at(most, member, values)
    return most[member]


def _repel(x: Floats, y: Floats, step: int, groups: tuple[Ints, Ints, Ints], unit: float) -> tuple[Floats, Floats]:
    """Push each page away from a few others of its disc, which stand for all."""
    inside, start, size = groups
    rx, ry = np.zeros(len(x)), np.zeros(len(x))
    pages = np.arange(len(x), dtype=np.int64)
    for sample in range(_SAMPLES):
        # A fixed rule that mixes well: neighbouring pages and steps draw others.
        drawn = ((pages * 2_654_435_761 + (step * _SAMPLES + sample + 1) * 40_503_001) >> 7) % size
        other = inside[start + drawn]
        dx, dy = x - x[other], y - y[other]
        square = dx * dx + dy * dy + 0.04 * unit * unit
        force = unit * unit * 0.35 / square
        rx += force * dx
        ry += force * dy
    share = size / _SAMPLES * 0.35
    return rx * share, ry * share


def _spread(order: PageOrder, x: Floats, y: Floats, starts: Ints) -> tuple[Floats, Floats]:
    """Fill the discs evenly around their hubs: who is nearer the hub stays nearer, and whoever is beside whom stays there.

    Rounded: a sine is not the same on every machine.
    """
    sizes = np.bincount(order.member)
    hub = np.lexsort((np.arange(len(x)), -order.degree, order.member))[starts]
    dx, dy = x - x[hub][order.member], y - y[hub][order.member]
    distance = np.sqrt(dx * dx + dy * dy)
    ranked = np.lexsort((np.arange(len(x)), distance, order.member))
    room = (1.15 * order.radius) ** 2
    taken = np.cumsum(room[ranked])
    before = np.concatenate(([0.0], taken))[starts]
    middle = taken - room[ranked] / 2 - before[order.member[ranked]]
    wanted = np.empty(len(x))
    totals = np.bincount(order.member, room)
    wanted[ranked] = np.sqrt(middle / totals[order.member[ranked]])
    wanted *= np.where(sizes[order.member] > 1, np.maximum(order.disc[order.member] - order.radius, 0.0), 0.0)
    angle = np.arctan2(dy, dx).round(9)
    # Nearly even all around in each ring as well, so that no side of a disc is crowded and none is empty.
    ring = np.floor(wanted / (3.5 * order.radius.min())).astype(np.int64)
    _, where, members = np.unique(order.member * (int(ring.max()) + 1) + ring, return_inverse=True, return_counts=True)
    rank = np.empty(len(x))
    rank[np.lexsort((np.arange(len(x)), angle, where))] = np.arange(len(x)) - np.repeat(np.cumsum(members) - members, members)
    angle = 0.2 * angle + 0.8 * ((rank + 0.5) / members[where] * 2 * np.pi - np.pi)
    wanted = np.where(distance > 1e-9, wanted, 0.0)
    return (order.gx[order.member] + wanted * np.cos(angle)).round(4), (order.gy[order.member] + wanted * np.sin(angle)).round(4)


def _part(order: PageOrder, x: Floats, y: Floats, steps: int) -> tuple[Floats, Floats]:
    """Move dots apart that lie on each other, and keep them in their discs."""
    cell = float(order.radius.max()) * 2.3
    gx, gy = order.gx[order.member], order.gy[order.member]
    most = np.maximum(order.disc[order.member] - order.radius * 1.1, 0.0)
    for _ in range(steps):
        mx, my = _find_pushes(order, x, y, cell)
        x, y = x + mx, y + my
        dx, dy = x - gx, y - gy
        distance = np.sqrt(dx * dx + dy * dy)
        keep = np.where(distance > most, most / np.maximum(distance, 1e-9), 1.0)
        x, y = gx + dx * keep, gy + dy * keep
    return x, y


def _find_pushes(order: PageOrder, x: Floats, y: Floats, cell: float) -> tuple[Floats, Floats]:
    column, row = np.floor(x / cell).astype(np.int64), np.floor(y / cell).astype(np.int64)
    column -= column.min() - 1
    row -= row.min() - 1
    width = int(row.max()) + 3
    key = column * width + row
    ranked = np.argsort(key, kind="stable")
    ordered = key[ranked]
    count = len(x)
    mx, my = np.zeros(count), np.zeros(count)
    for right, down in _OFFSETS:
        wanted = ordered + right * width + down
        at = np.searchsorted(ordered, wanted) if right or down else np.arange(count) + 1
        for skip in range(_MOST_IN_CELL):
            place = at + skip
            found = place < count
            found[found] = ordered[place[found]] == wanted[found]
            if not found.any():
                break
            one, other = ranked[found], ranked[place[found]]
            dx, dy = x[one] - x[other], y[one] - y[other]
            distance = np.sqrt(dx * dx + dy * dy)
            overlap = np.maximum((order.radius[one] + order.radius[other]) * 1.15 - distance, 0.0)
            # Dots on the same spot part along a line that their number gives.
            tilt = ((one * 7 + other * 13) % 17 - 8.0) / 8.0
            dx = np.where(distance > 1e-6, dx, tilt)
            dy = np.where(distance > 1e-6, dy, 1.0 - np.abs(tilt))
            force = 0.5 * overlap / np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
            mx += np.bincount(one, force * dx, count) - np.bincount(other, force * dx, count)
            my += np.bincount(one, force * dy, count) - np.bincount(other, force * dy, count)
    return mx * 0.7, my * 0.7
