"""Members, repos and grants as people change them: who may, what follows, what is refused."""

import pytest

from indexer.errors import RefusalError
from indexer.registry.audit import CONSOLE, Actor, fetch_audit
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.index_state import fetch_index_states, store_index_state
from indexer.registry.keys import create_key, find_key
from indexer.registry.members import add_member, change_role, end_membership, restore_membership
from indexer.registry.parties import add_account, add_agent
from indexer.registry.reach import Reader
from indexer.registry.repos import (
    archive_repo,
    create_repo,
    find_home,
    keep_as_is,
    list_repos,
    name_home,
    open_home,
    register_repo,
    unarchive_repo,
)
from indexer.registry.tenant_model import Repo
from tests.tools.registries import World, act

ED, DI, LEFT = Reader("acme", "ed"), Reader("acme", "di"), Reader("acme", "left")


# ---------------------------------------------------------------- grants


@pytest.mark.req("T04", "T08")
@pytest.mark.parametrize("to", ["bo", "filer", "everyone"])
def test_an_owner_grants_and_revokes_and_the_next_question_knows(world: World, to: str) -> None:
    reader = {"bo": Reader("acme", "bo"), "filer": Reader("acme", agent="filer"), "everyone": Reader("acme", "cy")}[to]
    before = world.reach(reader)
    with world.writing() as connection:
        assert give_grant(connection, "acme", "plans", to, "write", act("di"), world.now)
    assert world.reach(reader) == {**before, "plans": "write"}
    with world.writing() as connection:
        assert give_grant(connection, "acme", "plans", to, "read", act("di"), world.now)
        assert not give_grant(connection, "acme", "plans", to, "read", act("di"), world.now)
    assert world.reach(reader)["plans"] == "read"
    with world.writing() as connection:
        revoke_grant(connection, "acme", "plans", to, act("di"), world.now)
    assert world.reach(reader) == before
    with world.registry.reading() as connection:
        lines = fetch_audit(connection, "acme", subject="repo:plans", limit=3)
    assert [(line.actor, line.action, line.before, line.after) for line in lines] == [
        ("di", "grant.revoke", {"to": to, "access": "read"}, None),
        ("di", "grant.give", {"to": to, "access": "write"}, {"to": to, "access": "read"}),
        ("di", "grant.give", None, {"to": to, "access": "write"}),
    ]


@pytest.mark.req("T04")
@pytest.mark.threat(36)
@pytest.mark.parametrize("by", [CONSOLE, act("ana"), act("bo"), act("ed"), act("filer"), act("zoe"), act("everyone")], ids=str)
def test_nobody_but_the_owner_grants_or_revokes(world: World, by: Actor) -> None:
    before = world.load()
    with pytest.raises(RefusalError) as given, world.writing() as connection:
        give_grant(connection, "acme", "plans", "bo", "read", by, world.now)
    with pytest.raises(RefusalError) as revoked, world.writing() as connection:
        revoke_grant(connection, "acme", "plans", "ed", by, world.now)
    with pytest.raises(RefusalError) as missing, world.writing() as connection:
        revoke_grant(connection, "acme", "missing", "ed", by, world.now)
    assert str(given.value) == str(revoked.value) == str(missing.value).replace("missing", "plans"), "hidden and missing sound the same"
    assert world.load() == before


@pytest.mark.req("T02")
@pytest.mark.threat(36)
@pytest.mark.parametrize("to", ["zoe", "left", "nobody", "", "di", "EVERYONE"])
def test_only_active_members_agents_and_everyone_of_the_tenant_can_be_granted(world: World, to: str) -> None:
    with pytest.raises(RefusalError), world.writing() as connection:
        give_grant(connection, "acme", "plans", to, "read", act("di"), world.now)


@pytest.mark.req("T04")
def test_an_owner_who_left_grants_nothing(world: World) -> None:
    with pytest.raises(RefusalError), world.writing() as connection:
        give_grant(connection, "acme", "orphaned", "bo", "read", act("left"), world.now)


# ---------------------------------------------------------------- memberships


@pytest.mark.req("T15", "T09")
@pytest.mark.threat(33, 39)
def test_an_ended_membership_takes_everything_at_once_and_archives_its_repos(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "di", ["knowledge:read"], act("di"), world.now)
        assert end_membership(connection, "acme", "di", act("bo"), world.now) == ["di-home", "plans"]
    assert world.reach(DI) == {}
    assert world.reach(ED) == {"handbook": "read"}
    assert world.reach(Reader("acme", "bo")) == {"handbook": "read"}
    assert world.reach(Reader("acme", agent="pager")) == {}
    with world.registry.reading() as connection:
        assert find_key(connection, key, world.now) is None
        assert {each.repo.id: each.status for each in list_repos(connection, "acme")}["plans"] == "archived"


@pytest.mark.req("T15")
def test_returning_restores_the_repos_with_the_grants_to_those_still_there(world: World) -> None:
    with world.writing() as connection:
        give_grant(connection, "acme", "plans", "cy", "write", act("di"), world.now)
        end_membership(connection, "acme", "di", act("bo"), world.now)
        end_membership(connection, "acme", "ed", act("bo"), world.now)
        assert restore_membership(connection, "acme", "di", act("bo"), world.now) == ["di-home", "plans"]
        restore_membership(connection, "acme", "ed", act("bo"), world.now)
    assert world.reach(DI) == {"handbook": "read", "plans": "write", "di-home": "write"}
    assert world.reach(Reader("acme", "cy"))["plans"] == "write"
    assert world.reach(Reader("acme", agent="pager")) == {"plans": "read"}
    assert world.reach(ED) == {"handbook": "read"}, "who was away when the repo came back has no grant to it any more"


@pytest.mark.req("T15")
def test_a_repo_archived_by_itself_is_not_restored_by_its_owners_return(world: World) -> None:
    with world.writing() as connection:
        archive_repo(connection, "acme", "plans", act("di"), world.now)
        assert end_membership(connection, "acme", "di", CONSOLE, world.now) == ["di-home"]
        assert restore_membership(connection, "acme", "di", CONSOLE, world.now) == ["di-home"]
    assert "plans" not in world.reach(DI)


@pytest.mark.req("T15", "T03")
def test_a_personal_repo_that_never_was_is_not_created_yet_after_a_return_either(world: World) -> None:
    with world.writing() as connection:
        assert find_home(connection, "acme", "ed") is None
        end_membership(connection, "acme", "ed", CONSOLE, world.now)
        restore_membership(connection, "acme", "ed", CONSOLE, world.now)
        assert find_home(connection, "acme", "ed") is None
        assert open_home(connection, "acme", act("ed"), world.now) == "ed-home"


@pytest.mark.req("T15")
@pytest.mark.threat(36)
def test_only_operators_and_admins_say_who_belongs_and_only_operators_make_operators(world: World) -> None:
    for by in (act("cy"), act("di"), act("left"), act("filer"), act("zoe")):
        with pytest.raises(RefusalError), world.writing() as connection:
            end_membership(connection, "acme", "ed", by, world.now)
        with pytest.raises(RefusalError), world.writing() as connection:
            add_account(connection, "acme", "new", "New", None, by, world.now)
    for account, role in (("bo", "operator"), ("ed", "operator"), ("ana", "member")):
        with pytest.raises(RefusalError), world.writing() as connection:
            change_role(connection, "acme", account, role, act("bo"), world.now)
    with pytest.raises(RefusalError), world.writing() as connection:
        end_membership(connection, "acme", "ana", act("bo"), world.now)
    with world.writing() as connection:
        change_role(connection, "acme", "ed", "staff", act("bo"), world.now)
        change_role(connection, "acme", "bo", "operator", act("ana"), world.now)
    assert world.reach(ED) == {"handbook": "read", "plans": "write"}


@pytest.mark.req("T01")
def test_people_and_agents_are_added_and_ids_are_taken_once(world: World) -> None:
    with world.writing() as connection:
        add_account(connection, "acme", "fay", "Fay", "fay@acme.example", act("bo"), world.now)
        add_agent(connection, "acme", "sorter", "Sorter", act("bo"), world.now)
    assert world.reach(Reader("acme", "fay")) == {}
    with world.writing() as connection:
        add_member(connection, "acme", "fay", "member", act("bo"), world.now)
    assert world.reach(Reader("acme", "fay")) == {"handbook": "read"}
    for name in ("fay", "sorter", "filer", "everyone", "con", "Fay", "-x", ""):
        with pytest.raises(RefusalError), world.writing() as connection:
            add_account(connection, "acme", name, "Somebody", None, CONSOLE, world.now)
        with pytest.raises(RefusalError), world.writing() as connection:
            add_agent(connection, "acme", name, "Something", CONSOLE, world.now)


# ---------------------------------------------------------------- repos


@pytest.mark.req("T03")
def test_a_personal_repo_is_made_on_first_use_once_and_for_its_owner_only(world: World) -> None:
    with world.writing() as connection:
        assert find_home(connection, "acme", "ed") is None
        name = open_home(connection, "acme", act("ed"), world.now)
        assert open_home(connection, "acme", act("ed"), world.now) == name == "ed-home"
        assert open_home(connection, "acme", act("di"), world.now) == "di-home"
    assert world.reach(ED)[name] == "write"
    for account in ("ana", "bo", "cy", "di"):
        assert name not in world.reach(Reader("acme", account))
    assert sum(repo.kind == "home" and repo.owner == "ed" for repo in world.load().repos) == 1


@pytest.mark.req("T03")
def test_the_name_of_a_personal_repo_not_created_yet_stays_its_owners(world: World) -> None:
    with pytest.raises(RefusalError), world.writing() as connection:
        create_repo(connection, "acme", "ed-home", "Mine", act("di"), world.now)
    long = "a" * 63
    assert len(name_home(long)) <= 63
    assert name_home(long) != name_home("a" * 62)


@pytest.mark.req("T03")
def test_who_is_no_member_has_no_personal_repo(world: World) -> None:
    for by in (act("left"), act("filer"), act("zoe")):
        with pytest.raises(RefusalError), world.writing() as connection:
            open_home(connection, "acme", by, world.now)


@pytest.mark.req("T08")
def test_a_member_creates_a_repo_and_owns_it_alone(world: World) -> None:
    with world.writing() as connection:
        create_repo(connection, "acme", "sketches", "Sketches", act("ed"), world.now)
    assert world.reach(ED)["sketches"] == "write"
    assert "sketches" not in world.reach(DI)
    assert "sketches" not in world.reach(Reader("acme", agent="filer"))


@pytest.mark.threat(30)
def test_a_name_or_folder_that_is_taken_tells_nothing_of_who_has_it(world: World) -> None:
    sayings = set()
    for name in ("plans", "di-home", "old", "ed-home", "cy-home"):
        with pytest.raises(RefusalError) as refused, world.writing() as connection:
            create_repo(connection, "acme", name, "T", act("bo"), world.now)
        sayings.add(refused.value.message.replace(name, "…"))
    assert len(sayings) == 1
    saying = sayings.pop()
    assert not any(word in saying for word in ("`di`", "own", "archived", "home"))
    with pytest.raises(RefusalError) as overlap, world.writing() as connection:
        create_repo(connection, "acme", "mine", "T", act("bo"), world.now, folder="plans/part")
    assert "plans" not in f"{overlap.value.message} {overlap.value.hint}"


@pytest.mark.req("T05")
def test_an_operator_registers_a_repository_for_a_member_and_nobody_else_reaches_it(world: World) -> None:
    repo = Repo(id="records", title="Records", owner="ed", address="https://git.example.org/acme/records", branch="main", kept_as_is=True)
    for by in (act("bo"), act("ed"), act("zoe")):
        with pytest.raises(RefusalError), world.writing() as connection:
            register_repo(connection, "acme", repo, by, world.now)
    with world.writing() as connection:
        register_repo(connection, "acme", repo, act("ana"), world.now)
    assert world.reach(ED)["records"] == "write"
    for reader in (Reader("acme", "ana"), DI, Reader("acme", agent="filer")):
        assert "records" not in world.reach(reader)
    with world.registry.reading() as connection:
        assert fetch_audit(connection, "acme")[0].action == "repo.register"


@pytest.mark.req("T05")
@pytest.mark.parametrize("owner", ["left", "zoe", "filer", "nobody"])
def test_a_registered_repository_needs_an_active_member_as_owner(world: World, owner: str) -> None:
    repo = Repo(id="records", title="Records", owner=owner, folder="records")
    with pytest.raises(RefusalError), world.writing() as connection:
        register_repo(connection, "acme", repo, CONSOLE, world.now)


@pytest.mark.req("T04", "T05")
def test_an_operator_cannot_grant_by_registering(world: World) -> None:
    repo = Repo.model_validate(
        {"id": "records", "title": "R", "owner": "ed", "folder": "records", "grants": [{"to": "ana", "access": "read"}]}
    )
    with pytest.raises(RefusalError), world.writing() as connection:
        register_repo(connection, "acme", repo, act("ana"), world.now)


@pytest.mark.req("T06")
def test_a_repo_is_kept_as_it_is_by_its_owner_or_an_operator(world: World) -> None:
    for by in (act("bo"), act("ed")):
        with pytest.raises(RefusalError), world.writing() as connection:
            keep_as_is(connection, "acme", "plans", by, world.now)
    for by, keep in ((act("di"), True), (act("ana"), False), (CONSOLE, True)):
        with world.writing() as connection:
            keep_as_is(connection, "acme", "plans", by, world.now, keep=keep)
        assert next(repo.kept_as_is for repo in world.load().repos if repo.id == "plans") is keep


@pytest.mark.req("T09")
def test_an_archived_repo_is_reached_by_nobody_until_it_comes_back(world: World) -> None:
    before = {name: world.reach(Reader("acme", name)) for name in ("ana", "bo", "ed")}
    with world.writing() as connection:
        archive_repo(connection, "acme", "handbook", act("ana"), world.now)
    assert all("handbook" not in world.reach(Reader("acme", name)) for name in before)
    with pytest.raises(RefusalError), world.writing() as connection:
        unarchive_repo(connection, "acme", "handbook", act("ed"), world.now)
    with world.writing() as connection:
        unarchive_repo(connection, "acme", "handbook", act("ana"), world.now)
    assert {name: world.reach(Reader("acme", name)) for name in before} == before


@pytest.mark.req("T01")
def test_the_state_of_each_index_is_kept_and_a_failure_keeps_the_last_good_revision(world: World) -> None:
    with world.writing() as connection:
        store_index_state(connection, "acme", "plans", "fresh", world.now, revision="a" * 40)
    with world.writing() as connection:
        store_index_state(connection, "acme", "plans", "failed", world.now, reason="the address does not answer")
        store_index_state(connection, "acme", "old", "stale", world.now)
    with world.registry.reading() as connection:
        states = fetch_index_states(connection, "acme", ["plans", "old", "handbook", "ledger"])
    assert set(states) == {"plans", "old"}
    failed = states["plans"]
    assert (failed.state, failed.revision, failed.refreshed) == ("failed", "a" * 40, "2026-03-01T09:00:02Z")
    assert failed.reason == "the address does not answer"
    assert (states["old"].state, states["old"].revision) == ("stale", None)
