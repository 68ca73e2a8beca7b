"""All relations between the pages of one repo in one call (SPEC T30, T32): related pages, mentions without a link, near-copies.

Called by refresh, by `brain inspect` and by builds of small brains; pure: pages are read by the functions that are given.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from indexer.analysis.duplicates import find_duplicates
from indexer.analysis.mentions import LoadBodies, find_mentions
from indexer.analysis.relations import find_related
from indexer.analysis.relations_meaning import Meanings, write_gist
from indexer.analysis.relations_words import LoadTerms, read_bags
from indexer.errors import EmbeddingError
from indexer.model.relations import Relations
from indexer.model.result import IndexResult

Embed = Callable[[Sequence[str]], Sequence[bytes]]
"""See `indexer.sources.embedding`."""
_AT_ONCE = 200


def relate_pages(result: IndexResult, load_terms: LoadTerms, load_bodies: LoadBodies, embed: Embed | None = None) -> Relations:
    """Return the relations between the published pages.

    Where an embedding server is configured and cannot be had, nothing is found at all: `waiting` says why.
    """
    meanings = None
    if embed is not None and len(result.graph.nodes) > 1:
        try:
            meanings = Meanings(embed(_write_gists(result, load_bodies)))
        except EmbeddingError as error:
            return Relations(waiting=f"{error.message} {error.hint}".rstrip())
    return replace(pair_pages(result, load_terms, meanings), mentions=find_mentions(result, load_bodies))


def pair_pages(result: IndexResult, load_terms: LoadTerms, meanings: Meanings | None = None) -> Relations:
    """Return related pages and near-copies only: the quicker half."""
    bags = read_bags(result, load_terms)
    copies = find_duplicates(result, bags)
    return Relations(find_related(result, bags, load_terms, copies, meanings), copies=copies)


def fit_relations(relations: Relations, result: IndexResult) -> Relations:
    """Return relations that were found at another commit without what no longer holds: pages that are not published now, pairs that are
    linked now. A group of copies whose first page is gone is left out: what the others share was measured by that page."""
    shown = result.graph.pagerank.keys()
    outgoing = {path: set(targets) for path, targets in result.graph.outgoing.items()}

    def links(path: str, other: str) -> bool:
        return other in outgoing.get(path, ())

    related = {
        path: kept
        for path, pairs in relations.related.items()
        if path in shown and (kept := tuple(p for p in pairs if p[0] in shown and not links(path, p[0]) and not links(p[0], path)))
    }
    mentions = tuple(m for m in relations.mentions if m.path in shown and m.target in shown and not links(m.path, m.target))
    groups = (replace(each, others=tuple(o for o in each.others if o[0] in shown)) for each in relations.copies if each.path in shown)
    return replace(relations, related=related, mentions=mentions, copies=tuple(group for group in groups if group.others))


def _write_gists(result: IndexResult, load_bodies: LoadBodies) -> list[str]:
    paths = result.graph.nodes
    gists = []
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        bodies = load_bodies([result.entries[path].blob for path in some])
        gists += [write_gist(result.title_of(path), result.pages[path], bodies[result.entries[path].blob]) for path in some]
    return gists
