"""Changes that people make on the gateway's own pages: each a form that passed, an operation of the registry, and a redirect (THREATS 37).

Listed in `owner_routes`. The operations check the rights again, in their own transaction; what they refuse is shown with the form.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar, cast

from sqlalchemy import Connection
from starlette.exceptions import HTTPException
from starlette.requests import Request

from indexer.errors import RefusalError
from indexer.publish.visible import clean_line
from indexer.registry.audit import Actor
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.lookup import RUNS
from indexer.registry.names import join_lines
from indexer.registry.reach import Access
from indexer.registry.reached_repos import fetch_standing
from indexer.registry.repos import archive_repo, create_repo, find_home, open_home, register_repo, unarchive_repo
from indexer.registry.rights import find_grantee, find_owned
from indexer.registry.shapes import parse_values
from indexer.registry.tenant_model import EVERYONE, Repo
from indexer.serve.answers import Answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.csrf import read_form
from indexer.serve.home_page import locate_repo
from indexer.serve.notices import NOT_FOUND
from indexer.serve.owner import ID_FORM, Asked, parse_asked, render_new, render_repo
from indexer.serve.owner_said import tell

Value = TypeVar("Value")
_LONGEST_GRANTEE = 254


async def grant(request: Request) -> Answer:
    """`POST …/grant`: let somebody read, or read and write."""
    fields, asked = await _open_owned(request)
    if asked is None:
        return NOT_FOUND
    access = fields.get("access", "")
    if access not in {"read", "write"}:
        raise HTTPException(400)
    typed = join_lines(fields.get("to", "")).strip()[:_LONGEST_GRANTEE]

    def operate(connection: Connection, by: Actor) -> tuple[str, bool]:
        to = find_grantee(connection, asked.tenant, typed)
        if not ID_FORM.fullmatch(to):
            raise RefusalError(f"`{typed}` is no active member and no agent of this tenant." if typed else "Say who is to get access.")
        return to, give_grant(connection, asked.tenant, asked.repo, to, cast("Access", access), by, _now(request))

    try:
        to, changed = await _change(request, asked, operate)
    except RefusalError as refused:
        return await render_repo(request, asked, refused.message, {"to": typed, "access": access})
    sentence = ("reads" if access == "read" else "writes") if changed else "as-before"
    return tell(request, locate_repo(asked.tenant, asked.repo), sentence, _name(to))


async def revoke(request: Request) -> Answer:
    """`POST …/revoke`: take back what was given."""
    fields, asked = await _open_owned(request)
    if asked is None:
        return NOT_FOUND
    to = fields.get("to", "")

    def operate(connection: Connection, by: Actor) -> None:
        if not ID_FORM.fullmatch(to):
            raise RefusalError("There is no such grant.")
        revoke_grant(connection, asked.tenant, asked.repo, to, by, _now(request))

    try:
        await _change(request, asked, operate)
    except RefusalError as refused:
        return await render_repo(request, asked, refused.message)
    return tell(request, locate_repo(asked.tenant, asked.repo), "revoked", _name(to))


async def archive(request: Request) -> Answer:
    """`POST …/archive`: nobody reaches it any more."""
    return await _set_status(request, archive_repo, "archived")


async def restore(request: Request) -> Answer:
    """`POST …/restore`: bring it back."""
    return await _set_status(request, unarchive_repo, "restored")


async def create(request: Request) -> Answer:
    """`POST /-/repos/<tenant>/new`: a shared repo of one's own (T08): its entry in the registry."""
    fields, asked = await _open(request)
    if asked is None:
        return NOT_FOUND
    name, title = fields.get("id", "").strip(), clean_line(fields.get("title", ""))
    try:
        await _change(request, asked, lambda connection, by: create_repo(connection, asked.tenant, name, title, by, _now(request)))
    except RefusalError as refused:
        return await render_new(request, asked, refused.message, "new", dict(fields))
    return tell(request, locate_repo(asked.tenant, name), "created", title)


async def register(request: Request) -> Answer:
    """`POST /-/repos/<tenant>/existing`: an operator registers a repository that exists, for its owner (T05)."""
    gateway: Gateway = request.state.gateway
    fields, asked = await _open(request)
    standing = None if asked is None else await gateway.ask(lambda connection: fetch_standing(connection, asked.reader))
    if asked is None or standing is None or standing.role not in RUNS:
        return NOT_FOUND
    given = {key: value for key in ("id", "title", "owner", "address", "branch", "folder") if (value := fields.get(key, "").strip())}

    def operate(connection: Connection, by: Actor) -> None:
        values = {**given, "title": clean_line(given.get("title", "")) or given.get("id", ""), "kept_as_is": fields.get("kept") == "yes"}
        if "address" not in given or "branch" not in given:
            raise RefusalError("Give the address of the repository and its branch.")
        register_repo(connection, asked.tenant, parse_values(Repo, values), by, _now(request))

    try:
        await _change(request, asked, operate)
    except RefusalError as refused:
        return await render_new(request, asked, refused.message, "existing", dict(fields))
    return tell(request, locate_repo(asked.tenant), "registered", given["id"], given["owner"])


async def open_own_home(request: Request) -> Answer:
    """`POST /-/repos/<tenant>/home`: create one's personal repo, if there is none yet (T03)."""
    _, asked = await _open(request)
    if asked is None:
        return NOT_FOUND

    def operate(connection: Connection, by: Actor) -> tuple[str, bool]:
        there = find_home(connection, asked.tenant, by.account) is not None
        return open_home(connection, asked.tenant, by, _now(request)), there

    try:
        name, there = await _change(request, asked, operate)
    except RefusalError as refused:
        return await render_new(request, asked, refused.message, "new")
    return tell(request, locate_repo(asked.tenant, name), "home-there" if there else "home", name)


async def _set_status(request: Request, operation: Callable[..., None], sentence: str) -> Answer:
    _, asked = await _open_owned(request)
    if asked is None:
        return NOT_FOUND
    try:
        await _change(request, asked, lambda connection, by: operation(connection, asked.tenant, asked.repo, by, _now(request)))
    except RefusalError as refused:
        return await render_repo(request, asked, refused.message)
    return tell(request, locate_repo(asked.tenant, asked.repo), sentence)


async def _open(request: Request) -> tuple[dict[str, str], Asked | None]:
    """Return the fields of a form that passed (HTTPException otherwise, whatever it is about) and what it is about."""
    gateway: Gateway = request.state.gateway
    fields = await read_form(gateway, request)
    return dict(fields), parse_asked(request)


async def _open_owned(request: Request) -> tuple[dict[str, str], Asked | None]:
    """The same for a repo, which has to be the asker's own: looked up before anything is locked for a change."""
    gateway: Gateway = request.state.gateway
    fields, asked = await _open(request)
    owned = None if asked is None else await gateway.ask(lambda connection: find_owned(connection, asked.reader, asked.repo))
    return fields, asked if owned else None


async def _change(request: Request, asked: Asked, operate: Callable[[Connection, Actor], Value]) -> Value:
    gateway: Gateway = request.state.gateway
    by = Actor(asked.reader.account)
    return await gateway.change(lambda connection: operate(connection, by))


def _now(request: Request) -> datetime:
    visit: Visit = request.state.visit
    return visit.now


def _name(to: str) -> str:
    return "Everyone in the tenant" if to == EVERYONE else to
