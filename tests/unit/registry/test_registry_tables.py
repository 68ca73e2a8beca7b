"""What the database itself refuses, whatever the code above it does."""

import stat
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select, text

from indexer.errors import RefusalError
from indexer.registry.audit import CONSOLE, fetch_audit
from indexer.registry.ids import make_id
from indexer.registry.keys import create_key
from indexer.registry.repos import create_repo
from indexer.registry.tables import AUDIT, GRANT, MEMBERSHIP, METADATA, PRINCIPAL, REPO, TENANT
from tests.tools.registries import START, World, act


def find(connection: Connection, table: Any, tenant: str, name: str) -> Any:
    chosen = select(table.c.id).join(TENANT, TENANT.c.id == table.c.tenant_id).where(TENANT.c.name == tenant, table.c.name == name)
    return connection.execute(chosen).scalar_one()


@pytest.mark.req("T02")
@pytest.mark.threat(36)
@pytest.mark.parametrize("claimed", ["acme", "other"])
def test_no_row_can_grant_a_repo_to_somebody_of_another_tenant(world: World, claimed: str) -> None:
    with world.registry.reading() as connection:
        values = {
            "tenant_id": connection.execute(select(TENANT.c.id).where(TENANT.c.name == claimed)).scalar_one(),
            "repo_id": find(connection, REPO, "acme", "plans"),
            "grantee_id": find(connection, PRINCIPAL, "other", "zoe"),
            "access": "read",
            "given_at": 0,
        }
    with pytest.raises(RefusalError), world.writing() as connection:
        connection.execute(GRANT.insert().values(**values))
    values |= {"grantee_id": find_everyone(world, "other")}
    with pytest.raises(RefusalError), world.writing() as connection:
        connection.execute(GRANT.insert().values(**values))


def find_everyone(world: World, tenant: str) -> Any:
    with world.registry.reading() as connection:
        return find(connection, PRINCIPAL, tenant, "everyone")


@pytest.mark.req("T02")
@pytest.mark.threat(36, 39)
def test_no_row_can_make_a_member_of_an_agent_or_of_an_account_elsewhere(world: World) -> None:
    with world.registry.reading() as connection:
        acme = connection.execute(select(TENANT.c.id).where(TENANT.c.name == "acme")).scalar_one()
        strangers = [
            find(connection, PRINCIPAL, "other", "zoe"),
            find(connection, PRINCIPAL, "acme", "filer"),
            find(connection, PRINCIPAL, "acme", "everyone"),
        ]
    for stranger in strangers:
        with pytest.raises(RefusalError), world.writing() as connection:
            connection.execute(MEMBERSHIP.insert().values(tenant_id=acme, account_id=stranger, role="admin", status="active", started_at=0))


@pytest.mark.req("T01")
def test_the_audit_cannot_be_changed(world: World) -> None:
    with world.registry.reading() as connection:
        before = connection.execute(select(AUDIT)).all()
    assert before
    statements = ["update audit set actor = 'somebody'", "delete from audit"]
    for statement in statements if world.registry.file is not None else [*statements, "truncate audit"]:
        with pytest.raises(RefusalError), world.registry.writing() as connection:
            connection.execute(text(statement))
    with world.registry.reading() as connection:
        assert connection.execute(select(AUDIT)).all() == before


@pytest.mark.req("T01")
def test_an_operation_and_its_audit_line_stand_or_fall_together(world: World) -> None:
    class BrokenError(Exception):
        pass

    def create_and_break() -> None:
        with world.writing() as connection:
            create_repo(connection, "acme", "sketches", "Sketches", act("ed"), world.now)
            assert fetch_audit(connection, "acme")[0].subject == "repo:sketches"
            raise BrokenError

    with pytest.raises(BrokenError):
        create_and_break()
    assert all(repo.id != "sketches" for repo in world.load().repos)
    with world.registry.reading() as connection:
        assert all(line.subject != "repo:sketches" for line in fetch_audit(connection, "acme"))


@pytest.mark.threat(30)
def test_row_ids_say_nothing_about_how_many_there_are() -> None:
    made = [make_id(START) for _ in range(500)]
    assert len(set(made)) == 500
    assert all(len(identity) == 26 and identity[:10] == made[0][:10] for identity in made)
    assert sorted(made) != made  # the random part neither counts nor grows


@pytest.mark.threat(38)
def test_no_secret_is_in_any_table(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "di", ["knowledge:read"], CONSOLE, world.now)
    with world.registry.reading() as connection:
        stored = [str(tuple(row)) for table in METADATA.sorted_tables for row in connection.execute(select(table))]
    assert any(key[-4:] in row for row in stored)
    assert not any(key[-12:] in row for row in stored)


@pytest.mark.threat(38)
def test_the_file_and_its_companions_are_for_its_owner_only(tmp_path: Path) -> None:
    from tests.tools.registries import open_world

    world = open_world(str(tmp_path / "registry.sqlite"))
    files = sorted(tmp_path.iterdir())
    assert len(files) > 1, "a write-ahead log is expected beside the file while it is open"
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    with world.registry.reading() as connection:
        asked = {name: connection.exec_driver_sql(f"pragma {name}").scalar() for name in ("journal_mode", "foreign_keys", "synchronous")}
    assert asked == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}
    world.registry.close()
