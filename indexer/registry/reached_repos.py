"""What the gateway's own pages show of a tenant: who somebody is there, and the repos that were decided for them. Called by `serve`.

Nothing is decided here: `fetch_shown` takes the names that `decide.reach` gave for this very request, and asks for no others.
"""

from collections.abc import Mapping

from msgspec import Struct
from sqlalchemy import Connection, and_, select

from indexer.registry.ids import show_time
from indexer.registry.lookup import find_party
from indexer.registry.reach import Access, Reader
from indexer.registry.repos import find_home
from indexer.registry.tables import INDEX_STATE, PRINCIPAL, REPO, TENANT


class Standing(Struct, frozen=True):
    """Who somebody is in a tenant."""

    tenant: str
    title: str
    """Of the tenant."""
    id: str
    """Of the account or agent."""
    name: str
    role: str
    """Of the membership; empty for an agent."""
    home: str | None
    """Id of the personal repo; None = not created yet, or an agent."""


class ShownRepo(Struct, frozen=True):
    """A repo that the reader reaches."""

    id: str
    title: str
    kind: str
    access: Access
    owner: str
    owner_name: str
    state: str
    """`fresh`, `stale`, `failed`, or empty when the registry was told nothing."""
    refreshed: str | None
    """Such as `2026-11-30T08:00:00Z`."""
    reason: str
    """Why it is not fresh."""


def fetch_standing(connection: Connection, reader: Reader) -> Standing | None:
    """Return who a reader is in the tenant of the credential; None when they are nobody there now."""
    tenant = connection.execute(select(TENANT.c.id, TENANT.c.title).where(TENANT.c.name == reader.tenant)).first()
    name = reader.account or reader.agent
    party = None if tenant is None else find_party(connection, tenant.id, name)
    if tenant is None or party is None or not party.active or party.kind != ("account" if reader.account else "agent"):
        return None
    home = find_home(connection, reader.tenant, name) if reader.account else None
    return Standing(reader.tenant, tenant.title, name, party.title, party.role or "", home)


def fetch_shown(connection: Connection, tenant: str, reached: Mapping[str, Access]) -> list[ShownRepo]:
    """Return what a list shows of these repos, personal ones first, then by title."""
    owner = and_(PRINCIPAL.c.tenant_id == REPO.c.tenant_id, PRINCIPAL.c.id == REPO.c.owner_id)
    chosen = (
        select(
            REPO.c.name,
            REPO.c.title,
            REPO.c.kind,
            PRINCIPAL.c.name.label("owner"),
            PRINCIPAL.c.title.label("owner_name"),
            INDEX_STATE.c.state,
            INDEX_STATE.c.refreshed_at,
            INDEX_STATE.c.reason,
        )
        .select_from(
            TENANT.join(REPO, REPO.c.tenant_id == TENANT.c.id)
            .join(PRINCIPAL, owner)
            .outerjoin(INDEX_STATE, INDEX_STATE.c.repo_id == REPO.c.id)
        )
        .where(TENANT.c.name == tenant, REPO.c.name.in_(sorted(reached)))
    )
    shown = [
        ShownRepo(
            id=row.name,
            title=row.title,
            kind=row.kind,
            access=reached[row.name],
            owner=row.owner,
            owner_name=row.owner_name,
            state=row.state or "",
            refreshed=show_time(row.refreshed_at),
            reason=row.reason or "",
        )
        for row in connection.execute(chosen)
    ]
    return sorted(shown, key=lambda repo: (repo.kind != "home", repo.title.casefold(), repo.id))
