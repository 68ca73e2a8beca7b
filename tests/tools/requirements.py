"""What the product promises, and which tests claim to prove it. Read by `conftest` (no unknown IDs) and by `tests.reqs` (the list)."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

LIST = Path(__file__).parent.parent / "requirements.toml"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of `requirements.toml`."""

    id: str
    """`P05`, or the number of a threat."""
    title: str
    finished: bool
    note: str = ""


def load_requirements(path: Path = LIST) -> dict[str, dict[str, Requirement]]:
    """Return `req` and `threat`, each ID → requirement, in the file's order."""
    tables = tomllib.loads(path.read_text("utf-8"))
    return {
        marker: {
            key: Requirement(key, str(row["title"]), bool(row["finished"]), str(row.get("note", ""))) for key, row in tables[table].items()
        }
        for marker, table in (("req", "requirements"), ("threat", "threats"))
    }


def collect_claims(items: Iterable[pytest.Item]) -> dict[str, dict[str, list[str]]]:
    """Return `req` and `threat`, each ID → names of the tests that carry it; a parametrised test is listed once."""
    claims: dict[str, dict[str, list[str]]] = {"req": {}, "threat": {}}
    for item in items:
        name = item.nodeid.split("[")[0]
        for marker, claimed in claims.items():
            for mark in item.iter_markers(marker):
                for argument in mark.args:
                    tests = claimed.setdefault(str(argument), [])
                    if name not in tests:
                        tests.append(name)
    return claims
