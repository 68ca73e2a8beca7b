"""The picture of the graph: what is linked lies close, hubs stand in the middle, nothing covers anything, and it is always the same."""

import math
from itertools import combinations

import pytest

from indexer.analysis.communities import find_communities
from indexer.publish.explorer_layout import UNIT, lay_out
from indexer.publish.explorer_pack import enclose, nest_folders, pack_circles
from indexer.publish.explorer_picture import Layout

pytestmark = pytest.mark.req("P12")

Edges = tuple[tuple[str, str, int], ...]


def draw(nodes: tuple[str, ...], edges: Edges) -> Layout:
    return lay_out(nodes, edges, find_communities(nodes, edges))


def make_communities(count: int, size: int) -> tuple[tuple[str, ...], Edges]:
    """Rings of pages around a hub each; the hubs are linked in a row."""
    nodes = tuple(f"c{community:02}/p{page:03}.md" for community in range(count) for page in range(size))
    edges = set()
    for community in range(count):
        own = nodes[community * size : (community + 1) * size]
        for page in range(1, size):
            edges.add((own[page], own[0], 1))
            edges.add((own[page], own[1 + page % (size - 1)], 1))
        if community:
            edges.add((own[0], nodes[(community - 1) * size], 1))
    return nodes, tuple(sorted(edge for edge in edges if edge[0] != edge[1]))


def far(layout: Layout, one: int, other: int) -> float:
    return math.hypot(layout.x[one] - layout.x[other], layout.y[one] - layout.y[other])


def test_linked_pages_lie_closer_than_others_and_hubs_in_the_middle() -> None:
    nodes, edges = make_communities(8, 40)
    layout = draw(nodes, edges)
    number = {path: index for index, path in enumerate(nodes)}
    linked = [far(layout, number[one], number[other]) for one, other, _ in edges]
    others = [far(layout, one, other) for one, other in combinations(range(len(nodes)), 2)]
    assert sum(linked) / len(linked) < 0.35 * sum(others) / len(others)
    assert len(layout.groups) == 8
    for group in layout.groups:
        assert group.hub % 40 == 0
        assert math.hypot(layout.x[group.hub] - group.x, layout.y[group.hub] - group.y) < 0.25 * group.r


def test_communities_that_link_to_each_other_are_neighbours() -> None:
    nodes, edges = make_communities(10, 30)
    layout = draw(nodes, edges)
    place = {group.hub // 30: group for group in layout.groups}

    def apart(one: int, other: int) -> float:
        return math.hypot(place[one].x - place[other].x, place[one].y - place[other].y)

    linked = [apart(number, number + 1) for number in range(9)]
    others = [apart(one, other) for one, other in combinations(range(10), 2) if other - one > 1]
    assert sum(linked) / len(linked) < 0.7 * sum(others) / len(others)


def test_pages_stay_in_their_disc_and_no_disc_or_dot_covers_another() -> None:
    nodes, edges = make_communities(12, 25)
    layout = draw(nodes, edges)
    for page in range(len(nodes)):
        group = layout.groups[layout.group[page]]
        assert math.hypot(layout.x[page] - group.x, layout.y[page] - group.y) <= group.r
    for one, other in combinations(layout.groups, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) > 0.97 * (one.r + other.r)
    close = [pair for pair in combinations(range(len(nodes)), 2) if far(layout, *pair) < 0.55 * UNIT]
    assert len(close) <= len(nodes) // 50


def test_pages_without_a_link_stand_apart_by_folder() -> None:
    nodes, edges = make_communities(2, 20)
    lonely = tuple(f"notes/{page:02}.md" for page in range(9)) + tuple(f"zoo/{page:02}.md" for page in range(4)) + ("alone.md",)
    layout = draw(tuple(sorted((*nodes, *lonely))), edges)
    loose = {group.folder: group.pages for group in layout.groups if group.hub < 0}
    assert loose == {"notes/": 9, "zoo/": 4, "/": 1}


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_brain_of_hardly_any_page_has_a_picture(size: int) -> None:
    nodes = tuple(f"{page}.md" for page in range(size))
    layout = draw(nodes, ())
    assert (len(layout.x), sum(group.pages for group in layout.groups)) == (size, size)


def test_a_clique_and_only_orphans_are_one_disc_each() -> None:
    nodes = tuple(f"{page:04}.md" for page in range(300))
    edges = tuple((one, other, 1) for one, other in combinations(nodes, 2))
    clique, orphans = draw(nodes, edges), draw(nodes, ())
    assert [group.pages for group in clique.groups] == [300]
    assert [group.pages for group in orphans.groups] == [300]
    assert len(set(zip(clique.x, clique.y, strict=True))) > 290


@pytest.mark.req("P14")
def test_the_same_graph_gives_the_same_picture_whatever_the_order_of_its_links() -> None:
    nodes, edges = make_communities(5, 30)
    assert draw(nodes, edges) == draw(nodes, edges) == draw(nodes, tuple(reversed(edges)))


def test_packed_circles_touch_and_do_not_overlap() -> None:
    radii = sorted((1 + (number * 37 % 11) for number in range(60)), reverse=True)
    places = pack_circles(radii)
    for (one, r), (other, s) in combinations(zip(places, radii, strict=True), 2):
        assert math.dist(one, other) > r + s - 1e-3
    _, _, around = enclose([(x, y, r) for (x, y), r in zip(places, radii, strict=True)])
    assert around**2 < 1.6 * sum(r * r for r in radii)


def test_folders_hold_their_pages_and_the_folders_in_them() -> None:
    folders = {"": [0], "a": [1, 2, 3], "a/b": [4, 5], "a/c": [6], "d": list(range(7, 40))}
    pages, circles = nest_folders(folders, {"a": "", "a/b": "a", "a/c": "a", "d": ""}, 10.0)
    for folder, own in folders.items():
        circle = circles[folder]
        for page in own:
            assert math.hypot(pages[page][0] - circle.x, pages[page][1] - circle.y) < circle.r
        if folder:
            above = circles[folder.rpartition("/")[0]]
            assert math.hypot(circle.x - above.x, circle.y - above.y) + circle.r <= above.r + 1e-6
    assert sorted(pages) == list(range(40))
