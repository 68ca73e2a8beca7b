"""What the graph explorer reads, as values for JSON: columns over the published pages, numbered in order of path (SPEC P12).

Called by `indexer.publish.explorer`; pure. Nothing depends on a hidden page: a name without a page is told by the words that stand on the
page, whether there is nothing behind it or a page that is not published.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from indexer.analysis.graph import name_unwritten
from indexer.analysis.names import fold, folder_of
from indexer.analysis.states import state_of
from indexer.model.page import Link
from indexer.model.result import IndexResult
from indexer.publish.explorer_picture import Picture
from indexer.publish.looks import LOOKS
from indexer.publish.sections import Sections
from indexer.publish.tags import TagPages

FORMAT = 1
_MOST_BONDS = 600
_MOST_STUBS = 2_000
"""The most wanted ones are shown."""


def list_overview(result: IndexResult, picture: Picture) -> dict[str, Any]:
    """Return the first level: groups with their names, and how many links there are between them."""
    links = picture.links
    bonds: Counter[tuple[int, int]] = Counter()
    number = {path: index for index, path in enumerate(result.graph.nodes)}
    for source, to, count in result.graph.edges:
        one, other = sorted((links.group[number[source]], links.group[number[to]]))
        if one != other:
            bonds[one, other] += count
    strongest = sorted(bonds.items(), key=lambda bond: (-bond[1], bond[0]))[:_MOST_BONDS]
    return {
        "format": FORMAT,
        "title": result.title,
        "pages": len(result.graph.nodes),
        "links": len(result.graph.edges),
        "groups": {
            "x": [group.x for group in links.groups],
            "y": [group.y for group in links.groups],
            "r": [group.r for group in links.groups],
            "pages": [group.pages for group in links.groups],
            "hub": [group.hub for group in links.groups],
            "name": [result.title_of(result.graph.nodes[group.hub]) if group.hub >= 0 else group.folder for group in links.groups],
        },
        "bonds": [figure for (one, other), count in strongest for figure in (one, other, count)],
        "relations": _say_relations(result),
    }


def list_pages(result: IndexResult, picture: Picture, sections: Sections) -> dict[str, Any]:
    """Return everything on pages, folders and links."""
    nodes = result.graph.nodes
    number = {path: index for index, path in enumerate(nodes)}
    urls = [result.addresses[path].url for path in nodes]
    shared, rest = _shorten(urls)
    folders = picture.folders
    place = {folder.path: index for index, folder in enumerate(folders)}
    return {
        "format": FORMAT,
        "titles": [result.title_of(path) for path in nodes],
        "shared": shared,
        "urls": rest,
        "x": picture.links.x,
        "y": picture.links.y,
        "group": picture.links.group,
        "fx": picture.fx,
        "fy": picture.fy,
        "folder": [place[folder_of(path)] for path in nodes],
        "folders": {
            "path": [folder.path for folder in folders],
            "title": [sections.folders[folder.path].title for folder in folders],
            "above": [place[folder_of(folder.path)] if folder.path else -1 for folder in folders],
            "index": [number.get(sections.folders[folder.path].index, -1) for folder in folders],
            "x": [folder.x for folder in folders],
            "y": [folder.y for folder in folders],
            "r": [folder.r for folder in folders],
        },
        "links": [shorten_numbers([number[to] for to in result.graph.outgoing.get(path, ())]) for path in nodes],
        "orphans": shorten_numbers([number[path] for path in result.graph.orphans]),
        "hubs": [number[path] for path in result.graph.hubs],
        **_list_tags(result, number),
        **_list_states(result, number),
        "stubs": _list_stubs(result, number),
    }


def list_related(result: IndexResult) -> list[list[int]] | None:
    """Return for each page its related ones, best first, each as number and likeness in hundredths; None while nobody has found any."""
    if result.relations is None or result.relations.waiting:
        return None
    number = {path: index for index, path in enumerate(result.graph.nodes)}
    return [
        [
            figure
            for other, likeness in result.relations.related.get(path, ())
            if other in number
            for figure in (number[other], round(likeness * 100))
        ]
        for path in result.graph.nodes
    ]


def shorten_numbers(numbers: Sequence[int]) -> list[int]:
    """Return rising numbers as distances, the first from -1; -4 stands for four times the next number, so that a clique is no long list."""
    short: list[int] = []
    last, run = -1, 0
    for number in numbers:
        if number == last + 1:
            run += 1
        else:
            short += _tell_run(run)
            short.append(number - last)
            run = 0
        last = number
    return [*short, *_tell_run(run)]


def _tell_run(length: int) -> list[int]:
    return [1] * length if length < 3 else [-length]


def _shorten(urls: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return how many characters each address has in common with the one before, and the rest of it."""
    shared, rest, last = [], [], ""
    for url in urls:
        most = min(len(url), len(last))
        same = next((at for at in range(most) if url[at] != last[at]), most)
        shared.append(same)
        rest.append(url[same:])
        last = url
    return shared, rest


def _say_relations(result: IndexResult) -> dict[str, str]:
    if result.relations is None:
        return {"state": "unknown"}
    return {"state": "waiting", "why": result.relations.waiting} if result.relations.waiting else {"state": "found"}


def _list_tags(result: IndexResult, number: Mapping[str, int]) -> dict[str, Any]:
    tags = TagPages(result)
    return {
        "tags": list(tags.names.values()),
        "tagged": [shorten_numbers(sorted(number[path] for path in tags.pages[key])) for key in tags.names],
    }


def _list_states(result: IndexResult, number: Mapping[str, int]) -> dict[str, Any]:
    """Return the states that documents have, and the documents in each."""
    states: dict[str, int] = {}
    for brain in result.brains:
        for document in brain.documents:
            if document.page in number:
                states.setdefault(document.page, list(LOOKS).index(state_of(document, result.date)))
    found = {index: look for index, look in enumerate(LOOKS.values()) if index in states.values()}
    return {
        "states": [[look.css, look.words] for look in found.values()],
        "stated": [shorten_numbers(sorted(number[path] for path, state in states.items() if state == index)) for index in found],
    }


def _list_stubs(result: IndexResult, number: Mapping[str, int]) -> dict[str, Any]:
    """Return the names that pages link to and that have no page, the most wanted first."""
    words: dict[str, Counter[str]] = defaultdict(Counter)
    pages: dict[str, set[int]] = defaultdict(set)
    for path in result.graph.nodes:
        for link in _find_unwritten(path, result):
            key = fold(name_unwritten(link.target))
            words[key][name_stub(link)] += 1
            pages[key].add(number[path])
    named = {key: min((name for name in names if name), key=lambda name: (-names[name], name), default="") for key, names in words.items()}
    wanted = sorted((key for key, name in named.items() if name), key=lambda key: (-words[key].total(), named[key], min(pages[key])))
    shown = wanted[:_MOST_STUBS]
    return {
        "all": len(wanted),
        "names": [named[key] for key in shown],
        "links": [words[key].total() for key in shown],
        "from": [shorten_numbers(sorted(pages[key])) for key in shown],
    }


def _find_unwritten(path: str, result: IndexResult) -> Iterator[Link]:
    for link, target in zip(result.pages[path].links, result.targets[path], strict=True):
        if target.status in {"missing", "private"} and not target.is_outside and name_unwritten(link.target):
            yield link


def name_stub(link: Link) -> str:
    """Return what a reader sees of a link to a page that does not exist; empty when that is nothing."""
    name = link.label or (link.target if link.raw.startswith(("[[", "![[")) else "")
    return name_unwritten(name) if name == link.target else " ".join(name.split())
