"""The address of something in a site, from the path of a request as it was sent (THREATS 1, 34). Called by `gateway`, before anything else.

Strict and without repair: a path that is not in the one plain form names nothing. Pure: nothing is looked up here.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from indexer.registry.tenant_model import ID_PATTERN

_LONGEST_PATH, _LONGEST_PART = 4096, 255
_PLAIN = re.compile(rb"/[!-~]*")
_REFUSED = re.compile(rb"//|[\\?#]|%(?![0-9A-Fa-f]{2})|%2[Ff]|%5[Cc]|%[01][0-9A-Fa-f]|%7[Ff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_ID = re.compile(ID_PATTERN.strip("^$"))
_PART = rf"(?!\.{{1,2}}(?:/|\Z))[!\"$&-.0->@-\[\]-~]{{1,{_LONGEST_PART}}}"
_UNENCODED = re.compile(rf"/({_ID.pattern})(?:/({_ID.pattern})(?:/({_PART}(?:/{_PART})*))?)?(/)?".encode())
_OWN = re.compile(rb"/(?:-|api|\.well-known)/|/mcp(?:/|$)|/api$")


class Address(NamedTuple):
    """What a path names, if it exists."""

    tenant: str
    repo: str
    """Empty = the tenant's own page."""
    path: str
    """Inside the site, decoded; empty = its front page."""
    slash: bool
    """Whether the path ends with a slash."""


def is_own(raw: bytes, host_tenant: str) -> bool:
    """Whether a path belongs to the gateway itself, not to a site. On a tenant's host `/` is the tenant's page."""
    return _OWN.match(raw) is not None or (raw == b"/" and not host_tenant)


def parse_address(raw: bytes, host_tenant: str = "") -> Address | None:
    """Return what a path names: `/<tenant>/<repo>/<path>`, or `/<repo>/<path>` on a tenant's host; None = nothing that could exist."""
    if len(raw) > _LONGEST_PATH or not raw.startswith(b"/"):
        return None
    if b"%" in raw:
        return parse_encoded(raw, host_tenant)
    found = _UNENCODED.fullmatch(b"/%b%b" % (host_tenant.encode(), raw) if host_tenant else raw)
    if found is None:
        return None
    tenant, repo, path, slash = found.groups(b"")
    return Address(tenant.decode(), repo.decode(), path.decode(), slash == b"/")


def parse_encoded(raw: bytes, host_tenant: str) -> Address | None:
    """Return the same for a path that may hold `%`: step by step, where `parse_address` does all at once for what has none."""
    if not _PLAIN.fullmatch(raw) or _REFUSED.search(raw):
        return None
    try:
        # Decoded once, strictly: what still looks encoded afterwards is part of a name.
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if _CONTROL.search(text):
        return None
    slash = text.endswith("/")
    parts = text[1:].removesuffix("/").split("/") if text != "/" else []
    if any(part in {"", ".", ".."} or len(part.encode()) > _LONGEST_PART for part in parts):
        return None
    names = [host_tenant, *parts] if host_tenant else parts
    if not names or any(not _ID.fullmatch(name) for name in names[:2]):
        return None
    return Address(names[0], names[1] if len(names) > 1 else "", "/".join(names[2:]), slash)


def quote_path(*parts: str) -> str:
    """Return a path from decoded parts, encoded for a header or a link; each part may hold slashes."""
    return "/" + "/".join(quote(part, safe="/") for part in parts if part)
