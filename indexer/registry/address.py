"""Addresses of repositories as people register them: which kinds are allowed, and that none carries a secret.

Called by `tenant_file` and, before git sees an address, by `indexer.sources.mirror`. Touches no network.
"""

import re
from urllib.parse import urlsplit

from msgspec import Struct

SCHEMES = ("https", "ssh")

_HOST = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:.]+\]"
)
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
_SCP_LIKE = re.compile(r"(?:(?P<user>[^@/:]*)@)?(?P<host>[^@/:]+):(?P<path>(?!//).+)")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\\]")
_BRANCH_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)")


class Address(Struct, frozen=True):
    """An address that may be given to git."""

    text: str
    """As it was written."""
    scheme: str
    """`https`, `ssh` or `file`."""


def parse_address(text: str, *, allow_local: bool = False) -> Address:
    """Return the address of a repository; ValueError says in one sentence why it is refused, without repeating a secret.

    Allowed are `https://host/path`, `ssh://user@host/path` and `user@host:path`; a folder (absolute path or `file:///path`) only
    with `allow_local`.
    """
    if not text or text.startswith("-") or _UNPRINTABLE.search(text):
        raise ValueError("an address must not be empty, begin with a dash or hold spaces, backslashes or control characters")
    if "://" in text:
        return _parse_url(text, allow_local)
    if text.startswith("/") and allow_local:
        return Address(text, "file")
    if "::" in text:
        raise ValueError("addresses that name a remote helper (`name::…`) are refused")
    match = _SCP_LIKE.fullmatch(text)
    if match is None:
        raise ValueError("an address looks like `https://host/owner/name` or `git@host:owner/name`")
    _check_ssh(match["user"], match["host"], match["path"])
    return Address(text, "ssh")


def _parse_url(text: str, allow_local: bool) -> Address:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ValueError("the address is not a valid URL") from error
    if parts.scheme == "file" and allow_local:
        return Address(text, "file")
    if parts.scheme not in SCHEMES:
        raise ValueError(f"only {' and '.join(SCHEMES)} addresses are allowed, not `{parts.scheme}`")
    if parts.query or parts.fragment:
        raise ValueError("an address must not have a part after `?` or `#`")
    if port == 0:
        raise ValueError("port 0 does not exist")
    if parts.scheme == "ssh":
        if parts.password is not None:
            raise ValueError("an address must not hold a password: keys and credentials are configured apart from it")
        _check_ssh(parts.username, _bracketed(parts.hostname or ""), parts.path)
    else:
        if parts.username is not None or parts.password is not None:
            raise ValueError("an address must not hold a user name, password or token: credentials are configured apart from it")
        _check_place(_bracketed(parts.hostname or ""), parts.path)
    return Address(text, parts.scheme)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _check_ssh(user: str | None, host: str, path: str) -> None:
    if user is not None and not _USER.fullmatch(user):
        raise ValueError("the user of an ssh address may hold letters, digits, `.`, `_` and `-`")
    _check_place(host, path)


def _check_place(host: str, path: str) -> None:
    if not _HOST.fullmatch(host):
        raise ValueError("the address names no valid host")
    if not path.strip("/") or path.lstrip("/").startswith("-") or ".." in path.split("/"):
        raise ValueError("the address names no repository on its host")


def parse_branch(text: str) -> str:
    """Return the name of a branch; ValueError when git could take it for anything else."""
    wrong = not text or text.startswith(("-", "/", ".")) or text.endswith(("/", ".")) or text == "@" or len(text) > 250
    if wrong or _BRANCH_FORBIDDEN.search(text) or text.startswith("refs/"):
        raise ValueError("a branch name must not begin with a dash, a dot or `refs/`, nor hold spaces or any of ~^:?*[\\")
    return text


def parse_folder(text: str) -> str:
    """Return the path of a folder with `/` between its parts and none around it; ValueError when it leads anywhere else."""
    if _UNPRINTABLE.sub("", text.replace(" ", "")) != text.replace(" ", ""):
        raise ValueError("a folder must not hold backslashes or control characters")
    if text.startswith(("/", "~")) or re.match(r"[A-Za-z]:", text):
        raise ValueError("a folder is written relative, such as `docs/notes`")
    parts = text.removesuffix("/").split("/")
    if any(part.startswith(".") for part in parts) or not all(parts):
        raise ValueError("a folder must not be empty, lead upwards (`..`) or have parts that begin with a dot")
    return "/".join(parts)
