"""`/api/v1/graph`: the graph of a tenant for programs, and its publication with the system token (SPEC T36). Called by `api`.

Before the first, and for who does not reach all it was drawn from, it does not exist, in the same bytes; operators, whom nothing of it is
hidden from, are told which.
"""

from datetime import datetime

import anyio.to_thread
from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.audit import Act, Actor
from indexer.registry.keys import PUBLISH_SCOPE
from indexer.registry.lookup import require_tenant
from indexer.registry.repos import list_repos
from indexer.serve.answers import Answer, json_answer
from indexer.serve.api_errors import ApiError, make_insufficient, make_unauthorized
from indexer.serve.api_requests import find_asking, read_json_object, read_query, require_reading
from indexer.serve.api_shapes import TenantQuery
from indexer.serve.context import Gateway, Visit
from indexer.serve.graph_access import ask_openness
from indexer.serve.graph_shapes import PublishedGraph, TenantGraph, parse_graph
from indexer.serve.releases import Releases
from indexer.serve.tenant_desks import Asking, TenantDesks
from indexer.serve.tenant_graph import KeptGraph, TenantGraphs, open_graphs, publish_graph
from indexer.serve.tool_text import render_compact_json
from indexer.serve.who import find_asker

LARGEST_GRAPH = 32 * 1024 * 1024
_METHODS = (b"GET", b"HEAD", b"PUT")


class GraphEndpoint:
    """The endpoint of one gateway."""

    def __init__(self, gateway: Gateway, desks: TenantDesks) -> None:
        self._gateway = gateway
        self._desks = desks

    async def answer(self, request: Request) -> PublishedGraph | Answer:
        """`GET` gives the graph, `PUT` takes a new one."""
        if request.method.encode() not in _METHODS:
            raise ApiError(405, headers=((b"allow", b", ".join(_METHODS)),))
        visit: Visit = request.state.visit
        asking = find_asking(self._gateway, visit, read_query(request, TenantQuery).tenant)
        if request.method == "PUT":
            return await self._publish(request, asking)
        require_reading(self._gateway, visit, asking)
        return await self._show(asking, visit)

    async def _show(self, asking: Asking, visit: Visit) -> Answer:
        tenant, graphs = asking.reader.tenant, open_graphs(self._gateway.settings.out)
        async with self._desks.turn(asking, visit):
            reached, operates = await self._gateway.ask(lambda connection: ask_openness(connection, asking.reader))
            reached = frozenset(repo for repo in reached if asking.covers_all_of(repo))
            kept = await anyio.to_thread.run_sync(graphs.load, tenant)
            if kept is None:
                raise ApiError(404, "No graph of this tenant was published yet." if operates and not asking.brain else "")
            if not kept.is_open_to(reached, operates=operates and not asking.brain):
                raise ApiError(404)
            return await anyio.to_thread.run_sync(_render, graphs, kept, self._gateway.releases)

    async def _publish(self, request: Request, asking: Asking) -> PublishedGraph:
        visit: Visit = request.state.visit
        if visit.asker.key is None:
            raise make_unauthorized(self._gateway, visit)
        if PUBLISH_SCOPE not in asking.reader.scopes or asking.brain:
            raise make_insufficient(self._gateway, visit, PUBLISH_SCOPE, "publishing the graph")
        body = await read_json_object(request, LARGEST_GRAPH)
        async with self._desks.turn(asking, visit):
            graph = await anyio.to_thread.run_sync(parse_graph, body, asking.reader.tenant)

        def note(connection: Connection) -> None:
            gateway = self._gateway
            # Once more, for the key may have been revoked while the body came in.
            now = find_asker(connection, gateway.settings, gateway.cookies, visit.headers, visit.tenant, gateway.clock())
            if now.key is None or now.key.reader != asking.reader:
                raise make_unauthorized(gateway, visit)
            record_publication(connection, graph, Actor(asking.reader.agent or asking.reader.account), visit.now)

        await self._gateway.change(note)
        await anyio.to_thread.run_sync(publish_graph, self._gateway.settings.out, graph)
        return count_graph(graph)


def _render(graphs: TenantGraphs, kept: KeptGraph, releases: Releases) -> Answer:
    """Many megabytes are not written while all other requests wait."""
    return json_answer(200, render_compact_json(graphs.show(kept, releases)).encode() + b"\n")


def record_publication(connection: Connection, graph: TenantGraph, by: Actor, now: datetime) -> None:
    """Note who published what; ApiError 400 when the graph names a repo that is not in the tenant."""
    tenant = graph["tenant"]
    names = [repo["id"] for repo in graph["repos"]]
    if not set(names) <= {listed.repo.id for listed in list_repos(connection, tenant)}:
        raise ApiError(400, "The graph names a repo that this tenant does not have.")
    act = Act(connection, tenant, require_tenant(connection, tenant), by, now)
    act.record("graph.publish", "graph", None, {"repos": names})


def count_graph(graph: TenantGraph) -> PublishedGraph:
    """Return what is answered."""
    return {"repos": len(graph["repos"]), "nodes": len(graph["nodes"]), "edges": len(graph["edges"])}
