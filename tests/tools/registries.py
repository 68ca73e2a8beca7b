"""Registries to test with: two small tenants, on a file or in a PostgreSQL that the tests run themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import Connection

from indexer.registry.apply import apply_tenants
from indexer.registry.audit import Actor
from indexer.registry.decide import decide, reach
from indexer.registry.engine import Registry, open_registry, parse_registry_url
from indexer.registry.reach import Access, Reader
from indexer.registry.state import load_tenant
from indexer.registry.tenant_file import load_tenant_file
from indexer.registry.tenant_model import TenantFile

START = datetime(2026, 3, 1, 9, tzinfo=UTC)

ACME: dict[str, Any] = {
    "id": "acme",
    "title": "Acme",
    "accounts": [
        {"id": "ana", "name": "Ana Sole", "email": "ana@acme.example"},
        {"id": "bo", "name": "Bo Lind", "email": "bo@acme.example"},
        {"id": "cy", "name": "Cy Ray", "email": "cy@acme.example"},
        {"id": "di", "name": "Di Wu", "email": "di@acme.example"},
        {"id": "ed", "name": "Ed Poe", "email": "ed@acme.example"},
        {"id": "left", "name": "Lee Eft", "email": "left@acme.example"},
    ],
    "agents": [{"id": "filer", "name": "Filer"}, {"id": "pager", "name": "Pager"}],
    "memberships": [
        {"account": "ana", "role": "operator"},
        {"account": "bo", "role": "admin"},
        {"account": "cy", "role": "staff"},
        {"account": "di"},
        {"account": "ed"},
        {"account": "left", "status": "ended"},
    ],
    "repos": [
        {
            "id": "handbook",
            "title": "Handbook",
            "owner": "ana",
            "folder": "handbook",
            "grants": [{"to": "everyone", "access": "read"}, {"to": "filer", "access": "write"}, {"to": "left", "access": "write"}],
        },
        {
            "id": "plans",
            "title": "Plans",
            "owner": "di",
            "folder": "plans",
            "grants": [{"to": "ed", "access": "write"}, {"to": "pager", "access": "read"}],
        },
        {"id": "di-home", "title": "Di", "owner": "di", "kind": "home", "folder": "di-home"},
        {
            "id": "old",
            "title": "Old",
            "owner": "ana",
            "folder": "old",
            "status": "archived",
            "grants": [{"to": "everyone", "access": "write"}],
        },
        {"id": "orphaned", "title": "O", "owner": "left", "folder": "orphaned", "grants": [{"to": "everyone", "access": "write"}]},
    ],
}
OTHER: dict[str, Any] = {
    "id": "other",
    "title": "Other",
    "accounts": [
        {"id": "ana", "name": "Another Ana", "email": "ana@other.example"},
        {"id": "zoe", "name": "Zoe", "email": "di@acme.example"},
    ],
    "agents": [{"id": "filer", "name": "Filer"}],
    "memberships": [{"account": "ana", "role": "operator"}, {"account": "zoe", "role": "admin"}],
    "repos": [{"id": "ledger", "title": "Ledger", "owner": "zoe", "folder": "ledger", "grants": [{"to": "everyone", "access": "read"}]}],
}


@dataclass
class World:
    """A registry under test, with a clock that goes only when it is told to."""

    registry: Registry
    now: datetime = field(default=START)

    def wait(self, span: timedelta) -> None:
        """Let time pass."""
        self.now += span

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One operation; a second passes before it, so that times differ."""
        self.now += timedelta(seconds=1)
        with self.registry.writing() as connection:
            yield connection

    def apply(self, *declared: dict[str, Any], exact: bool = False) -> int:
        """Apply tenants and return how many changes there were."""
        with self.writing() as connection:
            done = apply_tenants(connection, [TenantFile.model_validate(each) for each in declared], self.now, exact=exact)
        return sum(len(each.changes) for each in done)

    def load(self, tenant: str = "acme") -> TenantFile:
        """The tenant as it is now."""
        with self.registry.snapshot() as connection:
            return load_tenant(connection, tenant)

    def reach(self, reader: Reader) -> dict[str, Access]:
        """What the reader reaches, asked in both ways, which must agree."""
        with self.registry.reading() as connection:
            found = dict(reach(connection, reader))
            for repo in [each.id for name in ("acme", "other") for each in load_tenant(connection, name).repos]:
                assert decide(connection, reader, "read", repo) == (repo in found)
                assert decide(connection, reader, "write", repo) == (found.get(repo) == "write")
        return found


def act(account: str) -> Actor:
    """An account that acts."""
    return Actor(account)


def open_world(url: str) -> World:
    """A registry with both tenants at a new place."""
    world = World(open_registry(url, create=True))
    world.apply(ACME, OTHER)
    return world


def open_declared(brains: Path, file: Path, now: datetime) -> World:
    """A new registry of what the tenant.yml files below a workspace declare."""
    world = World(open_registry(str(file), create=True), now)
    with world.writing() as connection:
        apply_tenants(connection, [load_tenant_file(each) for each in sorted(brains.glob("*/tenant.yml"))], world.now)
    return world


@contextmanager
def new_database(server: str, name: str, template: str = "template0") -> Iterator[str]:
    """A database of its own on a server, gone afterwards."""
    url = parse_registry_url(server)
    engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'create database "{name}" template "{template}"')
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f'drop database "{name}" with (force)')
        engine.dispose()
