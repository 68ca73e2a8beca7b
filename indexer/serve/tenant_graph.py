"""The one graph of each tenant: published by whoever holds the system token, shown to who reaches all it was drawn from (SPEC T36, X01).

Called by `api_graph`, `graph_page`, `home` and `brain graph`. Kept beside the tenant's index and swapped in. Whether somebody may see it is
worked out anew from what they reach at that moment; kept between requests is only what stands in the file. A page that is not published
any more is left out, whatever the file says.
"""

import json
import os
import tempfile
from collections import OrderedDict
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from indexer.errors import BrainpressError, PublishError
from indexer.publish.feeds import to_json
from indexer.publish.tenant_graph import FILE
from indexer.serve.api_errors import ApiError
from indexer.serve.context import report
from indexer.serve.graph_shapes import TenantGraph, parse_graph
from indexer.serve.library import Stamp, stamp_file
from indexer.serve.releases import Releases

_MOST_KEPT = 20


class KeptGraph(Struct, frozen=True):
    """What was published last."""

    stamp: Stamp
    graph: TenantGraph

    @property
    def repos(self) -> tuple[str, ...]:
        """Ids of the repos that it was drawn from."""
        return tuple(repo["id"] for repo in self.graph["repos"])

    def is_open_to(self, reached: Collection[str], *, operates: bool) -> bool:
        """Whether somebody who reaches these repos now may see it; an operator may in any case."""
        return operates or all(repo in reached for repo in self.repos)


class TenantGraphs:
    """The graphs below one output folder. Its methods may be called from several threads."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._lock = Lock()
        self._kept: OrderedDict[str, KeptGraph] = OrderedDict()

    def load(self, tenant: str) -> KeptGraph | None:
        """Return the graph of a tenant; None when none was published, or what is there cannot be read. `tenant` is one of the registry."""
        path = self._out / tenant / FILE
        try:
            stamp = stamp_file(path)
        except OSError:
            return None
        with self._lock:
            kept = self._kept.get(tenant)
            if kept is None or kept.stamp != stamp:
                kept = _read(path, tenant, stamp)
                if kept is None:
                    return None
                self._kept[tenant] = kept
                while len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
            return kept

    def show(self, kept: KeptGraph, releases: Releases) -> TenantGraph:
        """Return the graph with those pages alone that are published now."""
        graph = kept.graph
        files = [_list_files(releases, graph["tenant"], repo) for repo in kept.repos]
        numbers: dict[int, int] = {}
        for number, node in enumerate(graph["nodes"]):
            if _name_file(node["url"]) in files[node["repo"]]:
                numbers[number] = len(numbers)
        return {
            **graph,
            "nodes": [graph["nodes"][number] for number in numbers],
            "edges": [[numbers[a], numbers[b], count] for a, b, count in graph["edges"] if a in numbers and b in numbers],
        }


@lru_cache(maxsize=4)
def open_graphs(out: Path) -> TenantGraphs:
    """Return the graphs of an output folder, the same ones each time."""
    return TenantGraphs(out)


def publish_graph(out: Path, graph: TenantGraph) -> None:
    """Put a graph in the place of the last one; PublishError when it cannot be written."""
    folder = out / graph["tenant"]
    beside = ""
    try:
        folder.mkdir(exist_ok=True)
        descriptor, beside = tempfile.mkstemp(dir=folder, prefix=f".{FILE}.")
        with os.fdopen(descriptor, "wb") as file:
            file.write(to_json(graph))
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(0o644)
        Path(beside).replace(folder / FILE)
    except OSError as error:
        if beside:
            Path(beside).unlink(missing_ok=True)
        raise PublishError(f"The graph cannot be written to {folder}: {error.strerror}.", hint="Make the folder writable.") from error


def _read(path: Path, tenant: str, stamp: Stamp) -> KeptGraph | None:
    """What cannot be read opens to nobody; who runs the server is told."""
    try:
        value: Any = json.loads(path.read_bytes())
        return KeptGraph(stamp, parse_graph(value, tenant))
    except (OSError, ValueError, RecursionError, ApiError) as error:
        said = error.message if isinstance(error, BrainpressError) else type(error).__name__
        report(f"The graph of {tenant} cannot be read, so it is not shown: {said}")
        return None


def _name_file(url: str) -> str:
    file = unquote(url)
    return f"{file}index.html" if not file or file.endswith("/") else file


def _list_files(releases: Releases, tenant: str, repo: str) -> Collection[str]:
    release = releases.peek(tenant, repo) or releases.load(tenant, repo)
    return release.files if release else ()
