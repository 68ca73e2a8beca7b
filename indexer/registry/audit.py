"""Who changed what in the registry, and when: a list that only grows; the database itself refuses to change or take out a line.

Every operation that changes something adds its lines in the same transaction. What was before and after stands there without secrets:
keys and sessions by their ids. Called by the other modules of the registry; `fetch_audit` by whoever shows it.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, select

from indexer.registry.ids import show_time, to_ms
from indexer.registry.tables import AUDIT

Facts = Mapping[str, Any]


class Actor(Struct, frozen=True):
    """Who asks for a change: an account of the tenant that the change is in, or whoever runs the program on the registry's machine."""

    account: str
    """Its id in the tenant; an account of another tenant cannot be named at all."""
    console: bool = False
    """True for the machine itself, which may do what operators may and is no owner of anything."""

    def __post_init__(self) -> None:
        if bool(self.account) == self.console:
            raise ValueError("BUG: an actor is an account or the console")

    def __str__(self) -> str:
        return "(console)" if self.console else self.account


CONSOLE = Actor("", console=True)


class AuditLine(Struct, frozen=True):
    """One change."""

    at: str
    """Time, such as `2026-11-30T08:00:00Z`."""
    tenant: str
    actor: str
    """Account, or `(console)`, which no account can be called."""
    action: str
    """What was done, such as `grant.give`."""
    subject: str
    """To what: `repo:handbook`."""
    before: Any
    """What changed, as it was; None = it was not there."""
    after: Any
    """The same afterwards; None = it is gone."""


class Act(Struct, frozen=True):
    """One operation under way: everything that its steps have in common."""

    connection: Connection
    """With the transaction of the operation."""
    tenant: str
    tenant_id: str
    """Row id of the tenant."""
    by: Actor
    now: datetime

    @property
    def at(self) -> int:
        """`now` as it is kept."""
        return to_ms(self.now)

    def record(self, action: str, subject: str, before: Facts | None, after: Facts | None) -> None:
        """Add a line to the audit, within the transaction of the change."""
        line = {"at": self.at, "tenant": self.tenant, "actor": str(self.by), "action": action, "subject": subject}
        self.connection.execute(AUDIT.insert().values(**line, before=_pack(before), after=_pack(after)))


def fetch_audit(connection: Connection, tenant: str, *, subject: str | None = None, limit: int = 100) -> list[AuditLine]:
    """Return the newest lines of a tenant, newest first."""
    chosen = select(AUDIT).where(AUDIT.c.tenant == tenant).order_by(AUDIT.c.number.desc()).limit(limit)
    if subject is not None:
        chosen = chosen.where(AUDIT.c.subject == subject)
    return [
        AuditLine(show_time(row.at) or "", row.tenant, row.actor, row.action, row.subject, json.loads(row.before), json.loads(row.after))
        for row in connection.execute(chosen)
    ]


def _pack(facts: Facts | None) -> str:
    return json.dumps(facts and dict(facts), ensure_ascii=False, sort_keys=True)
