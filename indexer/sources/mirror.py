"""Bare mirrors of repositories elsewhere, in a folder of our own.

Called by the pipeline and the worker before `open_source`. How git reaches the network is said in `network`; what arrives is checked
(`fsckObjects`) before it is stored; submodules are not followed.
"""

import contextlib
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from indexer.errors import SourceError
from indexer.model.snapshot import Limits
from indexer.registry.address import Address, parse_address, parse_branch
from indexer.sources.git import GitError, GitPipe, run_git
from indexer.sources.location import is_git_dir
from indexer.sources.network import PATIENCE, Credential, build_network_environment, hide_secret, make_network_settings
from indexer.sources.reaching import Pinned, await_answer, pin_address

DEAD_AFTER = 2 * PATIENCE
"""Seconds after which nobody holds a lock any more."""
LOOSE_OBJECTS = 2000
"""Objects outside packs from which on a mirror is packed."""

_TIP = re.compile(rb"([0-9a-f]{40})\t([^\n]+)\n")
_LONGEST_TIP = 4096
_IN_THE_WAY = re.compile(r"' exists; cannot create '|refname conflict|directory/file conflict|there are still refs under")


def fetch_mirror(
    address: str,
    target: Path,
    branch: str,
    *,
    credential: Credential | None = None,
    allow_local: bool = False,
    allow_private: bool = False,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
) -> None:
    """Bring one branch of a repository, with the tags on it, into the bare mirror `target`, which is made when it is missing.

    A failed fetch raises SourceError and leaves the mirror as it was. `allow_local` lets a folder of this machine be the address,
    `allow_private` a host of our own network.
    """
    checked, name = _check(address, branch, allow_local=allow_local)
    pinned = pin_address(checked, allow_private=allow_private)
    await_answer(checked, pinned)
    if is_git_dir(target):
        _drop_dead_locks(target)
        with _without_leftovers(target):
            _fetch(checked, target, name, credential, limits, pinned)
        _note_address(target, checked)
        return
    if target.exists():
        raise SourceError(f"{target} is in the way: it is no mirror.", hint="Move it away; a mirror is made in its place.")
    _make_mirror(checked, target, name, credential, limits, pinned)


def ask_tip(
    address: str, branch: str, *, credential: Credential | None = None, allow_local: bool = False, allow_private: bool = False
) -> str | None:
    """Return the commit that a branch of a repository is at now; None when it has no such branch. SourceError when it cannot be asked."""
    checked, name = _check(address, branch, allow_local=allow_local)
    ref, pinned = f"refs/heads/{name}", pin_address(checked, allow_private=allow_private)
    await_answer(checked, pinned)
    with tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
        _lay_out(Path(scratch), name)
        with GitPipe(
            Path(scratch),
            ("ls-remote", "--quiet", "--end-of-options", checked.text, ref),
            settings=make_network_settings(checked, credential, pinned),
            environment=build_network_environment(checked, credential, pinned),
        ) as pipe:
            said = pipe.out.read(_LONGEST_TIP)
            try:
                pipe.finish()
            except GitError as failed:
                raise _explain(checked, branch, failed, credential) from None
    found = _TIP.match(said)
    return found[1].decode() if found and found[2].decode("utf-8", "replace") == ref else None


def _check(address: str, branch: str, *, allow_local: bool) -> tuple[Address, str]:
    try:
        return parse_address(address, allow_local=allow_local), parse_branch(branch)
    except ValueError as refused:
        raise SourceError(
            f"The repository cannot be fetched: {refused}.", hint="Correct its address or branch where it is registered."
        ) from refused


def _make_mirror(address: Address, target: Path, branch: str, credential: Credential | None, limits: Limits, pinned: Pinned) -> None:
    """Build the mirror beside its place, so that there is a whole one or none."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise SourceError(f"No mirror can be made at {target}: {error.strerror}.", hint="Make the folder writable.") from error
    try:
        _lay_out(beside, branch)
        _fetch(address, beside, branch, credential, limits, pinned)
        _note_address(beside, address)
        beside.rename(target)
    except OSError as error:
        raise SourceError(f"No mirror can be made at {target}: {error.strerror}.", hint="Make the folder writable.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _lay_out(mirror: Path, branch: str) -> None:
    """Make an empty bare repository, without the hooks and examples that `git init` copies from the machine."""
    for folder in ("objects", "refs/heads"):
        (mirror / folder).mkdir(parents=True)
    (mirror / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
    (mirror / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n", encoding="utf-8")


def _note_address(mirror: Path, address: Address) -> None:
    """Have the mirror name the repository that it was fetched from last: links to edit a page lead there."""
    key = "remote.origin.url"
    if run_git(mirror, ("config", "--local", "--get", key), accepted=(0, 1)).decode("utf-8", "replace").strip() != address.text:
        run_git(mirror, ("config", "--local", "--replace-all", key, address.text))


def _fetch(address: Address, mirror: Path, branch: str, credential: Credential | None, limits: Limits, pinned: Pinned) -> None:
    ref = f"refs/heads/{branch}"
    try:
        _run_fetch(address, mirror, ref, credential, limits, pinned)
    except GitError as failed:
        # A name is no folder: `v1` that is gone there and `v1/rc` that has come cannot both be here.
        if not (_IN_THE_WAY.search(failed.diagnosis) and _drop_refs(mirror, ref)):
            raise _explain(address, branch, failed, credential) from None
        try:
            _run_fetch(address, mirror, ref, credential, limits, pinned)
        except GitError as again:
            raise _explain(address, branch, again, credential) from None
    run_git(mirror, ("symbolic-ref", "HEAD", ref))
    _tidy(mirror, limits)


def _run_fetch(address: Address, mirror: Path, ref: str, credential: Credential | None, limits: Limits, pinned: Pinned) -> None:
    args = ("fetch", "--quiet", "--atomic", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance", "--update-head-ok")
    # Packs hold the history too, so they may be larger than what one commit may hold.
    with GitPipe(
        mirror,
        (*args, "--end-of-options", address.text, f"+{ref}:{ref}"),
        patience=PATIENCE,
        file_size=4 * limits.total_bytes,
        settings=make_network_settings(address, credential, pinned),
        environment=build_network_environment(address, credential, pinned),
    ) as pipe:
        pipe.finish()


def _drop_refs(mirror: Path, kept: str) -> bool:
    """Forget all tags and branches but one; those that are still there come with the next fetch. Whether there were any."""
    listed = run_git(mirror, ("for-each-ref", "--format=delete %(refname)")).splitlines(keepends=True)
    others = [line for line in listed if line.decode("utf-8", "surrogateescape").rstrip("\n") != f"delete {kept}"]
    if others:
        run_git(mirror, ("update-ref", "--no-deref", "--stdin"), given=b"".join(others))
    return bool(others)


def _tidy(mirror: Path, limits: Limits) -> None:
    """Pack what many fetches have left, when it has become much. The mirror is good without it, so a failure is none."""
    settings = (f"gc.auto={LOOSE_OBJECTS}", "gc.autoDetach=false")
    with (
        contextlib.suppress(GitError),
        GitPipe(mirror, ("gc", "--auto", "--quiet"), patience=PATIENCE, file_size=4 * limits.total_bytes, settings=settings) as pipe,
    ):
        pipe.finish()


@contextlib.contextmanager
def _without_leftovers(mirror: Path) -> Iterator[None]:
    """Take away what a failed fetch left half-written; nothing refers to it."""
    before = set(_find_half_written(mirror))
    try:
        yield
    except SourceError:
        for leftover in set(_find_half_written(mirror)) - before:
            leftover.unlink(missing_ok=True)
        raise


def _drop_dead_locks(mirror: Path) -> None:
    """Take away locks of git commands that were killed. The mirror is ours alone, and none of our commands lives as long."""
    locks = (lock for pattern in ("*.lock", "refs/**/*.lock", "objects/info/*.lock") for lock in mirror.glob(pattern))
    for lock in locks:
        with contextlib.suppress(OSError):
            if time.time() - lock.stat().st_mtime > DEAD_AFTER:
                lock.unlink()


def _find_half_written(mirror: Path) -> Iterator[Path]:
    objects = mirror / "objects"
    for pattern in ("pack/tmp_*", "tmp_*", "??/tmp_*"):
        yield from (path for path in objects.glob(pattern) if path.is_file())


def _explain(address: Address, branch: str, failed: GitError, credential: Credential | None) -> SourceError:
    said = hide_secret(failed.diagnosis or failed.message, credential)
    lower = said.lower()
    if "couldn't find remote ref" in lower:
        hint = f"The repository has no branch `{branch}`; correct the branch where it is registered."
    elif any(
        word in lower for word in ("authentication failed", "could not read username", "permission denied", "terminal prompts disabled")
    ):
        hint = "The credential is missing or was refused; register one that may read the repository."
    elif any(word in lower for word in ("not found", "does not exist", "not appear to be a git repository")):
        hint = "Check the address; a private repository without the right credential looks the same."
    elif "fsck" in lower or "error in " in lower:
        hint = "The repository holds objects that git considers dangerous or damaged; its owner has to mend its history."
    else:
        hint = "The last mirror stays in use; the next run tries again."
    lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines() if line.strip()]
    return SourceError(f"{address.text} could not be fetched: {' '.join(lines)[:500]}", hint=hint)
