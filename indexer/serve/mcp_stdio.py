"""MCP over standard input and output: one JSON message a line, as a program that was started by its client speaks (SPEC S10).

Used by `brain mcp`. Unlike the SDK's own transport it answers a line that is no message, refuses one without end, and lets Ctrl-C end the
program at once: both streams are served by threads that nobody has to wait for. Nothing but the protocol reaches standard output.
"""

import asyncio
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR
from mcp_types.jsonrpc import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

LONGEST_LINE = 4 * 1024 * 1024
_SECONDS_TO_ANSWER = 30.0
Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes its end."""
    with _claim_streams() as (source, target):
        try:
            await _serve(server, source, target)
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # parts of the SDK that were still handing over when everything ended
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError  # Ctrl-C, which the group of errors above may have hidden


async def _serve(server: Server[Any], source: int, target: int) -> None:
    incoming, requests = anyio.create_memory_object_stream[SessionMessage | Exception](16)
    outgoing, replies = anyio.create_memory_object_stream[SessionMessage](16)
    unanswered = Unanswered()
    arguments = (source, incoming, outgoing.clone(), unanswered, asyncio.get_running_loop())
    reader = threading.Thread(target=_read_lines, args=arguments, daemon=True, name="mcp reader")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_write_lines, target, replies, unanswered, tasks.cancel_scope)
        reader.start()
        await server.run(requests, outgoing, server.create_initialization_options())


class Unanswered:
    """Remembers the requests without an answer: a client that sends and then closes its end still gets all answers."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._changed = threading.Condition()

    def note(self, message: JSONRPCMessage) -> None:
        """Note a request that came, or an answer that went; other messages change nothing."""
        with self._changed:
            if isinstance(message, JSONRPCRequest):
                self._ids.add(message.id)
            elif isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                self._ids.discard(message.id)
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Wait until everything is answered, but not for ever: a request that was taken back never is."""
        with self._changed:
            self._changed.wait_for(lambda: not self._ids, seconds)


@contextmanager
def _claim_streams() -> Iterator[tuple[int, int]]:
    """Give descriptors of the client's two streams; meanwhile whatever the program prints goes to standard error."""
    sys.stdout.flush()
    source, target = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        sys.stdout.flush()
        os.dup2(target, 1)
        os.close(target)  # the other one stays open: a thread may still wait for it


def _read_lines(source: int, incoming: Incoming, outgoing: Outgoing, unanswered: Unanswered, loop: asyncio.AbstractEventLoop) -> None:
    """Hand over message by message; a line that is none is answered here."""
    # Nobody waits for this thread: once the loop ends, there is nothing left to hand over, and what waited is cancelled.
    with suppress(RuntimeError, futures.CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        for line in split_lines(iter(lambda: _read_some(source), b"")):
            message, error = parse_line(line)
            if message is not None:
                unanswered.note(message)
                asyncio.run_coroutine_threadsafe(incoming.send(SessionMessage(message)), loop).result()
            elif error is not None:
                asyncio.run_coroutine_threadsafe(outgoing.send(SessionMessage(error)), loop).result()
        unanswered.wait(_SECONDS_TO_ANSWER)
        for stream in (incoming, outgoing):
            asyncio.run_coroutine_threadsafe(stream.aclose(), loop).result()


def _read_some(source: int) -> bytes:
    try:
        return os.read(source, 65_536)
    except OSError:
        return b""


def split_lines(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    """Yield lines without their ends; None for one that is longer than LONGEST_LINE, of which no more is kept."""
    line, too_long = bytearray(), False
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line += part
            yield None if too_long or len(line) > LONGEST_LINE else bytes(line)
            line, too_long = bytearray(), False
        line += rest
        if len(line) > LONGEST_LINE:
            line, too_long = bytearray(), True
    if line or too_long:
        yield None if too_long else bytes(line)


def parse_line(line: bytes | None) -> tuple[JSONRPCMessage | None, JSONRPCError | None]:
    """Return the message of a line, or the error to answer; neither for an empty line."""
    if line is None:
        return None, _make_error(None, INVALID_REQUEST, f"A message may have {LONGEST_LINE:,} bytes at most")
    if not line.strip():
        return None, None
    try:
        message = jsonrpc_message_adapter.validate_json(line.decode(), by_name=False)
    except (ValidationError, UnicodeDecodeError):
        return None, _explain(line)
    if isinstance(message, JSONRPCNotification) and "id" in json.loads(line):
        return None, _explain(line)  # a request whose id is none: taken for a notification, it would never be answered
    return message, None


def _explain(line: bytes) -> JSONRPCError:
    try:
        raw = json.loads(line.decode())
    except (ValueError, RecursionError):
        return _make_error(None, PARSE_ERROR, "Parse error")
    asked = raw.get("id") if isinstance(raw, dict) else None
    identity = asked if isinstance(asked, str) or type(asked) is int else None
    return _make_error(identity, INVALID_REQUEST, "Invalid Request")


def _make_error(identity: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


async def _write_lines(
    target: int, replies: MemoryObjectReceiveStream[SessionMessage], unanswered: Unanswered, scope: anyio.CancelScope
) -> None:
    """Write message by message; a client that has gone ends everything."""
    loop = asyncio.get_running_loop()
    waiting: queue.SimpleQueue[tuple[bytes, asyncio.Future[bool]] | None] = queue.SimpleQueue()
    threading.Thread(target=_write_waiting, args=(target, waiting, loop), daemon=True, name="mcp writer").start()
    try:
        async with replies:
            async for reply in replies:
                line = reply.message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8", "replace") + b"\n"
                written: asyncio.Future[bool] = loop.create_future()
                waiting.put((line, written))
                if not await written:
                    scope.cancel()
                    return
                unanswered.note(reply.message)
    finally:
        waiting.put(None)


def _write_waiting(
    target: int, waiting: "queue.SimpleQueue[tuple[bytes, asyncio.Future[bool]] | None]", loop: asyncio.AbstractEventLoop
) -> None:
    while (order := waiting.get()) is not None:
        line, written = order
        done = _write_all(target, line)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, written, done)


def _settle(written: "asyncio.Future[bool]", done: bool) -> None:
    if not written.done():
        written.set_result(done)


def _write_all(target: int, line: bytes) -> bool:
    view = memoryview(line)
    try:
        while view:
            view = view[os.write(target, view) :]
    except OSError:
        return False
    return True
