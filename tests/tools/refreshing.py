"""Refreshes to test with: real repositories, and maps that are as simple as maps can be."""

from collections.abc import Callable, Mapping
from pathlib import Path

from indexer.publish.maps_log import add_log
from indexer.sources import open_source
from indexer.sources.branch import Branch, find_branch
from indexer.writes.map_plan import Drawn
from indexer.writes.refresh import PushTarget, RefreshOrder
from tests.tools.repos import run_git

MARKED = "# Home\n\nWelcome.\n\n<!-- brain:index -->\n<!-- /brain:index -->\n\nBye.\n"


def draw_simply(path: Path, folder: str = "") -> Callable[[str, Mapping[str, bytes]], Drawn]:
    """Return a way to draw maps: a list of the pages, a map for each of their folders, and the list in the marked block."""

    def draw(revision: str, now: Mapping[str, bytes]) -> Drawn:
        with open_source(path, at=revision, folder=folder) as source:
            pages = [entry.path for entry in source.snapshot.entries if entry.path.endswith(".md")]
        listed = "".join(f"- {page}\n" for page in pages if page != "index.md").encode()
        maps = {".brain/index.md": b"# Index\n\n" + listed}
        for name in sorted({page.partition("/")[0] for page in pages if "/" in page}):
            maps[f".brain/hubs/{name}.md"] = "".join(f"- {page}\n" for page in pages if page.startswith(f"{name}/")).encode()
        before, mark, rest = now.get("index.md", b"").partition(b"<!-- brain:index -->\n")
        if mark:
            maps["index.md"] = before + mark + listed + rest[rest.index(b"<!-- /brain:index -->") :]
        return Drawn(maps, len(pages))

    return draw


def order(path: Path, folder: str = "", *, push_to: Path | None = None, name: str = "", only_stale: bool = False) -> RefreshOrder:
    """Return the order to refresh a repository, whose other side is a folder of this machine."""
    push = PushTarget(f"file://{push_to}", allow_local=True) if push_to else None

    def open_branch() -> Branch:
        return find_branch(path, folder, name)

    return RefreshOrder(open_branch, draw_simply(path, folder), add_log, push=push, only_stale=only_stale)


def read_log(where: Path, ref: str = "HEAD") -> list[str]:
    """Return the subjects of all commits, newest first."""
    return run_git(where, "log", "--format=%s", ref).splitlines()


def list_files(where: Path, ref: str = "HEAD") -> dict[str, str]:
    """Return path → blob of a commit."""
    lines = run_git(where, "ls-tree", "-r", "--full-tree", ref).splitlines()
    return {line.partition("\t")[2]: line.split()[2] for line in lines}


def is_clean(where: Path) -> bool:
    """Whether git finds the work tree and the index as committed, with nothing beside."""
    return run_git(where, "status", "--porcelain", "--untracked-files=all") == ""
