"""The owner's pages: who can read a repo and why, and the forms that change it (SPEC T04, T08, T33). Listed in `owner_routes`.

A repo's page exists for its owner alone: everybody else, an operator as well, gets the answer for what is not there. Whether the repo is
there or not, the registry is asked the same questions.
"""

import re

from msgspec import Struct, field
from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.lookup import RUNS, SEES_PEOPLE
from indexer.registry.parties import list_parties
from indexer.registry.reach import Reader
from indexer.registry.reached_repos import Standing, fetch_standing
from indexer.registry.rights import Entitled, Owned, fetch_rights, find_owned, list_owned
from indexer.registry.tenant_model import EVERYONE, ID_PATTERN
from indexer.serve.answers import Answer, redirect
from indexer.serve.context import Gateway, Visit
from indexer.serve.home_page import find_person, locate_repo, render_answer
from indexer.serve.notices import NOT_FOUND
from indexer.serve.owner_said import read_said
from indexer.serve.owner_values import make_rows

ID_FORM = re.compile(ID_PATTERN.strip("^$"))
MOST_CHOICES = 500


class Asked(Struct, frozen=True):
    """What a request to these pages is about: ids that are well formed, and who asks."""

    tenant: str
    repo: str
    reader: Reader


class OwnedView(Struct, frozen=True):
    """A repo and who reaches it."""

    standing: Standing
    owned: Owned
    rights: tuple[Entitled, ...]
    cut: bool
    choices: tuple[tuple[str, str], ...] = field(default=())
    """Id and name of whom it can be granted to, for owners who may know."""


def parse_asked(request: Request) -> Asked | None:
    """Return what a request is about; None for malformed ids, and for whoever is nobody in that tenant."""
    visit: Visit = request.state.visit
    tenant, repo = str(request.path_params["tenant"]), str(request.path_params.get("repo", ""))
    if not ID_FORM.fullmatch(tenant) or (repo and not ID_FORM.fullmatch(repo)):
        return None
    reader = find_person(visit, tenant)
    return Asked(tenant, repo, reader) if reader else None


async def show_own(request: Request) -> Answer:
    """`GET /-/repos/<tenant>/`: the repos that the person owns, archived ones as well."""
    gateway: Gateway = request.state.gateway
    asked = parse_asked(request)
    if asked is None:
        return NOT_FOUND

    def ask(connection: Connection) -> tuple[Standing, list[Owned]] | None:
        standing = fetch_standing(connection, asked.reader)
        return (standing, list_owned(connection, asked.reader)) if standing else None

    found = await gateway.ask(ask)
    if found is None:
        return NOT_FOUND
    standing, owned = found
    rows = [(repo, locate_repo(asked.tenant, repo.id)) for repo in owned]
    return render_answer(
        request,
        "own.html",
        "Your repos",
        standing=standing,
        rows=rows,
        back=gateway.locate(asked.tenant),
        new_at=locate_repo(asked.tenant, step="new"),
        home_at=locate_repo(asked.tenant, step="home"),
        said=read_said(request),
    )


async def lead_to_form(request: Request) -> Answer:
    """`GET` of an address that takes a form, which stays in the browser when the form was refused: to the page above it."""
    tenant, repo = str(request.path_params["tenant"]), str(request.path_params.get("repo", ""))
    if not ID_FORM.fullmatch(tenant) or (repo and not ID_FORM.fullmatch(repo)):
        return NOT_FOUND
    return redirect(locate_repo(tenant, repo))


async def show_new(request: Request) -> Answer:
    """`GET /-/repos/<tenant>/new`: the forms for a new repo and, for operators, for one that exists."""
    asked = parse_asked(request)
    return NOT_FOUND if asked is None else await render_new(request, asked)


async def render_new(request: Request, asked: Asked, problem: str = "", failed: str = "", typed: dict[str, str] | None = None) -> Answer:
    """Return the page of both forms; after a refusal with what was typed, and why it was refused."""
    gateway: Gateway = request.state.gateway
    standing = await gateway.ask(lambda connection: fetch_standing(connection, asked.reader))
    if standing is None:
        return NOT_FOUND
    return render_answer(
        request,
        "new.html",
        "New repo",
        status=422 if problem else 200,
        standing=standing,
        runs=standing.role in RUNS,
        own_at=locate_repo(asked.tenant),
        new_at=locate_repo(asked.tenant, step="new"),
        existing_at=locate_repo(asked.tenant, step="existing"),
        problem=problem,
        failed=failed,
        typed=typed or {},
    )


async def show_repo(request: Request) -> Answer:
    """`GET /-/repos/<tenant>/<repo>/`: who can read it and why."""
    asked = parse_asked(request)
    return NOT_FOUND if asked is None else await render_repo(request, asked)


async def render_repo(request: Request, asked: Asked, problem: str = "", typed: dict[str, str] | None = None) -> Answer:
    """Return the page of a repo; after a refusal with what was typed, and why it was refused."""
    gateway: Gateway = request.state.gateway
    view = await gateway.ask(lambda connection: fetch_view(connection, asked))
    if view is None:
        return NOT_FOUND
    at = locate_repo(asked.tenant, asked.repo)
    return render_answer(
        request,
        "repo.html",
        view.owned.title,
        status=422 if problem else 200,
        standing=view.standing,
        repo=view.owned,
        rows=make_rows(view.rights, view.standing.title, asked.reader.account),
        cut=view.cut,
        choices=view.choices,
        at=at,
        site=gateway.locate(asked.tenant, asked.repo) if view.owned.status == "active" else "",
        own_at=locate_repo(asked.tenant),
        everyone=EVERYONE,
        problem=problem,
        typed=typed or {},
        said=read_said(request) if not problem else "",
    )


def fetch_view(connection: Connection, asked: Asked) -> OwnedView | None:
    """Return the repo and its rights, for its owner; None for everybody else, and when there is none."""
    owned = find_owned(connection, asked.reader, asked.repo)
    standing = fetch_standing(connection, asked.reader)
    if owned is None or standing is None:
        return None
    knows = standing.role in SEES_PEOPLE
    rights, cut = fetch_rights(connection, asked.tenant, asked.repo, names_everyone=knows)
    parties = list_parties(connection, asked.tenant)[: MOST_CHOICES * 4] if knows else []
    choices = [(party.id, party.name) for party in parties if party.status == "active" and party.id != asked.reader.account]
    return OwnedView(standing, owned, tuple(rights), cut, tuple(choices[:MOST_CHOICES]))
