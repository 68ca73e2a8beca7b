"""The version of the registry's tables: creates them, brings older ones up to date step by step, refuses newer ones.

Called by `engine` when a registry is opened, inside one transaction that no other process can be in. A step is added at the end of STEPS
and never changed afterwards; the number of the last one is the version.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, inspect, select

from indexer.errors import RegistryError
from indexer.registry.tables import METADATA, SCHEMA

Step = Callable[[Connection], None]
FIRST_VERSION = 1


def _add_tries(connection: Connection) -> None:
    """Failed refreshes are tried again, later each time (SPEC T28)."""
    connection.exec_driver_sql("alter table index_state add column tries integer not null default 0")
    connection.exec_driver_sql("alter table index_state add column next_try_at bigint")


def _add_key_person(connection: Connection) -> None:
    """A key of an agent may stand for a run for one person (SPEC T10)."""
    connection.exec_driver_sql(
        "create table key_person (key_id varchar(26) not null primary key references api_key (id), tenant_id varchar(26) not null, "
        "account_id varchar(26) not null, kind varchar(8) default 'account' not null check (kind = 'account'), "
        "foreign key (tenant_id, account_id, kind) references principal (tenant_id, id, kind))"
    )


STEPS: tuple[Step, ...] = (_add_tries, _add_key_person)
"""Step n leads from version FIRST_VERSION + n to the next."""

_SQLITE_GUARDS = tuple(
    f"create trigger audit_keeps_{what} before {what} on audit begin select raise(abort, 'the audit is append-only'); end"
    for what in ("update", "delete")
)
_POSTGRES_GUARDS = (
    (
        "create function refuse_audit_change() returns trigger language plpgsql as "
        "$$ begin raise exception 'the audit is append-only' using errcode = 'integrity_constraint_violation'; end $$"
    ),
    "create trigger audit_keeps_rows before update or delete on audit for each row execute function refuse_audit_change()",
    "create trigger audit_keeps_all before truncate on audit for each statement execute function refuse_audit_change()",
)


def read_version(connection: Connection) -> int | None:
    """Return the version of the tables that are there; None where there are none."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    version: int | None = connection.execute(select(SCHEMA.c.version)).scalar() if SCHEMA.name in tables else None
    if version is None:
        raise RegistryError("This database holds something, but no registry.", hint="Name another one with --registry.")
    return version


def check_version(connection: Connection, steps: Sequence[Step] = STEPS) -> bool:
    """Return whether the tables are those of this program; False = missing or older. RegistryError when they are newer."""
    version = read_version(connection)
    newest = FIRST_VERSION + len(steps)
    if version is not None and version > newest:
        raise RegistryError(
            f"The registry has version {version}; this program knows versions up to {newest}.",
            hint="Use the program that wrote it, or a newer one.",
        )
    return version == newest


def update_tables(connection: Connection, steps: Sequence[Step] = STEPS) -> None:
    """Create the tables, or take the steps that are missing."""
    if check_version(connection, steps):
        return
    version = read_version(connection)
    if version is None:
        create_tables(connection)
        connection.execute(SCHEMA.insert().values(version=FIRST_VERSION + len(steps)))
        return
    for step in steps[version - FIRST_VERSION :]:
        step(connection)
    connection.execute(SCHEMA.update().values(version=FIRST_VERSION + len(steps)))


def create_tables(connection: Connection) -> None:
    """Create the tables of this program's version, and the guards of the audit."""
    METADATA.create_all(connection, checkfirst=False)
    for statement in _SQLITE_GUARDS if connection.dialect.name == "sqlite" else _POSTGRES_GUARDS:
        connection.exec_driver_sql(statement)
