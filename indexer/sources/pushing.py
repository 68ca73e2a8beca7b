"""Pushes one commit to the branch it was made for, never by force.

Called by `writes`. The network is reached as `network` says. A folder of this machine is an address only where its user named it, for
receiving there runs the hooks that lie there.
"""

from indexer.errors import SourceError
from indexer.registry.address import Address, parse_address
from indexer.sources.branch import Branch
from indexer.sources.commits import LostRaceError
from indexer.sources.git import WRITE_FILE_SIZE, GitError, GitPipe, redact, run_git
from indexer.sources.network import PATIENCE, Credential, build_network_environment, hide_secret, make_network_settings
from indexer.sources.reaching import pin_address

_MOVED = ("non-fast-forward", "fetch first", "stale info", "failed to update ref", "cannot lock ref", "reference already exists")
_ARGS = ("push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no", "--no-force")
_SETTINGS = ("push.gpgSign=false", "push.followTags=false", "push.autoSetupRemote=false", "push.useBitmaps=true", "push.pushOption=")


class PushRefusedError(SourceError):
    """The other side does not take the commit, and trying again would not change its mind."""


def push_commit(
    branch: Branch,
    commit: str,
    address: str,
    *,
    credential: Credential | None = None,
    allow_local: bool = False,
    allow_private: bool = False,
) -> None:
    """Push `commit` to the branch's name at `address`.

    Raises LostRaceError when the branch there has commits that this one is not built on, PushRefusedError for any other no.
    """
    checked = check_address(address, allow_local=allow_local)
    pinned = pin_address(checked, allow_private=allow_private)
    with GitPipe(
        branch.git_dir,
        (*_ARGS, "--end-of-options", checked.text, f"{commit}:{branch.ref}"),
        patience=PATIENCE,
        file_size=WRITE_FILE_SIZE,
        settings=(*make_network_settings(checked, credential, pinned), *_SETTINGS),
        environment=build_network_environment(checked, credential, pinned),
    ) as pipe:
        printed = pipe.out.read(1 << 20).decode("utf-8", "replace")
        try:
            pipe.finish()
        except GitError as failed:
            raise _explain(branch, checked, printed, failed, credential) from None


def check_address(address: str, *, allow_local: bool = False) -> Address:
    """Return the address to push to, or raise SourceError."""
    try:
        return parse_address(address, allow_local=allow_local)
    except ValueError as refused:
        raise SourceError(
            f"Nothing can be pushed there: {refused}.",
            hint="Name the address with --push-to; a folder of this machine counts only when it is named so.",
        ) from refused


def read_push_address(branch: Branch) -> tuple[str, str]:
    """Return the name and the address of the remote that a branch is pushed to by itself; SourceError where there is none."""
    git_dir = branch.git_dir
    name = (
        _read_setting(git_dir, f"branch.{branch.name}.pushRemote")
        or _read_setting(git_dir, "remote.pushDefault")
        or _read_setting(git_dir, f"branch.{branch.name}.remote")
        or "origin"
    )
    address = _read_setting(git_dir, f"remote.{name}.pushurl") or _read_setting(git_dir, f"remote.{name}.url")
    if not address:
        raise SourceError(f"`{branch.name}` of {git_dir} has no remote to push to.", hint="Name one with --push-to, or leave out --push.")
    return name, address


def _read_setting(git_dir: object, key: str) -> str:
    found = run_git(git_dir, ("config", "--local", "--no-includes", "-z", "--get", key), accepted=(0, 1))  # type: ignore[arg-type]
    return found.decode("utf-8", "replace").split("\0")[0].strip()


def _explain(branch: Branch, address: Address, printed: str, failed: GitError, credential: Credential | None) -> SourceError:
    line = next((line for line in printed.splitlines() if line.startswith("!")), "")
    verdict = redact(line.rpartition("\t")[2])
    said = hide_secret(failed.diagnosis, credential)
    if any(word in f"{verdict} {said}".lower() for word in _MOVED) and "hook declined" not in verdict:
        return LostRaceError(
            f"{address.text} has commits on `{branch.name}` that are not here.", hint="Fetch them (`git pull`) and run it again."
        )
    spoken = " ".join(line.removeprefix("remote:").strip() for line in said.splitlines() if line.startswith("remote:"))
    why = " ".join(part for part in (verdict.replace("[", "").replace("]", ""), spoken) if part) or " ".join(
        line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines()
    )
    lower = f"{why} {said}".lower()
    if verdict:
        hint = "The branch may be protected: let this account push to it, or take the refresh to where it may."
    elif any(
        word in lower for word in ("authentication failed", "could not read username", "permission denied", "403", "terminal prompts")
    ):
        hint = "The credential is missing or may not push; give it one that may write."
    else:
        hint = "Check the address and the network; nothing has changed there."
    return PushRefusedError(f"{address.text} did not take the commit: {why[:500] or failed.message}", hint=hint)
