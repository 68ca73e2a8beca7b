"""Keys of programs: `sk_<env>_<tenant>_<secret>` (SPEC M12). Shown once; kept as SHA-256, with its beginning and its last four characters.

A key stands for an account, an agent, or an agent that runs for an account (T10), of one tenant, which the key itself names, so no request
can choose another (THREATS 36). Called by the command line to make and revoke, by the gateway to look up; looking up takes the same work
whether or not there is such a key.
"""

import re
import secrets
from collections.abc import Collection
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, and_, bindparam, literal_column, or_, select

from indexer.errors import RefusalError
from indexer.registry.audit import Act, Actor
from indexer.registry.decide import decide
from indexer.registry.ids import hash_secret, make_id, to_ms
from indexer.registry.lookup import MANAGES, RUNS, Party, begin_act, find_repo, require_active, require_member, require_role
from indexer.registry.question import Question
from indexer.registry.reach import READ_SCOPE, Reader
from indexer.registry.tables import API_KEY, KEY_PERSON, MEMBERSHIP, PRINCIPAL, REPO, TENANT

PUBLISH_SCOPE = "graph:publish"
SCOPES = (
    READ_SCOPE,
    "knowledge:write",
    "records:read",
    "records:write",
    "memories:read",
    "objects:read",
    "objects:write",
    "context:read",
    PUBLISH_SCOPE,
)
"""What a key can be for. With the last, it is the system token of its tenant; only operators make such keys."""
KEY_PATTERN = re.compile(r"sk_[a-z]{2,12}_[a-z0-9][a-z0-9-]{0,62}_[A-Za-z0-9]{40}")
"""Also what a secret scanner looks for."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_SECRET_LENGTH = 40
_ENVIRONMENT = re.compile(r"[a-z]{2,12}")
_BRAIN = re.compile(r"(?P<repo>[a-z0-9][a-z0-9-]{0,62})(?:/[^\x00-\x1f\x7f]{1,1000})?")
USE_NOTED_EVERY_MS = 60_000


class KeyHolder(Struct, frozen=True):
    """Whom a key stands for. What they reach is decided anew for each request."""

    key_id: str
    """Row id, for logs: it is no secret."""
    reader: Reader
    """With the key's scopes."""
    environment: str
    """`live`, `test`, …"""
    brain: str
    """Id of the one brain that the key is for; empty = any that the reader reaches. The door that serves the request keeps to it."""
    used_at: int | None
    """When it was last used, to the minute."""

    def covers_all_of(self, repo: str) -> bool:
        """Whether the key is for a whole repo, not for a brain below its root; whether the reader reaches that is for `decide`."""
        return self.brain in {"", repo}


def create_key(
    connection: Connection,
    tenant: str,
    holder: str,
    scopes: Collection[str],
    by: Actor,
    now: datetime,
    *,
    environment: str = "live",
    brain: str = "",
    expires: datetime | None = None,
    label: str = "",
    person: str = "",
) -> tuple[str, str]:
    """Make a key and return its row id and the key itself, which cannot be shown again.

    Members make keys for themselves, operators and admins for agents, operators for anybody. With `person`, the holder is an agent that
    runs for that account, and whoever makes the key needs the right for both: it opens what either reaches.
    """
    act = begin_act(connection, tenant, by, now)
    party = require_active(act, holder)
    _require_right(act, party)
    if PUBLISH_SCOPE in scopes:
        require_role(act, RUNS)
    other = _require_person(act, party, person) if person else None
    _require_sound(act, scopes, environment, expires)
    prefix, identity = f"sk_{environment}_{tenant}_", make_id(now)
    key = prefix + "".join(secrets.choice(_LETTERS) for _ in range(_SECRET_LENGTH))
    told = {"scopes": " ".join(sorted(set(scopes))), "brain": brain, "label": label[:200], "last_four": key[-4:]}
    row = {
        **told,
        "id": identity,
        "tenant_id": act.tenant_id,
        "holder_id": party.id,
        "hash": hash_secret(key),
        "prefix": prefix,
        "repo_id": _find_brain_repo(act, party, person, brain),
        "created_at": act.at,
        "created_by": str(by),
        "expires_at": expires and to_ms(expires),
    }
    act.connection.execute(API_KEY.insert().values(**row))
    if other:
        act.connection.execute(KEY_PERSON.insert().values(key_id=identity, tenant_id=act.tenant_id, account_id=other.id))
    act.record("key.create", f"key:{identity}", None, {"holder": holder, **({"person": person} if person else {}), **told})
    return identity, key


_PERSON = PRINCIPAL.alias("person")
_PERSON_MEMBER = MEMBERSHIP.alias("person_member")
_PERSON_IS_MEMBER = (
    _PERSON_MEMBER.c.tenant_id == KEY_PERSON.c.tenant_id,
    _PERSON_MEMBER.c.account_id == KEY_PERSON.c.account_id,
    _PERSON_MEMBER.c.status == literal_column("'active'"),
)
_MEMBER = and_(
    MEMBERSHIP.c.tenant_id == API_KEY.c.tenant_id,
    MEMBERSHIP.c.account_id == PRINCIPAL.c.id,
    MEMBERSHIP.c.status == literal_column("'active'"),
)
_FIND = Question(
    select(
        API_KEY.c.id,
        API_KEY.c.prefix,
        API_KEY.c.brain,
        API_KEY.c.scopes,
        API_KEY.c.used_at,
        API_KEY.c.revoked_at,
        API_KEY.c.expires_at,
        API_KEY.c.repo_id,
        REPO.c.status,
        TENANT.c.name,
        PRINCIPAL.c.name,
        PRINCIPAL.c.kind,
        PRINCIPAL.c.status,
        MEMBERSHIP.c.role,
        KEY_PERSON.c.key_id,
        _PERSON.c.name,
        _PERSON_MEMBER.c.role,
    )
    .select_from(
        API_KEY.join(TENANT, TENANT.c.id == API_KEY.c.tenant_id)
        .join(PRINCIPAL, PRINCIPAL.c.id == API_KEY.c.holder_id)
        .outerjoin(MEMBERSHIP, _MEMBER)
        .outerjoin(REPO, REPO.c.id == API_KEY.c.repo_id)
        .outerjoin(KEY_PERSON, and_(KEY_PERSON.c.key_id == API_KEY.c.id, KEY_PERSON.c.tenant_id == API_KEY.c.tenant_id))
        .outerjoin(_PERSON, and_(_PERSON.c.tenant_id == KEY_PERSON.c.tenant_id, _PERSON.c.id == KEY_PERSON.c.account_id))
        .outerjoin(_PERSON_MEMBER, and_(*_PERSON_IS_MEMBER))
    )
    .where(API_KEY.c.hash == bindparam("hash"))
)


def find_key(connection: Connection, text: str, now: datetime) -> KeyHolder | None:
    """Return whom a key stands for; None = unknown, revoked, expired, or its holder, person or brain is no more. All look alike."""
    rows = _FIND.ask(connection, {"hash": hash_secret(text)})
    if not rows or not KEY_PATTERN.fullmatch(text):
        return None
    identity, prefix, brain, scopes, used_at, revoked_at, expires_at, repo_id, repo_status, tenant, name, kind, status, role = rows[0][:14]
    for_person, person, person_role = rows[0][14:]
    holds = role is not None if kind == "account" else status == "active"
    alive = revoked_at is None and (expires_at is None or expires_at > to_ms(now))
    if not holds or not alive or (repo_id is not None and repo_status != "active") or (for_person and person_role is None):
        return None
    reader = _name_reader(tenant, kind, name, person or "", frozenset(scopes.split()))
    return KeyHolder(identity, reader, prefix.split("_")[1], brain, used_at)


def note_key_use(connection: Connection, holder: KeyHolder, now: datetime) -> None:
    """Keep when a key was used, once a minute at most; needs no audit."""
    if needs_key_note(holder, now):
        connection.execute(API_KEY.update().where(API_KEY.c.id == holder.key_id).values(used_at=to_ms(now)))


def needs_key_note(holder: KeyHolder, now: datetime) -> bool:
    """Return whether `note_key_use` would write, so that a door opens no transaction in vain."""
    return holder.used_at is None or to_ms(now) - holder.used_at >= USE_NOTED_EVERY_MS


def revoke_key(connection: Connection, tenant: str, key_id: str, by: Actor, now: datetime) -> None:
    """Revoke a key for good: its holder, the person it is for, operators and admins may."""
    act = begin_act(connection, tenant, by, now)
    chosen = (
        select(API_KEY.c.revoked_at, PRINCIPAL.c.name.label("holder"), _PERSON.c.name.label("person"))
        .select_from(API_KEY)
        .join(PRINCIPAL, PRINCIPAL.c.id == API_KEY.c.holder_id)
        .outerjoin(KEY_PERSON, KEY_PERSON.c.key_id == API_KEY.c.id)
        .outerjoin(_PERSON, _PERSON.c.id == KEY_PERSON.c.account_id)
    )
    row = connection.execute(chosen.where(API_KEY.c.tenant_id == act.tenant_id, API_KEY.c.id == key_id)).first()
    if row is None or not (by.account in {row.holder, row.person} or _has_role(act, MANAGES)):
        raise RefusalError(f"There is no key `{key_id}` that {by} may revoke.", hint="`brain key list` shows those there are.")
    if row.revoked_at is None:
        connection.execute(API_KEY.update().where(API_KEY.c.id == key_id).values(revoked_at=act.at))
        act.record("key.revoke", f"key:{key_id}", {"holder": row.holder}, None)


def revoke_keys_of(act: Act, holder_id: str) -> None:
    """Revoke every key of an account that left or an agent that was removed, and those of agents that run for that account."""
    for_them = API_KEY.c.id.in_(select(KEY_PERSON.c.key_id).where(KEY_PERSON.c.account_id == holder_id))
    alive = and_(or_(API_KEY.c.holder_id == holder_id, for_them), API_KEY.c.revoked_at.is_(None))
    for identity in act.connection.execute(select(API_KEY.c.id).where(alive).order_by(API_KEY.c.id)).scalars().all():
        act.connection.execute(API_KEY.update().where(API_KEY.c.id == identity).values(revoked_at=act.at))
        act.record("key.revoke", f"key:{identity}", {}, None)


def _require_right(act: Act, party: Party) -> None:
    if party.kind == "everyone":
        raise RefusalError("A key stands for one account or agent.")
    if not act.by.console and party.name == act.by.account:
        require_member(act, act.by.account)
    else:
        require_role(act, MANAGES if party.kind == "agent" else RUNS)


def _require_person(act: Act, holder: Party, person: str) -> Party:
    if holder.kind != "agent":
        raise RefusalError("Only an agent runs for somebody.", hint="A person's own key is made without --agent.")
    found = require_member(act, person)
    _require_right(act, found)
    return found


def _require_sound(act: Act, scopes: Collection[str], environment: str, expires: datetime | None) -> None:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise RefusalError(f"Unknown scope: {', '.join(unknown) or 'none given'}.", hint=f"Choose some of: {', '.join(SCOPES)}.")
    if not _ENVIRONMENT.fullmatch(environment):
        raise RefusalError("The environment of a key is a word of 2 to 12 lower-case letters, such as `live` or `test`.")
    if expires is not None and to_ms(expires) <= act.at:
        raise RefusalError("A key cannot expire before it is made.", hint="Name a later time, or none: then it holds until it is revoked.")


def _has_role(act: Act, roles: frozenset[str]) -> bool:
    try:
        require_role(act, roles)
    except RefusalError:
        return False
    return True


def _find_brain_repo(act: Act, party: Party, person: str, brain: str) -> str | None:
    """Return the row id of the repo that a key is bound to. Its holder has to reach it, or asking would tell what exists (THREATS 30)."""
    if not brain:
        return None
    shape = _BRAIN.fullmatch(brain)
    reader = _name_reader(act.tenant, party.kind, party.name, person, frozenset({READ_SCOPE}))
    if shape is None or not decide(act.connection, reader, "read", shape["repo"]):
        raise RefusalError(
            f"A key of `{party.name}` cannot be bound to `{brain}`.",
            hint="Name a brain that its holder reaches: `<repo>` or `<repo>/<folder>`.",
        )
    row = find_repo(act.connection, act.tenant_id, shape["repo"])
    return None if row is None else str(row.id)


def _name_reader(tenant: str, kind: str, name: str, person: str, scopes: frozenset[str]) -> Reader:
    return Reader(tenant, account=name, scopes=scopes) if kind == "account" else Reader(tenant, account=person, agent=name, scopes=scopes)
