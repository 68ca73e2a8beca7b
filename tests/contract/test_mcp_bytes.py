"""`brain mcp` below the client: what raw bytes on its input get on its output, and how it ends."""

import json
import signal
import subprocess
import sys

import pytest

from tests.tools.commands import build_environment, command
from tests.tools.desks import HANDSHAKE, Workspace, make_call


def read_by_id(lines: list[bytes]) -> dict[object, object]:
    """Return id → the error code or result of each answer."""
    answers = [json.loads(line) for line in lines]
    return {
        answer["id"]: answer["error"]["code"] if "error" in answer else answer["result"] for answer in answers if answer["id"] is not None
    }


@pytest.mark.req("S10")
@pytest.mark.threat(48)
def test_wrong_messages_get_an_error_each_and_the_server_goes_on(customers: Workspace) -> None:
    lines = customers.exchange(
        "ann",
        [
            b"this is not JSON",
            b"[1, 2]",
            b'{"jsonrpc":"2.0","id":1}',
            b'{"jsonrpc":"2.0","id":2,"method":"no/such/method"}',
            b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}',
            b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"getBrain","arguments":["x"]}}',
            b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"readDocument","arguments":{"path":"ann-home/\\ud800"}}}',
            b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"readDocument","arguments":{"path":"'
            + b"x" * 5_000_000
            + b'"}}}',
            b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}',
            b'{"jsonrpc":"2.0","method":"notifications/nothing"}',
            b"",
            make_call("last", "getBrain", {"brain": "ann-home/shop"}),
        ],
    )
    by_id = read_by_id(lines)
    assert (by_id[1], by_id[2], by_id[3], by_id[4], by_id[5], by_id[7]) == (-32600, -32601, -32602, -32602, -32600, -32602)
    assert 6 not in by_id
    assert [json.loads(line)["error"]["code"] for line in lines if json.loads(line)["id"] is None] == [-32700, -32600, -32600]
    last = by_id["last"]
    assert isinstance(last, dict)
    assert last["structuredContent"]["id"] == "ann-home/shop"


def test_every_call_is_answered_before_the_server_ends(customers: Workspace) -> None:
    calls = [make_call(number, "searchBrain", {"brain": "cyd-home/shop", "query": "word", "includeParents": True}) for number in range(12)]
    answers = read_by_id(customers.exchange("cyd", calls))
    assert sorted(answers, key=str) == sorted(range(12), key=str)


@pytest.mark.req("S13")
def test_without_the_right_the_bytes_are_those_of_a_tool_that_never_was(customers: Workspace) -> None:
    lines = customers.exchange(
        "ann",
        [
            b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
            make_call(2, "listBrains", {}),
            make_call(3, "lastBrains", {}),
        ],
        "--scopes",
        "",
    )
    listed, refused, unknown = sorted(lines, key=lambda line: json.loads(line)["id"])  # answers come as they are ready
    assert json.loads(listed)["result"]["tools"] == []
    assert json.loads(refused)["error"] == {"code": -32602, "message": "Tool listBrains not found"}
    assert refused.replace(b"listBrains", b"NAME").replace(b'"id":2', b'"id":3') == unknown.replace(b"lastBrains", b"NAME")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.parametrize("reading", [True, False], ids=["a client that reads", "a client that does not"])
def test_ctrl_c_ends_the_server_at_once(customers: Workspace, reading: bool) -> None:
    arguments = command("mcp", *customers.options("ada"))
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, env=build_environment()) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(line + b"\n" for line in HANDSHAKE))
        server.stdin.flush()
        server.stdout.readline()
        if not reading:
            server.stdin.write(b"".join(make_call(number, "getBlueprint", {"type": "business@1"}) + b"\n" for number in range(60)))
            server.stdin.flush()
            server.stdout.read(10)
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(20) == 130
        finally:
            server.kill()  # or leaving the block would wait for ever
        assert server.stderr is not None
        assert b"Traceback" not in server.stderr.read()


def test_nothing_but_messages_reaches_standard_output(customers: Workspace) -> None:
    for line in customers.exchange("ann", [make_call(1, "listBrains", {}), b"garbage"]):
        assert json.loads(line)["jsonrpc"] == "2.0"
