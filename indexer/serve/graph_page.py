"""The page of a tenant's graph: which repos it was drawn from and how they hang together, as tables (SPEC T36). A route of `home`.

Hidden and missing are the same not-found answer as everywhere. What it shows is decided in the request, and needs no script.
"""

import asyncio

from msgspec import Struct
from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.reach import Reader
from indexer.registry.reached_repos import Standing, fetch_standing
from indexer.serve.answers import Answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.graph_access import operates, reach_of
from indexer.serve.graph_shapes import TenantGraph
from indexer.serve.home_page import find_person, render_answer, wait_for_turn
from indexer.serve.notices import NOT_FOUND
from indexer.serve.tenant_graph import open_graphs

_MOST_ROWS = 500
_Asked = tuple[Standing | None, frozenset[str]]


class RepoRow(Struct, frozen=True):
    """One repo of the graph."""

    title: str
    url: str
    pages: int
    inside: int
    """Links between its pages."""
    out: int
    """Links from its pages to those of other repos."""
    into: int


class PageEnd(Struct, frozen=True):
    """One end of a link between repos."""

    repo: str
    title: str
    url: str


def locate_graph(tenant: str) -> str:
    """Return the address of the page."""
    return f"/-/graph/{tenant}/"


async def show_graph(request: Request) -> Answer:
    """`GET /-/graph/<tenant>/`."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    tenant = request.path_params["tenant"]
    reader = find_person(visit, tenant)
    if reader is None:
        return NOT_FOUND
    async with wait_for_turn(gateway, visit):
        if find_person(visit, tenant) != reader:
            return NOT_FOUND
        standing, reached = await gateway.ask(lambda connection: _ask(connection, visit, reader))
        graphs = open_graphs(gateway.settings.out)
        kept = await asyncio.to_thread(graphs.load, tenant)
        if standing is None or kept is None or not kept.is_open_to(reached, operates=operates(standing, reader)):
            return NOT_FOUND
        graph = await asyncio.to_thread(graphs.show, kept, gateway.releases)
        rows, links = await asyncio.to_thread(_make_rows, gateway, graph)
    return render_answer(
        request,
        "graph.html",
        f"Graph of {standing.title}",
        standing=standing,
        back=gateway.locate(tenant),
        rows=rows,
        links=links[:_MOST_ROWS],
        more=max(0, len(links) - _MOST_ROWS),
        parents=graph["parents"],
        json_at=f"/api/v1/graph?tenant={tenant}",
    )


def _ask(connection: Connection, visit: Visit, reader: Reader) -> _Asked:
    return fetch_standing(connection, reader), frozenset(reach_of(connection, visit.asker, reader.tenant))


def _make_rows(gateway: Gateway, graph: TenantGraph) -> tuple[list[RepoRow], list[tuple[PageEnd, PageEnd, int]]]:
    tenant, repos, nodes = graph["tenant"], graph["repos"], graph["nodes"]
    sites = [gateway.locate(tenant, repo["id"]) for repo in repos]
    pages, inside, out, into = ([0] * len(repos) for _ in range(4))
    links = []
    for node in nodes:
        pages[node["repo"]] += 1
    for source, target, count in graph["edges"]:
        ends = nodes[source], nodes[target]
        a, b = ends[0]["repo"], ends[1]["repo"]
        if a == b:
            inside[a] += count
            continue
        out[a] += count
        into[b] += count
        first, second = (PageEnd(repos[end["repo"]]["title"], end["title"], f"{sites[end['repo']]}{end['url']}") for end in ends)
        links.append((first, second, count))
    rows = [RepoRow(repo["title"], sites[at], pages[at], inside[at], out[at], into[at]) for at, repo in enumerate(repos)]
    return rows, links
