"""Where the gateway listens, and running it there until it is told to stop. Called by `brain serve`, and by tests.

Addresses that others can reach are refused unless the people's address is one with TLS: then there is a server in front.
"""

import gc
import logging
import os
import re
import resource
import signal
import socket
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from msgspec import Struct
from uvicorn.supervisors import Multiprocess

from indexer.errors import BrainpressError, UsageError
from indexer.serve.context import Clock, read_clock
from indexer.serve.gateway import GatewayApp, build_app
from indexer.serve.protocol import BoundedProtocol
from indexer.serve.rate_door import RateDoor
from indexer.serve.rates import Rates
from indexer.serve.settings import LOOPBACK, Settings

_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<four>[^:\[\]/]*)):(?P<port>[0-9]{1,5})")
_BACKLOG, _MOST_CONNECTIONS = 512, 1000
_KEEP_ALIVE_SECONDS, _STOP_SECONDS = 15, 10


class Listen(Struct, frozen=True):
    """Where to listen: a path, or host and port."""

    host: str = ""
    port: int = 0
    """0 = any free one."""
    path: Path | None = None
    """Of a Unix socket."""

    @property
    def is_private(self) -> bool:
        """Whether only this machine can connect."""
        return self.path is not None or self.host in LOOPBACK


def parse_listen(text: str) -> Listen:
    """Return what `--listen` says; UsageError when it says nothing that can be listened on."""
    if text.startswith("unix:") and len(text) > len("unix:"):
        return Listen(path=Path(text.removeprefix("unix:")))
    found = _ADDRESS.fullmatch(text)
    host = (found["six"] or found["four"]) if found else ""
    if not found or not host or int(found["port"]) > 65535:
        raise UsageError(f"{text} is no address to listen on.", hint="Write --listen 127.0.0.1:8080 or --listen unix:/run/brain.sock.")
    return Listen(host, int(found["port"]))


def open_socket(listen: Listen) -> socket.socket:
    """Begin to listen; BrainpressError when that is not possible."""
    try:
        return _open_unix(listen.path) if listen.path else _open_port(listen)
    except OSError as error:
        where = listen.path or f"{listen.host}:{listen.port}"
        raise BrainpressError(f"{where} cannot be listened on: {error.strerror}.", hint="Choose another address with --listen.") from error


def _open_port(listen: Listen) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened


def _open_unix(path: Path) -> socket.socket:
    """Only this user and its group may connect; a socket that a stopped gateway left is taken away."""
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode) and not _answers(path):
            path.unlink()
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o117)
    try:
        opened.bind(str(path))
        opened.listen(_BACKLOG)
    except OSError:
        opened.close()
        raise
    finally:
        os.umask(mask)
    return opened


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex(str(path)) == 0


def make_server(settings: Settings, processes: int = 1, clock: Clock = read_clock) -> uvicorn.Server:
    """Return the server, not yet running. A clock of one's own is for tests, and for one process."""
    app: Any = partial(_build, settings, clock)
    config = uvicorn.Config(
        app if processes > 1 else app(),
        factory=processes > 1,
        workers=processes,
        timeout_worker_healthcheck=60,  # starting takes long on a busy machine; a worker killed at its start would start for ever
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    return uvicorn.Server(config)


def _build(settings: Settings, clock: Clock) -> GatewayApp | RateDoor:
    """Called in each process that serves."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what clients send wrong is no news; our own log has the rest
    app = build_app(settings, clock)
    gc.collect()
    gc.freeze()  # what is loaded by now stays: looking through it again and again would make requests wait
    return RateDoor(app, Rates(settings.rate)) if settings.rate else app


def run_gateway(settings: Settings, opened: socket.socket, processes: int = 1) -> None:
    """Serve until a signal says stop; requests under way are finished first."""
    _allow_open_files()
    server = make_server(settings, processes)
    if processes > 1:
        Multiprocess(server.config, sockets=[opened]).run()
    else:
        # uvicorn ends what is under way and then sends the signal once more: this process is to go on to its own end, not to die of it.
        signal.signal(signal.SIGTERM, lambda *_: setattr(server, "should_exit", True))
        server.run(sockets=[opened])


def _allow_open_files() -> None:
    """Connections, releases and files under way may be more than the 1,024 that shells allow."""
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
