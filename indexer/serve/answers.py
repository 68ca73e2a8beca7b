"""Answers as values: status, headers, bytes; and the headers that every answer of the gateway has (THREATS 17, 28, 34).

Used by everything in the gateway. An Answer is an ASGI application too, so a route may return one.
"""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

RawHeaders = tuple[tuple[bytes, bytes], ...]

GATEWAY_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Of the gateway's own pages, which have forms."""
SITE_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of pages of a site: no style or script but from files that this program wrote."""
SANDBOX_POLICY = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
"""Of everything that is no page: opened by itself it can do nothing."""

COMMON: RawHeaders = (
    (b"cache-control", b"private, no-store"),
    (b"content-security-policy", GATEWAY_POLICY),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"referrer-policy", b"no-referrer"),
    (b"vary", b"Cookie, Authorization"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
"""Added to every answer that does not bring its own."""

REQUEST_ID = b"x-request-id"


def complete_headers(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer with those of COMMON that it lacks, and the request's id."""
    given = list(headers)
    return [*given, *_list_missing(given), (REQUEST_ID, request_id.encode())]


class Answer(Struct, frozen=True):
    """A whole answer."""

    status: int
    headers: RawHeaders
    body: bytes = b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG002 (ASGI gives it)
        """Send it; without its body when only the headers were asked for."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else self.body})

    def with_headers(self, *headers: tuple[bytes, bytes]) -> "Answer":
        """Return the same answer with further headers."""
        return Answer(self.status, (*self.headers, *headers), self.body)


class Written(Struct, frozen=True):
    """An answer as it goes over the wire, made once; date, request id and an empty line are still to come."""

    status: int
    head: bytes
    """Lines of the headers."""
    body: bytes


_UNSOUND = re.compile(rb"[\x00-\x1f\x7f]")


def write_answer(answer: Answer) -> Written:
    """Return an answer with the headers that every answer has, in the form of the wire."""
    headers = [*answer.headers, *_list_missing(answer.headers)]
    lines = [name + b": " + value for name, value in headers]
    if any(map(_UNSOUND.search, lines)) or b"content-length" not in dict(headers):
        raise ValueError("BUG: headers that would break the connection")
    return Written(answer.status, b"".join(line + b"\r\n" for line in lines), answer.body)


def _list_missing(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return those of COMMON that are not among headers."""
    names = {name for name, _ in headers}
    return [pair for pair in COMMON if pair[0] not in names]


def make_answer(status: int, kind: bytes, body: bytes, headers: RawHeaders = ()) -> Answer:
    """Return an answer of a media type."""
    return Answer(status, ((b"content-type", kind), (b"content-length", str(len(body)).encode()), *headers), body)


def html_answer(status: int, body: bytes, headers: RawHeaders = ()) -> Answer:
    """Return a page."""
    return make_answer(status, b"text/html; charset=utf-8", body, headers)


def json_answer(status: int, body: bytes, headers: RawHeaders = ()) -> Answer:
    """Return JSON."""
    return make_answer(status, b"application/json", body, headers)


def redirect(location: str, *, status: int = 303, headers: RawHeaders = ()) -> Answer:
    """Return a redirect; `location` is a path of ours or comes from the operator's settings, never from a header."""
    return Answer(status, ((b"location", location.encode("ascii")), (b"content-length", b"0"), *headers))
