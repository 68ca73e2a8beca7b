"""`brain graph`: the one graph over the repos of a tenant. Wiring only."""

import os
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from sqlalchemy import Connection, select

from indexer.cli.paths import TypedPath
from indexer.cli.reach import KEY
from indexer.cli.registry_options import Asked, registry_options
from indexer.cli.terminal import count, escape_text, render_json, say
from indexer.errors import RefusalError, UsageError
from indexer.publish.tenant_graph import draw_tenant_graph
from indexer.publish.tenant_graph_read import read_drawn
from indexer.registry.audit import Actor
from indexer.registry.keys import PUBLISH_SCOPE, find_key
from indexer.registry.repos import list_repos
from indexer.registry.tables import TENANT
from indexer.serve.api_graph import count_graph, record_publication
from indexer.serve.graph_shapes import TenantGraph, parse_graph
from indexer.serve.tenant_graph import publish_graph

_OUT = click.option("--out", type=TypedPath(exists=True, file_okay=False), required=True, help="Output of `brain build WORKSPACE`.")
_REPOS = click.option(
    "--repo", "named", multiple=True, metavar="REPO", help="Draw it from this repo; may be repeated. Without: all shared ones."
)


class _Chosen(Struct, frozen=True):
    """What is drawn."""

    tenant: str
    url: str
    titles: dict[str, str]


@click.group("graph")
def command() -> None:
    """Draw and publish the graph of a tenant. It is open to who reaches every repo that it was drawn from, and to operators."""


@command.command("make")
@_OUT
@_REPOS
@registry_options(acts=False)
def make(out: Path, named: tuple[str, ...], asked: Asked) -> None:
    """Print the graph as JSON, as `PUT /api/v1/graph` takes it."""
    with asked.reading() as (connection, tenant):
        chosen = _choose(connection, tenant, named)
    click.echo(render_json(_draw(out, chosen), indent=None))


@command.command("publish")
@_OUT
@_REPOS
@registry_options(acts=False)
def publish(out: Path, named: tuple[str, ...], asked: Asked) -> None:
    """Draw the graph and put it in the place of the last one. BRAIN_KEY holds the system token: a key with the scope graph:publish."""
    key = os.environ.get(KEY, "").strip()
    if not key:
        raise UsageError(
            f"Put the system token into {KEY}.", hint=f"An operator makes one: `brain key add --scope {PUBLISH_SCOPE} --for …`."
        )
    with asked.reading() as (connection, tenant):
        _require_token(connection, key, tenant, asked)
        chosen = _choose(connection, tenant, named)
    graph = _draw(out, chosen)
    with asked.writing() as (connection, tenant):
        holder = _require_token(connection, key, tenant, asked)
        record_publication(connection, graph, holder, asked.now)
    publish_graph(out, graph)
    counted = count_graph(graph)
    pages, repos, links = count(counted["nodes"], "page"), count(counted["repos"], "repo"), count(counted["edges"], "link")
    sentence = f"The graph of {tenant} is published: {pages} of {repos}, {links}."
    asked.tell(sentence, {"tenant": tenant, **counted})


def _require_token(connection: Connection, key: str, tenant: str, asked: Asked) -> Actor:
    holder = find_key(connection, key, asked.now)
    if holder is None or holder.reader.tenant != tenant or holder.brain or PUBLISH_SCOPE not in holder.reader.scopes:
        raise RefusalError(f"The key in {KEY} is not the system token of {tenant}, has expired or was revoked.")
    return Actor(holder.reader.agent or holder.reader.account)


def _choose(connection: Connection, tenant: str, named: tuple[str, ...]) -> _Chosen:
    """Personal repos and those kept as they are count only when they are named, the latter not even then (T06)."""
    listed = [each for each in list_repos(connection, tenant) if each.status == "active" and not each.repo.kept_as_is]
    titles = {each.repo.id: each.repo.title for each in listed if (each.repo.id in named if named else each.repo.kind == "shared")}
    unknown = sorted(set(named) - set(titles))
    if unknown:
        raise RefusalError(f"No graph is drawn from {', '.join(unknown)}: no active repo of {tenant}, or one that is kept as it is.")
    url = connection.execute(select(TENANT.c.url).where(TENANT.c.name == tenant)).scalar()
    return _Chosen(tenant, url or "", titles)


def _draw(out: Path, chosen: _Chosen) -> TenantGraph:
    found, missing = read_drawn(out / chosen.tenant, chosen.url, chosen.titles, chosen.titles)
    for repo in missing:
        say(escape_text(f"{repo} was not built, so it is left out."))
    if not found:
        raise RefusalError(f"Nothing of {chosen.tenant} was built in {out}.", hint="Run `brain build` first.")
    drawn: dict[str, Any] = draw_tenant_graph(chosen.tenant, chosen.url, found)
    return parse_graph(drawn, chosen.tenant)
