"""What one decision costs in a registry with a million grants, on SQLite and on PostgreSQL.

The registry is generated: tenants of equal size, grants to accounts, agents and everyone. Questions are asked in random order, half of them
about repos that the reader reaches. Times are those of `decide` with a connection in hand, as a door has one.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert

from indexer.registry.decide import decide
from indexer.registry.engine import Registry, open_registry
from indexer.registry.ids import make_id
from indexer.registry.reach import Reader
from indexer.registry.tables import GRANT, MEMBERSHIP, PRINCIPAL, REPO, TENANT
from tests.bench.report import Target
from tests.tools.postgres import MISSING, find_programs, run_postgres

GRANTS = 1_000_000
_ACCOUNTS, _AGENTS, _REPOS, _GRANTS_OF_A_REPO = 100, 20, 200, 50
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_ROUNDS = 5
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class DecideCost:
    """Times of many decisions, in microseconds."""

    engine: str
    grants: int
    median: float
    p99: float
    calm_p99: float
    """99th percentile when of each question the fastest of five counts: what it costs when nothing else disturbs."""
    allowed: int
    asked: int


def measure_decisions(work: Path, grants: int = GRANTS, questions: int = 20_000) -> list[DecideCost]:
    """Generate a registry on each engine and ask."""
    costs = [_measure(open_registry(str(work / "bench-registry.sqlite"), create=True), "SQLite", grants, questions)]
    if find_programs() is None:
        print(MISSING)
        return costs
    with run_postgres() as url:
        costs.append(_measure(open_registry(url, create=True), "PostgreSQL", grants, questions))
    return costs


def judge_decisions(costs: list[DecideCost]) -> list[Target]:
    """The promise is about SQLite; PostgreSQL adds a way to another process."""
    return [
        Target(f"a decision at {cost.grants:,} grants within 50 µs at the 99th percentile", f"{cost.p99:.1f} µs", cost.p99 < 50)
        for cost in costs
        if cost.engine == "SQLite"
    ]


def render_decisions(costs: list[DecideCost]) -> str:
    """The figures as a table."""
    lines = [
        "## Decisions\n",
        "| registry | grants | median, µs | p99, µs | p99 of the fastest of five, µs | allowed |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {c.engine} | {c.grants:,} | {c.median:.1f} | {c.p99:.1f} | {c.calm_p99:.1f} | {c.allowed:,} of {c.asked:,} |" for c in costs
    ]
    return "\n".join(lines) + "\n"


def _measure(registry: Registry, engine: str, grants: int, questions: int) -> DecideCost:
    chance = random.Random(1)
    tenants = max(1, grants // (_REPOS * _GRANTS_OF_A_REPO))
    asked: list[tuple[Reader, str]] = []
    with registry.writing() as connection:
        drawn = [_fill_tenant(connection, number, chance) for number in range(tenants)]
    _analyse(registry)  # or else each grant would be checked with what was planned while the tables were empty: reading them whole
    with registry.writing() as connection:
        for tenant, repos, grantees in drawn:
            _insert(connection, GRANT, list(_draw_grants(tenant, repos, grantees, chance)))
    _analyse(registry)
    for _ in range(questions):
        tenant = f"tenant-{chance.randrange(tenants)}"
        account, agent = chance.randrange(_ACCOUNTS), chance.randrange(_AGENTS)
        reader = chance.choice(
            [Reader(tenant, f"a{account}"), Reader(tenant, agent=f"g{agent}"), Reader(tenant, f"a{account}", f"g{agent}")]
        )
        asked.append((reader, f"r{chance.randrange(_REPOS)}"))
    rounds: list[list[int]] = []
    allowed = 0
    with registry.reading() as connection:
        for reader, repo in asked:  # once to warm the caches, as a gateway is after a minute
            decide(connection, reader, "read", repo)
        for _ in range(_ROUNDS):
            took = []
            for reader, repo in asked:
                began = time.perf_counter_ns()
                allowed += decide(connection, reader, "read", repo)
                took.append(time.perf_counter_ns() - began)
            rounds.append(took)
    registry.close()
    calm = [min(times) for times in zip(*rounds, strict=True)]
    first = rounds[0]
    made = tenants * _REPOS * _GRANTS_OF_A_REPO
    return DecideCost(
        engine, made, _find_share(first, 0.5), _find_share(first, 0.99), _find_share(calm, 0.99), allowed // _ROUNDS, len(asked)
    )


def _analyse(registry: Registry) -> None:
    """Let PostgreSQL know how much there is, as it finds out by itself after a while; SQLite plans without."""
    if registry.file is None:
        with registry.reading() as connection:
            connection.exec_driver_sql("analyze")


def _find_share(nanoseconds: list[int], share: float) -> float:
    return sorted(nanoseconds)[int(len(nanoseconds) * share)] / 1000


def _fill_tenant(connection: Connection, number: int, chance: random.Random) -> tuple[str, list[str], list[str]]:
    tenant = make_id(_NOW)
    _insert(connection, TENANT, [{"id": tenant, "name": f"tenant-{number}", "title": "T", "declared": "{}", "created_at": 0}])
    accounts, agents = [make_id(_NOW) for _ in range(_ACCOUNTS)], [make_id(_NOW) for _ in range(_AGENTS)]
    parties = [(tenant, "everyone", "everyone")]
    parties += [(identity, "account", f"a{at}") for at, identity in enumerate(accounts)]
    parties += [(identity, "agent", f"g{at}") for at, identity in enumerate(agents)]
    fixed = {"tenant_id": tenant, "title": "P", "status": "active", "created_at": 0}
    _insert(connection, PRINCIPAL, [{"id": identity, "kind": kind, "name": name, **fixed} for identity, kind, name in parties])
    member = {"tenant_id": tenant, "role": "member", "status": "active", "started_at": 0}
    _insert(connection, MEMBERSHIP, [{"account_id": account, **member} for account in accounts])
    repos = [make_id(_NOW) for _ in range(_REPOS)]
    plain = {"tenant_id": tenant, "title": "R", "kind": "shared", "kept_as_is": False, "status": "active", "created_at": 0}
    rows = [
        {"id": repo, "name": f"r{at}", "folder": f"r{at}", "owner_id": chance.choice(accounts), **plain} for at, repo in enumerate(repos)
    ]
    _insert(connection, REPO, rows)
    return tenant, repos, [*accounts, *agents]


def _draw_grants(tenant: str, repos: list[str], grantees: list[str], chance: random.Random) -> Iterator[dict[str, Any]]:
    for repo in repos:
        for grantee in chance.sample(grantees, _GRANTS_OF_A_REPO):
            yield {"tenant_id": tenant, "repo_id": repo, "grantee_id": grantee, "access": chance.choice(["read", "write"]), "given_at": 0}


def _insert(connection: Connection, table: Table, rows: Rows) -> None:
    connection.execute(insert(table), rows)
