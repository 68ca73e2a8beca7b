"""What a build and the registry tell each other: which repos are in use, and when each was refreshed, from which revision, or why not
(SPEC T01). Wiring only."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from indexer.cli.terminal import escape_text, say
from indexer.model.result import RepoOutcome
from indexer.registry.engine import Registry, open_registry
from indexer.registry.index_state import store_index_state
from indexer.registry.repos import list_repos
from indexer.registry.state import list_tenants


def note_states(url: str, outcomes: Sequence[RepoOutcome]) -> None:
    """Note how the repos of tenants went; RegistryError when that cannot be written. What it does not hold is told."""
    now = datetime.now(UTC)
    registry = open_registry(url)
    try:
        for tenant, group in groupby((outcome for outcome in outcomes if outcome.tenant), key=attrgetter("tenant")):
            with registry.writing() as connection:
                known = {listed.repo.id for listed in list_repos(connection, tenant)} if tenant in list_tenants(connection) else set()
                for outcome in group:
                    if outcome.repo not in known:
                        say(escape_text(f"{tenant}/{outcome.repo} is not in the registry; `brain registry apply` brings it in."))
                    elif outcome.status == "failed":
                        store_index_state(connection, tenant, outcome.repo, "failed", now, reason=outcome.error)
                    else:
                        store_index_state(connection, tenant, outcome.repo, "fresh", now, revision=outcome.revision)
    finally:
        registry.close()


def read_in_use(url: str) -> frozenset[str]:
    """Return `tenant/repo` of all active repos of a registry; RegistryError when it cannot be read."""
    registry = open_registry(url)
    try:
        return fetch_in_use(registry)
    finally:
        registry.close()


def fetch_in_use(registry: Registry) -> frozenset[str]:
    """Return the same of one that is open."""
    with registry.snapshot() as connection:
        tenants = {tenant: list_repos(connection, tenant) for tenant in list_tenants(connection)}
    return frozenset(f"{tenant}/{listed.repo.id}" for tenant, repos in tenants.items() for listed in repos if listed.status == "active")
