"""Configuration of the server in front, Caddy or nginx: `brain serve --print-config` (SPEC X02; THREATS 34, 35, 48). Pure.

It passes requests on and decides nothing, keeps nothing, compresses nothing. What it takes away is what a client could use to speak in the
name of a proxy: headers that name people, whether written with hyphens or underscores. Called by the command line.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from indexer.errors import UsageError
from indexer.serve.answers import COMMON
from indexer.serve.rates import CLIENT_HEADER
from indexer.serve.settings import LOOPBACK, PROXY_SECRET_HEADER
from indexer.serve.sites import INTERNAL

GRAPH = "/api/v1/graph"
"""The one address that takes a large body."""
Kind = Literal["caddy", "nginx"]
KINDS: tuple[Kind, ...] = ("caddy", "nginx")

DROPPED = (
    PROXY_SECRET_HEADER,
    "Forwarded",
    "Remote-Email",
    "Remote-Groups",
    "Remote-Name",
    "Remote-User",
    "X-Auth-Request-Email",
    "X-Auth-Request-User",
    "X-Forwarded-Email",
    "X-Forwarded-For",
    "X-Forwarded-Groups",
    "X-Forwarded-Host",
    "X-Forwarded-Preferred-Username",
    "X-Forwarded-Proto",
    "X-Forwarded-User",
    "X-HTTP-Method-Override",
    "X-Original-URL",
    "X-Remote-User",
    "X-Rewrite-URL",
    "X-Webauth-User",
)
"""Headers of a request that speak for a proxy. The gateway believes none of them without its proxy's secret; they do not even arrive."""
_KEPT_BY_NGINX = frozenset({b"cache-control", b"content-type"})
"""What nginx itself takes over from the answer that names a file; all other headers have to be set again."""
_UNQUOTABLE = re.compile(r"[\x00-\x1f\x7f\"'\\$`{}#;]")
_HSTS = "max-age=31536000"


class Front(Struct, frozen=True):
    """What the server in front has to know."""

    url: str
    """Origin that people open."""
    upstream: str
    """Where the gateway listens: `host:port`, or the absolute path of a Unix socket."""
    out: Path
    """Output of `brain build`, absolute; nginx reads it when it sends the files itself."""
    hosts: tuple[str, ...] = ()
    """Further names that the gateway answers to."""
    host_per_tenant: bool = False
    proxy_header: str = ""
    """Header in which the server in front names the person; empty = the gateway signs people in."""
    sendfile: bool = False
    """True = nginx sends the files that the gateway names."""

    @property
    def parts(self) -> SplitResult:
        """The origin, taken apart."""
        return urlsplit(self.url)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that the server answers to."""
        host = self.parts.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        return (shown, *self.hosts, *((f"*.{host}",) if self.host_per_tenant else ()))

    @property
    def dropped(self) -> tuple[str, ...]:
        """Headers that no client may send."""
        added = () if self.proxy_header.lower() in {"", *map(str.lower, DROPPED)} else (self.proxy_header,)
        return (*DROPPED, *added)


def render_front(kind: Kind, front: Front) -> str:
    """Return a whole configuration file; UsageError for what cannot be written in one."""
    words = (*front.names, front.proxy_header)
    for text in (front.upstream, str(front.out), *words):
        if _UNQUOTABLE.search(text) or (text in words and any(map(str.isspace, text))):
            raise UsageError(f"{text!r} cannot be written in a configuration file.", hint="Use a path without quotes, `$`, `;` or braces.")
    if front.sendfile and kind != "nginx":
        raise UsageError("Only nginx sends files that the gateway names.", hint="Leave out --sendfile.")
    lines = _list_caddy_lines(front) if kind == "caddy" else _list_nginx_lines(front)
    return "\n".join(lines) + "\n"


def _list_caddy_lines(front: Front) -> Iterator[str]:
    port = f":{front.parts.port}" if front.parts.port else ""
    secure = front.parts.scheme == "https"
    upstream = f"unix/{front.upstream}" if front.upstream.startswith("/") else front.upstream
    yield "# Caddy in front of `brain serve`, for Caddy 2.6 or later. It gets its certificates by itself."
    yield from _explain_wildcard(front)
    yield "{"
    yield from _indent(1, "servers {", "\tmax_header_size 32KB", "\ttimeouts {", "\t\tread_header 20s", "\t\tread_body 60s")
    yield from _indent(1, "\t\tidle 2m", "\t}", "}")
    yield "}"
    yield ""
    yield ", ".join(f"{front.parts.scheme}://{name}{port}" for name in front.names) + " {"
    if secure:
        yield from _indent(1, f"header Strict-Transport-Security {_HSTS}")
    yield from _indent(1, f"@graph path {GRAPH}", f"@other not path {GRAPH}")
    yield from _indent(1, "request_body @graph {", "\tmax_size 33MB", "}", "request_body @other {", "\tmax_size 512KB", "}")
    yield from _indent(1, "# No `encode` and no cache here: what people read differs, and is theirs alone.")
    yield from _indent(1, f'reverse_proxy "{upstream}" {{')
    yield from _indent(2, "# Nobody outside may speak as a proxy, in whatever spelling.", "header_up -*_*")
    named = (front.proxy_header, PROXY_SECRET_HEADER) if front.proxy_header else ()
    dropped = [name for name in front.dropped if name.lower() not in map(str.lower, named)]
    yield from _indent(2, *(f"header_up -{name}" for name in dropped), f"header_up {CLIENT_HEADER} {{remote_host}}")
    if named:
        # Not taken away but overwritten: Caddy takes away after it has set, so nobody could set them below.
        yield from _indent(2, "# This server names the person: put between the quotes what your sign-in says, after it has checked.")
        yield from _indent(2, "# Empty they name nobody, whatever a client sends.", *(f'header_up {name} ""' for name in named))
    yield from _indent(1, "}")
    yield "}"


def _list_nginx_lines(front: Front) -> Iterator[str]:
    secure = front.parts.scheme == "https"
    yield "# nginx in front of `brain serve`, for nginx 1.22 or later: a file for conf.d or sites-enabled."
    yield from _explain_wildcard(front)
    yield "upstream brain_gateway {"
    yield f'    server "{_upstream_of_nginx(front)}";'
    yield "    keepalive 32;"
    yield "}"
    yield ""
    if secure and front.parts.port is None:
        where = front.url if len(front.names) == 1 else "https://$host"  # a name of the list below, so of ours
        yield from ("server {", "    listen 80;", "    listen [::]:80;", f"    server_name {' '.join(front.names)};")
        yield from (f"    return 308 {where}$request_uri;", "}", "")
    yield "server {"
    yield from (f"    {line}" if line else "" for line in _list_server_lines(front, secure=secure))
    yield "}"


def _list_server_lines(front: Front, *, secure: bool) -> Iterator[str]:
    if secure:
        port, host = front.parts.port or 443, front.parts.hostname
        yield from (f"listen {port} ssl http2;", f"listen [::]:{port} ssl http2;")
        yield f"ssl_certificate /etc/letsencrypt/live/{host}/fullchain.pem;"
        yield f"ssl_certificate_key /etc/letsencrypt/live/{host}/privkey.pem;"
        yield "ssl_protocols TLSv1.2 TLSv1.3;"
        yield "ssl_session_tickets off;"
        yield f'add_header Strict-Transport-Security "{_HSTS}" always;'
    else:
        yield f"listen {front.names[0] if front.parts.hostname != 'localhost' else '127.0.0.1'}:{front.parts.port or 80};"
    yield f"server_name {' '.join(front.names)};"
    yield from ("server_tokens off;", "", "# Bounds on what a client may send, and how slowly.")
    yield from ("client_max_body_size 512k;", "large_client_header_buffers 4 8k;", "client_header_timeout 20s;", "client_body_timeout 60s;")
    yield from ("send_timeout 60s;", "keepalive_timeout 15s;", "")
    yield from ("# Headers with underscores are none; no cache; nothing compressed that holds both secrets and what others sent.",)
    yield from ("underscores_in_headers off;", "ignore_invalid_headers on;", "proxy_cache off;", "gzip off;", "")
    yield from ("proxy_http_version 1.1;", "proxy_set_header Host $http_host;", 'proxy_set_header Connection "";')
    yield "# Nobody outside may speak as a proxy."
    yield from (f'proxy_set_header {name} "";' for name in front.dropped)
    yield f"proxy_set_header {CLIENT_HEADER} $remote_addr;"
    if front.proxy_header:
        yield "# This server names the person: set the two headers below from what your sign-in says, after it has checked."
        yield from (f"#     proxy_set_header {name} …;" for name in (front.proxy_header, PROXY_SECRET_HEADER))
    yield from ("proxy_read_timeout 60s;", "proxy_redirect off;", "proxy_intercept_errors off;")
    if not front.sendfile:
        yield from ("proxy_ignore_headers X-Accel-Redirect X-Accel-Expires X-Accel-Buffering X-Accel-Charset X-Accel-Limit-Rate;", "")
    yield from ("", "location / {", "    proxy_pass http://brain_gateway;", "}")
    yield from ("", f"location = {GRAPH} {{", "    client_max_body_size 33m;", "    proxy_request_buffering off;")
    yield from ("    proxy_pass http://brain_gateway;", "}")
    if front.sendfile:
        yield from _list_internal_lines(front, secure=secure)


def _list_internal_lines(front: Front, *, secure: bool) -> Iterator[str]:
    """The files, for the gateway alone to name; whoever asks for this place gets the gateway's own answer."""
    yield ""
    yield "# Files that the gateway has decided to send. Nobody can ask for this place: the answer is the gateway's not-found."
    yield f"location {INTERNAL}/ {{"
    yield "    internal;"
    yield f'    alias "{front.out}/";'
    yield f'    disable_symlinks on from="{front.out}";'
    yield "    etag off;"
    yield "    if_modified_since off;"
    yield "    max_ranges 1;"
    yield '    add_header Last-Modified "";'
    if secure:
        yield f'    add_header Strict-Transport-Security "{_HSTS}";'
    for name in sorted({name.decode() for name, _ in COMMON if name not in _KEPT_BY_NGINX} | {"x-request-id"}):
        yield f"    add_header {name.title()} $upstream_http_{name.replace('-', '_')};"
    yield "    error_page 403 404 = @gateway;"
    yield "}"
    yield ""
    yield "location @gateway {"
    yield "    proxy_pass http://brain_gateway;"
    yield "}"


def _upstream_of_nginx(front: Front) -> str:
    return f"unix:{front.upstream}" if front.upstream.startswith("/") else front.upstream


def _explain_wildcard(front: Front) -> Iterator[str]:
    if front.host_per_tenant and front.parts.scheme == "https" and front.parts.hostname not in LOOPBACK:
        yield f"# A certificate for *.{front.parts.hostname} takes the DNS challenge; set it up for your DNS provider first."


def _indent(depth: int, *lines: str) -> Iterator[str]:
    yield from ("\t" * depth + line for line in lines)
