"""Migration (SPEC T35): a tenant's list of repositories becomes repos that one member owns, everyone in the tenant reads,
and the agents that file into them write.

Called by `brain registry import`. A read-only repository is kept as it is and written by no agent. The file names addresses and never a
credential: those are configured apart from it and shown nowhere.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import ErrorDetails
from sqlalchemy import Connection

from indexer.errors import ConfigError, RefusalError
from indexer.registry.address import parse_address, parse_branch, parse_folder
from indexer.registry.audit import Act, Actor
from indexer.registry.declared_file import explain_error, parse_declared, read_declared, show_problems
from indexer.registry.declared_shape import Declared
from indexer.registry.grants import store_grant
from indexer.registry.lookup import MANAGES, RUNS, begin_act, find_repo, require_active, require_member, require_role
from indexer.registry.repos import register_repo
from indexer.registry.shapes import parse_values
from indexer.registry.state import load_tenant
from indexer.registry.tenant_model import EVERYONE, Id, Line, Repo

_UNOWNED = "unowned"
"""Stands for the owner until the list is imported."""
_LARGEST = 1024 * 1024
_CREDENTIALS = re.compile(r"credential|password|passwd|token|secret|key|user", re.IGNORECASE)


class ListedRepository(Declared):
    """One repository of the list."""

    id: Id | None = None
    """Id of the repo; without it, the last part of the address."""
    title: Line | None = None
    """Shown to readers; without it, the id."""
    address: Annotated[str, Field(max_length=1000), AfterValidator(lambda text: parse_address(text).text)]
    """Without a credential."""
    branch: Annotated[str, AfterValidator(parse_branch)]
    folder: Annotated[str, Field(max_length=1000), AfterValidator(parse_folder)] | None = None
    """Folder inside the repository; none = all of it."""
    read_only: bool = False
    """True = nothing writes to it."""


class RepositoryList(Declared):
    """The file."""

    repositories: tuple[ListedRepository, ...] = Field(min_length=1)


_MODELS: dict[tuple[str, ...], type[BaseModel]] = {(): RepositoryList, ("repositories",): ListedRepository}


def load_repository_list(path: Path) -> tuple[Repo, ...]:
    """Return the repos of a list, without owner and grants; ConfigError with every problem as `path:line: sentence`."""
    read, problems = read_declared(path, _LARGEST)
    if read is None:
        raise ConfigError(problems)
    found, places = parse_declared(read.value, RepositoryList, _explain, "`repositories:`")
    problems = show_problems(path, read, places)
    if found is None or problems:
        raise ConfigError(problems, hint="Each repository has `address` and `branch`, and may have `folder`, `read_only`, `id`, `title`.")
    repos = []
    for each in found.repositories:
        try:
            repos.append(_make_repo(each))
        except RefusalError as refused:
            problems.append(f"{path}: {each.address}: {refused.message}; give it an `id` of its own")
    if problems:
        raise ConfigError(problems)
    return tuple(repos)


def import_repositories(
    connection: Connection, tenant: str, repos: Sequence[Repo], owner: str, agents: Sequence[str], by: Actor, now: datetime
) -> list[str]:
    """Register the repos that are not there yet, owned by `owner` (an operator or admin of the tenant), and return their ids."""
    act = begin_act(connection, tenant, by, now)
    require_role(act, RUNS)
    if require_member(act, owner).role not in MANAGES:
        raise RefusalError(f"`{owner}` is neither operator nor admin of this tenant.", hint="Name one of those as the owner.")
    for agent in agents:
        if require_active(act, agent).kind != "agent":
            raise RefusalError(f"`{agent}` is no agent of this tenant.", hint="`brain account list` shows those there are.")
    known = {_whereabouts(repo) for repo in load_tenant(connection, tenant).repos}
    done = []
    for repo in repos:
        if _whereabouts(repo) not in known:
            register_repo(connection, tenant, repo.model_copy(update={"owner": owner}), by, now)
            _grant(act, repo, agents)
            done.append(repo.id)
    return done


def _grant(act: Act, repo: Repo, agents: Sequence[str]) -> None:
    """Grant as the migration says; it is the one case in which another than the owner does, when the repo has only just come."""
    row = find_repo(act.connection, act.tenant_id, repo.id)
    if row is not None:
        store_grant(act, row.id, repo.id, EVERYONE, "read")
        for agent in agents:
            store_grant(act, row.id, repo.id, agent, "read" if repo.kept_as_is else "write")


def _whereabouts(repo: Repo) -> tuple[str | None, str | None, str | None]:
    return repo.address, repo.branch, repo.folder


def _make_repo(listed: ListedRepository) -> Repo:
    name = listed.id or _derive_id(listed.address)
    where = {"address": listed.address, "branch": listed.branch, "folder": listed.folder}
    return parse_values(Repo, {"id": name, "title": listed.title or name, "owner": _UNOWNED, "kept_as_is": listed.read_only, **where})


def _derive_id(address: str) -> str:
    last = re.split(r"[/:]", address.rstrip("/"))[-1].removesuffix(".git").lower()
    return re.sub(r"[^a-z0-9]+", "-", last).strip("-")[:63]


def _explain(error: ErrorDetails) -> str:
    key = str(error["loc"][-1]) if error["loc"] else ""
    if error["type"] == "extra_forbidden" and _CREDENTIALS.search(key):
        return f"`{key}` looks like a credential; take it out of this file: credentials are configured apart from it and shown nowhere"
    return explain_error(error, _MODELS, {})
