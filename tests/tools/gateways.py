"""A real gateway on a real socket, and a client below every client: bytes out, bytes in, nothing tidied.

The registry is that of `registries` (tenants `acme` and `other`); the releases are written by the program's own writer.
"""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from indexer.publish.release import STATE_FILE, open_release, prepare_output, write_beside
from indexer.publish.state import BuildState, drop_state, encode_state, load_state
from indexer.registry.identities import sign_in
from indexer.registry.keys import create_key
from indexer.registry.sessions import create_session
from indexer.serve.listening import Listen, make_server, open_socket
from indexer.serve.settings import DEV_ISSUER, Settings
from indexer.sources.orders import STATE_FOLDER
from tests.tools.registries import World, act, open_world

SECRETS = {repo: f"canary-{repo}-7f3a" for repo in ("handbook", "plans", "di-home", "old", "orphaned", "ledger")}
"""A word that stands in every file of a repo and nowhere else."""


@dataclass(frozen=True)
class Reply:
    """An answer as it came over the wire."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def get(self, name: str) -> str | None:
        """The one value of a header."""
        found = [value for key, value in self.headers if key == name]
        assert len(found) <= 1, found
        return found[0] if found else None

    def get_all(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for key, value in self.headers if key == name]

    @property
    def bare(self) -> tuple[int, list[tuple[str, str]], bytes]:
        """Everything but what must differ between any two answers."""
        return self.status, [pair for pair in self.headers if pair[0] not in {"date", "x-request-id"}], self.body

    def cookie(self, name: str) -> str:
        """The value that a cookie was given."""
        found = [line for line in self.get_all("set-cookie") if line.startswith(f"{name}=")]
        assert len(found) == 1, self.headers
        return found[0].partition(";")[0].partition("=")[2]


class Line:
    """One connection, kept open between requests."""

    def __init__(self, address: tuple[str, int] | str) -> None:
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(20)
        self.socket.connect(address)
        self._rest = b""

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def request(self, method: str, target: str | bytes, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Reply:
        """Send one request and read its answer."""
        raw = target if isinstance(target, bytes) else target.encode("latin-1")
        given = {"Host": "127.0.0.1", **(headers or {})}
        if body:
            given["Content-Length"] = str(len(body))
        lines = b"".join(f"{name}: {value}\r\n".encode("latin-1") for name, value in given.items())
        self.send(method.encode() + b" " + raw + b" HTTP/1.1\r\n" + lines + b"\r\n" + body)
        return self.read(head=method == "HEAD")

    def read(self, *, head: bool = False) -> Reply:
        """Read one answer; ConnectionError when the other end closes instead."""
        while b"\r\n\r\n" not in self._rest:
            self._receive()
        top, _, self._rest = self._rest.partition(b"\r\n\r\n")
        first, *lines = top.decode("latin-1").split("\r\n")
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        length = 0 if head else int(dict(headers).get("content-length", "0"))
        while len(self._rest) < length:
            self._receive()
        body, self._rest = self._rest[:length], self._rest[length:]
        return Reply(int(first.split(" ")[1]), headers, body)

    def _receive(self) -> None:
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("closed")
        self._rest += part

    @property
    def is_closed(self) -> bool:
        """Whether the other end closes; waits for it."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


def bearer(key: str) -> dict[str, str]:
    """Headers of a program with a key."""
    return {"Authorization": f"Bearer {key}"}


@dataclass
class Site:
    """A registry, an output folder, and a gateway that may be started on them."""

    world: World
    out: Path
    settings: Settings
    address: tuple[str, int] | str = ""
    lines: list[Line] = field(default_factory=list)

    def open(self) -> Line:
        """A new connection."""
        line = Line(self.address)
        self.lines.append(line)
        return line

    def ask(self, method: str, target: str | bytes, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Reply:
        """One request on a connection of its own."""
        line = Line(self.address)
        try:
            return line.request(method, target, headers, body)
        finally:
            line.close()

    def session(self, email: str, issuer: str = DEV_ISSUER) -> str:
        """The token of a new session of the person with an e-mail address."""
        with self.world.writing() as connection:
            person = sign_in(connection, issuer, email, email, self.world.now)
            return create_session(connection, person.identity, self.world.now)

    def cookie(self, email: str) -> dict[str, str]:
        """Headers of a browser in which a person is signed in."""
        return {"Cookie": f"brain={self.session(email)}"}

    def key(self, holder: str, tenant: str = "acme", **options: Any) -> str:
        """A new key."""
        operator = "ana"
        with self.world.writing() as connection:
            return create_key(connection, tenant, holder, ["knowledge:read"], act(operator), self.world.now, **options)[1]

    def bearer(self, holder: str, tenant: str = "acme", **options: Any) -> dict[str, str]:
        """Headers of a program with a new key."""
        return bearer(self.key(holder, tenant, **options))


def open_site(folder: Path, *, registry: str = "", **settings: Any) -> Site:
    """Both tenants, each repo with a release; nothing runs yet. `registry` is the URL of an empty database; otherwise a file is made."""
    registry = registry or str(folder / "registry.sqlite")
    world = open_world(registry)
    out = folder / "out"
    for tenant, repo in [("acme", name) for name in ("handbook", "plans", "di-home", "old", "orphaned")] + [("other", "ledger")]:
        publish(out / tenant / repo, make_files(SECRETS[repo]), {"images/pic.png": b"\x89PNG " + SECRETS[repo].encode()})
    chosen = Settings(out=out, registry=registry, url="http://127.0.0.1:8080", dev_login=True)
    return Site(world, out, replace(chosen, **settings))


def make_files(word: str) -> dict[str, bytes]:
    """The files of a small site with a word in each."""
    page = f"<!doctype html><title>{word}</title><h1>{word}</h1>".encode()
    return {
        "index.html": page,
        "index.md": f"# {word}\n".encode(),
        "guides/index.html": page,
        "guides/start/index.html": page,
        "ünï/index.html": page,
        "search/index.json": f'{{"word":"{word}"}}'.encode(),
        "llms.txt": word.encode(),
        "sitemap.xml": f"<x>{word}</x>".encode(),
        "_/assets/style-OY3EKPKS.css": f"/*{word}*/".encode(),
        "_/assets/inter-LICENSE.txt": word.encode(),
    }


def publish(out: Path, files: Mapping[str, bytes], copied: Mapping[str, bytes] | None = None) -> None:
    """Make a release of these files, as a build does; `copied` are somebody's own."""
    copied = copied or {}
    prepare_output(out)
    last = load_state(out / STATE_FOLDER, "test")
    with open_release(out) as writer:
        writer.begin(last.manifest, last.delta, last.generation)
        writer.remove(last.manifest - {*files, *copied})
        for name, content in {**files, **copied}.items():
            writer.update(name, content)
        changed = frozenset(writer.changed)
        drop_state(out / STATE_FOLDER)
        writer.swap_in()
    sources = dict.fromkeys(copied, "blob") | {name: "sha" for name in files if name.startswith("_/assets/")}
    manifest = frozenset({*files, *copied})
    state = BuildState(version="test", generation=last.generation + 1, manifest=manifest, delta=changed, sources=sources)
    write_beside(out / STATE_FOLDER / STATE_FILE, encode_state(state))


@contextmanager
def running(site: Site, listen: Listen | None = None) -> Iterator[Site]:
    """Run the gateway of a site on a free port; its clock is that of the site's world."""
    opened = open_socket(listen or Listen("127.0.0.1", 0))
    server = make_server(site.settings, clock=lambda: site.world.now)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    site.address = opened.getsockname()
    try:
        yield site
    finally:
        for line in site.lines:
            line.close()
        server.should_exit = True
        thread.join(20)
        opened.close()
        site.world.registry.close()
