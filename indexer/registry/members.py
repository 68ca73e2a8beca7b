"""Memberships: who belongs to a tenant and as what; what ends with one, and what comes back (SPEC T15).

While somebody's membership has ended, their repos are archived: `decide` and `reach` ask for the owner's membership, so nothing has to be
rewritten and nothing can be forgotten. Coming back restores them, with the grants to those who are still there. What others had granted to
that person is kept, reaches nothing meanwhile, and counts again. Called by the command line, the gateway and `apply`.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, exists, or_, select

from indexer.errors import RefusalError
from indexer.registry.audit import Act, Actor
from indexer.registry.keys import revoke_keys_of
from indexer.registry.lookup import MANAGES, Party, begin_act, require_account, require_role
from indexer.registry.shapes import parse_values
from indexer.registry.tables import GRANT, MEMBERSHIP, PRINCIPAL, REPO
from indexer.registry.tenant_model import Membership


def add_member(connection: Connection, tenant: str, account: str, role: str, by: Actor, now: datetime) -> None:
    """Make an account a member. Operators and admins do that; only an operator makes an operator."""
    act = begin_act(connection, tenant, by, now)
    party = require_account(act, account)
    if party.status is not None:
        raise RefusalError(f"`{account}` has a membership already; it is {party.status}.", hint="An ended one is restored.")
    _change(act, party, role, "active")


def end_membership(connection: Connection, tenant: str, account: str, by: Actor, now: datetime) -> list[str]:
    """End a membership at once: the person reaches nothing any more, their keys are revoked and their repos archived. Returns those."""
    act = begin_act(connection, tenant, by, now)
    party = require_account(act, account)
    if party.status != "active":
        raise RefusalError(f"`{account}` is no active member of this tenant.", hint="`brain member list` shows who is.")
    _change(act, party, str(party.role), "ended")
    return list_owned(act, party.id)


def restore_membership(connection: Connection, tenant: str, account: str, by: Actor, now: datetime) -> list[str]:
    """Let somebody come back in the role they had. Returns the repos that are restored; one never created is again not created yet."""
    act = begin_act(connection, tenant, by, now)
    party = require_account(act, account)
    if party.status != "ended":
        raise RefusalError(f"`{account}` has no membership that has ended.", hint="`brain member list` shows who has.")
    _change(act, party, str(party.role), "active")
    return list_owned(act, party.id)


def change_role(connection: Connection, tenant: str, account: str, role: str, by: Actor, now: datetime) -> None:
    """Give a member another role. Operators and admins do that; nobody but an operator makes or unmakes one."""
    act = begin_act(connection, tenant, by, now)
    party = require_account(act, account)
    if party.status is None:
        raise RefusalError(f"`{account}` is no member of this tenant.", hint="`brain member add` makes them one.")
    _change(act, party, role, party.status)


def _change(act: Act, party: Party, role: str, status: str) -> None:
    acting = require_role(act, MANAGES)
    if "operator" in {role, party.role} and acting != "operator":
        raise RefusalError("Only an operator says who is an operator.")
    store_membership(act, party.id, parse_values(Membership, {"account": party.name, "role": role, "status": status}))


def store_membership(act: Act, account_id: str, membership: Membership) -> None:
    """Write a membership, with everything that follows from its beginning, ending or coming back."""
    row = _find(act, account_id)
    before = row and {"role": row.role, "status": row.status}
    after: dict[str, Any] = {"role": membership.role, "status": membership.status}
    was_active, is_active = row is not None and row.status == "active", membership.status == "active"
    values = dict(after)
    if is_active != was_active or row is None:
        values |= {"started_at": act.at, "ended_at": None} if is_active else {"ended_at": act.at}
    if row is None:
        act.connection.execute(
            MEMBERSHIP.insert().values(**{"tenant_id": act.tenant_id, "account_id": account_id, "started_at": act.at, **values})
        )
    else:
        act.connection.execute(MEMBERSHIP.update().where(_is(act, account_id)).values(**values))
    action = "member.change"
    if was_active and not is_active:
        revoke_keys_of(act, account_id)
        action = "member.end"
        after["archived"] = list_owned(act, account_id)
    elif is_active and not was_active:
        action = "member.restore" if row else "member.add"
        _drop_stale_grants(act, account_id)
        after["restored"] = list_owned(act, account_id)
    act.record(action, f"member:{membership.account}", before, after)


def list_owned(act: Act, account_id: str) -> list[str]:
    """Return the repos of an account that nobody archived by themselves, sorted."""
    chosen = select(REPO.c.name).where(REPO.c.tenant_id == act.tenant_id, REPO.c.owner_id == account_id, REPO.c.status == "active")
    return sorted(act.connection.execute(chosen).scalars())


def _drop_stale_grants(act: Act, account_id: str) -> None:
    """Take the grants to people who left meanwhile off the repos that come back."""
    active = exists().where(
        MEMBERSHIP.c.tenant_id == PRINCIPAL.c.tenant_id, MEMBERSHIP.c.account_id == PRINCIPAL.c.id, MEMBERSHIP.c.status == "active"
    )
    there = or_(PRINCIPAL.c.kind == "everyone", active, (PRINCIPAL.c.kind == "agent") & (PRINCIPAL.c.status == "active"))
    owned = select(REPO.c.id).where(REPO.c.tenant_id == act.tenant_id, REPO.c.owner_id == account_id)
    stale = (
        select(GRANT.c.repo_id, GRANT.c.grantee_id, REPO.c.name, PRINCIPAL.c.name.label("to"), GRANT.c.access)
        .join(REPO, REPO.c.id == GRANT.c.repo_id)
        .join(PRINCIPAL, PRINCIPAL.c.id == GRANT.c.grantee_id)
        .where(GRANT.c.repo_id.in_(owned), ~there)
    )
    for row in act.connection.execute(stale).all():
        act.connection.execute(GRANT.delete().where(GRANT.c.repo_id == row.repo_id, GRANT.c.grantee_id == row.grantee_id))
        act.record("grant.revoke", f"repo:{row.name}", {"to": row.to, "access": row.access}, None)


def _is(act: Act, account_id: str) -> Any:
    return (MEMBERSHIP.c.tenant_id == act.tenant_id) & (MEMBERSHIP.c.account_id == account_id)


def _find(act: Act, account_id: str) -> Row[Any] | None:
    return act.connection.execute(select(MEMBERSHIP).where(_is(act, account_id))).first()
