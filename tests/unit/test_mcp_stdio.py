"""The transport of `brain mcp`, byte by byte: lines cut anywhere, lines that are no message, lines without end."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.serve import mcp_stdio
from indexer.serve.mcp_stdio import parse_line, split_lines


@given(st.lists(st.binary(max_size=30)), st.booleans())
def test_lines_come_whole_however_they_are_cut(chunks: list[bytes], ended: bool) -> None:
    sent = b"".join(chunks) + (b"\n" if ended else b"")
    lines = sent.split(b"\n")
    whole = lines[:-1] if not lines[-1] else lines
    assert list(split_lines(iter([*chunks, b"\n"] if ended else chunks))) == whole


@pytest.mark.threat(48)
def test_a_line_that_is_too_long_is_dropped_and_the_next_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_stdio, "LONGEST_LINE", 10)
    sent = [b"short\n", b"x" * 8, b"x" * 8, b"x" * 8, b"\nnext\n", b"y" * 11 + b"\nlast\n", b"z" * 50]
    assert list(split_lines(iter(sent))) == [b"short", None, b"next", None, b"last", None]


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (b"not json", -32700, None),
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[]", -32600, None),
        (b"7", -32600, None),
        (b'{"jsonrpc":"2.0","id":4}', -32600, 4),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":true,"method":5}', -32600, None),
        (b'{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600, None),
        (None, -32600, None),
    ],
)
def test_what_is_no_message_is_answered_with_an_error(line: bytes | None, code: int, identity: Any) -> None:
    message, error = parse_line(line)
    assert message is None
    assert error is not None
    assert (error.error.code, error.id) == (code, identity)


def test_an_empty_line_is_nothing() -> None:
    assert parse_line(b"  ") == (None, None)


def test_a_message_is_handed_over() -> None:
    message, error = parse_line(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert message is not None
    assert error is None
