"""No two repos of a tenant share files: found in time that grows with their number, and as a comparison of each with each finds it."""

import time
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from indexer.registry.tenant_rules import check_folders

ODD = st.one_of(st.none(), st.integers(), st.lists(st.just("x"), max_size=1), st.sampled_from(["git", "Git"]))
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "folder": st.one_of(st.sampled_from(["", "a", "A/", "a/b", "a//b", "ab", "a/b/c", "b", "/", "x"]), ODD),
        "address": ODD,
        "branch": st.sampled_from(["main", "dev"]),
    },
)


def compare_each(rows: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Number of each row that shares files, and the first one that it shares them with."""
    taken: list[tuple[int, tuple[Any, Any], str]] = []
    for number, row in enumerate(rows):
        folder = row.get("folder", "")
        if not isinstance(folder, str) or ("folder" not in row and "address" not in row):
            continue
        where, path = (row.get("address"), row.get("branch")), folder.strip("/").casefold() + "/" if folder else ""
        for other, other_where, inside in taken:
            if where == other_where and (path.startswith(inside) or inside.startswith(path)):
                yield number, f"r{other}"
                break
        taken.append((number, where, path))


@given(st.lists(ROWS, max_size=8))
def test_it_finds_what_a_comparison_of_each_with_each_finds(rows: list[dict[str, Any]]) -> None:
    named = [(("repos", number), {"id": f"r{number}", **row}) for number, row in enumerate(rows)]
    found = [(place[1], text.split("`")[1]) for place, text in check_folders(named)]
    assert found == list(compare_each(rows))


def test_a_tenant_of_very_many_repos_is_checked_in_no_time() -> None:
    """Every new repo is checked against all others, in the registry's one transaction: a comparison of each with each takes minutes."""
    rows = [(("repos", number), {"id": f"r{number}", "folder": f"homes/r{number}"}) for number in range(20_000)]
    began = time.process_time()
    assert not list(check_folders(rows))
    assert time.process_time() - began < 10
