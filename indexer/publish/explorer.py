"""The files that the graph explorer of a site reads (SPEC P12, T34). Called by `indexer.publish.website` and `live`.

A repo that is kept as it is has none (T06). The page itself, made by `listings`, says nothing that an edit changes; all is in these files:
`overview.json` is the first level, `pages.json` all pages, `related.json` what belongs together though nothing links it.
"""

from indexer.model.result import IndexResult
from indexer.publish.explorer_picture import Picture, draw_picture
from indexer.publish.explorer_values import FORMAT, list_overview, list_pages, list_related
from indexer.publish.feeds import to_json
from indexer.publish.listings import GRAPH
from indexer.publish.sections import Sections


def render_explorer(result: IndexResult, sections: Sections, last: Picture) -> tuple[Picture, dict[str, bytes]]:
    """Return the picture of the graph, and the files of the explorer; none for a repo that is kept as it is."""
    if result.kept_as_is:
        return Picture(), {}
    indexes = {path: folder.index for path, folder in sections.folders.items() if folder.index}
    picture = draw_picture(result, indexes, last)
    files = {
        f"{GRAPH}overview.json": to_json(list_overview(result, picture)),
        f"{GRAPH}pages.json": to_json(list_pages(result, picture, sections)),
    }
    related = list_related(result)
    if related is not None:
        files[f"{GRAPH}related.json"] = to_json({"format": FORMAT, "related": related})
    return picture, files
