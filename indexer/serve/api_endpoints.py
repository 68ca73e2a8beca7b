"""The answers of the JSON doors: tools, repos, search (SPEC S10, S13, T33). Called by `api`; what somebody reaches is asked each time."""

from functools import partial
from typing import Any, cast

import anyio.to_thread
from starlette.requests import Request

from indexer.errors import BrainpressError
from indexer.publish.visible import clean_line
from indexer.registry.index_state import State
from indexer.registry.reached_repos import ShownRepo
from indexer.serve.access import UNDECIDED
from indexer.serve.api_errors import ApiError
from indexer.serve.api_requests import find_asking, read_json_object, read_query, require_reading
from indexer.serve.api_shapes import RepoEntry, RepoList, SearchAnswer, SearchEntry, SearchQuery, TenantQuery, ToolEntry, ToolList
from indexer.serve.context import Gateway, Visit, report_seldom
from indexer.serve.home_shelf import Figures, open_shelf
from indexer.serve.home_values import choose_state, show_changed
from indexer.serve.mcp_server import UNREADABLE
from indexer.serve.search_all import Hit, Place, search_places
from indexer.serve.tenant_desks import Asking, TenantDesks
from indexer.serve.tool_error import NOT_FOUND, ToolError, UnknownToolError
from indexer.serve.tool_list import UNKNOWN_BLUEPRINT
from indexer.serve.tools import TOOLS, describe_tool
from indexer.serve.view import BEING_PUBLISHED

_STATUS = {NOT_FOUND: 404, UNKNOWN_BLUEPRINT: 404, UNDECIDED: 503, BEING_PUBLISHED: 503}


class Endpoints:
    """The endpoints of one gateway."""

    def __init__(self, gateway: Gateway, desks: TenantDesks) -> None:
        self._gateway = gateway
        self._desks = desks

    async def list_tools(self, request: Request) -> ToolList:
        """`GET /api/v1/tools`: what there is to call; nothing without the right to read (SPEC S13)."""
        asking = self._find_asking(request)
        return {"tools": [_show_tool(name) for name in TOOLS] if asking.reader.may_read else []}

    async def call_tool(self, request: Request) -> dict[str, Any]:
        """`POST /api/v1/tools/<name>`: arguments in, result out."""
        asking = self._find_asking(request)
        name = request.path_params["name"]
        if name not in TOOLS or not asking.reader.may_read:
            raise ApiError(404)
        if request.method != "POST":
            raise ApiError(405, headers=((b"allow", b"POST"),))
        arguments = await read_json_object(request)
        async with self._desks.turn(asking, request.state.visit):
            desk = await self._desks.open(asking, request.state.visit)
            return await anyio.to_thread.run_sync(partial(self._call, request.state.visit, desk.call, name, arguments))

    async def list_repos(self, request: Request) -> RepoList:
        """`GET /api/v1/repos`: what the reader reaches, and how new it is."""
        asking = self._find_asking(request)
        require_reading(self._gateway, request.state.visit, asking)
        reached = await self._list_whole_repos(asking)
        if not reached:
            return {"repos": []}
        tenant, date = asking.reader.tenant, request.state.visit.now.date().isoformat()
        shelf = open_shelf(self._gateway.settings.out)
        names = [repo.id for repo in reached]
        async with self._desks.turn(asking, request.state.visit):
            figures = await anyio.to_thread.run_sync(shelf.read, tenant, names, date)
        return {"repos": [_show_repo(repo, figures[repo.id]) for repo in reached]}

    async def search(self, request: Request) -> SearchAnswer:
        """`GET /api/v1/search`: the website's search, over what the reader reaches and nothing else."""
        query = read_query(request, SearchQuery)
        visit: Visit = request.state.visit
        asking = find_asking(self._gateway, visit, query.tenant)
        require_reading(self._gateway, visit, asking)
        async with self._desks.turn(asking, request.state.visit):
            repos = [repo for repo in await self._list_whole_repos(asking) if query.repo in {None, repo.id}]
            if query.repo is not None and not repos:
                raise ApiError(404)
            places = [Place(asking.reader.tenant, repo.id, repo.title) for repo in repos]
            found = await anyio.to_thread.run_sync(search_places, self._gateway.releases, places, query.q)
        searched = [place.repo for place in places if place not in found.unsearched]
        results = [self._show_hit(hit) for hit in found.hits[: query.limit]]
        return {"searched": searched, "results": results, "truncated": bool(found.unsearched)}

    def _find_asking(self, request: Request) -> Asking:
        return find_asking(self._gateway, request.state.visit, read_query(request, TenantQuery).tenant)

    async def _list_whole_repos(self, asking: Asking) -> list[ShownRepo]:
        """A key for one brain below the root of a repo is not for the repo."""
        return [repo for repo in await self._desks.list_reached(asking) if asking.covers_all_of(repo.id)]

    def _call(self, visit: Visit, call: Any, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = call(name, arguments)
        except UnknownToolError as error:
            raise ApiError(404) from error
        except ToolError as error:
            raise ApiError(_STATUS.get(error.message, 400), error.render(name)) from error
        except BrainpressError as error:
            report_seldom(f"{name}: {clean_line(error.message)} {clean_line(error.hint)}", f"request {visit.id}: ")
            raise ApiError(503, UNREADABLE) from error
        return answer

    def _show_hit(self, hit: Hit) -> SearchEntry:
        place, page = hit.place, hit.result
        origin = "" if self._gateway.settings.host_per_tenant else self._gateway.settings.url
        return {
            "repo": place.repo,
            "path": f"{place.repo}/{page.path}",
            "title": clean_line(page.title),
            "heading": clean_line(page.heading),
            "line": page.line,
            "snippet": clean_line(page.snippet),
            "url": f"{origin}{self._gateway.locate(place.tenant, place.repo)}{page.url}",
            "missing": [clean_line(word) for word in page.missing],
        }


def _show_tool(name: str) -> ToolEntry:
    arguments, result = describe_tool(name)
    tool = TOOLS[name]
    return {"name": name, "title": tool.title, "description": tool.description, "arguments": arguments, "result": result}


def _show_repo(repo: ShownRepo, figures: Figures) -> RepoEntry:
    """The same as the home page shows of it."""
    entry = figures.entry
    state = choose_state(repo, figures)
    return {
        "id": repo.id,
        "title": clean_line(repo.title),
        "access": repo.access,
        "state": cast(State, state) if state else None,
        "revision": entry.revision if entry else None,
        "date": show_changed(figures) or None,
    }
