"""`world`: two tenants in a registry, once on SQLite and once on PostgreSQL; `read_only` the same for tests that change nothing."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from indexer.registry.engine import open_registry
from tests.tools.registries import START, World, new_database, open_world

ENGINES = ("sqlite", "postgresql")
_PREPARED = "prepared"


@pytest.fixture(scope="session")
def prepared_database(postgres: str) -> Iterator[str]:
    """Name of a database with both tenants, from which others are copied."""
    with new_database(postgres, _PREPARED) as url:
        open_world(url).registry.close()
        yield _PREPARED


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry's file with both tenants."""
    file = tmp_path_factory.mktemp("registry") / "registry.sqlite"
    open_world(str(file)).registry.close()
    return file


@pytest.fixture(params=ENGINES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Both tenants, on either engine."""
    if request.param == "sqlite":
        file = shutil.copy(request.getfixturevalue("prepared_file"), tmp_path / "registry.sqlite")
        yield from _open(str(file))
        return
    template = request.getfixturevalue("prepared_database")
    with new_database(request.getfixturevalue("postgres"), f"test-{tmp_path.name}"[:60], template) as url:
        yield from _open(url)


@pytest.fixture(scope="session", params=ENGINES)
def read_only(request: pytest.FixtureRequest) -> Iterator[World]:
    """Both tenants, on either engine, shared by tests that only ask."""
    if request.param == "sqlite":
        yield from _open(str(request.getfixturevalue("prepared_file")))
        return
    template = request.getfixturevalue("prepared_database")
    with new_database(request.getfixturevalue("postgres"), "read-only", template) as url:
        yield from _open(url)


def _open(url: str) -> Iterator[World]:
    made = World(open_registry(url), START + timedelta(seconds=1))
    yield made
    made.registry.close()
