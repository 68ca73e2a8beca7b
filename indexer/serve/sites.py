"""Sites: decide first, then look into the release, then send (SPEC T09, S11; THREATS 28, 29, 33). Called by `gateway`.

Every way that does not end with a file of a site that the reader may read ends with the same not-found answer.
"""

import asyncio
import os
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection
from starlette.requests import ClientDisconnect

from indexer.serve.addresses import Address, parse_address, quote_path
from indexer.serve.answers import Answer, redirect
from indexer.serve.context import Gateway, Visit
from indexer.serve.kept import LARGEST_KEPT
from indexer.serve.media_types import Sending, choose_sending
from indexer.serve.notices import NOT_FOUND
from indexer.serve.ranges import parse_range
from indexer.serve.releases import Release
from indexer.serve.who import find_asker

_CHUNK = 256 * 1024
INTERNAL = "/-internal"
"""Where nginx finds the output folder for X-Accel-Redirect; it lets nobody else in."""
_TENANT_PAGE = "tenant"


class FileAnswer(Struct, frozen=True):
    """An open file on its way; an ASGI application that closes it."""

    file: int
    status: int
    headers: list[tuple[bytes, bytes]]
    start: int
    length: int

    def read_whole(self) -> Answer | None:
        """Return a small file as an answer in memory, and close it in any case; None = it is to be sent piece by piece, or in parts."""
        try:
            if self.length > LARGEST_KEPT or self.status != 200 or (b"accept-ranges", b"bytes") in self.headers:
                return None
            body = os.pread(self.file, self.length, 0)
        finally:
            os.close(self.file)
        if len(body) != self.length:
            raise OSError("BUG: a file of a release became shorter")
        return Answer(200, tuple(self.headers), body)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send it piece by piece, so that memory stays flat, as long as somebody is there: players hang up whenever somebody moves on."""
        gone = asyncio.ensure_future(_wait_until_gone(receive)) if self.length > _CHUNK else None
        try:
            await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
            if scope["method"] == "HEAD" or not self.length:
                await send({"type": "http.response.body", "body": b""})
                return
            at, end = self.start, self.start + self.length
            while at < end:
                asked = (self.file, min(_CHUNK, end - at), at)
                piece = os.pread(*asked) if at == self.start else await asyncio.to_thread(os.pread, *asked)
                if not piece:
                    raise OSError("BUG: a file of a release became shorter")
                at += len(piece)
                if at == end and len(piece) == self.length:
                    await send({"type": "http.response.body", "body": piece})
                    return
                await send({"type": "http.response.body", "body": piece, "more_body": at < end})
                if gone and gone.done() and at < end:
                    raise ClientDisconnect
        finally:
            os.close(self.file)
            if gone:
                gone.cancel()


async def _wait_until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class TenantPage(Struct, frozen=True):
    """The tenant's own page was asked for, by somebody who is somebody there; `home` renders it."""

    tenant: str


async def answer_content(gateway: Gateway, visit: Visit) -> Answer | FileAnswer | TenantPage:
    """Return the answer for a content address."""
    address = parse_address(visit.path, visit.tenant) if visit.method in {"GET", "HEAD"} and not _has_body(visit) else None

    def admit(connection: Connection) -> bool:
        visit.asker = find_asker(connection, gateway.settings, gateway.cookies, visit.headers, visit.tenant, visit.now)
        if address is None:
            return False
        if not address.repo:
            return visit.asker.reader_in(address.tenant) is not None
        return visit.asker.may(connection, "read", address.tenant, address.repo)

    allowed = await gateway.ask(admit)
    visit.route = "site" if address is None or address.repo else _TENANT_PAGE
    if address is None or not allowed:
        return NOT_FOUND.with_headers((b"connection", b"close")) if _has_body(visit) else NOT_FOUND
    if gateway.settings.host_per_tenant and not visit.tenant:
        return redirect(gateway.locate(address.tenant, address.repo, address.path) + ("/" if address.path and address.slash else ""))
    if not address.repo:
        return TenantPage(address.tenant) if address.slash or visit.tenant else redirect(gateway.locate(address.tenant))
    release = gateway.releases.peek(address.tenant, address.repo)
    if release is None:
        release = await asyncio.to_thread(gateway.releases.load, address.tenant, address.repo)
    return NOT_FOUND if release is None else answer_from(gateway, visit, address, release)


def _has_body(visit: Visit) -> bool:
    return any(name == b"transfer-encoding" or (name == b"content-length" and value != b"0") for name, value in visit.headers)


def answer_from(gateway: Gateway, visit: Visit, address: Address, release: Release) -> Answer | FileAnswer:
    """Answer with what the release lists; the reader may read all of it."""
    page = f"{address.path}/index.html" if address.path else "index.html"
    file = page if address.slash else address.path
    if file and file in release.files:
        return _send(gateway, visit, address, release, file)
    if not address.slash and page in release.files:
        # The path was parsed: it begins with one slash and a name, so no browser takes it for another host.
        return redirect(f"{visit.path.decode('ascii')}/")
    other = release.find_page(address.path)
    return redirect(gateway.locate(address.tenant, address.repo, other) + "/") if other else NOT_FOUND


def _send(gateway: Gateway, visit: Visit, address: Address, release: Release, file: str) -> Answer | FileAnswer:
    sending = choose_sending(file, attachment=release.is_attachment(file))
    headers = _make_headers(sending, file)
    if gateway.settings.sendfile:
        inside = quote_path(address.tenant, address.repo, "site", file)
        # Without a length, nginx would close the connection after each answer.
        return Answer(200, (*headers, (b"content-length", b"0"), (b"x-accel-redirect", f"{INTERNAL}{inside}".encode("ascii"))))
    opened = release.open(file)
    if opened is None:
        return NOT_FOUND
    descriptor, size = opened
    start, length, status = 0, size, 200
    if sending.played:
        headers.append((b"accept-ranges", b"bytes"))
        asked = [value for name, value in visit.headers if name == b"range"]
        part = parse_range(asked[0], size) if len(asked) == 1 and visit.method == "GET" else None
        if part:
            start, length, status = part[0], part[1] - part[0], 206
            headers.append((b"content-range", f"bytes {part[0]}-{part[1] - 1}/{size}".encode()))
    headers.append((b"content-length", str(length).encode()))
    return FileAnswer(descriptor, status, headers, start, length)


def _make_headers(sending: Sending, file: str) -> list[tuple[bytes, bytes]]:
    headers = [(b"content-type", sending.kind), (b"content-security-policy", sending.policy)]
    if sending.saved:
        name = quote_path(file.rpartition("/")[2])[1:]
        headers.append((b"content-disposition", f"attachment; filename*=UTF-8''{name}".encode("ascii")))
    if sending.lasting:
        headers.append((b"cache-control", b"private, max-age=31536000, immutable"))
    return headers
