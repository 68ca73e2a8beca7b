"""What `brain repo create` and `brain repo init` have in common: making the git repository of a repo. Wiring only."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from sqlalchemy import Connection

from indexer.cli.paths import TypedPath
from indexer.cli.registry_options import Asked
from indexer.errors import RefusalError, UsageError
from indexer.registry.repos import find_entry, place_repo
from indexer.registry.tenant_file import FILE_NAME
from indexer.sources.new_repo import BRANCH, Seed, make_repository, name_repository


class Place(Struct, frozen=True):
    """Where new repositories are made."""

    root: Path | None
    """Folder of the operator's; None = none is made."""
    reached_at: str
    """Address below which a git server serves that folder; empty = the folder is the workspace."""
    dev: bool


class Made(Struct, frozen=True):
    """A repository that is there now."""

    path: Path
    created: bool
    """False = it was there before."""


def new_repository_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--repositories`, `--reached-at` and `--dev`, passed as `place`."""

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        place = Place(given.pop("root"), (given.pop("reached_at") or "").rstrip("/"), given.pop("dev"))
        if place.root is None and (place.reached_at or place.dev):
            raise click.UsageError("--reached-at and --dev go with --repositories.")
        return function(*args, place=place, **given)

    for option in (
        click.option("--dev", is_flag=True, help="Let its name end in -dev."),
        click.option(
            "--reached-at", metavar="ADDRESS", help="Address below which a git server serves DIR, such as ssh://git@host/srv/git."
        ),
        click.option(
            "--repositories",
            "root",
            type=TypedPath(exists=True, file_okay=False),
            metavar="DIR",
            help="Make its git repository there: in the workspace, or with --reached-at in any folder.",
        ),
    ):
        call = option(call)
    return call


def make_files(asked: Asked, repo: str, place: Place) -> Made:
    """Make the repository of an entry, or take the one there is, and enter where it lies."""
    if place.root is None:
        raise UsageError("Say where: --repositories DIR.")
    with asked.reading() as (connection, tenant):
        entry = find_entry(connection, tenant, repo, asked.actor, asked.now)
    name = f"{name_repository(tenant, repo, dev=place.dev)}.git"
    address = f"{place.reached_at}/{name}" if place.reached_at else None
    folder = place.root if address else place.root / tenant
    if not address and not (folder / FILE_NAME).is_file():
        hint = f"Give the folder that holds {tenant}/{FILE_NAME}, or say with --reached-at how {place.root} is reached."
        raise UsageError(f"{place.root} is no workspace with the tenant {tenant}.", hint=hint)
    _refuse_elsewhere(folder, entry.folder, entry.address, name, address)
    created = make_repository(folder / name, Seed(entry.title, entry.owner), asked.now)
    with asked.writing() as (connection, tenant):
        where: dict[str, str | None] = {"folder": None, "address": address, "branch": BRANCH} if address else _in_workspace(name)
        place_repo(connection, tenant, repo, asked.actor, asked.now, **where)
    return Made(folder / name, created)


def _in_workspace(name: str) -> dict[str, str | None]:
    return {"folder": name, "address": None, "branch": None}


def _refuse_elsewhere(folder: Path, entered: str | None, at: str | None, name: str, address: str | None) -> None:
    """What has files already gets no second repository."""
    if at is not None and at != address:
        raise RefusalError(f"It lies at {at} already.")
    if address is None and entered and entered != name and (folder / entered).exists():
        raise RefusalError(f"Its files are in {folder / entered} already.", hint="Make them a git repository yourself, or move them away.")


def is_own(connection: Connection, tenant: str, repo: str, asked: Asked) -> bool:
    """Whether the repo is there and the actor's own, as when it is tried again."""
    try:
        return find_entry(connection, tenant, repo, asked.actor, asked.now).owner == asked.actor.account
    except RefusalError:
        return False


def describe_files(made: Made | None) -> str:
    """Return what is to be done about its files, for a person."""
    if made is None:
        return "Its git repository is not made yet: `brain repo init` does that, or put one in its folder of the workspace."
    how = f"Its git repository is {made.path}" + (", made now." if made.created else ", which was there.")
    return f"{how} `brain registry export` gives the lines for tenant.yml, which `brain build` reads."
