"""Who visits by a session and what they may read, in one statement: the same as asking for the session and then for the decision."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection

from indexer.errors import RegistryError
from indexer.registry import identities, keys, sessions, visitor
from indexer.registry.audit import CONSOLE
from indexer.registry.decide import decide
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.identities import sign_in
from indexer.registry.members import end_membership, restore_membership
from indexer.registry.question import Question
from indexer.registry.reach import Reader
from indexer.registry.repos import archive_repo
from indexer.registry.sessions import create_session, end_session, find_session
from indexer.registry.tables import SCHEMA
from indexer.registry.visitor import find_visitor
from tests.tools.registries import ACME, OTHER, World, act, open_world

PEOPLE = sorted({account["email"] for tenant in (ACME, OTHER) for account in tenant["accounts"]})
REPOS = [(tenant["id"], repo["id"]) for tenant in (ACME, OTHER) for repo in (*tenant["repos"], {"id": "never-existed"})]
REPOS += [("acme", "ledger"), ("other", "plans"), ("nobody", "plans")]
Change = Callable[[Connection, World], object]


def begin(world: World, email: str) -> str:
    with world.writing() as connection:
        return create_session(connection, sign_in(connection, "issuer", email, email, world.now).identity, world.now)


def check_agreement(world: World, tokens: list[str]) -> int:
    """Hold one statement against two, for everybody and everything; return how often something may be read."""
    allowed = 0
    with world.registry.reading() as connection:
        for token in tokens:
            session = find_session(connection, token, world.now)
            for tenant, repo in REPOS:
                readers = [Reader(name, account) for name, account in (session.accounts if session else ()) if name == tenant]
                may_read = any(decide(connection, reader, "read", repo) for reader in readers)
                assert find_visitor(connection, token, tenant, repo, world.now) == (session, may_read), (token, tenant, repo)
                allowed += may_read
    return allowed


CHANGES: dict[str, Change] = {
    "nothing": lambda _, __: None,
    "a grant": lambda connection, world: give_grant(connection, "acme", "plans", "bo", "read", act("di"), world.now),
    "a grant taken back": lambda connection, world: revoke_grant(connection, "acme", "plans", "ed", act("di"), world.now),
    "a membership ended": lambda connection, world: end_membership(connection, "acme", "di", CONSOLE, world.now),
    "a membership that came back": lambda connection, world: (
        end_membership(connection, "acme", "di", CONSOLE, world.now),
        restore_membership(connection, "acme", "di", CONSOLE, world.now + timedelta(seconds=1)),
    ),
    "a repo archived": lambda connection, world: archive_repo(connection, "acme", "handbook", CONSOLE, world.now),
}


@pytest.mark.req("T09", "T15", "S14")
@pytest.mark.threat(33, 36, 39)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_one_statement_says_what_two_say(world: World, change: Change) -> None:
    tokens = [begin(world, email) for email in PEOPLE if email != "left@acme.example"]
    assert check_agreement(world, [*tokens, "unknown"]) > 10
    with world.writing() as connection:
        change(connection, world)
        end_session(connection, tokens[1], world.now)
    world.wait(timedelta(seconds=2))
    assert check_agreement(world, tokens) > 0
    world.wait(timedelta(hours=13))
    assert check_agreement(world, tokens) == 0, "all of them have expired"


@pytest.mark.req("T09")
@pytest.mark.parametrize("token", ["known", "unknown"])
@pytest.mark.parametrize("statement", [SCHEMA.update().values(version=SCHEMA.c.version + 1), SCHEMA.delete()], ids=["newer", "none"])
def test_a_registry_of_another_version_is_noticed_by_the_same_statement(world: World, token: str, statement: Any) -> None:
    token = begin(world, "ed@acme.example") if token == "known" else token
    with world.writing() as connection:
        connection.execute(statement)
    with world.registry.reading() as connection, pytest.raises(RegistryError, match="version"):
        find_visitor(connection, token, "acme", "plans", world.now)


@pytest.mark.threat(48)
@pytest.mark.parametrize("question", [sessions._FIND, keys._FIND, visitor._FIND], ids=["session", "key", "visitor"])
def test_who_asks_is_looked_up_and_no_table_is_read_whole(tmp_path: Any, question: Question) -> None:
    world = open_world(str(tmp_path / "registry.sqlite"))
    values = {"hash": "x", "now": 0, "tenant": "acme", "repo": "plans"}
    with world.registry.reading() as connection:
        driver: Any = connection.connection.driver_connection
        steps = [row[3] for row in driver.execute(f"explain query plan {question._compile('sqlite')}", values)]
    world.registry.close()
    assert [step for step in steps if "SCAN" in step and "schema_version" not in step] == []


@pytest.mark.threat(48)
def test_the_accounts_of_an_identity_are_looked_up_too(tmp_path: Any) -> None:
    world = open_world(str(tmp_path / "registry.sqlite"))
    planned: list[str] = []
    with world.registry.reading() as connection:
        driver: Any = connection.connection.driver_connection
        statements: list[str] = []
        driver.set_trace_callback(statements.append)
        identities.list_accounts(connection, "x")
        driver.set_trace_callback(None)
        planned += [row[3] for row in driver.execute(f"explain query plan {statements[-1]}")]
    world.registry.close()
    assert planned
    assert not [step for step in planned if "SCAN" in step]


@pytest.mark.threat(29)
def test_a_missing_repo_takes_as_many_steps_as_a_hidden_one(tmp_path: Any) -> None:
    from tests.security.test_timing import STEPS_APART, count_steps

    world = open_world(str(tmp_path / "registry.sqlite"))
    for email in ("ana@acme.example", "ed@acme.example", "ana@other.example"):
        token = begin(world, email)
        with world.registry.reading() as connection:
            driver = connection.connection.driver_connection
            names = ["never-existed", "plans", "di-home", "old", "orphaned"]
            ask = {repo: partial(find_visitor, connection, token, "acme", repo, world.now) for repo in names}
            taken = {repo: count_steps(driver, each) for repo, each in ask.items()}
        assert min(taken.values()) > 50
        assert max(taken.values()) - min(taken.values()) <= STEPS_APART, (email, taken)
    world.registry.close()
