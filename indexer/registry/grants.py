"""Grants: the owner of a repo lets others reach it, and takes that back (SPEC T04). Nobody else does, not even an operator.

Called by the command line, the gateway and `apply`. What a grant amounts to is decided in `decide` when somebody asks; a grant that was
taken back is gone at once.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from indexer.errors import RefusalError
from indexer.registry.audit import Act, Actor
from indexer.registry.lookup import begin_act, find_party, require_active, require_owned
from indexer.registry.reach import Access
from indexer.registry.tables import GRANT


def give_grant(connection: Connection, tenant: str, repo: str, to: str, access: Access, by: Actor, now: datetime) -> bool:
    """Let somebody of the same tenant read, or read and write, a repo of the actor; returns whether that changed anything."""
    act = begin_act(connection, tenant, by, now)
    row = require_owned(act, repo)
    if to == row.owner:
        raise RefusalError(f"`{to}` owns `{repo}`, and needs no grant.")
    require_active(act, to)
    return store_grant(act, row.id, repo, to, access)


def revoke_grant(connection: Connection, tenant: str, repo: str, to: str, by: Actor, now: datetime) -> None:
    """Take a grant back; it counts no more for the next request."""
    act = begin_act(connection, tenant, by, now)
    row = require_owned(act, repo)
    if not drop_grant(act, row.id, repo, to):
        raise RefusalError(f"`{to}` has no grant to `{repo}`.", hint="`brain repo show` lists who has.")


def store_grant(act: Act, repo_id: str, repo: str, to: str, access: str) -> bool:
    """Write a grant, new or changed; False = it was there already."""
    party = find_party(act.connection, act.tenant_id, to)
    if party is None:
        raise RefusalError(f"`{to}` is no member and no agent of this tenant.")
    before = _find(act, repo_id, party.id)
    if before is not None and before.access == access:
        return False
    if before is None:
        values = {"tenant_id": act.tenant_id, "repo_id": repo_id, "grantee_id": party.id, "access": access, "given_at": act.at}
        act.connection.execute(GRANT.insert().values(**values))
    else:
        act.connection.execute(GRANT.update().where(_is(repo_id, party.id)).values(access=access, given_at=act.at))
    act.record("grant.give", f"repo:{repo}", before and {"to": to, "access": before.access}, {"to": to, "access": access})
    return True


def drop_grant(act: Act, repo_id: str, repo: str, to: str) -> bool:
    """Take a grant away; False = there was none."""
    party = find_party(act.connection, act.tenant_id, to)
    before = None if party is None else _find(act, repo_id, party.id)
    if party is None or before is None:
        return False
    act.connection.execute(GRANT.delete().where(_is(repo_id, party.id)))
    act.record("grant.revoke", f"repo:{repo}", {"to": to, "access": before.access}, None)
    return True


def _find(act: Act, repo_id: str, grantee_id: str) -> Row[Any] | None:
    return act.connection.execute(select(GRANT).where(_is(repo_id, grantee_id))).first()


def _is(repo_id: str, grantee_id: str) -> Any:
    return (GRANT.c.repo_id == repo_id) & (GRANT.c.grantee_id == grantee_id)
