"""Bare mirrors of repositories elsewhere, in a folder of our own: the one place from which git reaches a network.

Called by the pipeline and the worker before `open_source`. Only https and ssh are spoken, never a helper that an address names; what
arrives is checked (`fsckObjects`) before it is stored; submodules are not followed. A credential travels in the environment of
the one process and occurs in no argument, file, or message.
"""

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from indexer.errors import SourceError
from indexer.model.snapshot import Limits
from indexer.registry.address import Address, parse_address, parse_branch
from indexer.sources.git import GitError, GitPipe, run_git
from indexer.sources.location import is_git_dir
from indexer.sources.reaching import Pinned, pin_address

PATIENCE = 1800.0
"""Seconds that a fetch may take; it prints nothing while it works."""
LOOSE_OBJECTS = 2000
"""Objects outside packs from which on a mirror is packed."""
HELPER_VARIABLE = "BRAINPRESS_CREDENTIAL_HELPER"
"""Environment variable with a git credential helper (`store --file=…`, `cache`), which knows by itself which host gets which secret."""

_TIP = re.compile(rb"([0-9a-f]{40})\t([^\n]+)\n")
_LONGEST_TIP = 4096
_PASSED_ON = (
    "HOME",
    "SSH_AUTH_SOCK",
    "https_proxy",
    "HTTPS_PROXY",
    "no_proxy",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
)
_FROM_ENVIRONMENT = '!f() { test "$1" = get && echo "username=$BRAINPRESS_GIT_USER" && echo "password=$BRAINPRESS_GIT_SECRET"; }; f'


@dataclass(frozen=True, slots=True)
class Credential:
    """What one repository asks for; given for the host of its address and for no other."""

    user: str
    secret: str = field(repr=False)


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
    if is_git_dir(target):
        with _without_leftovers(target):
            _fetch(checked, target, name, credential, limits, pinned)
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
    with tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
        _lay_out(Path(scratch), name)
        environment = {**_pass_on(os.environ, pinned), "GIT_ALLOW_PROTOCOL": checked.scheme, **_hand_over(credential)}
        with GitPipe(
            Path(scratch),
            ("ls-remote", "--quiet", "--end-of-options", checked.text, ref),
            settings=(*_network_settings(checked, credential), *pinned.settings),
            environment=environment,
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
        run_git(beside, ("config", "remote.origin.url", address.text))
        _fetch(address, beside, branch, credential, limits, pinned)
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


def _fetch(address: Address, mirror: Path, branch: str, credential: Credential | None, limits: Limits, pinned: Pinned) -> None:
    ref = f"refs/heads/{branch}"
    args = ("fetch", "--quiet", "--atomic", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance", "--update-head-ok")
    environment = {**_pass_on(os.environ, pinned), "GIT_ALLOW_PROTOCOL": address.scheme, **_hand_over(credential)}
    # Packs hold the history too, so they may be larger than what one commit may hold.
    with GitPipe(
        mirror,
        (*args, "--end-of-options", address.text, f"+{ref}:{ref}"),
        patience=PATIENCE,
        file_size=4 * limits.total_bytes,
        settings=(*_network_settings(address, credential), *pinned.settings),
        environment=environment,
    ) as pipe:
        try:
            pipe.finish()
        except GitError as failed:
            raise _explain(address, branch, failed, credential) from None
    run_git(mirror, ("symbolic-ref", "HEAD", ref))
    _tidy(mirror, limits)


def _tidy(mirror: Path, limits: Limits) -> None:
    """Pack what many fetches have left, when it has become much. The mirror is good without it, so a failure is none."""
    settings = (f"gc.auto={LOOSE_OBJECTS}", "gc.autoDetach=false")
    with (
        contextlib.suppress(GitError),
        GitPipe(mirror, ("gc", "--auto", "--quiet"), patience=PATIENCE, file_size=4 * limits.total_bytes, settings=settings) as pipe,
    ):
        pipe.finish()


def _pass_on(environment: Mapping[str, str], pinned: Pinned) -> dict[str, str]:
    return {
        **{name: environment[name] for name in _PASSED_ON if name in environment},
        "GIT_OPTIONAL_LOCKS": "1",
        "GIT_ASKPASS": "/bin/false",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_SSH_COMMAND": shlex.join(("ssh", "-oBatchMode=yes", "-oClearAllForwardings=yes", "-oPermitLocalCommand=no", *pinned.ssh)),
    }


def _hand_over(credential: Credential | None) -> dict[str, str]:
    if credential is None:
        return {}
    if any(char in text for text in (credential.user, credential.secret) for char in "\r\n\0"):
        raise SourceError("The credential holds a line break, so it was not used.", hint="Register it again without one.")
    return {"BRAINPRESS_GIT_USER": credential.user, "BRAINPRESS_GIT_SECRET": credential.secret}


def _network_settings(address: Address, credential: Credential | None) -> Sequence[str]:
    helper = os.environ.get(HELPER_VARIABLE, "")
    return (
        f"protocol.{address.scheme}.allow=always",
        "transfer.fsckObjects=true",
        "fetch.fsckObjects=true",
        # A redirect could lead to a host inside our own network.
        "http.followRedirects=false",
        "http.lowSpeedLimit=1000",
        "http.lowSpeedTime=60",
        *([f"credential.helper={_FROM_ENVIRONMENT}"] if credential else [f"credential.helper={helper}"] if helper else []),
    )


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


def _find_half_written(mirror: Path) -> Iterator[Path]:
    objects = mirror / "objects"
    for pattern in ("pack/tmp_*", "tmp_*", "??/tmp_*"):
        yield from (path for path in objects.glob(pattern) if path.is_file())


def _explain(address: Address, branch: str, failed: GitError, credential: Credential | None) -> SourceError:
    said = failed.diagnosis or failed.message
    if credential is not None and credential.secret:
        said = said.replace(credential.secret, "…")
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
