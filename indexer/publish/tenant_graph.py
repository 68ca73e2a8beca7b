"""One graph over several repos of a tenant, drawn from what was built of them (SPEC T36). Called by `brain graph`; decides nothing.

It names every repo it was drawn from, for a reader needs all of them. Nodes and edges inside a repo are those of its site's `graph.json`,
so no hidden page is among them; edges between repos are links by the sites' declared addresses to pages that are published.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urldefrag

from msgspec import Struct, field

from indexer.errors import PublishError

FILE = "graph.json"


class DrawnRepo(Struct, frozen=True):
    """What was built of one repo."""

    id: str
    title: str
    graph: Mapping[str, Any]
    """Its site's `graph.json`."""
    outside: Sequence[tuple[str, str, int]] = ()
    """(page, address, how often) for links that lead out of the repo."""
    parents: Sequence[tuple[str, str]] = ()
    """(brain, its parent) for the brains of the repo whose card names one."""


class _Drawn(Struct):
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[list[int]] = field(default_factory=list)
    pages: dict[tuple[str, str], int] = field(default_factory=dict)
    """(repo, path) → number of its node."""
    addresses: dict[str, int] = field(default_factory=dict)
    """`<repo>/<address in the site>`, decoded → number of its node."""


def read_site_graph(content: bytes, repo: str) -> Mapping[str, Any]:
    """Return a site's `graph.json`; PublishError when it is none."""
    try:
        read = json.loads(content)
        if isinstance(read["nodes"], list) and isinstance(read["edges"], list):
            return dict(read)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise PublishError(f"The graph of {repo} cannot be read.", hint="Run `brain build` again.")


def draw_tenant_graph(tenant: str, url: str, repos: Sequence[DrawnRepo]) -> dict[str, Any]:
    """Return the graph of a tenant; `url` is the tenant's declared address without a slash at its end, empty when there is none."""
    chosen = sorted(repos, key=lambda repo: repo.id)
    drawn = _Drawn()
    for number, repo in enumerate(chosen):
        _add_repo(drawn, number, repo)
    for repo in chosen:
        drawn.edges += _list_across(drawn, url, repo) if url else ()
    known = {repo.id for repo in chosen}
    return {
        "tenant": tenant,
        "repos": [{"id": repo.id, "title": repo.title, "revision": repo.graph.get("revision")} for repo in chosen],
        "nodes": drawn.nodes,
        "edges": drawn.edges,
        "parents": sorted(_list_parents(chosen, known)),
    }


def _add_repo(drawn: _Drawn, number: int, repo: DrawnRepo) -> None:
    first = len(drawn.nodes)
    for node in repo.graph["nodes"]:
        drawn.pages[repo.id, node["path"]] = drawn.addresses[f"{repo.id}/{unquote(node['url'])}"] = len(drawn.nodes)
        drawn.nodes.append({"repo": number, "path": node["path"], "title": node["title"], "url": node["url"]})
    drawn.edges += [[first + source, first + target, count] for source, target, count in repo.graph["edges"]]


def _list_across(drawn: _Drawn, url: str, repo: DrawnRepo) -> Iterator[list[int]]:
    """Yield the edges from a repo to others, by page and address."""
    counted: dict[tuple[int, int], int] = {}
    for path, address, count in repo.outside:
        source = drawn.pages.get((repo.id, path))
        target = _find_page(drawn.addresses, url, address)
        if source is not None and target is not None and drawn.nodes[source]["repo"] != drawn.nodes[target]["repo"]:
            counted[source, target] = counted.get((source, target), 0) + count
    for (source, target), count in sorted(counted.items()):
        yield [source, target, count]


def _find_page(addresses: Mapping[str, int], url: str, address: str) -> int | None:
    if not address.startswith(f"{url}/"):
        return None
    rest = unquote(urldefrag(address[len(url) + 1 :]).url.partition("?")[0]).removesuffix("index.html")
    return next((addresses[each] for each in (rest, f"{rest}/") if each in addresses), None)


def _list_parents(repos: Iterable[DrawnRepo], known: set[str]) -> Iterator[list[str]]:
    """Yield the brains whose parent is in another of these repos: what lies outside of them is not named."""
    for repo in repos:
        for brain, parent in repo.parents:
            above = parent.partition("/")[0]
            if above != repo.id and above in known:
                yield [brain, parent]
