"""Vectors of texts from an embedding server on this machine (Ollama's API, `POST /api/embed`; SPEC T30, T32). Called by refresh.

Only loopback addresses are spoken to: no name is looked up, no redirect followed and no proxy used, whatever the environment says. An
answer has a largest size and a longest time. Whatever goes wrong is an EmbeddingError that says why; then relations wait.
"""

import http.client
import math
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from indexer.errors import EmbeddingError, UsageError
from indexer.store.vector_cache import VectorCache

Embed = Callable[[Sequence[str]], Sequence[bytes]]
"""Texts → their vectors, all of the same length: thousandths of a vector of length 1, as little-endian 16-bit numbers."""
SCALE = 1000
"""Whole numbers so small have the same sums in any order, also as 32-bit floats."""
_AT_ONCE = 32
"""Texts of one request."""
_MOST_BYTES = 16 << 20
_MOST_NUMBERS = 8192
_SECONDS = 120
"""For one request, the loading of the model included."""
_PORT = 11434
"""Ollama's."""
_LOCALHOST = ("127.0.0.1", "::1")


class EmbedServer(Struct, frozen=True):
    """Which server to ask, and for which model."""

    url: str
    """Such as `http://127.0.0.1:11434`."""
    model: str
    """As the server names it, such as `nomic-embed-text`."""


class _Place(Struct, frozen=True):
    """Where a server is."""

    addresses: tuple[str, ...]
    """Loopback addresses, to be tried in this order."""
    port: int
    shown: str
    """As people name it."""


class _Answer(msgspec.Struct):
    """What `/api/embed` answers, as far as it is used."""

    embeddings: list[list[float]]


@contextmanager
def open_embedder(server: EmbedServer, cache_file: Path) -> Iterator[Embed]:
    """Give the function that turns texts into vectors; it raises EmbeddingError. A text is sent once for each model.

    Raises UsageError when the address is none of this machine.
    """
    place = _read_place(server)
    with VectorCache(cache_file) as cache:
        yield _Embedder(place, server.model, cache).embed


def _read_place(server: EmbedServer) -> _Place:
    hint = "Content is sent nowhere else: give a loopback address such as http://127.0.0.1:11434."
    try:
        parts = urlsplit(server.url)
        host, port = parts.hostname or "", parts.port or _PORT
        addresses = _LOCALHOST if host == "localhost" else (str(ip_address(host)),)
    except ValueError as error:
        raise UsageError(f"The embedding server {server.url} is no loopback address.", hint=hint) from error
    plain = parts.scheme == "http" and "@" not in parts.netloc and parts.path in {"", "/"} and not parts.query and not parts.fragment
    if not plain or not all(ip_address(address).is_loopback and "%" not in address for address in addresses):
        raise UsageError(f"The embedding server {server.url} is no loopback address.", hint=hint)
    if not server.model:
        raise UsageError("No model is named for the embedding server.", hint="Name one, such as nomic-embed-text.")
    return _Place(addresses, port, f"http://{f'[{host}]' if ':' in host else host}:{port}")


class _Embedder:
    """Turns texts into vectors, those that the cache has not."""

    def __init__(self, place: _Place, model: str, cache: VectorCache) -> None:
        self._place = place
        self._model = model
        self._cache = cache

    def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vector of each text."""
        digests = [blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts]
        pending = dict(zip(digests, texts, strict=True))
        known = self._cache.load(self._model, pending)
        asked = self._ask_all({digest: text for digest, text in pending.items() if digest not in known})
        if len({len(numbers) for numbers in (*known.values(), *asked.values())}) > 1:  # another model has taken the name
            self._cache.forget(self._model)
            known = {}
            asked = self._ask_all(pending)
        self._cache.drop_except(self._model, set(digests))
        vectors = known | asked
        if len({len(numbers) for numbers in vectors.values()}) > 1:
            raise EmbeddingError(f"The embedding server {self._place.shown} gives vectors of different lengths.")
        return [vectors[digest] for digest in digests]

    def _ask_all(self, pending: dict[bytes, str]) -> dict[bytes, bytes]:
        vectors: dict[bytes, bytes] = {}
        digests = list(pending)
        for start in range(0, len(digests), _AT_ONCE):
            some = digests[start : start + _AT_ONCE]
            rows = _read_answer(_post(self._place, self._model, [pending[digest] for digest in some]), len(some), self._place)
            fresh = dict(zip(some, map(_shorten, rows), strict=True))
            self._cache.store(self._model, fresh)
            vectors |= fresh
        return vectors


def _read_answer(data: bytes, count: int, place: _Place) -> list[list[float]]:
    """Return the vectors in an answer."""
    try:
        rows = msgspec.json.decode(data, type=_Answer).embeddings
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EmbeddingError(f"The embedding server {place.shown} does not answer with vectors.", hint="Is it Ollama?") from error
    if len(rows) != count or any(not 0 < len(row) <= _MOST_NUMBERS or len(row) != len(rows[0]) for row in rows):
        raise EmbeddingError(f"The embedding server {place.shown} answers with another number of vectors or figures than it should.")
    return rows


def _shorten(row: Sequence[float]) -> bytes:
    """Return a vector as `Embed` gives it; all zeros for one without a length."""
    length = math.hypot(*row)
    if not length or not math.isfinite(length):
        return bytes(2 * len(row))
    return struct.pack(f"<{len(row)}h", *(round(number / length * SCALE) for number in row))


def _post(place: _Place, model: str, texts: Sequence[str]) -> bytes:
    """Send one request to the first of the addresses that takes it; return the body of the answer."""
    body = msgspec.json.encode({"model": model, "input": [text.encode("utf-8", "replace").decode() for text in texts]})
    for address in place.addresses[:-1]:
        with suppress(ConnectionRefusedError):
            return _exchange(address, place, model, body)
    try:
        return _exchange(place.addresses[-1], place, model, body)
    except ConnectionRefusedError as error:
        raise EmbeddingError(f"The embedding server {place.shown} is not running.", hint="Start it; relations wait until then.") from error


def _exchange(address: str, place: _Place, model: str, body: bytes) -> bytes:
    try:
        with closing(http.client.HTTPConnection(address, place.port, timeout=_SECONDS)) as connection:
            connection.connect()
            # The time of a socket is that of each read: a server that sends a byte now and then would never be over it.
            limit = threading.Timer(_SECONDS, _cut, (connection.sock,))
            limit.daemon = True
            limit.start()
            try:
                connection.request("POST", "/api/embed", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                data = answer.read(_MOST_BYTES + 1)
            finally:
                limit.cancel()
    except ConnectionRefusedError:
        raise
    except (OSError, http.client.HTTPException) as error:
        raise EmbeddingError(f"The embedding server {place.shown} does not answer: {error or type(error).__name__}.") from error
    if answer.status != http.client.OK:
        hint = f"Has it the model? `ollama pull {model}` fetches it." if answer.status == http.client.NOT_FOUND else ""
        raise EmbeddingError(f"The embedding server {place.shown} answers {answer.status} in place of vectors.", hint=hint)
    if len(data) > _MOST_BYTES:
        raise EmbeddingError(f"The embedding server {place.shown} answers with more than {_MOST_BYTES >> 20} MiB.")
    return data


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
