"""What an owner is told of who reaches a repo and why: exactly what `decide` says (SPEC T04, T33)."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from indexer.registry.decide import decide, reach
from indexer.registry.grants import give_grant
from indexer.registry.members import change_role, end_membership
from indexer.registry.reach import Reader
from indexer.registry.reached_repos import fetch_shown, fetch_standing
from indexer.registry.repos import archive_repo
from indexer.registry.rights import fetch_rights, find_grantee, find_owned, list_owned
from tests.tools.registries import World, act

PEOPLE = ("ana", "bo", "cy", "di", "ed", "left")
AGENTS = ("filer", "pager")


def check(world: World, repo: str) -> None:
    """Everybody who is listed reaches the repo just so, and nobody else does."""
    with world.registry.reading() as connection:
        rows, cut = fetch_rights(connection, "acme", repo, names_everyone=True)
        assert not cut
        told = {row.id: row.access for row in rows if row.counts and row.kind != "everyone"}
        readers = {who: Reader("acme", account=who) for who in PEOPLE} | {who: Reader("acme", agent=who) for who in AGENTS}
        decided = {
            who: "write" if decide(connection, reader, "write", repo) else "read"
            for who, reader in readers.items()
            if decide(connection, reader, "read", repo)
        }
    assert told == decided


@pytest.mark.req("T33", "T04")
@pytest.mark.parametrize("repo", ["handbook", "plans", "di-home"])
def test_the_list_is_what_is_decided(read_only: World, repo: str) -> None:
    check(read_only, repo)


@pytest.mark.req("T33", "T04")
@pytest.mark.threat(39)
def test_the_list_follows_every_change(world: World) -> None:
    steps: list[Callable[[Connection], object]] = [
        lambda c: give_grant(c, "acme", "di-home", "everyone", "write", act("di"), world.now),
        lambda c: give_grant(c, "acme", "plans", "ana", "read", act("di"), world.now),
        lambda c: give_grant(c, "acme", "plans", "filer", "write", act("di"), world.now),
        lambda c: change_role(c, "acme", "ed", "staff", act("ana"), world.now),
        lambda c: end_membership(c, "acme", "ed", act("ana"), world.now),
        lambda c: change_role(c, "acme", "bo", "member", act("ana"), world.now),
    ]
    for step in steps:
        with world.writing() as connection:
            step(connection)
        for repo in ("handbook", "plans", "di-home"):
            check(world, repo)


@pytest.mark.req("T33")
def test_reasons_are_told_one_by_one(read_only: World) -> None:
    with read_only.registry.reading() as connection:
        rows, _ = fetch_rights(connection, "acme", "plans", names_everyone=True)
        handbook, _ = fetch_rights(connection, "acme", "handbook", names_everyone=False)
    reasons = {row.id: [(reason.why, reason.access, reason.role) for reason in row.reasons] for row in rows}
    assert next(iter(reasons)) == "di"
    assert reasons["di"] == [("owner", "write", "")]
    assert reasons["ed"] == [("grant", "write", "")]
    assert reasons["bo"] == [("role", "read", "admin")]
    assert reasons["cy"] == [("role", "read", "staff")]
    ended = next(row for row in handbook if row.id == "left")
    assert not ended.counts
    assert ended.granted == "write"
    assert {row.id for row in handbook} == {"ana", "everyone", "left", "filer", "bo", "cy"}


@pytest.mark.req("T04")
@pytest.mark.threat(28)
def test_only_the_owner_finds_a_repo_as_owned(read_only: World) -> None:
    with read_only.registry.reading() as connection:
        for who in PEOPLE:
            found = find_owned(connection, Reader("acme", account=who), "plans")
            assert (found is not None) == (who == "di")
        assert find_owned(connection, Reader("acme", account="di"), "never") is None
        assert find_owned(connection, Reader("acme", agent="pager"), "plans") is None
        assert find_owned(connection, Reader("acme", account="di", agent="pager"), "plans") is None
        assert find_owned(connection, Reader("other", account="zoe"), "plans") is None
        assert find_owned(connection, Reader("acme", account="left"), "orphaned") is None
        assert list_owned(connection, Reader("acme", account="left")) == []
        assert [(repo.id, repo.status) for repo in list_owned(connection, Reader("acme", account="ana"))] == [
            ("handbook", "active"),
            ("old", "archived"),
        ]


@pytest.mark.req("T33")
def test_what_is_shown_is_what_is_reached(world: World) -> None:
    with world.writing() as connection:
        archive_repo(connection, "acme", "plans", act("di"), world.now)
    with world.registry.reading() as connection:
        for who in PEOPLE:
            reader = Reader("acme", account=who)
            reached = reach(connection, reader)
            shown = fetch_shown(connection, "acme", reached)
            assert {repo.id: repo.access for repo in shown} == dict(reached)
            standing = fetch_standing(connection, reader)
            assert (standing is None) == (who == "left")
        di = fetch_standing(connection, Reader("acme", account="di"))
        assert di is not None
        assert (di.title, di.name, di.role, di.home) == ("Acme", "Di Wu", "member", "di-home")
        assert fetch_standing(connection, Reader("nobody", account="di")) is None
        assert fetch_standing(connection, Reader("acme", account="filer")) is None
        agent = fetch_standing(connection, Reader("acme", agent="filer"))
        assert agent is not None
        assert agent.home is None


@pytest.mark.req("T02", "T04")
def test_an_address_finds_its_account_in_this_tenant_alone(read_only: World) -> None:
    with read_only.registry.reading() as connection:
        assert find_grantee(connection, "acme", "ED@acme.example") == "ed"
        assert find_grantee(connection, "acme", "ana@other.example") == "ana@other.example"
        assert find_grantee(connection, "acme", "ed") == "ed"
