"""Reads a folder or repository for commands that publish nothing: inspect, check, search.

Parse results are kept in the user's cache folder, so that asking again is quick.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import UsageError
from indexer.model.result import IndexResult
from indexer.pipeline import BuildOptions, load_result
from indexer.sources.workspace import read_workspace
from indexer.store.page_cache import PageCache


@contextmanager
def open_result(path: Path, options: BuildOptions) -> Iterator[tuple[IndexResult, PageCache]]:
    """Give what is known of `path`, and its page cache."""
    _refuse_workspace(path)
    with _open_folder(path) as folder:
        result, cache = load_result(path, options, folder)
        with cache:
            yield result, cache


def _refuse_workspace(path: Path) -> None:
    """These commands look at one repository; a workspace read as a folder would mix its tenants."""
    tenants = read_workspace(path) if path.is_dir() else None
    if tenants:
        inside = [
            str(tenant.folder / repo.folder) for tenant in tenants for repo in tenant.tenant.repos if repo.folder and not repo.address
        ]
        hint = "Name one of its repositories: " + ", ".join(inside) if inside else "Use `brain build` for all of it."
        raise UsageError(f"{path} is a workspace of several repositories.", hint=hint)


@contextmanager
def _open_folder(path: Path) -> Iterator[Path]:
    """Give a folder of the user's cache that belongs to `path`; a temporary one where there is no such place."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "brainpress" / hashlib.blake2b(str(path.resolve()).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if writable:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
        yield Path(scratch)
