"""The pages of a signed-in person: what they reach, tenant by tenant (SPEC T03, T33). Routes of `gateway`, those of search and owners too.

What somebody does not reach is not listed and not counted. The names come from `reach`, asked in the request; all else is looked up for
those alone.
"""

import asyncio
from collections.abc import Sequence

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from indexer.publish.looks import LOOKS
from indexer.registry.reach import Reader
from indexer.registry.reached_repos import ShownRepo, Standing, fetch_shown, fetch_standing
from indexer.serve.answers import Answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.graph_access import operates, reach_of
from indexer.serve.graph_page import locate_graph, show_graph
from indexer.serve.home_assets import send_asset
from indexer.serve.home_page import locate_repo, render_answer
from indexer.serve.home_search import show_search
from indexer.serve.home_shelf import open_shelf
from indexer.serve.home_values import Section, make_card
from indexer.serve.owner_routes import owner_routes
from indexer.serve.tenant_graph import open_graphs

_Found = tuple[Standing, list[ShownRepo], Reader]


def home_routes() -> list[BaseRoute]:
    """Return the routes of the pages of the gateway itself."""
    return [
        Route("/", show_home, methods=["GET"]),
        Route("/-/assets/{name:path}", send_asset, methods=["GET"]),
        Route("/-/search", show_search, methods=["GET"]),
        Route("/-/graph/{tenant}/", show_graph, methods=["GET"]),
        *owner_routes(),
    ]


async def show_home(request: Request) -> Answer:
    """`GET /`: the repos of all tenants that the asker reaches; for anybody else, what this is and how to sign in."""
    visit: Visit = request.state.visit
    if not visit.asker.is_person:
        return _welcome(request)
    sections = await _make_sections(request, [tenant for tenant, _ in visit.asker.accounts])
    return _show(request, "Home", sections, "")


async def answer_tenant(request: Request, tenant: str) -> Answer | None:
    """`GET /<tenant>/`: the repos of one tenant; None = as if it did not exist, for whoever belongs to it in no way."""
    visit: Visit = request.state.visit
    sections = await _make_sections(request, [tenant])
    if not sections or not (visit.asker.is_person or sections[0].cards):
        return None
    return _show(request, sections[0].standing.title, sections, tenant)


def _show(request: Request, title: str, sections: Sequence[Section], tenant: str) -> Answer:
    drawn = any(card.bars for section in sections for card in section.cards)
    return render_answer(request, "home.html", title, sections=sections, tenant=tenant, drawn=drawn, looks=LOOKS.values())


def _welcome(request: Request) -> Answer:
    gateway: Gateway = request.state.gateway
    ways = {"by_service": bool(gateway.settings.oidc), "by_link": gateway.settings.dev_login, "by_proxy": bool(gateway.settings.proxy)}
    return render_answer(request, "welcome.html", "Brainpress", **ways)


async def _make_sections(request: Request, tenants: Sequence[str]) -> list[Section]:
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit

    def ask(connection: Connection) -> list[_Found]:
        found = []
        for tenant in tenants:
            reader = visit.asker.reader_in(tenant)
            standing = fetch_standing(connection, reader) if reader else None
            if reader and standing:
                found.append((standing, fetch_shown(connection, tenant, reach_of(connection, visit.asker, tenant)), reader))
        return found

    found = await gateway.ask(ask)
    return await asyncio.to_thread(lambda: [_make_section(gateway, visit, *each) for each in found])


def _make_section(gateway: Gateway, visit: Visit, standing: Standing, repos: list[ShownRepo], reader_of_tenant: Reader) -> Section:
    tenant = standing.tenant
    figures = open_shelf(gateway.settings.out).read(tenant, {repo.id for repo in repos}, visit.now.date().isoformat())
    reader = standing.id if visit.asker.is_person else ""
    cards = tuple(make_card(repo, figures[repo.id], reader, gateway.locate(tenant, repo.id)) for repo in repos)
    kept = open_graphs(gateway.settings.out).load(tenant) if visit.asker.is_person else None
    is_open = kept is not None and kept.is_open_to({repo.id for repo in repos}, operates=operates(standing, reader_of_tenant))
    return Section(
        standing,
        gateway.locate(tenant),
        locate_repo(tenant),
        cards,
        homeless=bool(reader) and standing.home is None,
        graph=locate_graph(tenant) if is_open else "",
    )
