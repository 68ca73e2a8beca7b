"""How a gateway was asked to run: plain values, checked by the command line, handed to every process that serves.

Used by `gateway` and `context`. Holds secrets, which are left out of its text.
"""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from indexer.errors import UsageError

DEV_ISSUER = "dev-login"
"""Issuer of identities that signed in by a printed link."""
PROXY_ISSUER = "proxy"
"""Issuer of identities that a proxy in front vouches for."""
PROXY_SECRET_HEADER = "X-Brain-Proxy-Secret"  # noqa: S105 (a header's name)
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """The sign-in service."""

    issuer: str
    """As it names itself; its documents are found below this address."""
    client_id: str
    client_secret: str = field(repr=False, default="")
    """Empty = a public client, which proves itself by PKCE alone."""
    trusts_email: bool = False
    """True = every address it names counts as verified: for a service of one organisation that does not say so itself."""


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """A proxy that says who asks."""

    header: str
    """Holds the person's e-mail address or user name."""
    secret: str = field(repr=False)
    """What the proxy proves itself with, in the header X-Brain-Proxy-Secret of every request."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `brain serve` was told."""

    out: Path
    """Output of `brain build`."""
    registry: str = field(repr=False)
    """Path or URL."""
    url: str
    """Origin at which people reach the gateway, no slash at its end."""
    hosts: frozenset[str] = frozenset()
    """Further names it answers to, without ports."""
    host_per_tenant: bool = False
    """True = every tenant has a host of its own below that of `url`."""
    oidc: OidcSettings | None = None
    proxy: ProxySettings | None = None
    dev_login: bool = False
    sendfile: str = ""
    """`nginx` = leave the bytes of files to it (X-Accel-Redirect); empty = send them."""
    rate: float = 0.0
    """Requests per second that one asker may send in the long run, ten seconds' worth at once; 0 = any number."""
    log: Path | None = None
    """Access log; None = none is kept."""

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the gateway over TLS."""
        return self.url.startswith("https://")

    @property
    def host(self) -> str:
        """Host of `url`, without port."""
        return urlsplit(self.url).hostname or ""

    @property
    def issuers(self) -> frozenset[str]:
        """Whose sessions hold here: one that began in another way of signing in does not."""
        return frozenset(({self.oidc.issuer} if self.oidc else set()) | ({DEV_ISSUER} if self.dev_login else set()))


def parse_origin(text: str) -> str:
    """Return an origin such as `https://brain.example.org`; UsageError for anything that is more, or may not carry a session."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in {"https", "http"} or not host or parts.path not in {"", "/"} or parts.query or parts.fragment or parts.username:
        raise UsageError(f"{text} is not the address of a server.", hint="Give --url as in https://brain.example.org, without a path.")
    if parts.scheme == "http" and host not in LOOPBACK:
        hint = "Put a server with TLS in front, and give --url https://…"
        raise UsageError(f"{text} would send people's sessions over the network in the clear.", hint=hint)
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else "")
