"""HTTP/1.1 as uvicorn speaks it, with bounds on what a client may send before it is answered (THREATS 48). Used by `listening`.

uvicorn's fast parser itself has no limit on headers, waits for ever for the rest of a request, and for ever for somebody who does not read
the answer. And it starts a task for each request, also for those that the application can answer within the call: these are answered here.
"""

import fcntl
import socket
import struct
import termios
from asyncio import TimerHandle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from httptools import HttpParserInvalidURLError, HttpParserUpgrade, HttpRequestParser, parse_url
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from indexer.serve.answers import REQUEST_ID, Written
from indexer.serve.hosts import Headers

LONGEST_HEAD = 32 * 1024
_MOST_HEADERS = 100
_SECONDS_FOR_HEAD, _SECONDS_FOR_BODY = 20.0, 60.0
_SECONDS_FOR_READING, _LEAST_READ = 60.0, 16 * 1024
"""How long somebody who is sent more than they take may go on so, and how many bytes of it they have to take in that time."""
_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_NOT_WHOLE = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})
"""Headers of requests that are not over with their head, or may not be."""
Answering = Callable[[str, bytes, Headers], tuple[Written, str] | None]
"""What an application may have besides: method, path and headers → answer and request id; None = it has to be called."""


class _Parser:
    """The parser, and what to do about an offer to change the protocol: it stops behind the head of such a request, without the body."""

    def __init__(self, protocol: "BoundedProtocol") -> None:
        self._protocol = protocol
        self._begin()

    def _begin(self) -> None:
        parser = HttpRequestParser(self._protocol)
        parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does: what follows is not read
        self._feed = parser.feed_data
        self.get_method, self.get_http_version = parser.get_method, parser.get_http_version
        self.should_upgrade, self.should_keep_alive = parser.should_upgrade, parser.should_keep_alive

    def feed_data(self, data: bytes) -> None:
        """Read on."""
        rest = data
        while rest:
            try:
                self._feed(rest)
                return
            except HttpParserUpgrade as offer:
                rest = self._protocol.decline(rest[offer.args[0] :])
                self._begin()


class BoundedProtocol(HttpToolsProtocol):
    """A connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._read = 0
        """Bytes since the last request or the last piece of its body: headers, or what stands around a body in chunks."""
        self._head = 0
        """Bytes of the complete headers of this request."""
        self._has_begun = self._in_body = self._is_answered = False
        """Whether a request is under way, whether its head is complete, and whether it was answered at once."""
        self._is_whole = True
        """Whether the request is over with its head, as far as that was read."""
        self._is_offer = False
        """Whether the head that was read offers to change the protocol, and is read once more without that."""
        self._deadline: TimerHandle | None = None
        self._reading: TimerHandle | None = None
        """When to look whether somebody who is sent more than they take goes on taking it."""
        self._underway: Any = None
        """uvicorn's cycle of the request that the application is answering."""
        self.parser = _Parser(self)  # type: ignore[assignment]
        self._answer_at_once: Answering | None = getattr(self.app, "answer_at_once", None)

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` tells of everything that is not taken at once
        self._wait(_SECONDS_FOR_HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        self._stop_looking()
        # uvicorn tells only the request that came last, not the one whose answer is under way when several were sent together.
        self.pipeline.clear()
        if self._underway is not None and not self._underway.response_complete:
            self._underway.disconnected = True
            self._underway.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._underway = cycle
        super()._start_asgi_task(cycle, app)

    def pause_writing(self) -> None:
        """Somebody does not take what they are sent as fast as it comes: see that they go on, also while the connection closes."""
        super().pause_writing()
        self._stop_looking()
        self._reading = self.loop.call_later(_SECONDS_FOR_READING, self._look, self._count_unread())

    def resume_writing(self) -> None:
        """All of it was taken."""
        self._stop_looking()
        super().resume_writing()

    def _look(self, before: int) -> None:
        unread = self._count_unread()
        if before - unread < _LEAST_READ:
            with suppress(OSError, AttributeError):
                # What waits in the system goes as well, instead of with a connection that nobody has any more.
                self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
        else:
            self._reading = self.loop.call_later(_SECONDS_FOR_READING, self._look, unread)

    def _count_unread(self) -> int:
        """Bytes that wait here or in the system: the latter takes more in large steps alone, and a slow reader would seem to be none."""
        waiting = bytearray(4)
        with suppress(OSError, AttributeError, ValueError):
            fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, waiting)
        return self.transport.get_write_buffer_size() + int(struct.unpack("i", waiting)[0])

    def _stop_looking(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def data_received(self, data: bytes) -> None:
        """Count what is no body; cut off whoever sends too much of it, or too slowly."""
        self._read += len(data)
        super().data_received(data)
        if self._deadline is None and (self._has_begun or self._is_idle()):  # most requests are over by now, and need no clock
            self._wait(_SECONDS_FOR_BODY if self._in_body else _SECONDS_FOR_HEAD)
        if self._read > LONGEST_HEAD and not self.transport.is_closing():
            if not self._in_body:
                self.transport.write(_TOO_LONG)
            self.transport.close()

    def _is_idle(self) -> bool:
        """Whether nothing is under way and no clock runs: an empty line in front of a request stops uvicorn's, and is no beginning."""
        return self.timeout_keep_alive_task is None and (self.cycle is None or self.cycle.response_complete)

    def on_message_begin(self) -> None:
        """A new request."""
        self._head = 0
        self._has_begun, self._is_answered, self._is_whole, self._is_offer = True, False, True, False
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the address. The parser turns an error into the answer 400."""
        self._head += len(url)
        if self._head > LONGEST_HEAD:
            raise ValueError("too long")
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, and notice one that says that the request is not over with its head.

        The parser calls this also for trailers, which come behind the body and past whatever looked at the headers in front: they are none.
        """
        self._head += len(name) + len(value)
        if self._head > LONGEST_HEAD or len(self.headers) >= _MOST_HEADERS:
            raise ValueError("too long")
        if self._in_body:
            return
        super().on_header(name, value)
        if self.headers[-1][0] in _NOT_WHOLE:
            self._is_whole = False

    def on_headers_complete(self) -> None:
        """The headers are there: answer, or start the application; a body may follow."""
        self._is_offer = self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"
        if self._is_offer:
            return
        self._stop_waiting()
        self._in_body = True
        if not self.url.startswith(b"/"):
            self._take_host_of_target()
        method, answer_at_once = self.parser.get_method(), self._answer_at_once
        if answer_at_once is not None and method in {b"GET", b"HEAD"} and self._is_simple():
            answered = answer_at_once(method.decode("ascii"), parse_url(self.url).path, self.headers)
            if answered is not None:
                self._is_answered = True
                self._write(*answered, with_body=method == b"GET")
                return
        super().on_headers_complete()

    def _take_host_of_target(self) -> None:
        """A target that is a whole address says itself which host it is for, whatever the header says (RFC 9112, section 3.2.2)."""
        with suppress(HttpParserInvalidURLError):
            parts = parse_url(self.url)
            if parts.host:
                shown = b"[%b]" % parts.host if b":" in parts.host else parts.host
                host = shown + (b":%d" % parts.port if parts.port else b"")
                # In place: the application has this very list.
                self.headers[:] = [(name, host if name == b"host" else value) for name, value in self.headers]

    def _is_simple(self) -> bool:
        """Whether nothing comes between this request and its answer: one that is under way, a body, a reader who does not read."""
        return (
            self._is_whole
            and (self.cycle is None or self.cycle.response_complete)
            and not self.flow.write_paused
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and (self.limit_concurrency is None or max(len(self.connections), len(self.tasks)) < self.limit_concurrency)
        )

    def _write(self, answer: Written, request_id: str, *, with_body: bool) -> None:
        dates = [name + b": " + value + b"\r\n" for name, value in self.server_state.default_headers]
        last = (REQUEST_ID, b": ", request_id.encode(), b"\r\n\r\n", answer.body if with_body else b"")
        self.transport.write(b"".join((STATUS_LINE[answer.status], *dates, answer.head, *last)))
        self.on_response_complete()

    def decline(self, rest: bytes) -> bytes:
        """Return a request as if it had offered nothing, and the rest: many clients offer HTTP/2 with each of theirs (uvicorn issue 2722).

        What follows a CONNECT, which has been answered, is nothing.
        """
        if not self._is_offer:
            return b""
        line = b" ".join((self.parser.get_method(), self.url, b"HTTP/" + self.parser.get_http_version().encode()))
        kept = [pair for pair in self.headers if pair[0] not in {b"upgrade", b"connection"}]
        said = b",".join(value for name, value in self.headers if name == b"connection").lower().split(b",")
        kept += [(b"connection", token) for token in (b"close", b"keep-alive") if token in map(bytes.strip, said)]
        return b"\r\n".join((line, *(name + b": " + value for name, value in kept), b"", rest))

    def on_body(self, body: bytes) -> None:
        """A piece of the body, whose size whoever reads it bounds."""
        self._read = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The next bytes are headers again."""
        if self._is_offer:
            return
        self._stop_waiting()
        self._read, self._has_begun, self._in_body = 0, False, False
        if not self._is_answered:
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
