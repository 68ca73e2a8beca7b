"""What the registry says of a repo before a refresh, and learns after it (SPEC T01, T06, T28). Wiring only."""

from datetime import datetime

from indexer.cli.terminal import escape_text, say
from indexer.errors import BrainpressError
from indexer.registry.engine import open_registry
from indexer.registry.index_state import store_index_state
from indexer.registry.repos import list_repos
from indexer.registry.state import list_tenants
from indexer.writes.refresh import Refreshed


def is_kept(url: str, tenant: str, repo: str, declared: bool) -> bool:
    """Return whether a repo is kept as it is: as the registry says, or as its file says where the registry does not know it."""
    registry = open_registry(url)
    try:
        with registry.snapshot() as connection:
            listed = list_repos(connection, tenant) if tenant in list_tenants(connection) else []
    finally:
        registry.close()
    return next((each.repo.kept_as_is for each in listed if each.repo.id == repo), declared)


def note_refresh(url: str, tenant: str, repo: str, ended: Refreshed | BrainpressError, now: datetime) -> None:
    """Note how a refresh went."""
    registry = open_registry(url)
    try:
        with registry.writing() as connection:
            known = {each.repo.id for each in list_repos(connection, tenant)} if tenant in list_tenants(connection) else set()
            if repo not in known:
                say(escape_text(f"{tenant}/{repo} is not in the registry; `brain registry apply` brings it in."))
            elif isinstance(ended, BrainpressError):
                store_index_state(connection, tenant, repo, "failed", now, reason=ended.message)
            elif ended.waiting:
                store_index_state(connection, tenant, repo, "stale", now, reason=f"Relations wait: {ended.waiting}")
            else:
                store_index_state(connection, tenant, repo, "fresh", now, revision=ended.revision)
    finally:
        registry.close()
