"""`brain repo`: the repos of a tenant. Wiring only."""

from typing import Any

import click
from msgspec.structs import asdict

from indexer.cli.new_repository import Place, describe_files, is_own, make_files, new_repository_options
from indexer.cli.registry_options import Asked, registry_options, render_table
from indexer.errors import RefusalError
from indexer.registry.repos import (
    archive_repo,
    create_repo,
    find_home,
    keep_as_is,
    list_repos,
    open_home,
    register_repo,
    unarchive_repo,
)
from indexer.registry.rights import fetch_rights
from indexer.registry.shapes import parse_values
from indexer.registry.tenant_model import Repo


@click.group("repo")
def command() -> None:
    """List, create, register and archive repos."""


@command.command("list")
@registry_options(acts=False)
def list_all(asked: Asked) -> None:
    """List every repo of a tenant, archived ones as well."""
    with asked.reading() as (connection, tenant):
        listed = list_repos(connection, tenant)
    rows = [[each.repo.id, each.repo.title, each.repo.owner, each.repo.kind, each.status, each.state or "never read"] for each in listed]
    shown = [
        {**each.repo.model_dump(mode="json", exclude={"grants"}), **{k: v for k, v in asdict(each).items() if k != "repo"}}
        for each in listed
    ]
    asked.tell(render_table(["id", "title", "owner", "kind", "status", "index"], rows), shown)


@command.command("show")
@click.argument("repo")
@registry_options(acts=False)
def show(repo: str, asked: Asked) -> None:
    """Show who reaches REPO, and why."""
    with asked.reading() as (connection, tenant):
        entitled, cut = fetch_rights(connection, tenant, repo, names_everyone=False)
    if not entitled:
        raise RefusalError(f"There is no repo {repo} in {tenant}.", hint="`brain repo list` shows those there are.")
    shown: list[dict[str, Any]] = [
        {"who": each.id, "kind": each.kind, "access": reason.access, "why": f"{reason.why} {reason.role}".strip(), "counts": each.counts}
        for each in entitled
        for reason in each.reasons
    ]
    rows = [[one["who"], one["kind"], one["access"], one["why"], "" if one["counts"] else "no member any more"] for one in shown]
    more = "\nThere are more; the list was cut." if cut else ""
    asked.tell(render_table(["who", "kind", "access", "why", ""], rows) + more, shown)


@command.command("create")
@click.argument("repo")
@click.option("--title", required=True, help="Shown to readers.")
@click.option("--folder", help="Folder of the tenant in which its files lie. Without: the id.")
@new_repository_options
@registry_options()
def create(repo: str, title: str, folder: str | None, place: Place, asked: Asked) -> None:
    """Create the shared repo REPO, owned by the account of --as and reached by nobody else; with --repositories, its git repository too."""
    _require_account(asked)
    if folder and place.root:
        raise click.UsageError("With --repositories the folder gets its name from tenant and repo; leave out --folder.")
    with asked.writing() as (connection, tenant):
        if not (place.root and is_own(connection, tenant, repo, asked)):
            create_repo(connection, tenant, repo, title, asked.actor, asked.now, folder=folder)
    made = make_files(asked, repo, place) if place.root else None
    sentence = f"{asked.actor} owns the new repo {repo} of {tenant}. {describe_files(made)}"
    asked.tell(sentence, {"tenant": tenant, "repo": repo, "owner": str(asked.actor), "repository": made and str(made.path)})


@command.command("init")
@click.argument("repo")
@new_repository_options
@registry_options()
def init(repo: str, place: Place, asked: Asked) -> None:
    """Make the git repository of REPO, which was entered without one: BRAIN.md, index.md and log.md in a first commit.

    Trying again reuses it. Owners and operators may.
    """
    if place.root is None:
        raise click.UsageError("Say where: --repositories DIR.")
    made = make_files(asked, repo, place)
    asked.tell(describe_files(made), {"repo": repo, "repository": str(made.path), "created": made.created})


@command.command("home")
@registry_options()
def home(asked: Asked) -> None:
    """Open the personal repo of the account of --as, creating it on first use."""
    _require_account(asked)
    with asked.writing() as (connection, tenant):
        known = find_home(connection, tenant, asked.actor.account) is not None
        name = open_home(connection, tenant, asked.actor, asked.now)
    sentence = f"The personal repo of {asked.actor} is {name}" + ("." if known else ", created now.")
    asked.tell(sentence, {"tenant": tenant, "repo": name, "created": not known})


@command.command("register")
@click.argument("repo")
@click.option("--title", help="Shown to readers. Without: the id.")
@click.option("--owner", required=True, metavar="ACCOUNT")
@click.option("--address", help="Address of the repository, without a credential.")
@click.option("--branch", help="Branch of the repository at --address.")
@click.option("--folder", help="Folder inside it; without --address, folder of the tenant.")
@click.option("--keep-as-is", "kept", is_flag=True, help="Nothing but asked-for writes ever changes it.")
@registry_options()
def register(
    repo: str, title: str | None, owner: str, address: str | None, branch: str | None, folder: str | None, kept: bool, asked: Asked
) -> None:
    """Register a repository that exists as REPO. Nothing is seeded, and nobody but its owner reaches it."""
    if (address is None) != (branch is None) or (address is None and folder is None):
        raise click.UsageError("Say where it is: --address with --branch, or --folder.")
    values = {
        "id": repo,
        "title": title or repo,
        "owner": owner,
        "address": address,
        "branch": branch,
        "folder": folder,
        "kept_as_is": kept,
    }
    with asked.writing() as (connection, tenant):
        register_repo(connection, tenant, parse_values(Repo, values), asked.actor, asked.now)
    asked.tell(f"Registered {repo} in {tenant}, owned by {owner}.", {"tenant": tenant, "repo": repo, "owner": owner})


@command.command("archive")
@click.argument("repo")
@registry_options()
def archive(repo: str, asked: Asked) -> None:
    """Archive REPO: nobody reaches it any more."""
    with asked.writing() as (connection, tenant):
        archive_repo(connection, tenant, repo, asked.actor, asked.now)
    asked.tell(f"{repo} of {tenant} is archived.", {"tenant": tenant, "repo": repo, "status": "archived"})


@command.command("restore")
@click.argument("repo")
@registry_options()
def restore(repo: str, asked: Asked) -> None:
    """Bring the archived REPO back, with its grants."""
    with asked.writing() as (connection, tenant):
        unarchive_repo(connection, tenant, repo, asked.actor, asked.now)
    asked.tell(f"{repo} of {tenant} is active again.", {"tenant": tenant, "repo": repo, "status": "active"})


@command.command("keep")
@click.argument("repo")
@click.option("--off", is_flag=True, help="From now on it is looked after like the others.")
@registry_options()
def keep(repo: str, off: bool, asked: Asked) -> None:
    """Keep REPO as it is: only writes that were asked for, and never a refresh."""
    with asked.writing() as (connection, tenant):
        keep_as_is(connection, tenant, repo, asked.actor, asked.now, keep=not off)
    sentence = f"{repo} of {tenant} is {'looked after like the others' if off else 'kept as it is'}."
    asked.tell(sentence, {"tenant": tenant, "repo": repo, "kept_as_is": not off})


def _require_account(asked: Asked) -> None:
    if asked.actor.console:
        raise click.UsageError("Name the account that acts with --as.")
