"""Whom a tenant's graph is open to, and what a browser's asker reaches in a tenant (SPEC T36). Asked anew in each request."""

from sqlalchemy import Connection

from indexer.registry.decide import reach
from indexer.registry.lookup import RUNS
from indexer.registry.reach import Access, Reader
from indexer.registry.reached_repos import Standing, fetch_standing
from indexer.serve.who import Asker


def reach_of(connection: Connection, asker: Asker, tenant: str) -> dict[str, Access]:
    """Return what the asker reaches in a tenant now; a key for one brain is for that repo alone, or for none as a whole."""
    reader = asker.reader_in(tenant)
    reached = reach(connection, reader) if reader else {}
    return {repo: access for repo, access in reached.items() if not asker.key or asker.key.covers_all_of(repo)}


def operates(standing: Standing | None, reader: Reader) -> bool:
    """Whether the reader is an operator of the tenant; an agent never is, whoever it runs for."""
    return standing is not None and not reader.agent and standing.role in RUNS


def ask_openness(connection: Connection, reader: Reader) -> tuple[frozenset[str], bool]:
    """Return the repos that a reader reaches now, and whether they are an operator."""
    return frozenset(reach(connection, reader)), reader.may_read and operates(fetch_standing(connection, reader), reader)
