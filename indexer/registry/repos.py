"""Repos in the registry: personal ones on first use, new ones, existing ones that are registered, archived, kept as they are
(SPEC T03, T05, T06, T08).

Called by the command line, the gateway and `apply`. It writes rows; repositories on disk or on a forge are made by others.
"""

import hashlib
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection, Row, and_, select

from indexer.errors import RefusalError
from indexer.registry.audit import Act, Actor
from indexer.registry.ids import make_id, show_time
from indexer.registry.lookup import RUNS, begin_act, find_repo, require_kept, require_member, require_role, require_tenant
from indexer.registry.shapes import parse_values
from indexer.registry.tables import INDEX_STATE, MEMBERSHIP, PRINCIPAL, REPO
from indexer.registry.tenant_model import Grant, Repo
from indexer.registry.tenant_rules import check_folders

_LONGEST_ID = 63
_TAKEN = "The id `{}` cannot be used in this tenant."


class ListedRepo(Struct, frozen=True):
    """A repo as its row says, for a list."""

    repo: Repo
    """Without grants."""
    status: Literal["active", "archived"]
    """Archived as well while its owner is no member."""
    state: str
    """Of its index: `fresh`, `stale`, `failed`, or empty when it was never read."""
    refreshed: str | None
    """When it was last read."""
    revision: str | None
    """What was read then."""
    reason: str
    """Why it is not fresh."""


def list_repos(connection: Connection, tenant: str) -> list[ListedRepo]:
    """Return every repo of a tenant, by id. Not decided for anybody: for operators only."""
    owner, member = PRINCIPAL.c.id == REPO.c.owner_id, MEMBERSHIP.c.account_id == REPO.c.owner_id
    chosen = (
        select(REPO, PRINCIPAL.c.name.label("owner"), MEMBERSHIP.c.status.label("member"), *_STATE)
        .select_from(REPO.join(PRINCIPAL, owner).join(MEMBERSHIP, member).outerjoin(INDEX_STATE, INDEX_STATE.c.repo_id == REPO.c.id))
        .where(REPO.c.tenant_id == require_tenant(connection, tenant))
    )
    return sorted((_show(row) for row in connection.execute(chosen)), key=lambda listed: listed.repo.id)


_STATE = (INDEX_STATE.c.state, INDEX_STATE.c.refreshed_at, INDEX_STATE.c.revision, INDEX_STATE.c.reason)


def _show(row: Any) -> ListedRepo:
    status: Literal["active", "archived"] = "active" if row.status == row.member == "active" else "archived"
    return ListedRepo(as_repo(row, row.owner), status, row.state or "", show_time(row.refreshed_at), row.revision, row.reason or "")


def name_home(account: str) -> str:
    """Return the id that the personal repo of an account gets; it is kept free for that account."""
    name = f"{account}-home"
    if len(name) <= _LONGEST_ID:
        return name
    return f"{account[:45]}-{hashlib.sha256(account.encode()).hexdigest()[:12]}-home"


def find_home(connection: Connection, tenant: str, account: str) -> str | None:
    """Return the id of a member's personal repo; None = not created yet (T03)."""
    chosen = (
        select(REPO.c.name)
        .join(PRINCIPAL, PRINCIPAL.c.id == REPO.c.owner_id)
        .where(REPO.c.tenant_id == require_tenant(connection, tenant), REPO.c.kind == "home", PRINCIPAL.c.name == account)
    )
    return connection.execute(chosen).scalar()


def open_home(connection: Connection, tenant: str, by: Actor, now: datetime) -> str:
    """Return the id of the actor's own personal repo, creating it on first use: reached by nobody else until it is granted."""
    act = begin_act(connection, tenant, by, now)
    owner = require_member(act, by.account)
    found = find_home(connection, tenant, by.account)
    if found is not None:
        return found
    name = name_home(by.account)
    home = Repo(id=name, title=f"{owner.title}: notes", owner=by.account, folder=name, kind="home")
    _add(act, home, "repo.create")
    return name


def create_repo(connection: Connection, tenant: str, repo: str, title: str, by: Actor, now: datetime, *, folder: str | None = None) -> None:
    """Create a shared repo that the actor, an active member, owns and nobody else reaches (T08). Its files lie in `folder`."""
    act = begin_act(connection, tenant, by, now)
    require_member(act, by.account)
    values = {"id": repo, "title": title, "owner": by.account, "folder": folder or repo}
    _add(act, parse_values(Repo, values), "repo.create")


def register_repo(connection: Connection, tenant: str, repo: Repo, by: Actor, now: datetime) -> None:
    """Register a repository that exists, owned by a member (T05): nothing is seeded and nobody but the owner reaches it. Operators only."""
    act = begin_act(connection, tenant, by, now)
    require_role(act, RUNS)
    require_member(act, repo.owner)
    if repo.grants:
        raise RefusalError("Only the owner of a repo grants it.", hint="Register it without grants.")
    _add(act, repo, "repo.register")


def archive_repo(connection: Connection, tenant: str, repo: str, by: Actor, now: datetime) -> None:
    """Archive a repo: from now on nobody reaches it, the owner included. The owner or an operator does that."""
    _set_status(begin_act(connection, tenant, by, now), repo, "archived")


def unarchive_repo(connection: Connection, tenant: str, repo: str, by: Actor, now: datetime) -> None:
    """Bring an archived repo back, with its grants. The owner or an operator does that."""
    _set_status(begin_act(connection, tenant, by, now), repo, "active")


def keep_as_is(connection: Connection, tenant: str, repo: str, by: Actor, now: datetime, *, keep: bool = True) -> None:
    """Say whether only asked-for writes may change a repo (T06). The owner or an operator does that."""
    act = begin_act(connection, tenant, by, now)
    row = require_kept(act, repo)
    if row.kept_as_is != keep:
        act.connection.execute(REPO.update().where(REPO.c.id == row.id).values(kept_as_is=keep))
        act.record("repo.keep", f"repo:{repo}", {"kept_as_is": row.kept_as_is}, {"kept_as_is": keep})


def place_repo(
    connection: Connection, tenant: str, repo: str, by: Actor, now: datetime, *, folder: str | None, address: str | None, branch: str | None
) -> None:
    """Say where the files of a repo lie, that was entered before there were any. The owner or an operator does that."""
    act = begin_act(connection, tenant, by, now)
    row = require_kept(act, repo)
    before = as_repo(row, row.owner)
    places = {"folder": folder, "address": address, "branch": branch}
    placed = parse_values(Repo, before.model_dump(mode="json", exclude={"grants"}) | places)
    if placed == before:
        return
    if row.address is not None:
        raise RefusalError(f"`{repo}` lies at {row.address} already.")
    if _overlaps(act, placed):
        raise RefusalError("The files of this repo cannot be registered in this tenant.", hint="Choose another folder or address.")
    store_repo(act, placed)


def find_entry(connection: Connection, tenant: str, repo: str, by: Actor, now: datetime) -> Repo:
    """Return what is entered of a repo that the actor owns, or runs the installation for; RefusalError for every other."""
    row = require_kept(begin_act(connection, tenant, by, now), repo)
    return as_repo(row, row.owner)


def _set_status(act: Act, repo: str, status: str) -> None:
    row = require_kept(act, repo)
    if row.status == status:
        raise RefusalError(f"`{repo}` is {status} already.")
    store_status(act, row, status)


def store_status(act: Act, row: Row[Any], status: str) -> None:
    """Write whether a repo is `active` or `archived`; `row` is what `find_repo` gave."""
    act.connection.execute(REPO.update().where(REPO.c.id == row.id).values(status=status))
    act.record("repo.archive" if status == "archived" else "repo.restore", f"repo:{row.name}", {"status": row.status}, {"status": status})


def _add(act: Act, repo: Repo, action: str) -> None:
    """Add a repo. What is in the way is not named: it may be hidden from the actor (THREATS 30)."""
    own_home = repo.kind == "home" and repo.id == name_home(repo.owner)
    if find_repo(act.connection, act.tenant_id, repo.id) is not None or (not own_home and _is_kept_for_home(act, repo.id)):
        raise RefusalError(_TAKEN.format(repo.id), hint="Choose another id.")
    if _overlaps(act, repo):
        raise RefusalError("The files of this repo cannot be registered in this tenant.", hint="Choose another folder or address.")
    if repo.kind == "home" and find_home(act.connection, act.tenant, repo.owner) is not None:
        raise RefusalError(f"`{repo.owner}` has a personal repo already.")
    store_repo(act, repo, action)


def _is_kept_for_home(act: Act, name: str) -> bool:
    if not name.endswith("-home"):
        return False
    accounts = select(PRINCIPAL.c.name).where(PRINCIPAL.c.tenant_id == act.tenant_id, PRINCIPAL.c.kind == "account")
    return any(name_home(account) == name for account in act.connection.execute(accounts).scalars())


def _overlaps(act: Act, repo: Repo) -> bool:
    near = REPO.c.address.is_(None) if repo.address is None else and_(REPO.c.address == repo.address, REPO.c.branch == repo.branch)
    chosen = select(REPO.c.name, REPO.c.address, REPO.c.branch, REPO.c.folder).where(
        REPO.c.tenant_id == act.tenant_id, REPO.c.name != repo.id, near
    )
    others = [
        {"id": row.name, "address": row.address, "branch": row.branch, "folder": row.folder} for row in act.connection.execute(chosen)
    ]
    wanted = {"id": repo.id, "address": repo.address, "branch": repo.branch, "folder": repo.folder}
    plain = [{key: value for key, value in each.items() if value is not None} for each in (*others, wanted)]
    return any(place[1] == len(others) for place, _ in check_folders([(("repos", at), each) for at, each in enumerate(plain)]))


def store_repo(act: Act, repo: Repo, action: str = "repo.change") -> None:
    """Write a repo's row, new or changed; its grants are rows of their own."""
    row = find_repo(act.connection, act.tenant_id, repo.id)
    facts = repo.model_dump(mode="json", exclude={"id", "grants"})
    before = None if row is None else as_repo(row, row.owner).model_dump(mode="json", exclude={"id", "grants"})
    values = {key: value for key, value in facts.items() if key != "owner"}
    values["owner_id"] = require_owner(act, repo.owner)
    if row is None:
        act.connection.execute(
            REPO.insert().values(id=make_id(act.now), tenant_id=act.tenant_id, name=repo.id, created_at=act.at, **values)
        )
        action = "repo.add" if action == "repo.change" else action
    else:
        act.connection.execute(REPO.update().where(REPO.c.id == row.id).values(**values))
    act.record(action, f"repo:{repo.id}", before, facts)


def require_owner(act: Act, account: str) -> str:
    """Return the row id of an account that is or was a member."""
    chosen = (
        select(PRINCIPAL.c.id)
        .join(MEMBERSHIP, MEMBERSHIP.c.account_id == PRINCIPAL.c.id)
        .where(PRINCIPAL.c.tenant_id == act.tenant_id, PRINCIPAL.c.name == account)
    )
    found = act.connection.execute(chosen).scalar()
    if found is None:
        raise RefusalError(f"`{account}` is no member of this tenant, so it cannot own a repo.")
    return str(found)


def as_repo(row: Any, owner: str, grants: tuple[Grant, ...] = ()) -> Repo:
    """Return a row of the table as the value of a tenant.yml; `owner` is the owner's id there."""
    return Repo(
        id=row.name,
        title=row.title,
        owner=owner,
        folder=row.folder,
        address=row.address,
        branch=row.branch,
        kind=row.kind,
        kept_as_is=row.kept_as_is,
        status=row.status,
        grants=grants,
    )
