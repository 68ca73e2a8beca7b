"""What the gateway asks on every request besides `decide`: whether these are the tables it knows, and whose identity a proxy vouches for.

Called inside the request; nothing is kept. Never writes: an identity that is new here signs in through `identities`.
"""

from sqlalchemy import Connection, bindparam, select

from indexer.errors import RegistryError
from indexer.registry.identities import SignedIn, list_accounts
from indexer.registry.question import Question
from indexer.registry.tables import IDENTITY, SCHEMA
from indexer.registry.versions import FIRST_VERSION, STEPS

_CURRENT: set[int | None] = {FIRST_VERSION + len(STEPS)}
_VERSION = Question(select(SCHEMA.c.version))
_KNOWN = Question(select(IDENTITY.c.id).where(IDENTITY.c.issuer == bindparam("issuer"), IDENTITY.c.subject == bindparam("subject")))


def require_current(connection: Connection) -> None:
    """Do nothing when the registry can be asked and has this program's version; RegistryError otherwise."""
    require_version({version for (version,) in _VERSION.ask(connection, {})})


def require_version(found: set[int | None]) -> None:
    """Do nothing when this is all that the registry says of its version; RegistryError otherwise."""
    if found != _CURRENT:
        raise RegistryError("The registry is not of this program's version.", hint="Restart the gateway with the program that changed it.")


def find_identity(connection: Connection, issuer: str, subject: str) -> SignedIn | None:
    """Return an identity that has been here before and the accounts that it is now; None = it has not been here."""
    found = _KNOWN.ask(connection, {"issuer": issuer, "subject": subject})
    return SignedIn(found[0][0], list_accounts(connection, found[0][0])) if found else None
