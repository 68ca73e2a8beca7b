"""Who reaches one repo and why, for its owner (SPEC T04, T33), and which repos somebody owns. Called by the gateway's pages.

The reasons are those of `decide`, told one by one; a test holds both against each other. Whether the asker owns the repo is part of every
question here: for anybody else there is nothing.
"""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection, Row, and_, select

from indexer.registry.lookup import find_party, find_repo, require_tenant
from indexer.registry.parties import fold_email
from indexer.registry.reach import SEES_SHARED, Access, Reader
from indexer.registry.tables import GRANT, MEMBERSHIP, PRINCIPAL, REPO

MOST_SHOWN = 300
"""People and agents that a page lists."""
Why = Literal["owner", "grant", "role", "everyone"]


class Reason(Struct, frozen=True):
    """One thing that gives somebody access."""

    why: Why
    access: Access
    role: str = ""
    """`admin` or `staff`, when that is why."""


class Entitled(Struct, frozen=True):
    """Somebody who reaches the repo."""

    id: str
    kind: str
    """`account`, `agent`, or `everyone`: the grant to all active members, now and later."""
    name: str
    reasons: tuple[Reason, ...]
    """At least one, the strongest kind first."""
    counts: bool = True
    """False = it reaches nothing at present: that person's membership has ended."""

    @property
    def access(self) -> Access:
        """All reasons together."""
        return "write" if any(reason.access == "write" for reason in self.reasons) else "read"

    @property
    def granted(self) -> Access | None:
        """What the owner gave, and can take back."""
        return next((reason.access for reason in self.reasons if reason.why == "grant"), None)


class Owned(Struct, frozen=True):
    """A repo of the asker's own."""

    id: str
    title: str
    kind: str
    status: str
    """`active` or `archived`."""
    folder: str | None
    address: str | None
    branch: str | None
    kept_as_is: bool


def find_owned(connection: Connection, reader: Reader, repo: str) -> Owned | None:
    """Return a repo that the reader, a person and an active member, owns; None for every other, there or not."""
    tenant_id = _find_owner(connection, reader)
    row = None if tenant_id is None else find_repo(connection, tenant_id, repo)
    return _show(row) if row is not None and row.owner == reader.account else None


def list_owned(connection: Connection, reader: Reader) -> list[Owned]:
    """Return the repos that the reader owns, archived ones as well, by title."""
    tenant_id = _find_owner(connection, reader)
    chosen = select(REPO).join(PRINCIPAL, PRINCIPAL.c.id == REPO.c.owner_id)
    owned = chosen.where(REPO.c.tenant_id == tenant_id, PRINCIPAL.c.tenant_id == tenant_id, PRINCIPAL.c.name == reader.account)
    found = connection.execute(owned).all() if tenant_id is not None else []
    return sorted((_show(row) for row in found), key=lambda repo: (repo.title.casefold(), repo.id))


def fetch_rights(connection: Connection, tenant: str, repo: str, *, names_everyone: bool) -> tuple[list[Entitled], bool]:
    """Return who reaches a repo, the owner first, and whether the list was cut at MOST_SHOWN.

    A grant to everyone is listed as such; `names_everyone` = with each member's name besides: not everybody in a tenant is to learn those.
    Takes several statements; the caller has made sure that the asker owns the repo.
    """
    tenant_id = require_tenant(connection, tenant)
    row = find_repo(connection, tenant_id, repo)
    if row is None:
        return [], False
    given = connection.execute(_granted(row.id)).all()
    people: dict[str, tuple[Any, list[Reason]]] = {}
    for party, reason in _list_reasons(connection, tenant_id, row, given, names_everyone):
        people.setdefault(party.name, (party, []))[1].append(reason)
    rows = [
        Entitled(name, party.kind, party.title, tuple(reasons), party.kind != "account" or party.member == "active")
        for name, (party, reasons) in people.items()
    ]
    return rows[:MOST_SHOWN], len(rows) > MOST_SHOWN


def find_grantee(connection: Connection, tenant: str, text: str) -> str:
    """Return the id of the account whose e-mail address this is; anything else as it is."""
    if "@" not in text:
        return text
    chosen = select(PRINCIPAL.c.name).where(
        PRINCIPAL.c.tenant_id == require_tenant(connection, tenant), PRINCIPAL.c.email_key == fold_email(text)
    )
    return str(connection.execute(chosen).scalar() or text)


_PARTY = (PRINCIPAL.c.name, PRINCIPAL.c.kind, PRINCIPAL.c.title, MEMBERSHIP.c.role, MEMBERSHIP.c.status.label("member"))
_MEMBER = and_(MEMBERSHIP.c.tenant_id == PRINCIPAL.c.tenant_id, MEMBERSHIP.c.account_id == PRINCIPAL.c.id)


def _granted(repo_id: str) -> Any:
    grants = GRANT.join(PRINCIPAL, PRINCIPAL.c.id == GRANT.c.grantee_id).outerjoin(MEMBERSHIP, _MEMBER)
    chosen = select(*_PARTY, GRANT.c.access).select_from(grants).where(GRANT.c.repo_id == repo_id)
    return chosen.order_by(PRINCIPAL.c.kind == "agent", PRINCIPAL.c.kind != "everyone", PRINCIPAL.c.name)


def _members(tenant_id: str) -> Any:
    people = PRINCIPAL.join(MEMBERSHIP, _MEMBER)
    chosen = select(*_PARTY).select_from(people).where(PRINCIPAL.c.tenant_id == tenant_id, MEMBERSHIP.c.status == "active")
    return chosen.order_by(PRINCIPAL.c.name)


def _list_reasons(connection: Connection, tenant_id: str, row: Row[Any], given: Any, names_everyone: bool) -> Iterator[tuple[Any, Reason]]:
    """Yield everybody with each reason, in the order in which they are shown."""
    owner = connection.execute(select(*_PARTY).select_from(PRINCIPAL.join(MEMBERSHIP, _MEMBER)).where(PRINCIPAL.c.id == row.owner_id)).one()
    yield owner, Reason("owner", "write")
    for party in given:
        yield party, Reason("grant", party.access)
    if row.kind == "shared":
        for party in connection.execute(_members(tenant_id).where(MEMBERSHIP.c.role.in_(sorted(SEES_SHARED))).limit(MOST_SHOWN + 1)):
            yield party, Reason("role", "read", party.role)
    everyone = next((party.access for party in given if party.kind == "everyone"), None)
    if everyone and names_everyone:
        for party in connection.execute(_members(tenant_id).limit(MOST_SHOWN + 1)):
            yield party, Reason("everyone", everyone)


def _find_owner(connection: Connection, reader: Reader) -> str | None:
    """Return the row id of the tenant in which the reader is an active member, acting for themselves."""
    if not reader.account or reader.agent or not reader.may_read:
        return None
    tenant_id = require_tenant(connection, reader.tenant)
    party = find_party(connection, tenant_id, reader.account)
    return tenant_id if party is not None and party.kind == "account" and party.active else None


def _show(row: Any) -> Owned:
    return Owned(row.name, row.title, row.kind, row.status, row.folder, row.address, row.branch, row.kept_as_is)
