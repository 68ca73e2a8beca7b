"""What has to change in the registry so that it is as a tenant.yml declares. Pure; called by `apply`.

The file is compared with the file that was applied before, and only what somebody changed in it is carried over. So a grant that its owner
revoked in the meantime stays revoked, and a repo that a member created stays, although the same old file is applied again on every push.
With `exact` the registry becomes what the file says, whatever happened in between.
"""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from indexer.registry.tenant_model import TenantFile

Kind = Literal["tenant", "account", "agent", "membership", "repo", "grant"]
Key = tuple[str, ...]
"""Kind, then ids: `("grant", "handbook", "everyone")`."""
Facts = dict[str, Any]
_ORDER = ("tenant", "account", "agent", "membership", "repo", "grant")
"""What comes first is needed by what comes later; taken away in the opposite order."""


class Change(Struct, frozen=True):
    """One difference."""

    key: Key
    """What it is about."""
    before: Facts | None
    """As the registry has it; None = not yet there."""
    after: Facts | None
    """As it will be; None = it ends: memberships end, repos are archived, agents removed, grants revoked."""

    @property
    def kind(self) -> str:
        """First part of the key."""
        return self.key[0]

    @property
    def subject(self) -> str:
        """For people: `grant handbook to everyone`."""
        return f"grant {self.key[1]} to {self.key[2]}" if self.kind == "grant" else " ".join(self.key)


def plan_changes(
    current: TenantFile | None, declared: TenantFile, applied: TenantFile | None, *, exact: bool = False
) -> tuple[Change, ...]:
    """Return the changes from `current` to `declared`, in an order in which they can be made; `applied` is the file of the last time."""
    now, wanted = _flatten(current), _flatten(declared)
    last = {} if exact else _flatten(applied)
    merged = {key: _merge(now.get(key), facts, last.get(key)) for key, facts in wanted.items()}
    added = [Change(key, now.get(key), facts) for key, facts in merged.items() if facts != now.get(key)]
    gone = [
        Change(key, facts, None)
        for key, facts in now.items()
        if key not in wanted and (exact or key in last) and not _has_ended(key, facts, wanted)
    ]
    added.sort(key=lambda change: (_ORDER.index(change.kind), change.key))
    gone.sort(key=lambda change: (-_ORDER.index(change.kind), change.key))
    return (*added, *gone)


def _merge(now: Facts | None, wanted: Facts, last: Facts | None) -> Facts | None:
    """Return what there will be: of a file that was applied before only what differs from then."""
    if last is None or wanted == last:
        return wanted if last is None else now
    return {name: now[name] if now and value == last[name] else value for name, value in wanted.items()}


def _has_ended(key: Key, facts: Facts, wanted: dict[Key, Facts]) -> bool:
    """Return whether nothing is left to be taken away."""
    match key[0]:
        case "membership":
            return bool(facts["status"] == "ended")
        case "repo":
            return bool(facts["status"] == "archived")
        case "account":
            return facts["email"] is None
        case "grant":
            # An archived repo keeps its grants, which reach nobody, for the day on which it comes back.
            return ("repo", key[1]) not in wanted
    return False


def _flatten(tenant: TenantFile | None) -> dict[Key, Facts]:
    return {} if tenant is None else dict(_list_facts(tenant))


def _list_facts(tenant: TenantFile) -> Iterator[tuple[Key, Facts]]:
    yield ("tenant",), {"title": tenant.title, "url": tenant.url}
    for account in tenant.accounts:
        yield ("account", account.id), {"name": account.name, "email": account.email}
    for agent in tenant.agents:
        yield ("agent", agent.id), {"name": agent.name}
    for membership in tenant.memberships:
        yield ("membership", membership.account), {"role": membership.role, "status": membership.status}
    for repo in tenant.repos:
        yield ("repo", repo.id), repo.model_dump(mode="json", exclude={"id", "grants"})
        for grant in repo.grants:
            yield ("grant", repo.id, grant.to), {"access": grant.access}
