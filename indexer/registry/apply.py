"""Brings the registry to what a tenant.yml declares (DESIGN rule 8): adds, changes, ends; deletes nobody and no repo.

Called by `brain registry apply`. Applying the same file again changes nothing. One transaction for all tenants: a problem in any of them,
also one that shows only together with what the registry holds already, and nothing has happened.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, select

from indexer.errors import ConfigError, RefusalError
from indexer.registry.apply_change import make_change
from indexer.registry.audit import CONSOLE, Actor
from indexer.registry.ids import make_id, to_ms
from indexer.registry.lookup import RUNS, begin_act, require_role
from indexer.registry.parties import fold_email
from indexer.registry.plan import Change, plan_changes
from indexer.registry.state import load_tenant
from indexer.registry.tables import PRINCIPAL, TENANT
from indexer.registry.tenant_model import EVERYONE, TenantFile
from indexer.registry.tenant_rules import check_tenant

_HINT = "Nothing was changed. `brain registry export` shows what the registry holds."


class Applied(Struct, frozen=True):
    """What became of one tenant."""

    tenant: str
    changes: tuple[Change, ...]
    """In the order in which they were made."""


def apply_tenants(
    connection: Connection, declared: Sequence[TenantFile], now: datetime, *, by: Actor = CONSOLE, exact: bool = False
) -> list[Applied]:
    """Make every change and return them; ConfigError with all problems when one is impossible, after which the caller must roll back.

    To see the changes without making them, roll back as well.
    """
    problems: list[str] = []
    done = []
    for tenant in declared:
        try:
            applied, found = _apply_tenant(connection, tenant, now, by, exact)
        except RefusalError as refused:
            problems.append(f"{tenant.id}: {refused.message}")
            continue
        done.append(applied)
        problems += [f"{tenant.id}: {problem}" for problem in found]
    if problems:
        raise ConfigError(problems, hint=_HINT)
    return done


def load_applied(connection: Connection, tenant: str) -> TenantFile | None:
    """Return the tenant.yml that was applied last; None = never."""
    text = connection.execute(select(TENANT.c.declared).where(TENANT.c.name == tenant)).scalar()
    return TenantFile.model_validate_json(text) if text else None


def _apply_tenant(connection: Connection, declared: TenantFile, now: datetime, by: Actor, exact: bool) -> tuple[Applied, list[str]]:
    if not by.console:
        require_role(begin_act(connection, declared.id, by, now), RUNS)
    applied = load_applied(connection, declared.id)
    current = load_tenant(connection, declared.id) if applied else None
    changes = plan_changes(current, declared, applied, exact=exact)
    problems = _check_names(connection, declared, changes)
    if problems:
        return Applied(declared.id, changes), problems
    if applied is None:
        _create_tenant(connection, declared, now)
    act = begin_act(connection, declared.id, by, now)
    for change in changes:
        make_change(act, change)
    connection.execute(TENANT.update().where(TENANT.c.name == declared.id).values(declared=json.dumps(declared.model_dump(mode="json"))))
    after = load_tenant(connection, declared.id).model_dump(mode="json", exclude_none=True)
    return Applied(declared.id, changes), list(dict.fromkeys(sentence for _, sentence in check_tenant(after)))


def _create_tenant(connection: Connection, tenant: TenantFile, now: datetime) -> None:
    identity = make_id(now)
    connection.execute(
        TENANT.insert().values(id=identity, name=tenant.id, title=tenant.title, url=tenant.url, declared="", created_at=to_ms(now))
    )
    connection.execute(
        PRINCIPAL.insert().values(
            id=identity, tenant_id=identity, kind="everyone", name=EVERYONE, title="Everyone", status="active", created_at=to_ms(now)
        )
    )


def _check_names(connection: Connection, declared: TenantFile, changes: Sequence[Change]) -> list[str]:
    """Return what the file alone could not tell: ids that were somebody else's, addresses that two people share, a second home."""
    chosen = select(PRINCIPAL).where(PRINCIPAL.c.tenant_id.in_(select(TENANT.c.id).where(TENANT.c.name == declared.id)))
    known = {row.name: row for row in connection.execute(chosen)}
    problems = []
    for change in changes:
        row = known.get(change.key[-1]) if change.kind in {"account", "agent", "membership"} else None
        if row is None or change.after is None:
            continue
        if change.kind in {"account", "agent"} and row.kind != change.kind:
            problems.append(f"`{row.name}` is or was an {row.kind}; an id is not used again for something else")
    returning = [c.key[1] for c in changes if c.kind == "membership" and c.after and c.after["status"] == "active" and c.before]
    for account in declared.accounts:
        row = known.get(account.id)
        if account.id in returning and row is not None and row.known_as and account.email and fold_email(account.email) != row.known_as:
            problems.append(
                f"`{account.id}` was the id of somebody with another e-mail address; an id is not used again for somebody else "
                "(is it the same person, apply the new address first, with the membership still `ended`)"
            )
    return problems
