"""A server on this machine that speaks Ollama's `POST /api/embed`, and a record of every address that the program turns to."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""
MakeAnswer = Callable[[str, Sequence[str]], Answer]


def answer_json(value: object, status: int = 200) -> Answer:
    """Return a value as an answer."""
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


def answer_topics(model: str, texts: Sequence[str]) -> Answer:
    """Return vectors that say of which of a few topics a text is."""
    topics = (("car", "automobile"), ("violin", "fiddle"), ("soup", "broth"))
    return answer_json({"model": model, "embeddings": [[1.0 * any(word in text for word in words) for words in topics] for text in texts]})


@dataclass
class EmbedStub:
    """The running server."""

    url: str = ""
    port: int = 0
    answer: MakeAnswer = answer_topics
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the requests."""
    paths: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """All texts that were sent."""
        return [text for body in self.asked for text in body["input"]]


@contextmanager
def run_embed_stub(answer: MakeAnswer = answer_topics) -> Iterator[EmbedStub]:
    """Give a server on the loopback address."""
    stub = EmbedStub(answer=answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.asked.append(body)
            stub.paths.append(self.path)
            status, headers, data = stub.answer(body["model"], body["input"])
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", headers.get("X-Length", str(len(data))))
            self.end_headers()
            with suppress(ConnectionError):
                for start in range(0, len(data), step := 1 if "X-Slow" in headers else 1 << 20):
                    self.wfile.write(data[start : start + step])
                    time.sleep(float(headers.get("X-Slow", 0)))

        do_GET = do_POST  # noqa: N815 (named by http.server)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.port = server.server_address[1]
    stub.url = f"http://127.0.0.1:{stub.port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_seen: list[tuple[str, str]] | None = None
_installed = False


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _seen is None or not event.startswith("socket."):
        return
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        _seen.append((event, str(arguments[1])))
    elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}:
        _seen.append((event, str(arguments[0])))


@contextmanager
def watch_sockets() -> Iterator[list[tuple[str, str]]]:
    """Give a list that fills with what this process connects to and looks up, as the interpreter itself reports it."""
    global _seen, _installed  # noqa: PLW0603 (an audit hook stays for good)
    if not _installed:
        sys.addaudithook(_note)
        _installed = True
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None
