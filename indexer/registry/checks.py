"""Is the registry sound? Called by `brain registry check`; the gateway asks `Registry.check`, which is quick."""

import stat

from sqlalchemy import Connection, text

from indexer.registry.engine import Registry

_GUARDS = 2
_SQLITE_GUARDS = text("select count(*) from sqlite_master where type = 'trigger' and tbl_name = 'audit'")
_POSTGRES_GUARDS = text("select count(*) from pg_trigger where tgrelid = 'audit'::regclass and not tgisinternal and tgenabled <> 'D'")


def check_registry(registry: Registry, connection: Connection) -> list[str]:
    """Return what is wrong with the file, its rows and its guards; empty = sound."""
    registry.check()
    problems = []
    if registry.file is not None:
        problems += [f"damaged: {row[0]}" for row in connection.exec_driver_sql("pragma quick_check(10)") if row[0] != "ok"]
        problems += [f"a row of {row[0]} points to nothing" for row in connection.exec_driver_sql("pragma foreign_key_check")]
        if registry.file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            problems.append("other users of this machine may open the file; take that away with `chmod 600`")
    guards = connection.execute(_SQLITE_GUARDS if registry.file is not None else _POSTGRES_GUARDS).scalar() or 0
    if guards < _GUARDS:
        problems.append("the audit can be changed: its guards are missing")
    return problems
