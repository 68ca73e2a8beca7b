"""What is to be built: one folder or repository, or every repo of a workspace, and where its output goes. Called wherever repos are read.

Only `tenant.yml` and blueprints are read here; whether a repository can be read shows when it is.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.errors import UsageError
from indexer.model.snapshot import Limits
from indexer.registry.blueprint_set import BlueprintSet, load_sets
from indexer.sources.workspace import TenantFolder, find_declared, read_workspace

STATE_FOLDER = ".brain"
"""Beside a website: what the next run takes over."""
PATIENCE = 300.0
"""Seconds that a build waits for another one in the same output; most take less, and what a timer starts too often does not pile up."""


class BuildOptions(Struct, frozen=True):
    """How to build; the same for all repos of a run."""

    at: str | None = None
    uncommitted: bool = False
    limits: Limits = field(default_factory=Limits)
    config_file: Path | None = None
    """The operator's mkdocs.yml; None = the shipped one."""
    processes: int = 2
    site_url: str = ""
    """Address at which the site of a single folder is served, slash at its end; a workspace's stand in its tenant.yml."""
    date: str | None = None
    """`YYYY-MM-DD` that states of documents are judged for; None = the day of the commit."""
    blueprints: Path | None = None
    """Folder with blueprints of a single repo; a tenant's own lie in its folder of the workspace."""
    allow_private: bool = False
    """True = repositories may be fetched from hosts of our own network."""
    wait: float = PATIENCE
    """Seconds to wait for another run that is at work in the same output."""
    in_use: frozenset[str] = frozenset()
    """`tenant/repo` that the registry has as active: what was built of it stays, though its tenant.yml may name it no more."""


class RepoOrder(Struct, frozen=True):
    """One repo to build."""

    repo: str
    """Id; also names it in messages."""
    title: str
    out: Path
    """Gets `site/`, `report.json` and `.brain/`."""
    path: Path
    """Folder or repository; for a remote repository, where its mirror is kept."""
    address: str = ""
    """Remote address that `path` mirrors; empty = read `path` itself."""
    branch: str = ""
    folder: str = ""
    """Content root inside the repository."""
    site_url: str = ""
    """Absolute address of the site with a slash at its end; empty when not known."""
    home_url: str = ""
    """Absolute address of the tenant's own page, which the site links to; empty when none is declared."""
    home_title: str = ""
    """Title of the tenant."""
    kept_as_is: bool = False
    """No graph of it is published (SPEC T06)."""


class TenantOrder(Struct, frozen=True):
    """The repos of one tenant, or one repo alone."""

    out: Path
    """Gets `index.duckdb` and `blueprints.json`."""
    repos: tuple[RepoOrder, ...]
    blueprints: BlueprintSet
    """What the cards of these repos may name."""
    id: str = ""
    """Of the tenant, in which a repo that fails leaves the others alone; empty for one repo alone, which fails as a whole."""
    named: frozenset[str] = frozenset()
    """Ids of all repos that tenant.yml names, archived ones as well."""


def plan_build(path: Path, out: Path, options: BuildOptions) -> list[TenantOrder]:
    """Return what is to be built: the tenants of a workspace, or the one folder or repository as a tenant of its own.

    Raises ConfigError with the problems of all files that say how: first those of the tenants, then those of their blueprints.
    """
    tenants = read_workspace(path) if path.is_dir() else None
    if tenants is None:
        return [plan_single(path, out, options)]
    if options.blueprints is not None:
        hint = "Put them into the folder `blueprints` beside the tenant.yml that they are for."
        raise UsageError("--blueprints is for a single repository, not for a workspace.", hint=hint)
    plans = load_sets([tenant.folder for tenant in tenants])
    return [order_tenant(tenant, out / tenant.folder.name, blueprints) for tenant, blueprints in zip(tenants, plans, strict=True)]


def order_tenant(tenant: TenantFolder, out: Path, blueprints: BlueprintSet) -> TenantOrder:
    """Return the order of one tenant of a workspace."""
    named = frozenset(repo.id for repo in tenant.tenant.repos)
    return TenantOrder(out, tuple(order_repos(tenant, out)), blueprints, tenant.folder.name, named)


def plan_single(path: Path, out: Path, options: BuildOptions) -> TenantOrder:
    """Return one folder or repository as a tenant of its own.

    A folder that a workspace declares keeps its id and title: cards elsewhere name its brains by them. Any other has those of its name.
    """
    title = name_site(path)
    order = RepoOrder(name_repo(title), title, out, path, site_url=options.site_url)
    declared = find_declared(path)
    if declared is not None:
        tenant, repo = declared
        order = replace(order, repo=repo.id, title=repo.title, kept_as_is=repo.kept_as_is)
    if options.blueprints is not None or declared is None:
        return TenantOrder(out, (order,), BlueprintSet(options.blueprints))
    return TenantOrder(out, (order,), load_sets([tenant.folder])[0])


def order_repos(tenant: TenantFolder, out: Path) -> Iterator[RepoOrder]:
    """Yield the active repos of a tenant."""
    for repo in tenant.tenant.repos:
        if repo.status != "active":
            continue
        order = RepoOrder(repo.id, repo.title, out / repo.id, tenant.folder / (repo.folder or repo.id), kept_as_is=repo.kept_as_is)
        if tenant.tenant.url:
            home = f"{tenant.tenant.url}/"
            order = replace(order, site_url=f"{home}{repo.id}/", home_url=home, home_title=tenant.tenant.title)
        if repo.address:
            mirror = out / repo.id / STATE_FOLDER / "mirror.git"
            order = replace(order, path=mirror, address=repo.address, branch=repo.branch or "", folder=repo.folder or "")
        yield order


def name_site(path: Path) -> str:
    """Title of a site that nothing else names: the folder's name, `.git` left off."""
    return path.resolve().name.removesuffix(".git") or "Brain"


def name_repo(title: str) -> str:
    """Id of a repo that nothing else names, from the name of its folder: the cards in it name their parents by it."""
    bare = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", bare).strip("-")[:63].rstrip("-") or "brain"
