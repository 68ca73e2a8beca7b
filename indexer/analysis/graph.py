"""Resolved links → the graph of a repo (SPEC P06). Called by the pipeline; pure, and the same for any order of input."""

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from indexer.analysis.communities import find_communities, find_components
from indexer.analysis.names import fold, folder_of, is_index_name, stem
from indexer.model.graph import Graph, Target
from indexer.model.known import Scores
from indexer.model.page import PageFacts

_ENTRY_STEMS = frozenset({"index", "readme", "_index", "brain", "log", "home"})
_MOST_HUBS = 50
_LEAST_DEGREE = 5
_NONE = Scores()


def build_graph(pages: Mapping[str, PageFacts], targets: Mapping[str, Sequence[Target]], known: Scores = _NONE) -> tuple[Graph, Scores]:
    """Return the graph of the published pages, and its scores for the next run; `targets` are the results of `resolve_page`.

    `known` are the scores of the last run, which are right again when no edge has changed.
    """
    nodes = tuple(sorted(path for path, page in pages.items() if not page.hidden))
    counts: Counter[tuple[str, str]] = Counter()
    for path, resolved in targets.items():
        counts.update((path, target.path) for target in resolved if target.edge and target.path is not None)
    edges = tuple((source, to, counts[source, to]) for source, to in sorted(counts))
    backlinks, outgoing = _group(edges)
    scores = _score(nodes, edges, known)
    graph = Graph(
        nodes=nodes,
        edges=edges,
        backlinks=backlinks,
        outgoing=outgoing,
        orphans=tuple(path for path in nodes if path not in backlinks and not is_entry(path)),
        isolated=tuple(path for path in nodes if path not in backlinks and path not in outgoing),
        dead_ends=tuple(path for path in nodes if path in backlinks and path not in outgoing),
        hubs=_find_hubs(nodes, backlinks, outgoing),
        stubs=count_stubs(pages, targets),
        pagerank=scores.pagerank,
        communities=scores.communities,
        components=scores.components,
    )
    return graph, scores


def _score(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]], known: Scores) -> Scores:
    digest = blake2b(repr((nodes, edges)).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    if digest == known.digest:
        return known
    return Scores(digest, score_pagerank(nodes, edges), find_communities(nodes, edges), find_components(nodes, edges))


def is_entry(path: str) -> bool:
    """Whether readers come to a page without a link: the front page, `BRAIN.md` and `log.md` of the root, and the card of a brain."""
    return path.endswith("/brain.md") or (folder_of(path) == "" and fold(stem(path)) in _ENTRY_STEMS)


def _group(edges: Iterable[tuple[str, str, int]]) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    into: dict[str, list[str]] = defaultdict(list)
    out: dict[str, list[str]] = defaultdict(list)
    for source, to, _ in edges:
        into[to].append(source)
        out[source].append(to)
    return {key: tuple(value) for key, value in sorted(into.items())}, {key: tuple(value) for key, value in sorted(out.items())}


def _find_hubs(nodes: Sequence[str], backlinks: Mapping[str, Sequence[str]], outgoing: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Pages far better connected than the rest: two standard deviations above the mean, and at least five neighbours."""
    degrees = {path: len(set(backlinks.get(path, ())) | set(outgoing.get(path, ()))) for path in nodes}
    if not degrees:
        return ()
    mean = sum(degrees.values()) / len(degrees)
    spread = math.sqrt(sum((degree - mean) ** 2 for degree in degrees.values()) / len(degrees))
    least = max(_LEAST_DEGREE, mean + 2 * spread)
    hubs = sorted((path for path, degree in degrees.items() if degree >= least), key=lambda path: (-degrees[path], path))
    return tuple(hubs[:_MOST_HUBS])


def count_stubs(pages: Mapping[str, PageFacts], targets: Mapping[str, Sequence[Target]]) -> tuple[tuple[str, int], ...]:
    """Names that published pages link to and nobody has written; spelled as most links spell them."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for path, resolved in targets.items():
        if pages[path].hidden:
            continue
        for link, target in zip(pages[path].links, resolved, strict=True):
            if target.status == "missing" and not target.is_outside and (name := name_unwritten(link.target)):
                spellings[fold(name)][name] += 1
    stubs = [(min(names, key=lambda name: (-names[name], name)), sum(names.values())) for names in spellings.values()]
    return tuple(sorted(stubs, key=lambda stub: (-stub[1], stub[0])))


def name_unwritten(target: str) -> str:
    """Return the name that a link to no page gives to one: the last part of its path, with single spaces, or the folder of an index page.
    Signs alone are no name."""
    folder, _, last = target.strip("/").removesuffix(".md").rpartition("/")
    parent = folder.rpartition("/")[2]
    name = " ".join((parent if is_index_name(f"{last}.md") and parent.strip(".") else last).split())
    return name if any(char.isalnum() or unicodedata.category(char) == "So" for char in name) else ""


def score_pagerank(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]], *, damping: float = 0.85) -> dict[str, float]:
    """Return PageRank by power iteration; pages without links out spread their rank evenly. Rounded, so that it is the same everywhere."""
    import numpy as np  # noqa: PLC0415 (most runs take the last run's scores over)

    if not nodes:
        return {}
    number = {path: index for index, path in enumerate(nodes)}
    sources = np.array([number[source] for source, _, _ in edges], dtype=np.int64)
    targets = np.array([number[to] for _, to, _ in edges], dtype=np.int64)
    out = np.bincount(sources, minlength=len(nodes)) if len(edges) else np.zeros(len(nodes), dtype=np.int64)
    shares = 1.0 / np.maximum(out, 1)
    rank = np.full(len(nodes), 1.0 / len(nodes))
    for _ in range(60):
        spread = np.bincount(targets, weights=rank[sources] * shares[sources], minlength=len(nodes)) if len(edges) else np.zeros(len(nodes))
        new = (1 - damping) / len(nodes) + damping * (spread + rank[out == 0].sum() / len(nodes))
        settled = float(np.abs(new - rank).sum()) < 1e-9
        rank = new
        if settled:
            break
    return {path: round(float(value), 9) for path, value in zip(nodes, rank, strict=True)}
