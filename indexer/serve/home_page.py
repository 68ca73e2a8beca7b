"""The gateway's own pages: templates, and what all of them have in common. Called by `home`, `home_search` and the owner's pages.

Everything that people typed is escaped by the templates (`site_templates/overrides/brain/gateway`); nothing of a page needs a script.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from indexer.publish.render import clean_environment, spell_date
from indexer.registry.reach import Reader
from indexer.serve.answers import Answer, html_answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.csrf import FIELD, csrf_token
from indexer.serve.home_assets import load_assets
from indexer.serve.turns import TooManyError
from indexer.serve.who import find_asker

SEARCH, REPOS = "/-/search", "/-/repos"
LONGEST_QUERY = 400


def render_answer(request: Request, template: str, title: str, *, status: int = 200, **values: Any) -> Answer:
    """Return a page of the gateway as an answer."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    asker = visit.asker
    common = {
        "title": title,
        "assets": load_assets().addresses,
        "field": FIELD,
        "token": csrf_token(gateway, asker) if asker.is_person else "",
        "signed_in": asker.is_person,
        "may_leave": asker.session is not None,
        "search_at": SEARCH,
        "longest_query": LONGEST_QUERY,
        "spell_moment": spell_moment,
        "finds": True,
        "query": "",
    }
    text = clean_environment().get_template(f"gateway/{template}").render(**{**common, **values})
    return html_answer(status, text.encode("utf-8", "replace"))


@asynccontextmanager
async def wait_for_turn(gateway: Gateway, visit: Visit) -> AsyncIterator[None]:
    """Wait until a person's turn for something long has come, and find out once more who asks: it may have ended meanwhile.

    HTTPException 429 = that many of theirs are waiting already.
    """
    asker = visit.asker
    try:
        async with gateway.searches.take(asker.session.identity if asker.session else asker.subject):
            visit.asker = await gateway.ask(
                lambda connection: find_asker(connection, gateway.settings, gateway.cookies, visit.headers, visit.tenant, gateway.clock())
            )
            yield
    except TooManyError as error:
        raise HTTPException(429, headers={"Retry-After": "5"}) from error


def find_person(visit: Visit, tenant: str) -> Reader | None:
    """Return who a person in a browser is in a tenant; None = nobody there, or a program."""
    return visit.asker.reader_in(tenant) if visit.asker.is_person and not visit.asker.key else None


def locate_repo(tenant: str, repo: str = "", step: str = "") -> str:
    """Return the address of the owner's page of a repo, or of a step in it; without a repo, of the list of one's own."""
    return f"{REPOS}/{tenant}/" + (f"{repo}/{step}" if repo else step)


def spell_moment(moment: str) -> str:
    """Return `2026-11-30T08:05:00Z` as `30 November 2026, 08:05 UTC`."""
    date, _, time = moment.partition("T")
    return f"{spell_date(date)}, {time[:5]} UTC"
