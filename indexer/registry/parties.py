"""Accounts and agents: whoever can be a member or be named in a grant.

An account is a person in one tenant. The person behind it is an identity (see `identities`), which may be an account in several tenants;
the tenants do not learn that of each other. An id stays with whom it was first given to, and an account and an agent never share one.
Called by the command line and by `apply`.
"""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, select

from indexer.errors import RefusalError
from indexer.registry.audit import Act, Actor
from indexer.registry.ids import make_id
from indexer.registry.keys import revoke_keys_of
from indexer.registry.lookup import MANAGES, begin_act, require_role, require_tenant
from indexer.registry.shapes import parse_values
from indexer.registry.tables import BOUND, GRANT, MEMBERSHIP, PRINCIPAL
from indexer.registry.tenant_model import Account, Agent


class ListedParty(Struct, frozen=True):
    """An account or agent, for a list."""

    kind: str
    """`account` or `agent`."""
    id: str
    name: str
    email: str | None
    role: str | None
    """Of the membership; None = no member (or an agent)."""
    status: str
    """`active`, `ended`, `removed`, or `no member`."""


def list_parties(connection: Connection, tenant: str) -> list[ListedParty]:
    """Return the accounts and agents of a tenant, accounts first, by id."""
    member = MEMBERSHIP.c.account_id == PRINCIPAL.c.id
    columns = (PRINCIPAL, MEMBERSHIP.c.role, MEMBERSHIP.c.status.label("member"))
    rows = connection.execute(
        select(*columns)
        .select_from(PRINCIPAL.outerjoin(MEMBERSHIP, member))
        .where(PRINCIPAL.c.tenant_id == require_tenant(connection, tenant), PRINCIPAL.c.kind != "everyone")
    )
    listed = [
        ListedParty(row.kind, row.name, row.title, row.email, row.role, row.status if row.kind == "agent" else (row.member or "no member"))
        for row in rows
    ]
    return sorted(listed, key=lambda party: (party.kind, party.id))


def add_account(connection: Connection, tenant: str, account: str, name: str, email: str | None, by: Actor, now: datetime) -> None:
    """Add a person; what they may do comes with a membership. Operators and admins do that."""
    act = begin_act(connection, tenant, by, now)
    require_role(act, MANAGES)
    declared = parse_values(Account, {"id": account, "name": name, "email": email})
    _refuse_taken(act, account)
    store_account(act, declared)


def add_agent(connection: Connection, tenant: str, agent: str, name: str, by: Actor, now: datetime) -> None:
    """Add a program; it reaches nothing until somebody grants it something. Operators and admins do that."""
    act = begin_act(connection, tenant, by, now)
    require_role(act, MANAGES)
    declared = parse_values(Agent, {"id": agent, "name": name})
    _refuse_taken(act, agent)
    store_agent(act, declared)


def store_account(act: Act, account: Account) -> None:
    """Add an account or change its name and address. A new address has to sign in anew: old bonds are dropped."""
    row = _find(act, account.id)
    before = row and {"name": row.title, "email": row.email}
    after = {"name": account.name, "email": account.email}
    key = account.email and fold_email(account.email)
    values = {"title": account.name, "email": account.email, "email_key": key, "known_as": key or (row.known_as if row else None)}
    _refuse_shared_email(act, account.id, key)
    identity = _store(act, row, "account", account.id, values)
    if row is not None and row.email_key != key:
        act.connection.execute(BOUND.delete().where(BOUND.c.account_id == identity))
    act.record("account.change" if row else "account.add", f"account:{account.id}", before, after)


def drop_account(act: Act, account: str) -> None:
    """Take an account's address away, and with it every way to sign in; the account itself stays, so that its id does."""
    row = _find(act, account)
    if row is None:
        raise RefusalError(f"There is no account `{account}` in this tenant.")
    act.connection.execute(BOUND.delete().where(BOUND.c.account_id == row.id))
    act.connection.execute(PRINCIPAL.update().where(PRINCIPAL.c.id == row.id).values(email=None, email_key=None))
    act.record("account.remove", f"account:{account}", {"name": row.title, "email": row.email}, None)


def store_agent(act: Act, agent: Agent) -> None:
    """Add an agent, change its name, or bring it back, without what it was granted and without its keys."""
    row = _find(act, agent.id)
    before = {"name": row.title} if row is not None and row.status == "active" else None
    _store(act, row, "agent", agent.id, {"title": agent.name, "status": "active"})
    act.record("agent.change" if before else "agent.add", f"agent:{agent.id}", before, {"name": agent.name})


def drop_agent(act: Act, agent: str) -> None:
    """Remove an agent: its grants and keys are taken away, its id stays taken."""
    row = _find(act, agent)
    if row is None:
        raise RefusalError(f"There is no agent `{agent}` in this tenant.")
    act.connection.execute(GRANT.delete().where(GRANT.c.grantee_id == row.id))
    act.connection.execute(PRINCIPAL.update().where(PRINCIPAL.c.id == row.id).values(status="removed"))
    revoke_keys_of(act, row.id)
    act.record("agent.remove", f"agent:{agent}", {"name": row.title}, None)


def fold_email(email: str) -> str:
    """Return an address in the form in which two are compared: A to Z as a to z, and no more: more makes different mailboxes equal."""
    return "".join(char.lower() if char.isascii() else char for char in email)


def _find(act: Act, name: str) -> Row[Any] | None:
    chosen = select(PRINCIPAL).where(PRINCIPAL.c.tenant_id == act.tenant_id, PRINCIPAL.c.name == name)
    return act.connection.execute(chosen).first()


def _store(act: Act, row: Row[Any] | None, kind: str, name: str, values: dict[str, Any]) -> str:
    if row is not None:
        if row.kind != kind:
            raise RefusalError(f"`{name}` is or was an {row.kind}; an id is not used again for something else.")
        act.connection.execute(PRINCIPAL.update().where(PRINCIPAL.c.id == row.id).values(**values))
        return str(row.id)
    identity = make_id(act.now)
    fixed = {"id": identity, "tenant_id": act.tenant_id, "kind": kind, "name": name, "created_at": act.at}
    act.connection.execute(PRINCIPAL.insert().values(**{"status": "active", **fixed, **values}))
    return identity


def _refuse_taken(act: Act, name: str) -> None:
    row = _find(act, name)
    if row is not None and row.status != "removed":
        raise RefusalError(f"`{name}` is taken in this tenant.", hint="Choose another id.")


def _refuse_shared_email(act: Act, name: str, key: str | None) -> None:
    if key is None:
        return
    chosen = select(PRINCIPAL.c.name).where(PRINCIPAL.c.tenant_id == act.tenant_id, PRINCIPAL.c.email_key == key, PRINCIPAL.c.name != name)
    other = act.connection.execute(chosen).scalar()
    if other is not None:
        raise RefusalError(f"The e-mail address of `{name}` is that of `{other}` already.", hint="One person is one account in a tenant.")
