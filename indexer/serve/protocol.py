"""HTTP/1.1 as uvicorn speaks it, with bounds on what a client may send before it is answered (THREATS 48). Used by `listening`.

uvicorn's fast parser itself has no limit on headers, and waits for ever for the rest of a request.
"""

from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD = 32 * 1024
_MOST_HEADERS = 100
_SECONDS_FOR_HEAD, _SECONDS_FOR_BODY = 20.0, 60.0
_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedProtocol(HttpToolsProtocol):
    """A connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._read = 0
        """Bytes since the last request, as long as they are headers."""
        self._head = 0
        """Bytes of the complete headers of this request."""
        self._in_body = False
        self._deadline: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait(_SECONDS_FOR_HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what belongs to headers; cut off whoever sends too many or too slowly."""
        if not self._in_body:
            self._read += len(data)
            if self._deadline is None:
                self._wait(_SECONDS_FOR_HEAD)
        super().data_received(data)
        if not self._in_body and self._read > LONGEST_HEAD and not self.transport.is_closing():
            self.transport.write(_TOO_LONG)
            self.transport.close()

    def on_message_begin(self) -> None:
        """A new request."""
        self._head = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the address."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count(name, value)
        super().on_header(name, value)

    def _count(self, *parts: bytes) -> None:
        """The parser turns this error into the answer 400."""
        self._head += sum(map(len, parts))
        if self._head > LONGEST_HEAD or len(self.headers) >= _MOST_HEADERS:
            raise ValueError("too long")

    def on_headers_complete(self) -> None:
        """The headers are there; a body may follow."""
        self._stop_waiting()
        self._in_body = True
        self._wait(_SECONDS_FOR_BODY)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The next bytes are headers again."""
        self._stop_waiting()
        self._read, self._in_body = 0, False
        super().on_message_complete()

    def _wait(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
