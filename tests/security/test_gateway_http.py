"""Malformed, endless, slow and misdirected HTTP: refused before anything of it is believed (THREATS 34, 48)."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from indexer.errors import BrainpressError, UsageError
from indexer.serve import bodies, protocol
from indexer.serve.listening import Listen, open_socket, parse_listen
from indexer.serve.settings import parse_origin
from tests.tools.gateways import Line, Site, open_site, running


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A gateway of one test's own."""
    with running(open_site(tmp_path)) as running_site:
        yield running_site


def ends(line: Line) -> bytes:
    """Everything until the other end closes."""
    received = b""
    while part := line.socket.recv(65536):
        received += part
    return received


@pytest.mark.threat(34, 48)
@pytest.mark.parametrize(
    "raw",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\x00b\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_and_the_connection_closed(site: Site, raw: bytes) -> None:
    line = site.open()
    line.send(raw)
    line.socket.shutdown(socket.SHUT_WR)
    received = ends(line)
    assert received.startswith((b"HTTP/1.1 400", b"HTTP/1.1 404", b"HTTP/1.1 421")) or received == b""
    assert site.ask("GET", "/healthz").status == 200


@pytest.mark.threat(48)
def test_endless_headers_are_cut_off(site: Site) -> None:
    for start, more in (
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", b"a" * 4096),
        (b"GET / HTTP/1.1\r\n", b"X: y\r\n" * 500),
        (b"GET /", b"a" * 4096),
    ):
        line = site.open()
        sent = len(start)
        line.send(start)
        with suppress(OSError):  # reset or broken pipe, as the system likes
            while sent < 2_000_000:
                line.send(more)
                sent += len(more)
                time.sleep(0.001)
        assert sent < 1_500_000


@pytest.mark.threat(48)
@pytest.mark.parametrize(("start", "more"), [(b"0\r\nX: ", b"a" * 4096), (b"0\r\n", b"X: y\r\n" * 500), (b"5;", b"a" * 4096)])
def test_what_stands_around_a_body_is_cut_off_when_it_is_endless(site: Site, start: bytes, more: bytes) -> None:
    """The parser puts a trailer together again with each part that arrives: 100 MB of one took it a minute."""
    line = site.open()
    form = b"Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    line.send(b"POST /-/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n" + form + b"5\r\nhello\r\n" + start)
    sent = 0
    with suppress(OSError):
        while sent < 2_000_000:
            line.send(more)
            sent += len(more)
            time.sleep(0.001)
    assert sent < 1_500_000
    assert site.ask("GET", "/healthz").status == 200


@pytest.mark.threat(48)
def test_large_but_sound_headers_are_refused_whole(site: Site) -> None:
    assert site.ask("GET", "/", {"X-Long": "a" * 20_000}).status == 200
    assert site.ask("GET", "/", {"X-Long": "a" * 40_000}).status in {400, 431}
    assert site.ask("GET", "/", {f"X-{number}": "y" for number in range(200)}).status == 400


@pytest.mark.threat(48)
def test_whoever_sends_slowly_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_SECONDS_FOR_HEAD", 0.3)
    monkeypatch.setattr(protocol, "_SECONDS_FOR_BODY", 0.3)
    with running(open_site(tmp_path)) as site:
        silent, slow, body = site.open(), site.open(), site.open()
        slow.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        body.send(
            b"POST /-/logout HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nx"
        )
        for line in (silent, slow):
            assert line.is_closed
        ends(body)
        kept = site.open()
        assert kept.request("GET", "/").status == 200
        time.sleep(0.6)
        assert kept.request("GET", "/").status == 200, "waiting between two requests is no offence"


@pytest.mark.threat(48)
def test_a_form_that_does_not_arrive_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "_SECONDS", 0.3)
    with running(open_site(tmp_path)) as site:
        line = site.open()
        cookie = site.cookie("ed@acme.example")["Cookie"]
        head = f"POST /-/logout HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 50\r\n"
        line.send(f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\nx".encode())
        assert line.read().status == 408


@pytest.mark.threat(48)
def test_a_body_that_nobody_asked_for_is_not_kept(site: Site) -> None:
    site.ask("GET", "/healthz")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = site.open()
    line.send(b"POST /acme/plans/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert line.read().status == 404
    with suppress(OSError):
        for _ in range(400):
            line.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


@pytest.mark.threat(34)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "",
        " ",
        "127.0.0.1:x",
        "[::1",
        "a" * 300,
        "127.0.0.1/..",
        "xn--",
        "acme.127.0.0.1",
    ],
)
def test_another_name_is_not_answered_to(site: Site, host: str) -> None:
    cookie = site.cookie("ed@acme.example")
    reply = site.ask("GET", "/acme/plans/", {**cookie, "Host": host})
    assert reply.status in {400, 421}
    assert b"canary" not in reply.body
    if host.strip():
        assert host.encode() not in reply.body


@pytest.mark.threat(34)
def test_two_names_or_none_are_not_answered_to(site: Site) -> None:
    for raw in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"):
        line = site.open()
        line.send(raw)
        assert line.read().status in {400, 421}


@pytest.mark.threat(34)
def test_a_target_that_is_a_whole_address_says_itself_which_host_it_is_for(tmp_path: Path) -> None:
    with running(open_site(tmp_path, url="http://localhost:8080", host_per_tenant=True)) as site:
        cookie = site.cookie("ed@acme.example")
        for target, host, status in (
            ("http://acme.localhost:8080/plans/", "other.localhost", 200),
            ("http://ACME.localhost/plans/", "evil.example", 200),
            ("http://other.localhost/plans/", "acme.localhost", 404),
            ("http://evil.example/plans/", "acme.localhost", 421),
            ("http://acme.localhost@evil.example/plans/", "acme.localhost", 421),
            ("http://[::1]/plans/", "acme.localhost", 404),
            ("/plans/", "acme.localhost", 200),
            ("/plans/", "other.localhost", 404),
        ):
            assert site.ask("GET", target, {**cookie, "Host": host}).status == status, target
            offer = {**cookie, "Host": host, "Connection": "Upgrade", "Upgrade": "h2c"}
            assert site.ask("GET", target, offer).status == status, target


@pytest.mark.threat(34)
def test_no_answer_repeats_what_a_request_said_of_itself(tmp_path: Path) -> None:
    with running(open_site(tmp_path, hosts=frozenset({"intern.example"}))) as site:
        cookie = site.cookie("ed@acme.example")
        for path in (
            "/",
            "/acme/plans",
            "/acme/plans/",
            "/acme/nothing",
            "/-/login?next=//canary",
            "/-/canary",
            "/api/canary",
            "/-/callback?state=canary",
        ):
            headers = {
                **cookie,
                "Host": "INTERN.example:99",
                "X-Forwarded-Host": "canary",
                "X-Forwarded-Proto": "canary",
                "X-Request-Id": "canary",
            }
            headers |= {
                "Forwarded": "host=canary",
                "X-Original-URL": "/canary",
                "X-Rewrite-URL": "/canary",
                "X-HTTP-Method-Override": "DELETE",
            }
            reply = site.ask("GET", path, headers)
            said = reply.body + str(reply.headers).encode()
            for word in (b"intern.example", b"INTERN", b":99"):
                assert word not in said
            if not path.startswith("/acme"):
                assert b"canary" not in said, path
            else:
                assert reply.get("x-request-id") != "canary"


def test_requests_that_follow_each_other_closely_are_answered_in_order(site: Site) -> None:
    line = site.open()
    cookie = site.cookie("ed@acme.example")["Cookie"]
    paths = ["/acme/plans/llms.txt", "/acme/never-existed/", "/acme/handbook/llms.txt"]
    line.send(b"".join(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode() for path in paths))
    assert [line.read().status for _ in paths] == [200, 404, 200]


def test_an_upgrade_is_not_offered(site: Site) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "eA==", "Sec-WebSocket-Version": "13"}
    assert site.ask("GET", "/acme/plans/", upgrade).bare == site.ask("GET", "/acme/never-existed/").bare


@pytest.mark.threat(34)
@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("framing", ["Content-Length: {}", "Transfer-Encoding: chunked"])
def test_an_offer_of_another_protocol_is_declined_and_the_request_answered(site: Site, framing: str, cut: int) -> None:
    """As every Java client makes it on a plain connection."""
    offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n"
    key = f"Authorization: {site.bearer('ed')['Authorization']}\r\nAccept: application/json, text/event-stream\r\n"
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    sent = b"%x\r\n%b\r\n0\r\nHost: evil\r\n\r\n" % (len(body), body) if "chunked" in framing else body
    line = site.open()
    replies = []
    for offered in (offer, ""):
        lines = f"Content-Type: application/json\r\n{key}{offered}{framing.format(len(body))}\r\n\r\n"
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}".encode()
        whole = head + sent
        line.send(whole[: len(head) - cut])
        if cut:
            time.sleep(0.05)
        line.send(whole[len(head) - cut :] + b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        replies.append(line.read())
        assert line.read().status == 200, "and what follows on the same connection as well"
    assert replies[0].status == 200
    assert replies[0].bare == replies[1].bare
    line = site.open()
    line.send(b"GET /-/none HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" * 1100)
    assert {line.read().status for _ in range(1100)} == {404}
    cookie = site.cookie("ed@acme.example")
    for close in ("close, Upgrade", "Upgrade,CLOSE"):
        line = site.open()
        assert line.request("GET", "/acme/plans/", {**cookie, "Connection": close, "Upgrade": "h2c"}).get("connection") == "close"
        assert line.is_closed


@pytest.mark.threat(35)
def test_a_unix_socket_is_for_this_user_and_group(tmp_path: Path) -> None:
    path = tmp_path / "gateway.sock"
    listen = parse_listen(f"unix:{path}")
    with running(open_site(tmp_path), listen) as site:
        assert path.stat().st_mode & 0o777 == 0o660
        assert site.ask("GET", "/healthz").status == 200
        with pytest.raises(BrainpressError, match="cannot be listened on"):
            open_socket(listen)
    open_socket(listen).close()  # what a stopped gateway left is in nobody's way
    path.unlink()
    path.write_text("a file of somebody's")
    with pytest.raises(BrainpressError):
        open_socket(listen)
    assert path.read_text() == "a file of somebody's"


@pytest.mark.parametrize("text", ["", "8080", ":8080", "127.0.0.1", "127.0.0.1:99999", "unix:", "http://x:1", "a:b:1", "[::1]"])
def test_what_is_no_address_is_not_listened_on(text: str) -> None:
    with pytest.raises(UsageError):
        parse_listen(text)


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    taken = open_socket(Listen("127.0.0.1", 0))
    with pytest.raises(BrainpressError, match="in use"):
        open_socket(Listen("127.0.0.1", taken.getsockname()[1]))
    taken.close()


@pytest.mark.threat(37)
@pytest.mark.parametrize(
    "text",
    [
        "http://brain.example.org",
        "https://brain.example.org/x",
        "https://u@brain.example.org",
        "brain.example.org",
        "ftp://x",
        "https://",
        "https://x?y",
    ],
)
def test_an_origin_that_may_carry_no_session_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_origin(text)
