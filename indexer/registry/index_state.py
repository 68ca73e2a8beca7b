"""What is known of each repo's index: when it was last refreshed, from which revision, whether it is fresh, stale or failed (SPEC T01).

Written by the pipeline and the worker, read by whoever shows it. A failed read keeps the last good revision. Who may see it is decided
elsewhere: callers pass the repos that a reader reaches.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection, select

from indexer.errors import RefusalError
from indexer.registry.ids import show_time, to_ms
from indexer.registry.lookup import find_repo, require_tenant
from indexer.registry.tables import INDEX_STATE, REPO

State = Literal["fresh", "stale", "failed"]


class IndexState(Struct, frozen=True):
    """The state of one repo's index."""

    repo: str
    state: State
    refreshed: str | None
    """When it could last be read, such as `2026-11-30T08:00:00Z`; None = never."""
    revision: str | None
    """What was read then."""
    reason: str
    """Why it is not fresh; may be empty."""
    tries: int = 0
    """Tries that failed since it was fresh."""
    next_try: str | None = None
    """Before which the worker does not try again; None = whenever it comes by."""


def store_index_state(
    connection: Connection,
    tenant: str,
    repo: str,
    state: State,
    now: datetime,
    *,
    revision: str | None = None,
    reason: str = "",
    tries: int = 0,
    next_try: datetime | None = None,
) -> None:
    """Note how reading a repo went: `fresh` with the revision; `stale` or `failed` with the reason, keeping what was read before.

    `tries` that failed one after the other, and when the next one may be: for whoever tries again by itself.
    """
    row = find_repo(connection, require_tenant(connection, tenant), repo)
    if row is None:
        raise RefusalError(f"There is no repo `{repo}` in this tenant.")
    values: dict[str, Any] = {"state": state, "reason": reason[:500], "tries": tries, "next_try_at": to_ms(next_try) if next_try else None}
    if state == "fresh":
        values |= {"refreshed_at": to_ms(now), "revision": revision}
    if connection.execute(INDEX_STATE.update().where(INDEX_STATE.c.repo_id == row.id).values(**values)).rowcount == 0:
        connection.execute(INDEX_STATE.insert().values(repo_id=row.id, tenant_id=row.tenant_id, **values))


def fetch_index_states(connection: Connection, tenant: str, repos: Collection[str]) -> dict[str, IndexState]:
    """Return repo → state for those of `repos` that were ever read or tried."""
    chosen = (
        select(REPO.c.name, INDEX_STATE)
        .join(INDEX_STATE, INDEX_STATE.c.repo_id == REPO.c.id)
        .where(REPO.c.tenant_id == require_tenant(connection, tenant), REPO.c.name.in_(sorted(repos)))
    )
    return {
        row.name: IndexState(
            row.name, row.state, show_time(row.refreshed_at), row.revision, row.reason, row.tries, show_time(row.next_try_at)
        )
        for row in connection.execute(chosen)
    }
