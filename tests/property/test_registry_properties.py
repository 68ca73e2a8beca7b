"""Random registries and operations: SQL and plain rules agree after every step, and what takes away never widens anyone's reach."""

import os
import tempfile
import uuid
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import Connection

from indexer.errors import ConfigError, RefusalError
from indexer.registry import engine
from indexer.registry.audit import CONSOLE
from indexer.registry.decide import decide, reach
from indexer.registry.engine import open_registry
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.members import change_role, end_membership, restore_membership
from indexer.registry.reach import Access, Reader
from indexer.registry.reach import reach as reach_plainly
from indexer.registry.repos import archive_repo, create_repo, open_home, unarchive_repo
from indexer.registry.tenant_model import TenantFile
from tests.tools.registries import World, act, new_database

TENANTS = ("north", "south")
ACCOUNTS = ("ana", "bo", "cy", "di")
AGENTS = ("filer", "pager")
REPOS = ("handbook", "plans", "notes", "ana-home")
WHO = (*ACCOUNTS, *AGENTS, "everyone", "stranger")
READERS = [
    Reader(tenant, account, agent, speaking)
    for tenant, account, agent, speaking in product((*TENANTS, "nowhere"), ("", *ACCOUNTS, "filer"), ("", *AGENTS, "ana"), (False, True))
]
Reached = dict[Reader, dict[str, Access]]
STRENGTH: dict[str | None, int] = {None: 0, "read": 1, "write": 2}

tenants, accounts, agents, repos = (st.sampled_from(each) for each in (TENANTS, ACCOUNTS, AGENTS, REPOS))
who, access = st.sampled_from(WHO), st.sampled_from(["read", "write"])
roles = st.sampled_from(["operator", "admin", "staff", "member"])


@st.composite
def tenant_files(draw: st.DrawFn, tenant: str) -> dict[str, Any]:
    """A tenant as somebody could declare it: some people, some of them gone, some repos with some grants."""
    people = draw(st.lists(accounts, unique=True, min_size=1))
    members = [
        {"account": each, "role": draw(roles), "status": draw(st.sampled_from(["active", "active", "ended"]))}
        for each in draw(st.lists(st.sampled_from(people), unique=True, min_size=1))
    ]
    programs = draw(st.lists(agents, unique=True))
    known = [member["account"] for member in members]
    declared = []
    for name in draw(st.lists(repos, unique=True)):
        owner = "ana" if name == "ana-home" else draw(st.sampled_from(known))
        if owner not in known:
            continue
        to = draw(st.lists(st.sampled_from([*known, *programs, "everyone"]), unique=True, max_size=4))
        declared.append(
            {
                "id": name,
                "title": name,
                "owner": owner,
                "folder": name,
                "kind": "home" if name == "ana-home" else "shared",
                "status": draw(st.sampled_from(["active", "active", "archived"])),
                "grants": [{"to": each, "access": draw(access)} for each in to],
            }
        )
    return {
        "id": tenant,
        "title": tenant,
        "accounts": [{"id": each, "name": each} for each in people],
        "agents": [{"id": each, "name": each} for each in programs],
        "memberships": members,
        "repos": declared,
    }


class Registries(RuleBasedStateMachine):
    """What people do to a registry, in any order. `url` gives a new place for each run."""

    url: Callable[[], str]

    @initialize(north=tenant_files("north"), south=tenant_files("south"))
    def begin(self, north: dict[str, Any], south: dict[str, Any]) -> None:
        self.world = World(open_registry(type(self).url(), create=True))
        self.world.apply(north, south)
        self.seen = self.ask()

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.registry.close()

    def try_to(self, change: Callable[[Connection], object]) -> None:
        """Do something, or be refused; either way the next invariant looks."""
        try:
            with self.world.writing() as connection:
                change(connection)
        except RefusalError:
            assert self.ask() == self.seen, "what is refused changes nothing"

    def ask(self) -> Reached:
        with self.world.registry.reading() as connection:
            return {reader: dict(reach(connection, reader)) for reader in READERS}

    def must_not_widen(self, change: Callable[[Connection], object]) -> None:
        before = self.ask()
        self.try_to(change)
        after = self.ask()
        for reader, reached in after.items():
            for repo, right in reached.items():
                assert STRENGTH[right] <= STRENGTH[before[reader].get(repo)], f"{reader} gained {right} on {repo}"

    @invariant()
    def sql_and_the_plain_rules_agree(self) -> None:
        if not hasattr(self, "world"):
            return
        self.seen = self.ask()
        states: dict[str, TenantFile] = {tenant: self.world.load(tenant) for tenant in TENANTS}
        for reader, reached in self.seen.items():
            plain = reach_plainly(states[reader.tenant], reader) if reader.tenant in states else {}
            assert reached == dict(plain), reader
        with self.world.registry.reading() as connection:
            for reader in READERS[self.world.now.second % 7 :: 7]:
                for repo in (*REPOS, "missing"):
                    right = self.seen[reader].get(repo)
                    assert decide(connection, reader, "read", repo) == (right is not None), (reader, repo)
                    assert decide(connection, reader, "write", repo) == (right == "write"), (reader, repo)

    @rule(data=st.data(), tenant=tenants, exact=st.booleans())
    def apply(self, data: st.DataObject, tenant: str, exact: bool) -> None:
        declared = data.draw(tenant_files(tenant))
        try:
            self.world.apply(declared, exact=exact)
        except ConfigError:
            assert self.ask() == self.seen, "what is refused changes nothing"
            return
        assert self.world.apply(declared, exact=exact) == 0, "applying again changes nothing"

    @rule(tenant=tenants)
    def export_and_apply(self, tenant: str) -> None:
        assert self.world.apply(self.world.load(tenant).model_dump(mode="json"), exact=True) == 0

    @rule(tenant=tenants, repo=repos, to=who, right=access, by=accounts)
    def grant(self, tenant: str, repo: str, to: str, right: Access, by: str) -> None:
        self.try_to(lambda connection: give_grant(connection, tenant, repo, to, right, act(by), self.world.now))

    @rule(tenant=tenants, repo=repos, to=who, by=accounts)
    def revoke(self, tenant: str, repo: str, to: str, by: str) -> None:
        self.must_not_widen(lambda connection: revoke_grant(connection, tenant, repo, to, act(by), self.world.now))

    @rule(tenant=tenants, account=accounts)
    def end(self, tenant: str, account: str) -> None:
        self.must_not_widen(lambda connection: end_membership(connection, tenant, account, CONSOLE, self.world.now))

    @rule(tenant=tenants, account=accounts)
    def restore(self, tenant: str, account: str) -> None:
        self.try_to(lambda connection: restore_membership(connection, tenant, account, CONSOLE, self.world.now))

    @rule(tenant=tenants, account=accounts, role=roles)
    def give_role(self, tenant: str, account: str, role: str) -> None:
        self.try_to(lambda connection: change_role(connection, tenant, account, role, CONSOLE, self.world.now))

    @rule(tenant=tenants, repo=repos)
    def archive(self, tenant: str, repo: str) -> None:
        self.must_not_widen(lambda connection: archive_repo(connection, tenant, repo, CONSOLE, self.world.now))

    @rule(tenant=tenants, repo=repos)
    def unarchive(self, tenant: str, repo: str) -> None:
        self.try_to(lambda connection: unarchive_repo(connection, tenant, repo, CONSOLE, self.world.now))

    @rule(tenant=tenants, repo=repos, by=accounts)
    def create(self, tenant: str, repo: str, by: str) -> None:
        self.try_to(lambda connection: create_repo(connection, tenant, repo, repo, act(by), self.world.now))

    @rule(tenant=tenants, by=accounts)
    def home(self, tenant: str, by: str) -> None:
        self.try_to(lambda connection: open_home(connection, tenant, act(by), self.world.now))


def run(url: Callable[[], str], examples: int, steps: int) -> None:
    machine = type("Registries", (Registries,), {"url": staticmethod(url)})
    chosen = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
    )
    run_state_machine_as_test(machine, settings=chosen)


@pytest.fixture
def quick_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, so nothing has to reach the disk."""
    monkeypatch.setattr(engine, "_PRAGMAS", (*engine._PRAGMAS, "pragma synchronous = off"))


@pytest.mark.req("T02", "T04", "T08", "T09", "T10", "T15", "S14")
@pytest.mark.threat(36, 39)
@pytest.mark.usefixtures("quick_sqlite")
def test_sql_and_plain_rules_agree_on_sqlite(tmp_path: Path) -> None:
    examples = int(os.environ.get("BRAINPRESS_EXAMPLES", "25"))
    run(lambda: f"{tempfile.mkdtemp(dir=tmp_path)}/registry.sqlite", examples, 20)


@pytest.mark.req("T02", "T04", "T09", "T10", "T15")
def test_sql_and_plain_rules_agree_on_postgresql(postgres: str) -> None:
    from contextlib import ExitStack

    with ExitStack() as made:
        run(lambda: made.enter_context(new_database(postgres, uuid.uuid4().hex)), 4, 10)
