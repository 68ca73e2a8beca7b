"""Sessions of people in a browser, and the short-lived states of a sign-in under way. Rows, so that taking one away acts at once.

The cookie holds a random token; the registry keeps its SHA-256, so reading the database signs nobody in. Which accounts a session speaks
for is asked anew each time: a membership that ended, or ended and came back, is not in an older session. Called by the gateway.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, literal_column, select

from indexer.registry.ids import hash_secret, make_id, to_ms
from indexer.registry.question import Question
from indexer.registry.tables import BOUND, IDENTITY, LOGIN, MEMBERSHIP, PRINCIPAL, SESSION, TENANT

IDLE = timedelta(hours=12)
ABSOLUTE = timedelta(days=7)
LOGIN_LIFETIME = timedelta(minutes=10)
SEEN_EVERY_MS = 60_000
_KEPT_AFTER_END_MS = 30 * 86_400_000


class Session(NamedTuple):
    """A session that holds."""

    id: str
    """Row id, for logs: it is no secret."""
    identity: str
    """Row id of the person's identity."""
    issuer: str
    """Who vouched for the person."""
    accounts: tuple[tuple[str, str], ...]
    """(tenant, account) of the active members that this person is, sorted; may be empty."""
    seen_at: int


def create_session(connection: Connection, identity: str, now: datetime, *, idle: timedelta = IDLE, absolute: timedelta = ABSOLUTE) -> str:
    """Begin a session and return its token, for the cookie and nowhere else."""
    token, at = secrets.token_urlsafe(32), to_ms(now)
    values = {
        "id": make_id(now),
        "hash": hash_secret(token),
        "identity_id": identity,
        "signed_in_at": at,
        "seen_at": at,
        "idle_ms": idle // timedelta(milliseconds=1),
        "expires_at": to_ms(now + absolute),
    }
    connection.execute(SESSION.insert().values(**values))
    return token


_NOW: Any = bindparam("now", type_=SESSION.c.expires_at.type)
HOLDS = and_(
    SESSION.c.hash == bindparam("hash"),
    SESSION.c.ended_at.is_(None),
    SESSION.c.expires_at > _NOW,
    SESSION.c.seen_at + SESSION.c.idle_ms > _NOW,
)
"""Which session a token is of, and whether it holds at a moment."""
_MEMBER = and_(
    MEMBERSHIP.c.tenant_id == BOUND.c.tenant_id,
    MEMBERSHIP.c.account_id == BOUND.c.account_id,
    MEMBERSHIP.c.status == literal_column("'active'"),
    MEMBERSHIP.c.started_at <= SESSION.c.signed_in_at,
)
SESSION_COLUMNS = (SESSION.c.id, SESSION.c.identity_id, SESSION.c.seen_at, IDENTITY.c.issuer, TENANT.c.name, PRINCIPAL.c.name)
"""What `read_session` reads; one row for each account that the person was bound to, without names when it is no active member."""


def join_people(sessions: Any) -> Any:
    """Return sessions joined with whose they are and the accounts that this person is."""
    return (
        sessions.outerjoin(IDENTITY, IDENTITY.c.id == SESSION.c.identity_id)
        .outerjoin(BOUND, BOUND.c.identity_id == SESSION.c.identity_id)
        .outerjoin(MEMBERSHIP, _MEMBER)
        .outerjoin(PRINCIPAL, PRINCIPAL.c.id == MEMBERSHIP.c.account_id)
        .outerjoin(TENANT, TENANT.c.id == MEMBERSHIP.c.tenant_id)
    )


_FIND = Question(select(*SESSION_COLUMNS).select_from(join_people(SESSION)).where(HOLDS))


def find_session(connection: Connection, token: str, now: datetime) -> Session | None:
    """Return the session of a token; None = unknown, ended or expired. One statement."""
    return read_session(_FIND.ask(connection, {"hash": hash_secret(token), "now": to_ms(now)}))


def read_session(rows: Sequence[tuple[Any, ...]]) -> Session | None:
    """Return the session in rows that begin with SESSION_COLUMNS; None = there is none."""
    if not rows or rows[0][0] is None:
        return None
    identity, person, seen_at, issuer = rows[0][:4]
    accounts = tuple(sorted((row[4], row[5]) for row in rows if row[5] is not None))
    return Session(identity, person, issuer, accounts, seen_at)


def note_seen(connection: Connection, session: Session, now: datetime) -> None:
    """Keep when a session was last used, once a minute at most."""
    if needs_note(session, now):
        connection.execute(SESSION.update().where(SESSION.c.id == session.id).values(seen_at=to_ms(now)))


def needs_note(session: Session, now: datetime) -> bool:
    """Return whether `note_seen` would write, so that a door opens no transaction in vain."""
    return to_ms(now) - session.seen_at >= SEEN_EVERY_MS


def end_session(connection: Connection, token: str, now: datetime) -> None:
    """End a session; unknown ones are none."""
    is_open = and_(SESSION.c.hash == hash_secret(token), SESSION.c.ended_at.is_(None))
    connection.execute(SESSION.update().where(is_open).values(ended_at=to_ms(now)))


def store_login(connection: Connection, kind: str, kept: Mapping[str, Any], now: datetime, *, lifetime: timedelta = LOGIN_LIFETIME) -> str:
    """Keep what a sign-in needs when the person comes back, and return the token that they bring."""
    token = secrets.token_urlsafe(32)
    values = {"hash": hash_secret(token), "kind": kind, "kept": json.dumps(dict(kept)), "expires_at": to_ms(now + lifetime)}
    connection.execute(LOGIN.insert().values(**values))
    return token


def take_login(connection: Connection, kind: str, token: str, now: datetime) -> dict[str, Any] | None:
    """Return what was kept and forget it, so that it serves once; None = unknown, used, expired, or of another kind."""
    chosen = and_(LOGIN.c.hash == hash_secret(token), LOGIN.c.kind == kind)
    row = connection.execute(LOGIN.delete().where(chosen).returning(LOGIN.c.kept, LOGIN.c.expires_at)).first()
    if row is None or row.expires_at <= to_ms(now):
        return None
    kept: dict[str, Any] = json.loads(row.kept)
    return kept


def drop_expired(connection: Connection, now: datetime) -> None:
    """Forget sign-ins that were never finished, and sessions that ended or expired a month ago."""
    at = to_ms(now)
    connection.execute(LOGIN.delete().where(LOGIN.c.expires_at <= at))
    connection.execute(SESSION.delete().where(SESSION.c.expires_at <= at - _KEPT_AFTER_END_MS))
    connection.execute(SESSION.delete().where(SESSION.c.ended_at <= at - _KEPT_AFTER_END_MS))
