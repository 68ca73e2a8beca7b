"""Who a person is: an identity as a sign-in names it (issuer and subject), and the accounts that are this person, one per tenant at most.

A tenant declares an account with an e-mail address. When somebody signs in whose issuer vouches for that address, the identity is bound to
the account, and from then on issuer and subject count, not the address: whoever gets the address later is not that person. Another identity
of the same issuer cannot be bound as well; a new address in tenant.yml drops the bond. Tenants do not learn of each other. Called by the
gateway after it has checked what the issuer says.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, and_, exists, select

from indexer.registry.audit import Act, Actor
from indexer.registry.ids import make_id, to_ms
from indexer.registry.lookup import require_tenant
from indexer.registry.parties import fold_email
from indexer.registry.tables import BOUND, IDENTITY, MEMBERSHIP, PRINCIPAL, SESSION, TENANT


class SignedIn(Struct, frozen=True):
    """What a sign-in led to."""

    identity: str
    """Row id; empty for strangers, of whom nothing is kept."""
    accounts: tuple[tuple[str, str], ...]
    """(tenant, account) of each account that this person is and that is an active member, sorted. Empty = nobody here: refuse."""


def sign_in(connection: Connection, issuer: str, subject: str, verified_email: str | None, now: datetime) -> SignedIn:
    """Return the identity and its accounts, binding those whose declared address the issuer vouches for (None = it vouches for none)."""
    known = select(IDENTITY.c.id).where(IDENTITY.c.issuer == issuer, IDENTITY.c.subject == subject)
    identity: str = connection.execute(known).scalar() or ""
    unbound = _find_unbound(connection, identity, issuer, fold_email(verified_email)) if verified_email else ()
    if unbound:
        identity = identity or _add_identity(connection, issuer, subject, now)
        for row in unbound:
            values = {"identity_id": identity, "tenant_id": row.tenant_id, "account_id": row.id, "issuer": issuer, "bound_at": to_ms(now)}
            connection.execute(BOUND.insert().values(**values))
            act = Act(connection, row.tenant, row.tenant_id, Actor(row.name), now)
            act.record("account.bind", f"account:{row.name}", None, {"issuer": issuer})
    return SignedIn(identity, list_accounts(connection, identity))


def list_accounts(connection: Connection, identity: str) -> tuple[tuple[str, str], ...]:
    """Return (tenant, account) for every active member that an identity is, sorted."""
    chosen = (
        select(TENANT.c.name, PRINCIPAL.c.name)
        .select_from(BOUND)
        .join(PRINCIPAL, PRINCIPAL.c.id == BOUND.c.account_id)
        .join(TENANT, TENANT.c.id == BOUND.c.tenant_id)
        .join(MEMBERSHIP, and_(MEMBERSHIP.c.tenant_id == BOUND.c.tenant_id, MEMBERSHIP.c.account_id == BOUND.c.account_id))
        .where(BOUND.c.identity_id == identity, MEMBERSHIP.c.status == "active")
    )
    return tuple(sorted((tenant, account) for tenant, account in connection.execute(chosen)))


def end_sessions_of(connection: Connection, tenant: str, account: str, now: datetime) -> int:
    """End every session of the person that an account is, wherever they are signed in; returns how many."""
    bound = (
        select(BOUND.c.identity_id)
        .join(PRINCIPAL, PRINCIPAL.c.id == BOUND.c.account_id)
        .where(PRINCIPAL.c.tenant_id == require_tenant(connection, tenant), PRINCIPAL.c.name == account)
    )
    open_ones = SESSION.c.identity_id.in_(bound) & SESSION.c.ended_at.is_(None)
    return connection.execute(SESSION.update().where(open_ones).values(ended_at=to_ms(now))).rowcount


def end_sessions_of_identity(connection: Connection, issuer: str, subject: str, now: datetime) -> int:
    """End every session of a person as an issuer names them; returns how many."""
    known = select(IDENTITY.c.id).where(IDENTITY.c.issuer == issuer, IDENTITY.c.subject == subject)
    open_ones = SESSION.c.identity_id.in_(known) & SESSION.c.ended_at.is_(None)
    return connection.execute(SESSION.update().where(open_ones).values(ended_at=to_ms(now))).rowcount


def _add_identity(connection: Connection, issuer: str, subject: str, now: datetime) -> str:
    identity = make_id(now)
    connection.execute(IDENTITY.insert().values(id=identity, issuer=issuer, subject=subject, created_at=to_ms(now)))
    return identity


def _find_unbound(connection: Connection, identity: str, issuer: str, key: str) -> Sequence[Any]:
    """Active members with this address whom nobody of this issuer is yet, in tenants where this identity is nobody yet."""
    somebody = exists().where(BOUND.c.account_id == PRINCIPAL.c.id, BOUND.c.issuer == issuer)
    known_there = exists().where(BOUND.c.identity_id == identity, BOUND.c.tenant_id == PRINCIPAL.c.tenant_id)
    chosen = (
        select(PRINCIPAL.c.id, PRINCIPAL.c.name, PRINCIPAL.c.tenant_id, TENANT.c.name.label("tenant"))
        .join(TENANT, TENANT.c.id == PRINCIPAL.c.tenant_id)
        .join(MEMBERSHIP, and_(MEMBERSHIP.c.tenant_id == PRINCIPAL.c.tenant_id, MEMBERSHIP.c.account_id == PRINCIPAL.c.id))
        .where(PRINCIPAL.c.email_key == key, MEMBERSHIP.c.status == "active", ~somebody, ~known_there)
        .order_by(TENANT.c.name)
    )
    found: Sequence[Any] = connection.execute(chosen).all()
    return found
