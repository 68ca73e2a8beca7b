"""The two pictures of a graph, by links and by folders, and when they have to be drawn anew. Called by `indexer.publish.explorer`; pure.

Drawing is the dear part of the explorer, so the release remembers it: an edit that changes no link and no page takes it over.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from indexer.analysis.names import folder_of
from indexer.model.result import IndexResult

_DRAWING = 5
"""Counts up with every change of how pictures are drawn."""


class Group(Struct, frozen=True):
    """One community, or the pages of a folder without a link, as a disc."""

    x: int
    y: int
    r: int
    pages: int
    hub: int
    """Number of its best connected page; -1 for pages without a link."""
    folder: str = ""
    """First folder of pages without a link, with a slash at its end."""


class Layout(Struct, frozen=True):
    """The picture of the links. Coordinates are whole numbers from 0; two small dots beside each other are about 10 apart."""

    x: tuple[int, ...] = ()
    """Of each page, in order of path."""
    y: tuple[int, ...] = ()
    group: tuple[int, ...] = ()
    """Number of the group of each page."""
    groups: tuple[Group, ...] = ()
    """The largest first."""


class FolderDisc(Struct, frozen=True):
    """One folder of the picture of the folders."""

    path: str
    x: int
    y: int
    r: int


class Picture(Struct, frozen=True):
    """Where everything stands in the explorer."""

    digest: str = ""
    """Of what it was drawn from."""
    links: Layout = field(default_factory=Layout)
    fx: tuple[int, ...] = ()
    """Places of the pages in the picture of the folders."""
    fy: tuple[int, ...] = ()
    folders: tuple[FolderDisc, ...] = ()
    """Sorted by path; the root comes first."""


def draw_picture(result: IndexResult, indexes: Mapping[str, str], last: Picture) -> Picture:
    """Return the picture of the published pages; `indexes` are folder → its index page. The last one is taken over when it still holds."""
    graph = result.graph
    digest = f"{_DRAWING} {result.known.scores.digest}"
    if digest == last.digest:
        return last
    # Imported here and not above: a build that takes the last picture over needs no numpy.
    from indexer.publish.explorer_layout import lay_out  # noqa: PLC0415

    links = lay_out(graph.nodes, graph.edges, graph.communities)
    return Picture(digest, links, *_draw_folders(graph.nodes, indexes))


def _draw_folders(nodes: Sequence[str], indexes: Mapping[str, str]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[FolderDisc, ...]]:
    from indexer.publish.explorer_pack import nest_folders  # noqa: PLC0415

    pages: dict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(nodes):
        pages[folder_of(path)].append(number)
    folders: dict[str, list[int]] = {"": []}
    for folder, own in pages.items():
        # The index page of a folder stands in the middle.
        index = indexes.get(folder)
        folders[folder] = sorted(own, key=lambda number, index=index: (nodes[number] != index, number))  # type: ignore[misc]
        while folder:
            folder = folder_of(folder)  # noqa: PLW2901 (upwards to the root)
            folders.setdefault(folder, [])
    places, circles = nest_folders(folders, {folder: folder_of(folder) for folder in folders if folder}, 10.0)
    left = min((circle.x - circle.r for circle in circles.values()), default=0.0)
    top = min((circle.y - circle.r for circle in circles.values()), default=0.0)
    discs = tuple(
        FolderDisc(path, round(circle.x - left), round(circle.y - top), round(circle.r)) for path, circle in sorted(circles.items())
    )
    fx = tuple(round(places[number][0] - left) for number in range(len(nodes)))
    fy = tuple(round(places[number][1] - top) for number in range(len(nodes)))
    return fx, fy, discs
