"""Serves a built site on loopback the way the handbook says it should be served: static files with strict headers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; media-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass(slots=True)
class Served:
    """A running server."""

    address: str
    """`http://127.0.0.1:port/`."""
    requests: list[tuple[str, int]] = field(default_factory=list)
    """Path and bytes of every answer, in order."""


class _Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args: object, served: Served, directory: str) -> None:
        self.served = served
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        self.served.requests.append((self.path, file.stat().st_size if file.is_file() else 0))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the library's)
        """Say nothing: tests read `Served.requests`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that closes a connection early is no news."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[Served]:
    """Serve `folder` on a free port of the loopback address until the block ends."""
    served = Served("")
    server = _Server(("127.0.0.1", 0), partial(_Files, served=served, directory=str(folder)))
    served.address = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Host(SimpleHTTPRequestHandler):
    """As static hosts do: a site below a folder of the host, and its `404.html` at every address where there is nothing."""

    def __init__(self, *args: object, prefix: str, directory: str) -> None:
        self.prefix = f"/{prefix}"
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def translate_path(self, path: str) -> str:
        inside = path.startswith(self.prefix)
        return super().translate_path("/" + path.removeprefix(self.prefix)) if inside else str(Path(self.directory) / "nowhere")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        body = (Path(self.directory) / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the library's)
        """Say nothing."""


@contextmanager
def serve_static_host(folder: Path, prefix: str) -> Iterator[str]:
    """Serve the site in `folder` below `prefix` of a host on the loopback address; yields the host's address, slash at its end."""
    server = _Server(("127.0.0.1", 0), partial(_Host, prefix=prefix, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
