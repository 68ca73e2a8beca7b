"""Hubs, indexes and the list of orphans as Markdown. Used by `maps`; pure.

The wording holds no counts, ranks or dates, so that a page that comes or goes changes its own line and little else.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from indexer.analysis.names import folder_of
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.publish.maps_hubs import Hub, HubPlan
from indexer.publish.maps_index import Index, render_entries
from indexer.publish.maps_text import MOST_TOKENS, ROOM, count_map_tokens, escape_markdown, join_lines, link_to
from indexer.publish.visible import clean_line

_LIKE_ENOUGH = 0.25
_MOST_TOGETHER = 2
_TITLE, _REASON = 60, 200
Together = Mapping[str, Sequence[tuple[str, str, float]]]
"""Page → (page, title, likeness) of those that belong together with it though nothing links them."""


def share_relations(result: IndexResult, relations: Relations, hubs: Sequence[Hub]) -> Together:
    """Return what hubs say of related pages: the best few on other maps, for those on the same one stand side by side anyway."""
    linked = {(source, to) for source, to, _ in result.graph.edges}
    place = {line.path: hub.name for hub in hubs for line in hub.lines}
    together: dict[str, list[tuple[str, str, float]]] = {}
    for path in place.keys() & relations.related.keys():
        others = [
            (other, result.title_of(other), like)
            for other, like in relations.related[path]
            if like >= _LIKE_ENOUGH and place.get(other, place[path]) != place[path] and not {(path, other), (other, path)} & linked
        ]
        together[path] = others[:_MOST_TOGETHER]
    return together


def render_index(result: IndexResult, index: Index, plan: HubPlan, relations: Relations) -> bytes:
    """The first index, called after the front page: what the repo or its folder is called differs from clone to clone."""
    front = plan.index_of("")
    head = [f"# {escape_markdown(clean_line(result.title_of(front), _TITLE)) if front else 'Index'}", ""]
    head += [
        "Written by `brain refresh`. Each line leads to a map and says what it lists; `~300` is about how many tokens it takes to read."
    ]
    head += [""]
    known = [(path, note) for path, note in (("BRAIN.md", "how this brain is organised"),) if path in result.graph.nodes]
    head += [f"- {link_to(result.title_of(path), f'../{path}')}: {note}" for path, note in known]
    if relations.waiting:
        head += [f"- Pages that belong together wait: {escape_markdown(clean_line(relations.waiting, _REASON))}"]
    head += ["- [Orphans](orphans.md): pages that no page links to"]
    room = ROOM - sum(map(count_map_tokens, head))
    return join_lines([*head, "", "## Maps", "", *render_entries(index.entries, "hubs/", room)])


def render_hub(hub: Hub, plan: HubPlan, together: Together) -> bytes:
    """The list of some pages."""
    lines = [f"# {escape_markdown(hub.title)}", "", "Part of the [index](../index.md). One page a line, with its size in tokens.", ""]
    folder = hub.folder
    for line in hub.lines:
        if not hub.by_title and folder_of(line.path) != folder:
            folder = folder_of(line.path)
            lines += ["", f"## {escape_markdown(plan.title_folder(folder))}", ""]
        lines.append(line.text)
    room = MOST_TOKENS - sum(count_map_tokens(line) + 1 for line in lines) - 50
    return join_lines([*lines, *_render_together(hub, together, room)])


def _render_together(hub: Hub, together: Together, room: int) -> list[str]:
    """Return what belongs together: the likest pairs as far as there is room, in the order of the pages."""
    pairs = [(-like, line.path, other, title) for line in hub.lines for other, title, like in together.get(line.path, ())]
    shown: dict[str, list[str]] = defaultdict(list)
    for _, path, other, title in sorted(pairs):
        link = link_to(title, f"../../{other}", _TITLE)
        room -= count_map_tokens(link) + (1 if path in shown else 40)
        if room < 0:
            break
        shown[path].append(link)
    if not shown:
        return []
    rows = [
        f"- {link_to(line.title, f'../../{line.path}', _TITLE)}: {', '.join(shown[line.path])}" for line in hub.lines if line.path in shown
    ]
    return ["", "## Belong together, though no link says so", "", *rows]


def render_orphans(result: IndexResult, hubs: Sequence[Hub], plan: HubPlan) -> bytes:
    """The pages that nothing links: by themselves, or, where they are too many, by the map that lists them."""
    head = ["# Orphans", "", "Pages that no page links to. Part of the [index](index.md).", ""]
    orphans = set(result.graph.orphans)
    for rows in (_list_orphans(hubs, orphans), _list_hubs(hubs, orphans), _list_tops(hubs, orphans, plan)):
        lines = list(rows)
        if sum(count_map_tokens(line) + 1 for line in lines) <= ROOM:
            break
    return join_lines([*head, *(lines or ["None."])])


def _list_orphans(hubs: Sequence[Hub], orphans: set[str]) -> Iterator[str]:
    for hub in hubs:
        yield from (f"- {link_to(line.title, f'../{line.path}')}" for line in hub.lines if line.path in orphans)


def _list_hubs(hubs: Sequence[Hub], orphans: set[str]) -> Iterator[str]:
    for hub in hubs:
        found = sum(line.path in orphans for line in hub.lines)
        if found:
            how_many = "all its pages" if found == len(hub.lines) else f"{found} of {len(hub.lines)} pages"
            yield f"- {link_to(hub.title, f'hubs/{hub.name}.md')}: {how_many}"


def _list_tops(hubs: Sequence[Hub], orphans: set[str], plan: HubPlan) -> Iterator[str]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for hub in hubs:
        counts[hub.top][0] += sum(line.path in orphans for line in hub.lines)
        counts[hub.top][1] += len(hub.lines)
    room = ROOM
    for top, (found, pages) in counts.items():
        line = f"- {escape_markdown(plan.title_folder(top or plan.start))}: {found} of {pages} pages"
        room -= count_map_tokens(line) + 1
        if found and room > 100:
            yield line
    yield "- Each of them is marked in [graph.json](graph.json)."


def render_block(index: Index, hubs: Sequence[Hub], plan: HubPlan) -> list[str]:
    """Return the lines for a seeded `index.md`: what there is at the top, and the way to the index."""
    lines = ["", "- [Index of all pages](.brain/index.md), with what is on each map", "- [Orphans](.brain/orphans.md)"]
    room = MOST_TOKENS // 2
    by_top: dict[str, list[Hub]] = defaultdict(list)
    for hub in hubs:
        by_top[hub.top].append(hub)
    gathered = {entry.title: entry for entry in index.entries if entry.maps > 1}
    for top, below in by_top.items():
        title = plan.title_folder(top or plan.start)
        entry = gathered.get(title)
        name = entry.name if entry else below[0].name if len(below) == 1 else ""
        line = f"- {link_to(title, f'.brain/hubs/{name}.md' if name else '.brain/index.md')}"
        room -= count_map_tokens(line) + 1
        if room < 0:
            break
        lines.append(line)
    return [*lines, ""]
