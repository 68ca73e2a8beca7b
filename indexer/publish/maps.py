"""The maps of a brain: what its pages are, for readers with a token budget (SPEC T07, T29, T30). Called by `brain refresh`; pure.

    index → (index) → hub → page

`.brain/index.md` names every hub in one line, hubs list their pages in one line each. Nothing here commits or reads a file; the same
repo gives the same bytes, and hidden pages give none.
"""

from collections.abc import Mapping

from indexer.model.maps import ATTRIBUTES, FRONT, GRAPH, HUBS, INDEX, ORPHANS
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.parse.generated import without_block
from indexer.publish.maps_block import replace_block
from indexer.publish.maps_graph import digest_content, read_recorded, render_graph, settle
from indexer.publish.maps_hubs import HubPlan
from indexer.publish.maps_index import plan_index, render_subindex
from indexer.publish.maps_lines import list_lines
from indexer.publish.maps_render import render_block, render_hub, render_index, render_orphans, share_relations
from indexer.publish.maps_text import count_bytes

_MERGE = b"# Lines of both sides are kept; the next refresh puts the maps straight.\n* merge=union linguist-generated\n"


def make_maps(result: IndexResult, relations: Relations, kept: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the files that the maps of a repo are, by path.

    `kept` are the files of `.brain/` and the `index.md` that the repo holds now. A map in `kept` that is not in the result is to go, but
    for `.brain/log.md`, which is written with `add_log`.
    """
    front = without_block(kept.get(FRONT, b""))
    published = frozenset(result.graph.nodes)
    recorded = read_recorded(kept[GRAPH], published) if GRAPH in kept else None
    relations = settle(relations, recorded, published)
    plan = HubPlan(result, list_lines(result, len(front)))
    hubs = plan.list_hubs()
    together = share_relations(result, relations, hubs)
    lists = {hub.name: render_hub(hub, plan, together) for hub in hubs}
    first, *others = plan_index(hubs, plan, {name: count_bytes(text) for name, text in lists.items()})
    maps = {
        ATTRIBUTES: _MERGE,
        INDEX: render_index(result, first, plan, relations),
        ORPHANS: render_orphans(result, hubs, plan),
        GRAPH: render_graph(result, relations, digest_content(result, front)),
    }
    maps |= {f"{HUBS}{index.name}.md": render_subindex(index) for index in others}
    maps |= {f"{HUBS}{name}.md": text for name, text in lists.items()}
    if FRONT in result.graph.nodes and FRONT in kept:
        block = replace_block(kept[FRONT], render_block(first, hubs, plan))
        maps |= {FRONT: block} if block is not None else {}
    return dict(sorted(maps.items()))
