"""`/-/search`: one field for everything that a person reaches, each tenant by itself (SPEC T33). A route of `home`."""

import asyncio
import re

from msgspec import Struct
from sqlalchemy import Connection
from starlette.requests import Request

from indexer.model.search import Piece
from indexer.registry.decide import reach
from indexer.registry.reached_repos import Standing, fetch_shown, fetch_standing
from indexer.serve.answers import Answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.home_page import LONGEST_QUERY, find_person, render_answer, wait_for_turn
from indexer.serve.notices import NOT_FOUND
from indexer.serve.search_all import Hit, Place, Searched, search_places

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class ResultRow(Struct, frozen=True):
    """One page that was found, as it is shown."""

    title: str
    url: str
    heading: str
    pieces: tuple[Piece, ...]
    path: str
    repo: str
    """Title of the repo."""
    missing: str
    """Words of the query that the page lacks."""


class TenantResults(Struct, frozen=True):
    """What was found in one tenant."""

    standing: Standing
    rows: tuple[ResultRow, ...]
    unsearched: tuple[str, ...]
    """Titles of repos that were not searched."""


class _Scope(Struct, frozen=True):
    standing: Standing
    places: tuple[Place, ...]


_Found = tuple[list[_Scope], tuple[TenantResults, ...]]


async def show_search(request: Request) -> Answer:
    """`GET /-/search?q=`: results of all repos that the person reaches; `in=<tenant>/<repo>` keeps to one of them."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    if not visit.asker.is_person:
        return NOT_FOUND
    query = _UNPRINTABLE.sub(" ", request.query_params.get("q", ""))[:LONGEST_QUERY].strip()
    within = request.query_params.get("in", "")
    scopes, groups = await _wait_and_search(gateway, visit, query, within) if query else (await _find_scopes(gateway, visit), ())
    if not visit.asker.is_person:
        return NOT_FOUND
    choices = tuple((f"{place.tenant}/{place.repo}", place.title, scope.standing.title) for scope in scopes for place in scope.places)
    chosen = within if any(within == value for value, _, _ in choices) else ""
    return render_answer(
        request,
        "search.html",
        f"{query}: search" if query else "Search",
        finds=False,
        query=query,
        groups=groups,
        choices=choices,
        chosen=chosen,
        several=len(scopes) > 1,
        found=any(group.rows for group in groups),
    )


async def _find_scopes(gateway: Gateway, visit: Visit) -> list[_Scope]:
    """Return what the person reaches at this moment."""
    return await gateway.ask(lambda connection: _list_scopes(connection, visit))


def _list_scopes(connection: Connection, visit: Visit) -> list[_Scope]:
    scopes = []
    for tenant, _ in visit.asker.accounts:
        reader = find_person(visit, tenant)
        standing = fetch_standing(connection, reader) if reader else None
        if reader and standing:
            shown = fetch_shown(connection, tenant, reach(connection, reader))
            scopes.append(_Scope(standing, tuple(Place(tenant, repo.id, repo.title) for repo in shown)))
    return scopes


async def _wait_and_search(gateway: Gateway, visit: Visit, query: str, within: str) -> _Found:
    """Decide and search when the person's turn has come."""
    async with wait_for_turn(gateway, visit):
        scopes = await _find_scopes(gateway, visit)
        return scopes, await _search(gateway, scopes, query, within)


async def _search(gateway: Gateway, scopes: list[_Scope], query: str, within: str) -> tuple[TenantResults, ...]:
    """Search tenant by tenant, or in one repo if that is within reach."""
    found = []
    chosen = within if any(within == f"{place.tenant}/{place.repo}" for scope in scopes for place in scope.places) else ""
    for scope in scopes:
        places = [place for place in scope.places if not chosen or chosen == f"{place.tenant}/{place.repo}"]
        searched = await asyncio.to_thread(search_places, gateway.releases, places, query)
        found.append(_show_results(gateway, scope.standing, searched))
    return tuple(found)


def _show_results(gateway: Gateway, standing: Standing, searched: Searched) -> TenantResults:
    rows = tuple(_show_hit(gateway, hit) for hit in searched.hits)
    return TenantResults(standing, rows, tuple(place.title for place in searched.unsearched))


def _show_hit(gateway: Gateway, hit: Hit) -> ResultRow:
    result = hit.result
    return ResultRow(
        title=result.title,
        url=gateway.locate(hit.place.tenant, hit.place.repo) + result.url,
        heading=result.heading,
        pieces=result.pieces,
        path=result.path,
        repo=hit.place.title,
        missing=", ".join(result.missing),
    )
