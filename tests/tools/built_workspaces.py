"""Fixtures: workspaces that the tests of the read tools share; each is built once. Loaded by `tests/conftest.py`."""

import shutil
from pathlib import Path

import pytest

from tests.tools.api_sites import build_shops
from tests.tools.customers import write_customers
from tests.tools.desks import NORTHWIND, Workspace, build_workspace


@pytest.fixture(scope="session")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The sample workspace as people read it, built from its files."""
    root: Path = tmp_path_factory.mktemp("northwind")
    shutil.copytree(NORTHWIND, root / "brains" / "northwind")
    return build_workspace(root / "brains", root / "out")


@pytest.fixture(scope="session")
def customers(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A product's workspace: one member with a home for each customer, house rules for all of them, and what is nobody's business."""
    root: Path = tmp_path_factory.mktemp("customers")
    return build_workspace(write_customers(root / "brains"), root / "out")


@pytest.fixture(scope="session")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The customers' workspace and that of another tenant, built to one output: the folder with `brains` and `out`."""
    return build_shops(tmp_path_factory.mktemp("shops"))
