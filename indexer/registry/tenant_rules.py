"""What the lists of a tenant.yml say about each other: unknown and repeated ids, grants out of the tenant, folders inside folders.

Called by `tenant_file` with the raw values, so that these problems are told together with those of the shape. Values of a wrong shape are
passed over here. Each rule yields the place and a sentence.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from indexer.registry.declared_file import Problem
from indexer.registry.names import suggest
from indexer.registry.tenant_model import EVERYONE
from indexer.registry.yaml_lines import Place

Row = tuple[Place, dict[str, Any]]


def check_tenant(raw: Any) -> Iterator[Problem]:
    """Yield every problem between the lists of a tenant."""
    if not isinstance(raw, dict):
        return
    people = _rows(raw, (), "accounts") + _rows(raw, (), "agents")
    memberships, repos = _rows(raw, (), "memberships"), _rows(raw, (), "repos")
    yield from _check_unique(people, "id", "is the id of another account or agent already")
    yield from _check_unique(memberships, "account", "has a membership already")
    yield from _check_unique(repos, "id", "is the id of another repo already")
    accounts = _texts(_rows(raw, (), "accounts"), "id")
    for place, row in memberships:
        yield from _check_known(place, row, "account", accounts, "is not among the accounts")
    members = [account for account in _texts(memberships, "account") if account in accounts]
    agents = _texts(_rows(raw, (), "agents"), "id")
    for place, row in repos:
        yield from _check_known(place, row, "owner", members, "is no member of this tenant, so it cannot own a repo")
        grants = _rows(row, place, "grants")
        yield from _check_unique(grants, "to", "has a grant to this repo already")
        for grant_place, grant in grants:
            yield from _check_known(
                grant_place, grant, "to", [*members, *agents, EVERYONE], "is neither a member nor an agent of this tenant"
            )
        yield from _check_whereabouts(place, row)
    homes = [(place, row) for place, row in repos if row.get("kind") == "home"]
    yield from _check_unique(homes, "owner", "has a repo of kind home already")
    yield from check_folders(repos)


def _rows(raw: dict[str, Any], place: Place, key: str) -> list[Row]:
    rows = raw.get(key)
    return [((*place, key, at), row) for at, row in enumerate(rows) if isinstance(row, dict)] if isinstance(rows, list) else []


def _texts(rows: Iterable[Row], key: str) -> list[str]:
    return [row[key] for _, row in rows if isinstance(row.get(key), str)]


def _check_unique(rows: Iterable[Row], key: str, sentence: str) -> Iterator[Problem]:
    taken: set[str] = set()
    for place, row in rows:
        word = row.get(key)
        if not isinstance(word, str):
            continue
        if word in taken:
            yield (*place, key), f"`{word}` {sentence}"
        taken.add(word)


def _check_known(place: Place, row: dict[str, Any], key: str, known: Iterable[str], sentence: str) -> Iterator[Problem]:
    word = row.get(key)
    if isinstance(word, str) and word not in known:
        yield (*place, key), f"`{word}` {sentence}{suggest(word, known)}"


def _check_whereabouts(place: Place, row: dict[str, Any]) -> Iterator[Problem]:
    if "address" in row and "branch" not in row:
        yield (*place, "address"), "a repo with an `address` needs its `branch`"
    elif "branch" in row and "address" not in row:
        yield (*place, "branch"), "`branch` belongs to a repo with an `address`; a folder is read at the commit of its workspace"
    elif "folder" not in row and "address" not in row:
        yield place, "a repo needs a `folder`, or an `address` and a `branch`"


def check_folders(repos: Iterable[Row]) -> Iterator[Problem]:
    """Two repos must not share files: who reaches one of them would read the other. Takes time in proportion to their number."""
    taken: dict[tuple[str, str, str], tuple[int, str]] = {}
    above: dict[tuple[str, str, str], tuple[int, str]] = {}
    for number, (place, row) in enumerate(repos):
        folder = row.get("folder", "")
        if not isinstance(folder, str) or ("folder" not in row and "address" not in row):
            continue
        path = folder.strip("/").casefold() + "/" if folder else ""
        own = (repr(row.get("address")), repr(row.get("branch")), path)  # may be anything: what it should be is said elsewhere
        folders = [(*own[:2], path[: at + 1]) for at in range(-1, len(path)) if at < 0 or path[at] == "/"]
        others = [taken[each] for each in folders if each in taken] + ([above[own]] if own in above else [])
        if others:
            _, identity = min(others)
            yield (
                (*place, "folder" if folder else "address"),
                f"its files are also those of repo `{identity}`: two repos must not overlap",
            )
        known = number, str(row.get("id", "?"))
        taken.setdefault(own, known)
        for each in folders:
            above.setdefault(each, known)
