"""Reads a folder or repository for commands that publish nothing: inspect, check, report, search.

Parse results are kept in the user's cache folder, so that asking again is quick.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from indexer.errors import BrainpressError, UsageError
from indexer.model.result import IndexResult
from indexer.pipeline import load_order, load_result
from indexer.publish.small_relations import relate_small
from indexer.sources.orders import BuildOptions, plan_build
from indexer.sources.workspace import read_workspace
from indexer.store.page_cache import PageCache

_NARROWER = "Give the folder that holds your pages."
_PROBE = 65_536
"""Bytes that a folder has to take before a cache is begun there."""


@contextmanager
def open_result(path: Path, options: BuildOptions) -> Iterator[tuple[IndexResult, PageCache]]:
    """Give what is known of `path`, and its page cache."""
    refuse_workspace(path)
    with open_cache_folder(path) as folder:
        result, cache = load_result(path, options, folder)
        with cache:
            yield result, cache


class LoadedRepo(Struct, frozen=True):
    """One repository that was read."""

    tenant: str
    """Its folder in the workspace; empty for a repository by itself."""
    result: IndexResult


def load_repos(path: Path, options: BuildOptions, repo: str = "") -> tuple[list[LoadedRepo], list[tuple[str, BrainpressError]]]:
    """Return what is known of the repositories of a workspace, or of the one that `path` is, and those that could not be read.

    `repo` names one of a workspace. A repository by itself raises BrainpressError when it cannot be read.
    """
    loaded: list[LoadedRepo] = []
    failures: list[tuple[str, BrainpressError]] = []
    with open_cache_folder(path) as folder:
        tenants = plan_build(path, folder, options)
        orders = [(tenant, order) for tenant in tenants for order in tenant.repos if repo in {"", order.repo}]
        if not orders:
            known = sorted(order.repo for tenant in tenants for order in tenant.repos)
            raise UsageError(f"There is no repository {repo} in {path}.", hint=f"Choose one of: {', '.join(known)}." if known else "")
        for tenant, order in orders:
            try:
                result, cache = load_order(order, tenant.blueprints, options, order.out)
            except BrainpressError as error:
                if not tenant.id:
                    raise
                failures.append((order.repo, error))
            else:
                with cache:
                    loaded.append(LoadedRepo(tenant.id, relate_small(result, cache)))
    return loaded, failures


def refuse_workspace(path: Path) -> None:
    """These commands look at one repository; a workspace read as a folder would mix its tenants."""
    tenants = read_workspace(path) if path.is_dir() else None
    if tenants:
        inside = [
            str(tenant.folder / repo.folder) for tenant in tenants for repo in tenant.tenant.repos if repo.folder and not repo.address
        ]
        hint = "Name one of its repositories: " + ", ".join(inside) if inside else "Use `brain build` for all of it."
        raise UsageError(f"{path} is a workspace of several repositories.", hint=hint)


@contextmanager
def open_cache_folder(path: Path, kind: str = "") -> Iterator[Path]:
    """Give a folder of the user's cache that belongs to `path` and a kind of use; a temporary one where there is no such place.

    What is read is never written into: who reads a whole home folder, with the cache in it, gets a temporary one as well. UsageError where
    that lies inside, too.
    """
    name = hashlib.blake2b(str(path.resolve()).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    home = _find_cache_home()
    folder = home / "brainpress" / (f"{name}-{kind}" if kind else name) if home else None
    root = path.resolve()
    if folder and not folder.resolve().is_relative_to(root) and _takes_files(folder):
        yield folder
        return
    if Path(tempfile.gettempdir()).resolve().is_relative_to(root):
        raise UsageError(f"{path} holds the folder for temporary files, and what is read is not written into.", hint=_NARROWER)
    with tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
        yield Path(scratch)


def _find_cache_home() -> Path | None:
    """Return the user's folder for caches; None for a user without one, such as a number that no account has, as containers run with."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():  # as its specification says, any other is as good as none
        return named
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ".cache" if home.is_absolute() else None


def _takes_files(folder: Path) -> bool:
    """Make a folder and say whether it takes files: it may belong to somebody else, and its disk may be full or the quota used up."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE))
    except OSError:
        return False
    return True
