"""Where each page stands in the picture of the links (SPEC P12): communities as discs beside those they link to, pages inside theirs.

Called by `indexer.publish.explorer`; pure. No random numbers, and only such arithmetic as gives the same on every machine: the picture is
part of a release, which has the same bytes for the same commit. Pages without a link are no community: they stand by folder, apart.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from indexer.publish.explorer_forces import GroupOrder, PageOrder, settle_groups, settle_pages
from indexer.publish.explorer_pack import enclose, pack_circles, spiral
from indexer.publish.explorer_picture import Group, Layout

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

UNIT = 10.0
"""Distance between two pages with few links; coordinates are whole numbers of tenths of it."""
_LEAF, _HUB = 0.36, 0.5
"""Radius of a dot with few links, and how much one with most of them has more, in units."""
_FILL = 0.6
"""Share of a disc that its dots with the space around them take."""
_MOST_PAIRS = 400_000
"""Of more pairs, every so-manieth pulls: the others say the same."""
_MOST_GROUPS = 700
"""So many groups pull at each other; smaller ones stand around them."""


def lay_out(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]], communities: Mapping[str, int]) -> Layout:
    """Return the picture of a graph; `edges` are (from, to, links) as in `Graph`."""
    if not nodes:
        return Layout()
    left, right, weight = _pair_up(nodes, edges)
    degree = np.bincount(left, minlength=len(nodes)) + np.bincount(right, minlength=len(nodes))
    member, folders = _form_groups(nodes, degree, communities)
    radius = UNIT * (_LEAF + _HUB * np.sqrt(degree / max(10, int(degree.max()))))
    count = int(member.max()) + 1
    disc = np.sqrt(np.bincount(member, weights=(1.15 * radius) ** 2, minlength=count) / _FILL) + 0.45 * UNIT
    if len(left) > _MOST_PAIRS:
        step = -(-len(left) // _MOST_PAIRS)
        left, right, weight = left[::step], right[::step], weight[::step]
    gx, gy = _place_groups(member, disc, left, right, weight)
    order = PageOrder(left, right, weight, degree, member, radius, gx, gy, disc)
    x, y = settle_pages(order, *_begin_pages(member, degree, gx, gy))
    return _round(x, y, gx, gy, disc, member, degree, folders)


def _pair_up(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]]) -> tuple[Ints, Ints, Floats]:
    """Return the linked pairs of pages, directions put together: lower number, higher number, links."""
    number = {path: index for index, path in enumerate(nodes)}
    count = len(edges)
    source = np.fromiter((number[path] for path, _, _ in edges), dtype=np.int64, count=count)
    target = np.fromiter((number[path] for _, path, _ in edges), dtype=np.int64, count=count)
    links = np.fromiter((times for _, _, times in edges), dtype=np.float64, count=count)
    keys, where = np.unique(np.minimum(source, target) * len(nodes) + np.maximum(source, target), return_inverse=True)
    # A page that names another ten times is not ten times as near.
    weight = np.sqrt(np.minimum(np.bincount(where, weights=links, minlength=len(keys)), 9.0)) if len(keys) else np.zeros(0)
    return keys // len(nodes), keys % len(nodes), weight


def _form_groups(nodes: Sequence[str], degree: Ints, communities: Mapping[str, int]) -> tuple[Ints, list[str]]:
    """Return the group of each page, the largest group being 0, and of each group the folder it stands for, empty for communities."""
    labels: list[tuple[int, str]] = []
    for path, linked in zip(nodes, degree.tolist(), strict=True):
        labels.append((communities[path], "") if linked else (-1, path.partition("/")[0] + "/" if "/" in path else "/"))
    sizes: dict[tuple[int, str], int] = defaultdict(int)
    for label in labels:
        sizes[label] += 1
    ordered = sorted(sizes, key=lambda label: (-sizes[label], label))
    number = {label: index for index, label in enumerate(ordered)}
    return np.array([number[label] for label in labels], dtype=np.int64), [folder for _, folder in ordered]


def _place_groups(member: Ints, disc: Floats, left: Ints, right: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Return the middles of the discs. Groups that hang together settle by their links; other such islands are laid around the largest."""
    count = len(disc)
    a, b = np.minimum(member[left], member[right]), np.maximum(member[left], member[right])
    across = (a != b) & (b < _MOST_GROUPS)
    keys, where = np.unique(a[across] * count + b[across], return_inverse=True)
    bonds = np.bincount(where, weights=weight[across], minlength=len(keys)).astype(np.float64)
    a, b = keys // count, keys % count
    islands = _find_islands(count, a, b)
    x, y = np.zeros(count), np.zeros(count)
    circles: list[tuple[float, float, float]] = []
    for island in islands:
        inside = np.array(island, dtype=np.int64)
        if len(island) > 1:
            local = np.full(count, -1, dtype=np.int64)
            local[inside] = np.arange(len(island))
            own = local[a] >= 0
            x[inside], y[inside] = settle_groups(GroupOrder(local[a[own]], local[b[own]], bonds[own], disc[inside], 0.9 * UNIT))
        around = enclose(list(zip(x[inside].tolist(), y[inside].tolist(), disc[inside].tolist(), strict=True)))
        x[inside] -= around[0]
        y[inside] -= around[1]
        circles.append((0.0, 0.0, around[2] + 0.5 * UNIT))
    order = sorted(range(len(islands)), key=lambda index: (-circles[index][2], index))
    for index, (px, py) in zip(order, pack_circles([circles[index][2] for index in order], wide=1.7), strict=True):
        x[islands[index]] += px
        y[islands[index]] += py
    return x, y


def _find_islands(count: int, a: Ints, b: Ints) -> list[list[int]]:
    """Return the groups that hang together, each island in order of size."""
    root = list(range(count))

    def find(group: int) -> int:
        while root[group] != group:
            root[group] = root[root[group]]
            group = root[group]
        return group

    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        low, high = sorted((find(one), find(other)))
        root[high] = low
    found: dict[int, list[int]] = defaultdict(list)
    for group in range(count):
        found[find(group)].append(group)
    return list(found.values())


def _begin_pages(member: Ints, degree: Ints, gx: Floats, gy: Floats) -> tuple[Floats, Floats]:
    """Each group begins as a spiral, its best connected page in the middle. Rounded: a sine is not the same everywhere."""
    order = np.lexsort((np.arange(len(member)), -degree, member))
    sizes = np.bincount(member)
    rank = np.empty(len(member), dtype=np.int64)
    rank[order] = np.arange(len(member)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    table = np.array([spiral(number, UNIT) for number in range(int(sizes.max()))]).round(4)
    return table[rank, 0] + gx[member], table[rank, 1] + gy[member]


def _round(x: Floats, y: Floats, gx: Floats, gy: Floats, disc: Floats, member: Ints, degree: Ints, folders: Sequence[str]) -> Layout:
    left, top = float((gx - disc).min()), float((gy - disc).min())
    order = np.lexsort((np.arange(len(member)), -degree, member))
    sizes = np.bincount(member)
    hubs = order[np.cumsum(sizes) - sizes].tolist()
    groups = tuple(
        Group(round(cx - left), round(cy - top), math.ceil(r), int(pages), -1 if folder else hub, folder)
        for cx, cy, r, pages, hub, folder in zip(gx.tolist(), gy.tolist(), disc.tolist(), sizes.tolist(), hubs, folders, strict=True)
    )
    return Layout(
        x=tuple(np.rint(x - left).astype(np.int64).tolist()),
        y=tuple(np.rint(y - top).astype(np.int64).tolist()),
        group=tuple(member.tolist()),
        groups=groups,
    )
