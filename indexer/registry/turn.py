"""What a turn reaches (SPEC T10, T14, T16): who is asking, decided now, and for each repo how it may be used and what is known of it.

Called by `brain reach`. Nothing is kept: the next turn asks again.
"""

from msgspec import Struct
from sqlalchemy import Connection

from indexer.errors import RefusalError
from indexer.registry.decide import reach
from indexer.registry.lookup import find_party, require_tenant
from indexer.registry.reach import Access, Reader
from indexer.registry.repos import ListedRepo, list_repos

_WHO = "`brain account list` shows who there is."


class Reached(Struct, frozen=True):
    """A repo that a turn reaches."""

    listed: ListedRepo
    access: Access


def make_reader(connection: Connection, tenant: str, who: str, account: str = "", speaker: str = "") -> Reader:
    """Return an account or agent by its id, an agent that runs for an account, or one to which an account is speaking.

    RefusalError for those who are not there now, and for what makes no sense.
    """
    tenant_id = require_tenant(connection, tenant)
    person = speaker or account
    for name, kind in ((who, None), (person, "account")):
        party = find_party(connection, tenant_id, name) if name else None
        if name and (party is None or not party.active or party.kind == "everyone" or party.kind != (kind or party.kind)):
            raise RefusalError(f"`{name}` is no active member{'' if kind else ' and no agent'} of this tenant.", hint=_WHO)
        if name == who and party is not None and party.kind == "account":
            if person:
                raise RefusalError(f"`{who}` is a person; only an agent runs for somebody or is spoken to.")
            return Reader(tenant, account=who)
    if speaker and account:
        raise RefusalError("An agent runs for somebody or is spoken to by somebody, not both.")
    return Reader(tenant, account=person, agent=who, speaking=bool(speaker))


def list_reached(connection: Connection, reader: Reader, brain: str = "") -> list[Reached]:
    """Return what the reader reaches now, by id; with `brain`, no more than a key for that brain opens as a whole."""
    reached = {repo: access for repo, access in reach(connection, reader).items() if brain in {"", repo}}
    return [Reached(listed, reached[listed.repo.id]) for listed in list_repos(connection, reader.tenant) if listed.repo.id in reached]
