"""A registry that is missing, damaged, locked, too new or replaced: nobody is let in, and the message says what to do."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from indexer.errors import RegistryError
from indexer.registry import engine, versions
from indexer.registry.checks import check_registry
from indexer.registry.decide import decide, reach
from indexer.registry.engine import Registry, open_registry, parse_registry_url
from indexer.registry.index_state import fetch_index_states
from indexer.registry.keys import find_key
from indexer.registry.reach import Reader
from indexer.registry.tables import METADATA
from tests.tools.registries import ACME, START, World, new_database, open_world

READER = Reader("acme", "ana")


def ask(registry: Registry) -> bool:
    with registry.reading() as connection:
        return decide(connection, READER, "read", "handbook")


@pytest.mark.req("T09", "M12")
def test_a_missing_file_is_no_registry(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="no registry"):
        open_registry(str(tmp_path / "registry.sqlite"))
    assert not list(tmp_path.iterdir())


@pytest.mark.req("T09", "M12")
def test_a_file_that_goes_away_while_open_answers_nobody(tmp_path: Path) -> None:
    file = tmp_path / "registry.sqlite"
    registry = open_world(str(file)).registry
    assert ask(registry)
    for each in tmp_path.iterdir():
        each.rename(each.with_name(each.name + ".away"))
    with pytest.raises(RegistryError):
        ask(registry)


@pytest.mark.req("T09")
def test_a_file_put_in_its_place_counts_at_once(tmp_path: Path) -> None:
    first = open_world(str(tmp_path / "registry.sqlite"))
    assert ask(first.registry)
    second = World(open_registry(str(tmp_path / "second.sqlite"), create=True))
    second.apply({**ACME, "repos": []})
    second.registry.close()
    for companion in ("registry.sqlite-wal", "registry.sqlite-shm"):
        (tmp_path / companion).unlink(missing_ok=True)
    (tmp_path / "second.sqlite").replace(tmp_path / "registry.sqlite")
    assert not ask(first.registry)


@pytest.mark.req("T09", "M12")
def test_a_damaged_file_answers_nobody(tmp_path: Path) -> None:
    file = tmp_path / "registry.sqlite"
    open_world(str(file)).registry.close()
    content = bytearray(file.read_bytes())
    content[100:] = os.urandom(len(content) - 100)
    file.write_bytes(content)
    with pytest.raises(RegistryError):
        ask(open_registry(str(file)))


@pytest.mark.req("M12")
def test_damage_while_open_refuses_decisions_lists_and_keys(tmp_path: Path) -> None:
    file = tmp_path / "registry.sqlite"
    open_world(str(file)).registry.close()
    registry = open_registry(str(file))
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with registry.reading() as connection, pytest.raises(RegistryError):
        decide(connection, READER, "read", "handbook")
    with registry.reading() as connection, pytest.raises(RegistryError):
        reach(connection, READER)
    with pytest.raises(RegistryError), registry.reading() as connection:
        find_key(connection, "sk_live_acme_" + "a" * 40, START)


def test_another_kind_of_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "registry.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("create table pages(x)")
    other.close()
    before = file.read_bytes()
    with pytest.raises(RegistryError, match="no registry"):
        open_registry(str(file), create=True)
    assert file.read_bytes() == before
    (tmp_path / "text").write_text("not a database, but long enough to be taken for one\n" * 99)
    with pytest.raises(RegistryError, match="damaged or is no registry"):
        open_registry(str(tmp_path / "text"), create=True)


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("said", "told", "hint"),
    [
        ("database or disk is full", "cannot be used: database or disk is full.", "Free some space"),
        ("disk I/O error", "cannot be used: disk I/O error.", "Free some space"),
        ("attempt to write a readonly database", "may not be written.", "the user that owns the file"),
        ("canceling statement due to lock timeout", "is locked by another program.", "Wait"),
    ],
)
def test_what_a_database_says_becomes_what_to_do(said: str, told: str, hint: str) -> None:
    explained = engine.explain_failure(sqlite3.OperationalError(said), "r.sqlite")
    assert explained.message == f"r.sqlite {told}"
    assert hint in explained.hint


@pytest.mark.req("P13")
def test_a_folder_is_no_registry(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="is no file"):
        open_registry(str(tmp_path), create=True)


def test_writers_of_a_database_server_wait_for_each_other_and_then_give_up(
    postgres: str, prepared_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_WAIT_MS", 50)
    with (
        new_database(postgres, "writers", prepared_database) as url,
        closing(open_registry(url)) as one,
        closing(open_registry(url)) as two,
    ):
        with one.writing(), pytest.raises(RegistryError, match="locked by another program"), two.writing():
            pass
        with two.writing() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            assert raw.info.get_parameters()["tcp_user_timeout"] == "10000", "a server that the network lost is given up"


def test_a_locked_file_is_waited_for_and_then_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PRAGMAS", ("pragma busy_timeout = 50", "pragma foreign_keys = on"))
    world = open_world(str(tmp_path / "registry.sqlite"))
    with world.registry.writing(), pytest.raises(RegistryError, match="locked"), open_registry(str(tmp_path / "registry.sqlite")).writing():
        pass


@pytest.mark.req("T09")
def test_a_held_connection_sees_what_others_commit(world: World) -> None:
    with world.registry.reading() as held:
        assert decide(held, READER, "read", "handbook")
        world.apply({**ACME, "memberships": [{"account": "ana", "role": "operator", "status": "ended"}, *ACME["memberships"][1:]]})
        assert not decide(held, READER, "read", "handbook")


@pytest.mark.req("T01")
def test_writers_wait_for_each_other(world: World) -> None:
    with world.registry.writing() as connection:
        connection.execute(text("update tenant set title = '0' where name = 'acme'"))

    def count_up() -> None:
        for _ in range(10):
            with world.registry.writing() as connection:
                known = connection.execute(text("select title from tenant where name = 'acme'")).scalar()
                connection.execute(text("update tenant set title = :title where name = 'acme'"), {"title": str(int(str(known)) + 1)})

    threads = [threading.Thread(target=count_up) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.load().title == "30"


def test_a_registry_of_a_newer_program_is_refused(world: World) -> None:
    with world.registry.writing() as connection:
        connection.execute(text("update schema_version set version = 99"))
    with pytest.raises(RegistryError, match="version 99"):
        world.registry.check()
    with pytest.raises(RegistryError, match="version 99"):
        Registry(world.registry.url, create=True)


def test_an_older_registry_takes_the_missing_steps_in_order(world: World) -> None:
    taken = []

    def first(connection: Connection) -> None:
        taken.append(1)
        connection.execute(text("alter table tenant add column colour text"))

    def second(connection: Connection) -> None:
        taken.append(2)
        connection.execute(text("update tenant set colour = 'blue'"))

    steps = (*versions.STEPS, first, second)
    with world.registry.reading() as connection:
        assert not versions.check_version(connection, steps)
    with world.registry.writing() as connection:
        versions.update_tables(connection, steps)
    with world.registry.writing() as connection:
        versions.update_tables(connection, steps)
        assert taken == [1, 2]
        assert set(connection.execute(text("select colour from tenant")).scalars()) == {"blue"}
        assert versions.read_version(connection) == versions.FIRST_VERSION + len(steps)


def test_a_registry_of_the_second_version_becomes_what_a_new_one_is(world: World) -> None:
    def show(connection: Connection) -> list[object]:
        found = inspect(connection)
        columns = [(each["name"], str(each["type"]), each["nullable"]) for each in found.get_columns("key_person")]
        foreign = sorted((each["referred_table"], tuple(each["constrained_columns"])) for each in found.get_foreign_keys("key_person"))
        return [columns, foreign, found.get_pk_constraint("key_person")["constrained_columns"]]

    with world.writing() as connection:
        new = show(connection)
        connection.execute(text("drop table key_person"))
        connection.execute(text("update schema_version set version = 2"))
    url = str(world.registry.file) if world.registry.file else world.registry.url.render_as_string(hide_password=False)
    with pytest.raises(RegistryError, match="of an older version"):
        open_registry(url)
    open_registry(url, create=True).close()
    with world.registry.reading() as connection:
        assert show(connection) == new


def test_the_tables_are_those_that_are_declared(world: World) -> None:
    with world.registry.reading() as connection:
        found = set(inspect(connection).get_table_names())
    assert found - {"sqlite_sequence"} == set(METADATA.tables)


def test_check_names_open_modes_and_missing_guards(tmp_path: Path) -> None:
    world = open_world(str(tmp_path / "registry.sqlite"))
    with world.registry.reading() as connection:
        assert check_registry(world.registry, connection) == []
        connection.exec_driver_sql("drop trigger audit_keeps_delete")
        (tmp_path / "registry.sqlite").chmod(0o644)
        problems = check_registry(world.registry, connection)
    assert len(problems) == 2
    assert "chmod 600" in problems[0]
    assert "guards" in problems[1]


@pytest.mark.threat(38)
@pytest.mark.parametrize("address", ["postgresql://brain:hunter2@localhost:1/none", "postgres://brain:hunter2@localhost:1/none"])
def test_a_database_that_is_away_is_named_without_its_password(address: str) -> None:
    with pytest.raises(RegistryError) as caught:
        open_registry(address)
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"
    assert "localhost" in str(caught.value)


@pytest.mark.parametrize("address", ["mysql://host/name", "http://host/", "sqlite://", "://"])
def test_other_kinds_of_registries_are_refused(address: str) -> None:
    with pytest.raises(RegistryError):
        parse_registry_url(address)


@pytest.mark.req("T01", "T28")
def test_a_registry_of_the_first_version_gets_what_came_later(world: World) -> None:
    with world.registry.writing() as connection:
        for column in ("tries", "next_try_at"):
            connection.execute(text(f"alter table index_state drop column {column}"))
        connection.execute(text("drop table key_person"))
        connection.execute(text("update schema_version set version = 1"))
        store = text(
            "insert into index_state (repo_id, tenant_id, state, reason) select id, tenant_id, 'failed', '' from repo where name = 'plans'"
        )
        connection.execute(store)
    with pytest.raises(RegistryError, match="of an older version"):
        world.registry.check()
    with world.registry.writing() as connection:
        versions.update_tables(connection)
        assert fetch_index_states(connection, "acme", ["plans"])["plans"].tries == 0
    world.registry.check()
