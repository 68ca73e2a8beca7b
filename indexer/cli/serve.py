"""`brain serve`: the gateway. Wiring only: options in, the server runs until it is told to stop."""

import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from msgspec import Struct

from indexer.cli.options import Amount
from indexer.cli.paths import TypedPath
from indexer.cli.registry_options import VARIABLE
from indexer.cli.terminal import escape_text, say
from indexer.errors import UsageError
from indexer.publish.signals import outlive_hangup
from indexer.registry.engine import DEFAULT_FILE, Registry, open_registry
from indexer.registry.state import list_tenants
from indexer.serve.front_config import KINDS, Front, Kind, render_front
from indexer.serve.listening import Listen, open_socket, parse_listen, run_gateway
from indexer.serve.login_dev import make_link
from indexer.serve.settings import LOOPBACK, OidcSettings, ProxySettings, Settings, parse_origin
from indexer.store.statements import INDEX_FILE

_SECRET_FILE = TypedPath(exists=True, dir_okay=False, readable=True)
_SHORTEST_SECRET = 16


class _Given(Struct, frozen=True):
    """What the options say."""

    out: Path
    registry_url: str | None
    listen: str
    url: str | None
    hosts: tuple[str, ...]
    host_per_tenant: bool
    oidc_issuer: str | None
    oidc_client_id: str | None
    oidc_client_secret_file: Path | None
    oidc_trust_email: bool
    proxy_header: str | None
    proxy_secret_file: Path | None
    dev_login: str | None
    sendfile: str | None
    rate: float
    log: Path | None
    processes: int
    print_config: Kind | None


@click.command("serve")
@click.option("--out", type=TypedPath(exists=True, file_okay=False), required=True, help="Output of `brain build WORKSPACE`.")
@click.option("--registry", "registry_url", metavar="URL", help=f"File or database URL of the registry (or {VARIABLE}).")
@click.option("--listen", default="127.0.0.1:8080", show_default=True, metavar="HOST:PORT", help="Or unix:PATH.")
@click.option("--url", metavar="ORIGIN", help="Address that people open, such as https://brain.example.org.")
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="A further name that the server answers to; may be repeated.")
@click.option("--host-per-tenant", is_flag=True, help="Serve each tenant on its own host: TENANT.<host of --url>.")
@click.option("--oidc-issuer", metavar="URL", help="OpenID Connect service that signs people in.")
@click.option("--oidc-client-id", metavar="ID", help="As registered with that service, with the redirect address <url>/-/callback.")
@click.option("--oidc-client-secret-file", type=_SECRET_FILE, help="File with the client's secret; none for a public client.")
@click.option("--oidc-trust-email", is_flag=True, help="Take the service's e-mail addresses as verified though it does not say so.")
@click.option("--proxy-header", metavar="NAME", help="Header in which a proxy in front names the person, such as X-Forwarded-Email.")
@click.option("--proxy-secret-file", type=_SECRET_FILE, help="File with what the proxy sends as X-Brain-Proxy-Secret.")
@click.option(
    "--dev-login", metavar="ACCOUNT", help="Print a link that signs in once as ACCOUNT (or TENANT/ACCOUNT); on this machine only."
)
@click.option("--sendfile", type=click.Choice(["nginx"]), help="Let the server in front send the files (X-Accel-Redirect).")
@click.option(
    "--rate",
    type=Amount(0, 1_000_000),
    default=50.0,
    show_default=True,
    help="Requests per second that a key, session or address may send to a process in the long run, ten times as many at once; 0 = any.",
)
@click.option("--log", type=TypedPath(dir_okay=False), help="Access log, one line of JSON per request.")
@click.option("--processes", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that answer.")
@click.option("--print-config", type=click.Choice(KINDS), help="Print a configuration for the server in front, and do nothing else.")
def command(**values: Any) -> None:
    """Serve the websites of a build to those who may read them, as the registry says at that moment.

    It builds nothing and changes nothing in OUT: run `brain build` beside it, as often as you like. Put a server with TLS in front for
    anybody but yourself. Ctrl-C or SIGTERM ends it, after the answers under way.
    """
    given = _Given(**values)
    listen = parse_listen(given.listen)
    _check(given, listen)
    if given.print_config:
        click.echo(render_front(given.print_config, _make_front(given, listen)), nl=False)
        return
    url = given.registry_url or os.environ.get(VARIABLE) or DEFAULT_FILE
    registry = open_registry(url)
    try:
        opened = open_socket(listen)
        settings = _make_settings(given, url, parse_origin(given.url) if given.url else _find_origin(listen, opened))
        _greet(given, settings, registry)
    finally:
        registry.close()
    outlive_hangup()
    try:
        run_gateway(settings, opened, given.processes)
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        opened.close()
        if listen.path:
            listen.path.unlink(missing_ok=True)


def _check(given: _Given, listen: Listen) -> None:
    if not listen.is_private and not (given.url or "").startswith("https://"):
        raise UsageError(
            f"{given.listen} can be reached by others, and without TLS so could everything that people read.",
            hint="Listen on 127.0.0.1 or unix:PATH behind a server with TLS, and give --url https://…",
        )
    if listen.path and not given.url:
        raise UsageError("With a Unix socket, say which address people open: --url https://…")
    if bool(given.oidc_issuer) != bool(given.oidc_client_id):
        raise UsageError("--oidc-issuer and --oidc-client-id go together.")
    if bool(given.proxy_header) != bool(given.proxy_secret_file):
        raise UsageError("--proxy-header and --proxy-secret-file go together: without the secret anybody could name themselves.")
    if given.host_per_tenant and not given.url:
        raise UsageError("--host-per-tenant needs --url: tenants get names below its host.")
    if given.dev_login and (listen.path or listen.host not in LOOPBACK or (given.url and not given.url.startswith("http://"))):
        raise UsageError("--dev-login is for this machine only.", hint="Leave out --url, and listen on 127.0.0.1.")
    if given.oidc_issuer and not given.oidc_issuer.startswith("https://"):
        parse_origin("/".join(given.oidc_issuer.split("/")[:3]))  # http is for this machine only


def _make_front(given: _Given, listen: Listen) -> Front:
    if not given.url:
        raise UsageError("Say which address people open: --url https://…", hint="It is what the server in front answers to.")
    url = parse_origin(given.url)
    if not listen.path and listen.port in {0, urlsplit(url).port}:
        raise UsageError("The server in front and the gateway need a port each.", hint="Listen on unix:PATH, or on another port.")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listen.host, listen.host)  # noqa: S104 (nothing is bound here)
    upstream = str(listen.path.absolute()) if listen.path else f"{f'[{host}]' if ':' in host else host}:{listen.port}"
    return Front(
        url,
        upstream,
        given.out.absolute(),
        tuple(host.lower() for host in given.hosts),
        host_per_tenant=given.host_per_tenant,
        proxy_header=given.proxy_header or "",
        sendfile=given.sendfile == "nginx",
    )


def _find_origin(listen: Listen, opened: socket.socket) -> str:
    shown = f"[{listen.host}]" if ":" in listen.host else listen.host
    return f"http://{shown}:{opened.getsockname()[1]}"


def _make_settings(given: _Given, registry: str, origin: str) -> Settings:
    oidc = None
    if given.oidc_issuer and given.oidc_client_id:
        secret = _read_secret(given.oidc_client_secret_file, 1) if given.oidc_client_secret_file else ""
        oidc = OidcSettings(given.oidc_issuer, given.oidc_client_id, secret, trusts_email=given.oidc_trust_email)
    proxy = None
    if given.proxy_header and given.proxy_secret_file:
        proxy = ProxySettings(given.proxy_header, _read_secret(given.proxy_secret_file, _SHORTEST_SECRET))
    return Settings(
        out=given.out.absolute(),
        registry=registry,
        url=origin,
        hosts=frozenset(host.lower() for host in given.hosts),
        host_per_tenant=given.host_per_tenant,
        oidc=oidc,
        proxy=proxy,
        dev_login=given.dev_login is not None,
        sendfile=given.sendfile or "",
        rate=given.rate,
        log=given.log,
    )


def _read_secret(path: Path, shortest: int) -> str:
    text = path.read_bytes().decode("utf-8", "replace").strip()
    if len(text) < shortest or not text.isascii() or not text.isprintable():
        raise UsageError(f"{path} holds no usable secret.", hint=f"One line of at least {shortest} letters, digits and signs.")
    return text


def _is_built(folder: Path) -> bool:
    """Whether a build wrote for that tenant; a workspace has a folder of the same name."""
    return (folder / INDEX_FILE).exists() or any(folder.glob("*/site/index.html"))


def _greet(given: _Given, settings: Settings, registry: Registry) -> None:
    """Say what is served, to whom, and where to open it."""
    with registry.reading() as connection:
        tenants = list_tenants(connection)
    built = [tenant for tenant in tenants if _is_built(settings.out / tenant)]
    say(escape_text(f"Serving {given.out} as {registry.where} allows: {', '.join(built) or 'nothing is built yet'}."))
    for tenant in sorted(set(tenants) - set(built)):
        say(escape_text(f"  {tenant} is in the registry and not in {given.out}; build it with `brain build`."))
    ways = [way for way, used in (("OpenID Connect", settings.oidc), ("the proxy in front", settings.proxy)) if used]
    if given.dev_login:
        with registry.writing() as connection:
            link = make_link(connection, settings.url, given.dev_login, datetime.now(UTC))
        say(f"Open this link within ten minutes; it works once:\n\n    {escape_text(link)}\n")
    elif not ways:
        say("Nobody can sign in: give --dev-login ACCOUNT to try it here, or --oidc-issuer for everybody. Keys work.")
    if ways:
        say(f"People sign in by {' or '.join(ways)}.")
    if not settings.is_secure:
        say("Without TLS: for this machine only.")
    say(f"Listening on {escape_text(given.listen)}. Open {escape_text(settings.url)}/   (Ctrl-C ends it)")
