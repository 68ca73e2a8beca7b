"""The branch of a repository that is written to: where it is, what its head is, and who else has it checked out.

Called by `writes`. Looks only; `commits` moves a branch.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from indexer.errors import SourceError
from indexer.registry.address import parse_branch
from indexer.sources.git import run_git
from indexer.sources.location import Location, find_location, is_git_dir
from indexer.sources.names import show_name
from indexer.sources.objects import ObjectReader
from indexer.sources.opening import check_folder, find_folder
from indexer.sources.revision import Commit, read_branches, read_head_branch, resolve_commit

_LONGEST_HEAD = 4096


class Branch(Struct, frozen=True):
    """One branch of a repository, and the content root on it."""

    location: Location
    name: str
    """Without `refs/heads/`."""
    checked_out: bool
    """Whether the work tree at `location.top` shows it."""

    @property
    def ref(self) -> str:
        """Full name."""
        return f"refs/heads/{self.name}"

    @property
    def git_dir(self) -> Path:
        """Folder that holds HEAD."""
        return self.location.git_dir

    def find(self, name: str) -> str:
        """Return the path, from the top of the repository, of a file of the content root."""
        return f"{self.location.folder}/{name}" if self.location.folder else name


def find_branch(path: Path, folder: str = "", name: str = "") -> Branch:
    """Return the branch `name` (empty = the one that HEAD names) of the repository around `path`; raises SourceError where there is none.

    `folder` is the content root below `path`.
    """
    root = find_folder(path)
    names = check_folder(folder)
    if names and not is_git_dir(root):
        root, names = find_folder(root / names), ""
    location = find_location(root, names)
    if location is None:
        raise SourceError(f"{path} is in no git repository.", hint="Make it one: `git init`, `git add`, `git commit`.")
    current = read_head_branch(location.git_dir)
    if name:
        _check_name(location, name)
    elif not current:
        raise SourceError(
            f"HEAD of {path} is on no branch, so there is none to commit to.",
            hint="Switch to a branch (`git switch main`), or name one with --branch.",
        )
    chosen = name or current
    _refuse_elsewhere(location, chosen)
    return Branch(location, chosen, location.top is not None and chosen == current)


def read_head(branch: Branch) -> Commit:
    """Return the newest commit of a branch; SourceError where nothing was committed to it yet."""
    with ObjectReader(branch.git_dir) as reader:
        if reader.resolve(f"{branch.ref}^{{commit}}") is None:
            others = [name for name in read_branches(branch.git_dir) if name != branch.name]
            if others:
                shown = ", ".join(others[:5]) + (" and more" if len(others) > 5 else "")
                raise SourceError(f"There is no branch `{branch.name}` in {branch.git_dir}.", hint=f"Branches there: {shown}.")
            raise SourceError(f"`{branch.name}` of {branch.git_dir} has no commit yet.", hint="Commit some pages first.")
        commit = resolve_commit(branch.git_dir, reader, branch.ref)
    if commit is None:
        raise SourceError(f"`{branch.name}` of {branch.git_dir} has no commit yet.", hint="Commit some pages first.")
    return commit


def _check_name(location: Location, name: str) -> None:
    try:
        parse_branch(name)
    except ValueError as refused:
        shown = show_name(name.encode("utf-8", "surrogateescape"))
        raise SourceError(f"`{shown[:100]}` is not the name of a branch of {location.git_dir}: {refused}.") from refused


def _refuse_elsewhere(location: Location, name: str) -> None:
    """A branch that another work tree shows must move there, or its files would look changed."""
    for git_dir, top in _list_work_trees(location):
        if git_dir != location.git_dir and _read_branch(git_dir) == name:
            raise SourceError(f"`{name}` is checked out in another work tree, {top}.", hint=f"Give that one: {top}")


def _list_work_trees(location: Location) -> Iterator[tuple[Path, Path]]:
    """Yield git folder and top of each work tree: the main one, unless the repository is bare, and the linked ones."""
    common = location.common_dir
    if common.name == ".git":
        yield common, common.parent
    linked = common / "worktrees"
    for folder in sorted(linked.iterdir()) if linked.is_dir() else ():
        pointer = folder / "gitdir"
        if pointer.is_file():
            top = Path(pointer.read_text("utf-8", "surrogateescape").strip()).parent
            if top.is_dir():
                yield folder.resolve(), top


def _read_branch(git_dir: Path) -> str:
    try:
        with (git_dir / "HEAD").open("rb") as opened:
            text = opened.read(_LONGEST_HEAD).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    return text.removeprefix("ref: refs/heads/") if text.startswith("ref: refs/heads/") else ""


def read_ref(git_dir: Path, ref: str) -> str:
    """Return the commit that a ref names; empty where there is none."""
    found = run_git(git_dir, ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}"), accepted=(0, 1, 128))
    return found.decode().strip()
