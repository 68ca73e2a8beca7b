"""Fixtures that all tests share, and the check that no test claims a requirement that does not exist."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.tools.built import Built, build_vault
from tests.tools.commands import Ran, run_brain
from tests.tools.postgres import MISSING, find_programs, run_postgres
from tests.tools.repos import GitRepo
from tests.tools.requirements import collect_claims, load_requirements
from tests.tools.vaults import Files, write_files

pytest_plugins = ["tests.tools.built_workspaces"]

# How long an example takes says something about the machine, nothing about the product.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("any machine")

TESTS = Path(__file__).parent
CORPORA = Path(os.environ.get("BRAINPRESS_CORPORA", TESTS.parent.parent / "shared" / "corpora"))

VaultFactory = Callable[..., Path]
RepoFactory = Callable[..., GitRepo]
BuildFactory = Callable[..., Built]
CorpusFactory = Callable[[str], Path]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything below e2e/, and refuse requirement IDs that `requirements.toml` does not list."""
    for item in items:
        if item.path.is_relative_to(TESTS / "e2e"):
            item.add_marker("e2e")
    known = load_requirements()
    for marker, claimed in collect_claims(items).items():
        for unknown in sorted(claimed.keys() - known[marker].keys()):
            raise pytest.UsageError(f"{claimed[unknown][0]} claims {marker} {unknown}, which tests/requirements.toml does not list")


@pytest.fixture
def vault(tmp_path: Path) -> VaultFactory:
    """`vault(files, name="vault")` writes a folder of files (str, bytes or Link) and returns it."""

    def write(files: Files, name: str = "vault") -> Path:
        return write_files(tmp_path / name, files)

    return write


@pytest.fixture
def git_repo(tmp_path: Path) -> RepoFactory:
    """`git_repo(files, name="repo")` makes a repository with one commit of these files, by a fixed author at a fixed date."""

    def create(files: Files | None = None, name: str = "repo") -> GitRepo:
        repo = GitRepo.create(tmp_path / name)
        if files is not None:
            repo.commit(files, message="First pages")
        return repo

    return create


@pytest.fixture
def brain() -> Callable[..., Ran]:
    """`brain("build", path, "--out", out, env={…})` runs the command as a program of its own."""
    return run_brain


@pytest.fixture
def build(tmp_path: Path) -> BuildFactory:
    """`build(files_or_path, *options)` builds a vault and returns what came out; the command must have succeeded."""
    count = 0

    def run(source: Files | Path, *options: str) -> Built:
        nonlocal count
        count += 1
        path = source if isinstance(source, Path) else write_files(tmp_path / f"vault{count}", source)
        return build_vault(path, tmp_path / f"out{count}", *options)

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a PostgreSQL that runs for these tests only; skips where none is installed."""
    if find_programs() is None:
        pytest.skip(MISSING)
    pytest.importorskip("psycopg", reason="the extra [postgres] is not installed")
    with run_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def corpus() -> CorpusFactory:
    """`corpus("small/ms-playbook-docs")` returns a folder or archive of real Markdown; skips the test where it is missing."""

    def find(name: str) -> Path:
        path = CORPORA / name
        if not path.exists():
            pytest.skip(f"the corpus {name} is not on this machine (BRAINPRESS_CORPORA names the folder that holds it)")
        return path

    return find
