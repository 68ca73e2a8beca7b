"""A website on the loopback address that reloads itself after a rebuild. Used by `brain preview`; for one person on one machine.

It answers GET and HEAD for files of the site only, and only when the request names this machine, so that no page elsewhere can read a
vault through it.
"""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from indexer.errors import BrainpressError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_STATE, _SCRIPT = "/_/preview/state", "/_/preview/reload.js"
_RELOAD = b"""let seen;
setInterval(async () => {
  try {
    const state = await (await fetch("/_/preview/state", { cache: "no-store" })).text();
    if (seen !== undefined && seen !== state) location.reload();
    seen = state;
  } catch { /* the preview has ended */ }
}, 1000);
"""
_TAG = b'<script src="/_/preview/reload.js" defer></script></body>'


class Preview:
    """The running preview."""

    def __init__(self, server: http.server.ThreadingHTTPServer) -> None:
        self._server = server
        self._stopped = threading.Event()
        self.builds = 0

    @property
    def address(self) -> str:
        """Address to open."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def wait(self, seconds: float) -> bool:
        """Wait a while; False once the preview is to end."""
        return not self._stopped.wait(seconds)

    def announce(self) -> None:
        """Tell open pages that the site was rebuilt."""
        self.builds += 1


class _Answer(http.server.SimpleHTTPRequestHandler):
    preview: Preview

    def __init__(self, *args: object, preview: Preview, **kwargs: object) -> None:
        self.preview = preview
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if not self._is_local():
            self.send_error(403, "Only this machine may look")
        elif self.path == _STATE:
            self._send(str(self.preview.builds).encode(), "text/plain")
        elif self.path == _SCRIPT:
            self._send(_RELOAD, "text/javascript")
        elif (page := self._find_page()) is not None:
            self._send(page.read_bytes().replace(b"</body>", _TAG, 1), "text/html; charset=utf-8")
        else:
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._is_local():
            super().do_HEAD()
        else:
            self.send_error(403, "Only this machine may look")

    def _is_local(self) -> bool:
        """A page elsewhere that points a name of its own at 127.0.0.1 still sends that name."""
        return (self.headers.get("Host") or "").rsplit(":", 1)[0] in {"127.0.0.1", "localhost"}

    def _find_page(self) -> Path | None:
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.split("?")[0].endswith("/"):
            path /= "index.html"
        return path if path.suffix == ".html" and path.is_file() else None

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def list_directory(self, path: object) -> None:  # noqa: ARG002 (the site lists its folders itself)
        self.send_error(404, "Not found")

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def open_preview(site: Path, port: int) -> Iterator[Preview]:
    """Serve `site` on 127.0.0.1 until the block ends. Raises BrainpressError when the port is taken."""
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), http.server.SimpleHTTPRequestHandler)
    except OSError as error:
        raise BrainpressError(f"Port {port} cannot be used: {error.strerror}.", hint="Choose another with --port, or --port 0.") from error
    preview = Preview(server)
    server.RequestHandlerClass = partial(_Answer, preview=preview, directory=str(site))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield preview
    finally:
        server.shutdown()
        server.server_close()
