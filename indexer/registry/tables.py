"""The registry's tables (SPEC T01). SQLAlchemy Core, the same on SQLite and PostgreSQL.

Used by every module here that asks or writes. Rules that must hold whatever the code does are constraints: every reference between rows of
a tenant carries the tenant's id, so that no row can point out of its tenant (T02, THREATS 36). Rows of tenants, principals and repos are
ended or archived, never deleted, so that neither their ids nor their names come back as something else (THREATS 39).
What `decide` looks up is found in one descent each: those tables are kept in the order of their primary key (`without rowid` in SQLite).
Times are milliseconds since 1970 in UTC. A change here needs a step in `versions`.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

METADATA = MetaData()
_ID = String(26)
_NAME = String(63)
_HASH = String(64)


def _within_tenant(column: str, target: str) -> ForeignKeyConstraint:
    """A reference to a row of the same tenant."""
    return ForeignKeyConstraint(["tenant_id", column], [f"{target.partition('.')[0]}.tenant_id", target])


def _to_account() -> ForeignKeyConstraint:
    """A reference to a principal of the same tenant that is an account: the column `kind` says so, and a check lets it say nothing else."""
    return ForeignKeyConstraint(["tenant_id", "account_id", "kind"], ["principal.tenant_id", "principal.id", "principal.kind"])


SCHEMA = Table("schema_version", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))

TENANT = Table(
    "tenant",
    METADATA,
    Column("id", _ID, nullable=False, unique=True),
    Column("name", _NAME, primary_key=True, comment="its id in tenant.yml"),
    Column("title", Text, nullable=False),
    Column("url", Text),
    Column(
        "declared", Text, nullable=False, comment="JSON of the tenant.yml that was applied last; apply changes only what differs from it"
    ),
    Column("created_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

PRINCIPAL = Table(
    "principal",
    METADATA,
    Column("id", _ID, nullable=False, unique=True, comment="that of the tenant itself for `everyone`"),
    Column("tenant_id", _ID, ForeignKey("tenant.id"), nullable=False),
    Column("kind", String(8), nullable=False, comment="account, agent, or everyone: whoever a grant can name"),
    Column("name", _NAME, nullable=False, comment="its id in tenant.yml; accounts and agents share one set of names"),
    Column("title", Text, nullable=False, comment="shown to others"),
    Column("email", Text, comment="of an account: by which the sign-in knows that person"),
    Column("email_key", Text, comment="the same, folded; unique in the tenant"),
    Column("known_as", Text, comment="the last email_key there was: an id is not handed to somebody else"),
    Column("status", String(8), nullable=False, comment="of an agent: active or removed; an account ends by its membership"),
    Column("created_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant_id", "name"),
    UniqueConstraint("tenant_id", "id", "kind"),
    UniqueConstraint("tenant_id", "id"),
    UniqueConstraint("tenant_id", "email_key"),
    CheckConstraint("kind in ('account', 'agent', 'everyone')"),
    CheckConstraint("(kind = 'everyone') = (id = tenant_id)"),
    CheckConstraint("status in ('active', 'removed')"),
    CheckConstraint("kind = 'account' or email is null"),
    sqlite_with_rowid=False,
)

MEMBERSHIP = Table(
    "membership",
    METADATA,
    Column("tenant_id", _ID, nullable=False),
    Column("account_id", _ID, nullable=False),
    Column("kind", String(8), nullable=False, server_default="account"),
    Column("role", String(8), nullable=False),
    Column("status", String(8), nullable=False),
    Column("started_at", BigInteger, nullable=False, comment="of its present or last run; older sessions do not count"),
    Column("ended_at", BigInteger),
    PrimaryKeyConstraint("tenant_id", "account_id"),
    _to_account(),
    CheckConstraint("kind = 'account'"),
    CheckConstraint("role in ('operator', 'admin', 'staff', 'member')"),
    CheckConstraint("status in ('active', 'ended')"),
    sqlite_with_rowid=False,
)

REPO = Table(
    "repo",
    METADATA,
    Column("id", _ID, nullable=False, unique=True),
    Column("tenant_id", _ID, ForeignKey("tenant.id"), nullable=False),
    Column("name", _NAME, nullable=False, comment="its id in tenant.yml"),
    Column("title", Text, nullable=False),
    Column("owner_id", _ID, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("folder", Text),
    Column("address", Text),
    Column("branch", Text),
    Column("kept_as_is", Boolean, nullable=False),
    Column(
        "status", String(8), nullable=False, comment="a repo whose owner's membership has ended is archived as well, whatever stands here"
    ),
    Column("created_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant_id", "name"),
    UniqueConstraint("tenant_id", "id"),
    _within_tenant("owner_id", "membership.account_id"),
    CheckConstraint("kind in ('home', 'shared')"),
    CheckConstraint("status in ('active', 'archived')"),
    CheckConstraint("(address is null) = (branch is null)"),
    CheckConstraint("folder is not null or address is not null"),
    sqlite_with_rowid=False,
)
Index("repo_of_owner", REPO.c.tenant_id, REPO.c.owner_id)
_IS_HOME = text("kind = 'home'")
Index("one_home_each", REPO.c.tenant_id, REPO.c.owner_id, unique=True, sqlite_where=_IS_HOME, postgresql_where=_IS_HOME)

GRANT = Table(
    "repo_grant",
    METADATA,
    Column("tenant_id", _ID, nullable=False),
    Column("repo_id", _ID, nullable=False),
    Column("grantee_id", _ID, nullable=False),
    Column("access", String(5), nullable=False, comment="read or write; write includes read"),
    Column("given_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("repo_id", "grantee_id"),
    _within_tenant("repo_id", "repo.id"),
    _within_tenant("grantee_id", "principal.id"),
    CheckConstraint("access in ('read', 'write')"),
    sqlite_with_rowid=False,
)
Index("grant_of_grantee", GRANT.c.grantee_id, GRANT.c.repo_id, GRANT.c.access)

INDEX_STATE = Table(
    "index_state",
    METADATA,
    Column("repo_id", _ID, primary_key=True),
    Column("tenant_id", _ID, nullable=False),
    Column("state", String(6), nullable=False),
    Column("refreshed_at", BigInteger, comment="the last time that it could be read"),
    Column("revision", Text, comment="what was read then"),
    Column("reason", Text, nullable=False, comment="why it is not fresh"),
    Column("tries", Integer, nullable=False, server_default="0", comment="that failed, one after the other"),
    Column("next_try_at", BigInteger, comment="before which the worker does not try again"),
    _within_tenant("repo_id", "repo.id"),
    CheckConstraint("state in ('fresh', 'stale', 'failed')"),
)

API_KEY = Table(
    "api_key",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("tenant_id", _ID, nullable=False),
    Column("holder_id", _ID, nullable=False, comment="account or agent"),
    Column("hash", _HASH, nullable=False, unique=True, comment="SHA-256 of the whole key, which is kept nowhere"),
    Column("prefix", Text, nullable=False),
    Column("last_four", String(4), nullable=False),
    Column("label", Text, nullable=False),
    Column("scopes", Text, nullable=False, comment="separated by spaces"),
    Column("repo_id", _ID, comment="of the brain that the key is bound to"),
    Column("brain", Text, nullable=False, comment="id of that brain, or empty"),
    Column("created_at", BigInteger, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("expires_at", BigInteger),
    Column("used_at", BigInteger, comment="to the minute"),
    Column("revoked_at", BigInteger),
    _within_tenant("holder_id", "principal.id"),
    _within_tenant("repo_id", "repo.id"),
    CheckConstraint("holder_id <> tenant_id"),
)
Index("key_of_holder", API_KEY.c.tenant_id, API_KEY.c.holder_id)

KEY_PERSON = Table(
    "key_person",
    METADATA,
    Column("key_id", _ID, ForeignKey("api_key.id"), primary_key=True, comment="a key of an agent that runs for this person"),
    Column("tenant_id", _ID, nullable=False),
    Column("account_id", _ID, nullable=False),
    Column("kind", String(8), nullable=False, server_default="account"),
    _to_account(),
    CheckConstraint("kind = 'account'"),
    sqlite_with_rowid=False,
)

IDENTITY = Table(
    "identity",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("issuer", "subject"),
)

BOUND = Table(
    "identity_account",
    METADATA,
    Column("identity_id", _ID, ForeignKey("identity.id"), nullable=False),
    Column("tenant_id", _ID, nullable=False),
    Column("account_id", _ID, nullable=False),
    Column("kind", String(8), nullable=False, server_default="account"),
    Column("issuer", Text, nullable=False, comment="that of the identity: one identity of each issuer is an account"),
    Column("bound_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("identity_id", "tenant_id"),
    UniqueConstraint("account_id", "issuer"),
    _to_account(),
    CheckConstraint("kind = 'account'"),
)

SESSION = Table(
    "session",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("hash", _HASH, nullable=False, unique=True, comment="SHA-256 of what the cookie holds"),
    Column("identity_id", _ID, ForeignKey("identity.id"), nullable=False),
    Column("signed_in_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False, comment="to the minute"),
    Column("idle_ms", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)
Index("session_of_identity", SESSION.c.identity_id)

LOGIN = Table(
    "login",
    METADATA,
    Column("hash", _HASH, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("kept", Text, nullable=False, comment="JSON that the sign-in needs when the person comes back"),
    Column("expires_at", BigInteger, nullable=False),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", BigInteger, nullable=False),
    Column("tenant", _NAME, nullable=False),
    Column("actor", Text, nullable=False, comment="an account, or `(console)`"),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("before", Text, nullable=False, comment="JSON"),
    Column("after", Text, nullable=False, comment="JSON"),
    sqlite_autoincrement=True,
)
