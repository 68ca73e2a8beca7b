"""What was built of the repos of a tenant, as far as its graph is drawn from it (SPEC T36). Called by `brain graph`."""

from collections.abc import Collection
from pathlib import Path

from indexer.errors import PublishError
from indexer.publish.tenant_graph import DrawnRepo, read_site_graph
from indexer.store.read import open_index
from indexer.store.statements import INDEX_FILE

_LARGEST = 256 * 1024 * 1024


def read_drawn(out: Path, url: str, titles: dict[str, str], wanted: Collection[str]) -> tuple[list[DrawnRepo], list[str]]:
    """Return what the output folder of a tenant holds of these repos, and those of which it holds nothing.

    `titles` gives repo → title; `url` is the tenant's declared address, or empty.
    """
    found, missing = [], []
    with open_index(out / INDEX_FILE) as index:
        for repo in sorted(wanted):
            content = _read(out / repo / "site" / "graph.json", repo)
            if content is None:
                missing.append(repo)
                continue
            outside = index.fetch_outside_links(repo, f"{url}/") if url else []
            parents = [(brain.id, brain.parent) for brain in index.fetch_brains([repo]) if brain.parent]
            found.append(DrawnRepo(repo, titles[repo], read_site_graph(content, repo), outside, parents))
    return found, missing


def _read(path: Path, repo: str) -> bytes | None:
    try:
        if path.stat().st_size > _LARGEST:
            raise PublishError(f"The graph of {repo} is larger than {_LARGEST >> 20} MB.")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PublishError(f"The graph of {repo} cannot be read: {error.strerror}.", hint="Check the permissions of the folder.") from error
