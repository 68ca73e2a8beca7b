"""What a turn reaches, and keys of agents that run for somebody (SPEC T10, T16): the rules told in plain Python say the same."""

from datetime import timedelta

import pytest

from indexer.errors import RefusalError
from indexer.registry import reach as rules
from indexer.registry.audit import CONSOLE, fetch_audit
from indexer.registry.key_list import list_keys
from indexer.registry.keys import create_key, find_key, revoke_key
from indexer.registry.lookup import begin_act
from indexer.registry.members import end_membership, restore_membership
from indexer.registry.parties import drop_agent
from indexer.registry.reach import Reader
from indexer.registry.turn import list_reached, make_reader
from tests.tools.registries import World, act

READ = ["knowledge:read"]
ACCOUNTS, AGENTS = ("ana", "bo", "cy", "di", "ed"), ("filer", "pager")
TURNS = [(who, "", "") for who in (*ACCOUNTS, *AGENTS)]
TURNS += [(agent, *pair) for agent in AGENTS for name in ACCOUNTS for pair in ((name, ""), ("", name))]


@pytest.mark.req("T10", "T16")
@pytest.mark.parametrize("turn", TURNS)
def test_a_turn_lists_exactly_what_the_rules_say(read_only: World, turn: tuple[str, str, str]) -> None:
    who, account, speaker = turn
    with read_only.registry.reading() as connection:
        reader = make_reader(connection, "acme", who, account, speaker)
        listed = list_reached(connection, reader)
    assert {each.listed.repo.id: each.access for each in listed} == rules.reach(read_only.load(), reader)
    assert [each.listed.repo.id for each in listed] == sorted(each.listed.repo.id for each in listed)
    assert not {"old", "orphaned", "ledger"} & {each.listed.repo.id for each in listed}


@pytest.mark.req("T16")
@pytest.mark.parametrize(
    "turn",
    [
        ("nobody", "", ""),
        ("everyone", "", ""),
        ("left", "", ""),
        ("zoe", "", ""),
        ("filer", "left", ""),
        ("filer", "zoe", ""),
        ("filer", "pager", ""),
        ("filer", "everyone", ""),
        ("ed", "di", ""),
        ("filer", "ed", "di"),
    ],
)
def test_a_turn_of_somebody_who_is_not_there_is_refused(read_only: World, turn: tuple[str, str, str]) -> None:
    with read_only.registry.reading() as connection, pytest.raises(RefusalError):
        make_reader(connection, "acme", *turn)


@pytest.mark.req("T10", "M12")
@pytest.mark.threat(36)
def test_a_key_of_an_agent_for_a_person_says_both(world: World) -> None:
    with world.writing() as connection:
        identity, key = create_key(connection, "acme", "filer", READ, act("ana"), world.now, person="ed")
    with world.registry.reading() as connection:
        holder = find_key(connection, key, world.now)
        assert holder is not None
        assert holder.reader == Reader("acme", account="ed", agent="filer")
        (line,) = fetch_audit(connection, "acme", subject=f"key:{identity}")
        for name in ("filer", "ed"):
            assert [(each.holder, each.person) for each in list_keys(connection, "acme", name)] == [("filer", "ed")]
        assert list_keys(connection, "acme", "di") == []
    assert (line.after["holder"], line.after["person"]) == ("filer", "ed")
    assert world.reach(holder.reader) == {"handbook": "write", "plans": "write"}


@pytest.mark.req("T10", "M12")
@pytest.mark.threat(36)
@pytest.mark.parametrize(
    ("by", "agent", "person"),
    [
        ("ed", "filer", "ed"),  # a member would take what was granted to the agent
        ("bo", "filer", "ed"),  # an admin would take what the person reaches
        ("ana", "filer", "left"),
        ("ana", "filer", "pager"),
        ("ana", "filer", "everyone"),
        ("ana", "filer", "zoe"),
        ("ana", "di", "ed"),
        ("ana", "everyone", "ed"),
    ],
)
def test_such_a_key_takes_the_right_for_both(world: World, by: str, agent: str, person: str) -> None:
    with pytest.raises(RefusalError), world.writing() as connection:
        create_key(connection, "acme", agent, READ, act(by), world.now, person=person)
    with world.registry.reading() as connection:
        assert list_keys(connection, "acme") == []


def test_an_admin_lets_an_agent_run_for_themselves(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "pager", READ, act("bo"), world.now, person="bo")
    with world.registry.reading() as connection:
        holder = find_key(connection, key, world.now)
    assert holder is not None
    assert world.reach(holder.reader) == {"handbook": "read", "plans": "read"}


@pytest.mark.req("T15", "M12")
@pytest.mark.threat(33)
@pytest.mark.parametrize("lost", ["person", "agent", "key", "key by the person", "time"])
def test_losing_either_ends_it_for_good(world: World, lost: str) -> None:
    later = world.now + timedelta(days=1)
    with world.writing() as connection:
        identity, key = create_key(connection, "acme", "filer", READ, CONSOLE, world.now, person="ed", expires=later)
    with world.registry.reading() as held:
        assert find_key(held, key, world.now) is not None
        with pytest.raises(RefusalError), world.writing() as connection:
            revoke_key(connection, "acme", identity, act("di"), world.now)
        with world.writing() as connection:
            if lost == "person":
                end_membership(connection, "acme", "ed", CONSOLE, world.now)
            elif lost == "agent":
                drop_agent(begin_act(connection, "acme", CONSOLE, world.now), "filer")
            elif lost == "time":
                world.now = later
            else:
                revoke_key(connection, "acme", identity, CONSOLE if lost == "key" else act("ed"), world.now)
        assert find_key(held, key, world.now) is None
        if lost == "person":
            with world.writing() as connection:
                restore_membership(connection, "acme", "ed", CONSOLE, world.now)
            assert find_key(held, key, world.now) is None
