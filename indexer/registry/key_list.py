"""The keys of a tenant as a list may show them (SPEC M12): never anything that a key could be guessed from. Called by the command line."""

from msgspec import Struct
from sqlalchemy import Connection, select

from indexer.registry.ids import show_time
from indexer.registry.lookup import require_tenant
from indexer.registry.tables import API_KEY, KEY_PERSON, PRINCIPAL

_PERSON = PRINCIPAL.alias("person")


class ListedKey(Struct, frozen=True):
    """A key as a list may show it."""

    id: str
    shown: str
    """Its beginning and its last four characters."""
    holder: str
    person: str
    """The account that the holder, an agent, runs for; empty = the holder alone."""
    label: str
    scopes: tuple[str, ...]
    brain: str
    created: str
    created_by: str
    expires: str | None
    used: str | None
    revoked: str | None


def list_keys(connection: Connection, tenant: str, holder: str | None = None) -> list[ListedKey]:
    """Return the keys of a tenant, or those that `holder` holds or that are for them, oldest first."""
    chosen = (
        select(API_KEY, PRINCIPAL.c.name.label("holder"), _PERSON.c.name.label("person"))
        .select_from(API_KEY)
        .join(PRINCIPAL, PRINCIPAL.c.id == API_KEY.c.holder_id)
        .outerjoin(KEY_PERSON, KEY_PERSON.c.key_id == API_KEY.c.id)
        .outerjoin(_PERSON, _PERSON.c.id == KEY_PERSON.c.account_id)
        .where(API_KEY.c.tenant_id == require_tenant(connection, tenant))
        .order_by(API_KEY.c.created_at, API_KEY.c.id)
    )
    return [
        ListedKey(
            row.id,
            f"{row.prefix}…{row.last_four}",
            row.holder,
            row.person or "",
            row.label,
            tuple(row.scopes.split()),
            row.brain,
            show_time(row.created_at) or "",
            row.created_by,
            show_time(row.expires_at),
            show_time(row.used_at),
            show_time(row.revoked_at),
        )
        for row in connection.execute(chosen)
        if holder is None or holder in {row.holder, row.person}
    ]
