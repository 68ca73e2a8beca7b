"""Makes one planned change in the registry, with everything that follows from it. Called by `apply`, in its transaction.

The rows are written by the modules that also serve the commands, so a membership that ends in a file ends like any other.
"""

from typing import Any

from sqlalchemy import Row

from indexer.registry.audit import Act
from indexer.registry.grants import drop_grant, store_grant
from indexer.registry.lookup import find_repo, require_account
from indexer.registry.members import store_membership
from indexer.registry.parties import drop_account, drop_agent, store_account, store_agent
from indexer.registry.plan import Change, Facts
from indexer.registry.repos import store_repo, store_status
from indexer.registry.tables import TENANT
from indexer.registry.tenant_model import Account, Agent, Membership, Repo


def make_change(act: Act, change: Change) -> None:
    """Write the rows of one difference, and its line in the audit."""
    if change.after is None:
        _end(act, change)
        return
    match change.kind:
        case "tenant":
            act.connection.execute(TENANT.update().where(TENANT.c.id == act.tenant_id).values(**change.after))
            act.record("tenant.change" if change.before else "tenant.add", f"tenant:{act.tenant}", change.before, change.after)
        case "account":
            store_account(act, Account(id=change.key[1], **change.after))
        case "agent":
            store_agent(act, Agent(id=change.key[1], **change.after))
        case "membership":
            _store_membership(act, change.key[1], change.after)
        case "repo":
            store_repo(act, Repo(id=change.key[1], **change.after))
        case "grant":
            store_grant(act, _find_repo(act, change.key[1]).id, change.key[1], change.key[2], change.after["access"])


def _end(act: Act, change: Change) -> None:
    match change.kind:
        case "account":
            drop_account(act, change.key[1])
        case "agent":
            drop_agent(act, change.key[1])
        case "membership":
            _store_membership(act, change.key[1], {**(change.before or {}), "status": "ended"})
        case "repo":
            store_status(act, _find_repo(act, change.key[1]), "archived")
        case "grant":
            drop_grant(act, _find_repo(act, change.key[1]).id, change.key[1], change.key[2])


def _store_membership(act: Act, account: str, facts: Facts) -> None:
    store_membership(act, require_account(act, account).id, Membership(account=account, **facts))


def _find_repo(act: Act, name: str) -> Row[Any]:
    row = find_repo(act.connection, act.tenant_id, name)
    if row is None:
        raise RuntimeError(f"BUG: the plan names a repo that is not there: {name}")
    return row
