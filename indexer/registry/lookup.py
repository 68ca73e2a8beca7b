"""Finds the rows that an operation is about, and checks whether the actor may do it; otherwise RefusalError.

Called by the operations inside their transaction. Whether something is missing or is not the actor's, the refusal sounds the same
(THREATS 30).
"""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, and_, select

from indexer.errors import RefusalError
from indexer.registry.audit import Act, Actor
from indexer.registry.tables import MEMBERSHIP, PRINCIPAL, REPO, TENANT

RUNS = frozenset({"operator"})
"""Roles that register repos and run the installation."""
MANAGES = frozenset({"operator", "admin"})
"""Roles that say who belongs to the tenant."""
SEES_PEOPLE = frozenset({"operator", "admin", "staff"})
"""Roles that may see who else belongs to the tenant; members may be customers, who are not to learn of each other (S15)."""


class Party(Struct, frozen=True):
    """Whoever can be granted something."""

    id: str
    """Row id."""
    kind: str
    """`account`, `agent` or `everyone`."""
    name: str
    title: str
    active: bool
    """Of an account: whether it is a member now. Of an agent: whether it is still there."""
    role: str | None
    """Of a membership, ended ones as well; None = there never was one."""
    status: str | None
    """Of the membership: `active` or `ended`."""


def require_tenant(connection: Connection, tenant: str) -> str:
    """Return the row id of a tenant."""
    found = connection.execute(select(TENANT.c.id).where(TENANT.c.name == tenant)).scalar()
    if found is None:
        raise RefusalError(f"There is no tenant `{tenant}` in the registry.", hint="`brain registry apply` brings tenants in.")
    return str(found)


def begin_act(connection: Connection, tenant: str, by: Actor, now: datetime) -> Act:
    """Return what the steps of an operation in a tenant need."""
    return Act(connection, tenant, require_tenant(connection, tenant), by, now)


def find_party(connection: Connection, tenant_id: str, name: str) -> Party | None:
    """Return the account or agent with an id, or `everyone`; None when the tenant has none of that name."""
    member = and_(MEMBERSHIP.c.tenant_id == PRINCIPAL.c.tenant_id, MEMBERSHIP.c.account_id == PRINCIPAL.c.id)
    columns = (
        PRINCIPAL.c.id,
        PRINCIPAL.c.kind,
        PRINCIPAL.c.title,
        PRINCIPAL.c.status,
        MEMBERSHIP.c.role,
        MEMBERSHIP.c.status.label("member"),
    )
    chosen = select(*columns).select_from(PRINCIPAL.outerjoin(MEMBERSHIP, member))
    row = connection.execute(chosen.where(PRINCIPAL.c.tenant_id == tenant_id, PRINCIPAL.c.name == name)).first()
    if row is None:
        return None
    active = row.member == "active" if row.kind == "account" else row.status == "active"
    return Party(row.id, row.kind, name, row.title, active, row.role, row.member)


def require_active(act: Act, name: str) -> Party:
    """Return somebody who can be granted something now: an active member, an agent, or `everyone`."""
    party = find_party(act.connection, act.tenant_id, name)
    if party is None or not party.active:
        raise RefusalError(f"`{name}` is no active member and no agent of this tenant.", hint="`brain member list` shows who is.")
    return party


def require_member(act: Act, name: str) -> Party:
    """Return an active member."""
    party = find_party(act.connection, act.tenant_id, name)
    if party is None or party.kind != "account" or not party.active:
        raise RefusalError(f"`{name}` is no active member of this tenant.", hint="`brain member list` shows who is.")
    return party


def require_account(act: Act, name: str) -> Party:
    """Return an account, whether or not it is a member."""
    party = find_party(act.connection, act.tenant_id, name)
    if party is None or party.kind != "account":
        raise RefusalError(f"There is no account `{name}` in this tenant.", hint="`brain account list` shows those there are.")
    return party


def require_role(act: Act, roles: frozenset[str]) -> str:
    """Return the role in which the actor acts (the console's is `operator`), which must be one of these."""
    if act.by.console:
        return "operator"
    party = find_party(act.connection, act.tenant_id, act.by.account)
    if party is None or party.kind != "account" or not party.active or party.role not in roles:
        raise RefusalError(f"`{act.by}` may not do that.", hint=f"It takes the role {' or '.join(sorted(roles))}.")
    return str(party.role)


def find_repo(connection: Connection, tenant_id: str, name: str) -> Row[Any] | None:
    """Return the row of a repo, archived or not, with `owner` (the id of its owner in the tenant)."""
    chosen = select(REPO, PRINCIPAL.c.name.label("owner")).select_from(REPO.join(PRINCIPAL, PRINCIPAL.c.id == REPO.c.owner_id))
    return connection.execute(chosen.where(REPO.c.tenant_id == tenant_id, REPO.c.name == name)).first()


def require_owned(act: Act, name: str) -> Row[Any]:
    """Return the row of a repo that the actor, an active member, owns (T04)."""
    row = find_repo(act.connection, act.tenant_id, name)
    if act.by.console or row is None or row.owner != act.by.account:
        raise RefusalError(f"{act.by} owns no repo `{name}`.", hint="Only its owner may do that; `--as` names the account that acts.")
    require_member(act, act.by.account)
    return row


def require_kept(act: Act, name: str) -> Row[Any]:
    """Return the row of a repo that the actor owns, or runs the installation for."""
    if not act.by.console and not _runs(act):
        return require_owned(act, name)
    row = find_repo(act.connection, act.tenant_id, name)
    if row is None:
        raise RefusalError(f"There is no repo `{name}` in this tenant.", hint="`brain repo list` shows those there are.")
    return row


def _runs(act: Act) -> bool:
    party = find_party(act.connection, act.tenant_id, act.by.account)
    return party is not None and party.kind == "account" and party.active and party.role in RUNS
