"""What `brain refresh` and `brain work` have in common: which repo is meant, and how its maps are drawn. Wiring only.

Here the rooms meet that must not know each other: the pipeline reads, `analysis` relates, `publish` draws, `writes` commits.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from indexer.analysis.relate import Embed, relate_pages
from indexer.errors import UsageError
from indexer.model.blueprint import Blueprints
from indexer.pipeline import load_order
from indexer.publish.maps import make_maps
from indexer.publish.maps_log import add_log
from indexer.registry.address import parse_address
from indexer.registry.blueprint_set import BlueprintSet
from indexer.sources.branch import Branch, find_branch
from indexer.sources.embedding import EmbedServer, open_embedder
from indexer.sources.mirror import fetch_mirror
from indexer.sources.orders import BuildOptions, RepoOrder, plan_build
from indexer.sources.workspace import find_declared, read_workspace
from indexer.writes.map_plan import Drawn
from indexer.writes.refresh import Draw, PushTarget, RefreshOrder

LOCK = "brain-refresh.lock"
_ALONE = "brain"
"""Id of a repo that nothing names, in the maps: they are the same in every clone, whatever its folder is called."""
Decorated = TypeVar("Decorated", bound=Callable[..., object])


class Target(Struct, frozen=True):
    """One repo to refresh."""

    order: RepoOrder
    plans: Blueprints
    tenant: str = ""
    """Empty for a repository by itself."""
    kept: bool = False
    """Whether tenant.yml says that it is kept as it is."""

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.tenant}/{self.order.repo}" if self.tenant else str(self.order.address or self.order.path)


def embed_options(function: Decorated) -> Decorated:
    """`--embed` and `--embed-model`, passed as `embed` and `embed_model`."""
    function = click.option(
        "--embed-model", default="nomic-embed-text", show_default=True, help="Model that the embedding server is asked for."
    )(function)
    return click.option("--embed", metavar="URL", help="Embedding server on this machine (Ollama's API), such as http://127.0.0.1:11434.")(
        function
    )


@contextmanager
def open_embedding(url: str | None, model: str, cache_folder: Path) -> Iterator[Embed | None]:
    """Give what asks the embedding server; None where none is configured."""
    if url is None:
        yield None
        return
    with open_embedder(EmbedServer(url, model), cache_folder / "vectors.sqlite") as embed:
        yield embed


def choose_target(path: str, repo: str, branch: str, cache: Path) -> Target:
    """Return the repo that a command means: an address, a repository, or one repo of a workspace."""
    if _is_address(path):
        if not branch:
            raise UsageError("Which branch of that repository?", hint="Name it with --branch.")
        order = RepoOrder(_ALONE, _ALONE, cache, cache / "mirror.git", path, branch)
        return Target(order, BlueprintSet(None))
    options = BuildOptions()
    tenants = plan_build(Path(path), cache, options)
    if not any(tenant.id for tenant in tenants):
        if repo:
            raise UsageError(f"{path} is no workspace, so it has no repo {repo}.", hint="Leave out --repo.")
        declared = find_declared(Path(path))
        order = replace(tenants[0].repos[0], out=cache)
        order = order if declared else replace(order, repo=_ALONE)
        tenant, kept = (declared[0].tenant.id, declared[1].kept_as_is) if declared else ("", False)
        return Target(order, tenants[0].blueprints, tenant, kept)
    kept_repos = {(each.folder.name, one.id): one.kept_as_is for each in read_workspace(Path(path)) or () for one in each.tenant.repos}
    found = [(tenant, order) for tenant in tenants for order in tenant.repos if repo in {order.repo, f"{tenant.id}/{order.repo}"}]
    if len(found) != 1:
        known = sorted(f"{tenant.id}/{order.repo}" for tenant in tenants for order in tenant.repos)
        what = f"There is no active repo {repo}" if not found else f"Several repos are called {repo}"
        raise UsageError(
            f"{what} in {path}." if repo else f"{path} is a workspace of several repos.",
            hint=f"Give --repo with one of: {', '.join(known)}.",
        )
    owner, chosen = found[0]
    return Target(chosen, owner.blueprints, owner.id, kept_repos[owner.id, chosen.repo])


def _is_address(path: str) -> bool:
    if Path(path).exists():
        return False
    try:
        parse_address(path)
    except ValueError:
        return "://" in path
    return True


def make_refresh_order(
    target: Target, options: BuildOptions, embed: Embed | None, *, branch: str = "", push: PushTarget | None = None
) -> RefreshOrder:
    """Return what a refresh of the target is to do; one that lies elsewhere is always pushed."""
    order = target.order
    if order.address:
        push = PushTarget(order.address, allow_private=options.allow_private)
    return RefreshOrder(
        open_branch=lambda: open_branch(order, branch, allow_private=options.allow_private),
        draw=make_draw(target, options, embed),
        add_log=add_log,
        push=push,
        follows=bool(order.address),
    )


def open_branch(order: RepoOrder, name: str = "", *, allow_private: bool = False) -> Branch:
    """Return the branch of a repo as it is now; a mirror is brought up first."""
    if order.address:
        fetch_mirror(order.address, order.path, order.branch, allow_private=allow_private)
    return find_branch(order.path, order.folder, order.branch or name)


def find_lock(order: RepoOrder, name: str = "") -> Path:
    """Return the file whose lock says that a refresh is at work: beside a mirror, or in the repository's own folder."""
    if order.address:
        return order.path.with_name(f"{order.path.name}.lock")
    return find_branch(order.path, order.folder, name).location.common_dir / LOCK


def make_draw(target: Target, options: BuildOptions, embed: Embed | None) -> Draw:
    """Return what draws the maps of a repo at a revision."""
    here = replace(target.order, address="", branch="")

    def draw(revision: str, now: Mapping[str, bytes]) -> Drawn:
        result, cache = load_order(here, target.plans, replace(options, at=revision), here.out)
        with cache:
            relations = relate_pages(result, cache.load_page_terms, cache.load_bodies, embed)
        return Drawn(make_maps(result, relations, now), len(result.graph.nodes), relations.waiting)

    return draw
