"""Where people see and edit a repository: the web address of its remote, without credentials, and the kind of forge.

Called by `opening`. The remote's address is somebody else's text: what is not plainly a host and a path counts as unknown.
"""

import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from indexer.model.snapshot import Origin
from indexer.sources.git import run_git
from indexer.sources.revision import read_branches, read_head_branch

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_SCP_LIKE = re.compile(r"(?:[^@/\s]+@(?P<known>[A-Za-z0-9.-]+)|(?P<host>[A-Za-z0-9-]+\.[A-Za-z0-9.-]+)):(?!:|//)/?(?P<path>\S.*)")
"""`user@host:path`; without a user, only a host with a dot in it is taken for one."""
_KINDS = (
    (re.compile(r"(?:^|[.-])github[.-]"), "github"),
    (re.compile(r"(?:^|[.-])gitlab[.-]"), "gitlab"),
    (re.compile(r"(?:^|[.-])(?:codeberg|gitea|forgejo)[.-]"), "gitea"),
    (re.compile(r"(?:^|[.-])pagure[.-]|^src\.fedoraproject\.org$"), "pagure"),
)
_SSH_OVER_HTTPS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}


def read_origin(git_dir: Path, folder: str, at: str | None) -> Origin:
    """Return where the files of a content root can be seen and edited, as far as the remotes tell."""
    web = find_web_address(_read_remote(git_dir))
    return Origin(web=web, branch=_find_branch(git_dir, at), folder=folder, kind=find_kind(web))


def find_web_address(address: str) -> str:
    """Return `https://host/owner/name` for a remote's address (https, ssh, git or `user@host:path`); empty where it names no host."""
    parts = _split_address(address)
    if parts is None:
        return ""
    scheme, host, path = parts
    names = unquote(path).strip("/").removesuffix(".git").strip("/").split("/")
    if not all(names) or {".", ".."} & set(names) or any(char < " " for char in path):
        return ""
    return f"{scheme}://{host}/" + "/".join(quote(name, safe="~+@") for name in names)


def _split_address(address: str) -> tuple[str, str, str] | None:
    """Return scheme, host (with the port of a web server) and path."""
    if "://" not in address:
        match = _SCP_LIKE.fullmatch(address)
        host = _check_host(match["known"] or match["host"]) if match else ""
        return ("https", host, match["path"]) if match and host else None
    try:
        parts = urlsplit(address)
        host, port = _check_host(parts.hostname or ""), parts.port
    except ValueError:
        return None
    if not host:
        return None
    if parts.scheme in {"http", "https"}:
        return parts.scheme, f"{host}:{port}" if port else host, parts.path
    return ("https", host, parts.path) if parts.scheme in {"ssh", "git", "git+ssh", "ssh+git"} else None


def _check_host(host: str) -> str:
    lower = host.lower()
    return _SSH_OVER_HTTPS.get(lower, lower) if _HOST.fullmatch(lower) else ""


def find_kind(web: str) -> str:
    """Return the kind of forge by the host's name, empty when that does not tell."""
    host = urlsplit(web).hostname or ""
    return next((kind for pattern, kind in _KINDS if pattern.search(host)), "")


def _read_remote(git_dir: Path) -> str:
    """Return the address of the remote `origin`, else of `upstream`, else of the only one."""
    lines = run_git(git_dir, ("config", "--local", "-z", "--get-regexp", r"^remote\..*\.url$"), accepted=(0, 1))
    remotes: dict[str, str] = {}
    for line in lines.decode("utf-8", "replace").split("\0"):
        key, _, value = line.partition("\n")
        remotes.setdefault(key.removeprefix("remote.").removesuffix(".url"), value.strip())
    remotes.pop("", None)
    only = next(iter(remotes.values())) if len(remotes) == 1 else ""
    return remotes.get("origin") or remotes.get("upstream") or only


def _find_branch(git_dir: Path, at: str | None) -> str:
    """Return the branch that edits go to: the one that was asked for, else the current one, else the remote's default."""
    if at is not None and at != "HEAD":
        named = at.removeprefix("refs/heads/").removeprefix("origin/")
        if named in read_branches(git_dir) or named in read_branches(git_dir, "refs/remotes/origin/"):
            return named
    elif current := read_head_branch(git_dir):
        return current
    default = run_git(git_dir, ("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"), accepted=(0, 1, 128))
    return default.decode("utf-8", "replace").strip().removeprefix("refs/remotes/origin/")
