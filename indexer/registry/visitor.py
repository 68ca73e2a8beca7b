"""Who visits by a session and whether they may read one repo: both in one statement, for a website asks it for each of its files.

The same rules as `sessions` and `decide`, made of the same parts; tests hold them against each other. Nothing is kept, and a repo that is
missing takes the database as many steps as a hidden one (THREATS 29). Called by the gateway.
"""

from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, false, select

from indexer.registry.asking import require_version
from indexer.registry.decide import Asker, weigh_rights
from indexer.registry.ids import hash_secret, to_ms
from indexer.registry.question import Question
from indexer.registry.sessions import HOLDS, SESSION_COLUMNS, Session, join_people, read_session
from indexer.registry.tables import MEMBERSHIP, REPO, SCHEMA, SESSION, TENANT

_ASKER = Asker(MEMBERSHIP, (MEMBERSHIP.c.account_id, MEMBERSHIP.c.tenant_id), person=True)
_WANTED = and_(REPO.c.tenant_id == MEMBERSHIP.c.tenant_id, REPO.c.name == bindparam("repo"), TENANT.c.name == bindparam("tenant"))
_FIND = Question(
    select(*SESSION_COLUMNS, SCHEMA.c.version, weigh_rights(_ASKER, false())).select_from(
        join_people(SCHEMA.outerjoin(SESSION, HOLDS)).outerjoin(REPO, _WANTED)
    )
)


def find_visitor(connection: Connection, token: str, tenant: str, repo: str, now: datetime) -> tuple[Session | None, bool]:
    """Return the session of a token, and whether the person may read a repo now; RegistryError when the registry is of another version."""
    rows = _FIND.ask(connection, {"hash": hash_secret(token), "now": to_ms(now), "tenant": tenant, "repo": repo})
    require_version({row[-2] for row in rows})
    session = read_session(rows)
    return session, session is not None and any(row[-1] > 0 for row in rows)
