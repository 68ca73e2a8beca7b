"""Whoever is slow, reads nothing, hangs up or asks without end holds up nobody else (THREATS 48)."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from indexer.serve import oidc_provider, pace, protocol, sites
from indexer.serve.pace import SharedPace
from indexer.serve.rates import CLIENT_HEADER
from indexer.serve.settings import OidcSettings
from tests.tools.gateways import Line, Site, make_files, open_site, publish, running

HELLO = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
FILM = b"\0" * 20_000_000


@contextmanager
def hanging_service() -> Iterator[str]:
    """A sign-in service that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as opened:
        yield f"http://127.0.0.1:{opened.getsockname()[1]}"


def begin_film(site: Site, cookie: dict[str, str]) -> Line:
    """Ask for a large file and read the beginning of the answer."""
    line = site.open()
    line.send(f"GET /acme/plans/v.mp4 HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie['Cookie']}\r\nRange: bytes=0-\r\n\r\n".encode())
    assert line.socket.recv(15) == b"HTTP/1.1 206 Pa"
    return line


def is_cut_off(line: Line) -> bool:
    """Whether the other end gives the connection up, without reading what it sent."""
    for _ in range(100):
        try:
            line.send(b"\r\n")
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.threat(48)
def test_a_sign_in_service_that_hangs_holds_up_nobody_but_those_who_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc_provider, "_SECONDS", 3.0)
    with hanging_service() as issuer, running(open_site(tmp_path, oidc=OidcSettings(issuer, "brain"))) as site:
        cookie = site.cookie("ed@acme.example")
        waiting = [site.open() for _ in range(60)]
        for number, line in enumerate(waiting):
            line.send(f"GET /-/{'signed-out' if number % 2 else 'login'} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        time.sleep(0.5)
        for target in ("/healthz", "/", "/acme/plans/", "/-/search?q=canary"):
            assert site.ask("GET", target, cookie).status == 200
        statuses = {line.read().status for line in waiting}
        assert statuses == {200, 502}, "they hear so; those who ask to be signed out are"
        began = time.monotonic()
        assert site.ask("GET", "/-/login").status == 502
        assert time.monotonic() - began < 2, "that it does not answer is known for a moment"


@pytest.mark.threat(48)
def test_one_address_that_begins_sign_ins_without_end_keeps_nobody_else_from_signing_in(tmp_path: Path) -> None:
    with running(open_site(tmp_path, oidc=OidcSettings("http://127.0.0.1:9", "brain"))) as site:
        flood = {site.ask("GET", "/-/login", {CLIENT_HEADER: "192.0.2.1"}).status for _ in range(70)}
        assert flood == {502, 429}
        assert site.ask("GET", "/-/login", {CLIENT_HEADER: "192.0.2.2"}).status == 502, "the service of this test is down"
        assert site.ask("POST", "/-/backchannel-logout", {CLIENT_HEADER: "192.0.2.1"}).status == 400


def test_a_part_of_the_pace_is_one_addresss_and_the_whole_is_everybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: now))
    shared = SharedPace(per_second=4, burst=40, parts=4)
    assert [shared.allows("a") for _ in range(11)] == [True] * 10 + [False]
    assert [shared.allows(each) for each in "bcd" for _ in range(10)] == [True] * 30
    assert not shared.allows("e")
    now += 1
    assert [shared.allows("a") for _ in range(2)] == [True, False]
    assert [shared.allows("") for _ in range(4)] == [True, True, True, False]


@pytest.mark.threat(48)
@pytest.mark.parametrize("what", ["pages", "film"])
def test_whoever_does_not_read_the_answer_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(protocol, "_SECONDS_FOR_READING", 0.3)
    site = open_site(tmp_path)
    publish(site.out / "acme" / "plans", make_files("x"), {"v.mp4": FILM})
    with running(site):
        if what == "film":
            line = begin_film(site, site.cookie("ed@acme.example"))
        else:
            line = site.open()
            line.send(HELLO * 2000)
        assert is_cut_off(line)


@pytest.mark.threat(48)
def test_whoever_reads_slowly_gets_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_SECONDS_FOR_READING", 1.0)
    site = open_site(tmp_path)
    publish(site.out / "acme" / "plans", make_files("x"), {"v.mp4": FILM})
    with running(site):
        line = begin_film(site, site.cookie("ed@acme.example"))
        got, began = 0, time.monotonic()
        while time.monotonic() - began < 3:
            got += len(line.socket.recv(100_000, socket.MSG_WAITALL))
            time.sleep(0.05)
        while got < len(FILM):
            part = line.socket.recv(1_000_000)
            assert part
            got += len(part)


@pytest.mark.threat(48)
def test_an_empty_line_keeps_no_connection_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_SECONDS_FOR_HEAD", 0.3)
    with running(open_site(tmp_path)) as site:
        line = site.open()
        assert line.request("GET", "/").status == 200
        line.send(b"\r\n")
        line.socket.settimeout(10)
        assert line.is_closed


def test_a_film_whose_player_hung_up_is_read_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def pread(descriptor: int, length: int, at: int) -> bytes:
        read.append(length)
        return os.pread(descriptor, length, at)

    monkeypatch.setattr(sites, "os", SimpleNamespace(pread=pread, close=os.close))
    site = open_site(tmp_path)
    publish(site.out / "acme" / "plans", make_files("x"), {"v.mp4": FILM})
    with running(site):
        cookie = site.cookie("ed@acme.example")
        begin_film(site, cookie).close()
        for _ in range(20):
            site.ask("GET", "/healthz")
            time.sleep(0.02)
        assert sum(read) < len(FILM) / 2


def test_whoever_asks_often_and_hangs_up_makes_no_mistake_of_the_program(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with running(open_site(tmp_path)) as site:
        for _ in range(3):
            line = site.open()
            line.send(HELLO * 2000)
            time.sleep(0.5)  # by now nothing more can be sent, and one of the answers waits for that
            line.close()
        for _ in range(20):
            assert site.ask("GET", "/healthz").status == 200
    assert capfd.readouterr().err == ""


@pytest.mark.threat(48)
def test_nobody_fills_the_operators_log_by_loading_a_page_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with running(open_site(tmp_path)) as site:
        line, headers = site.open(), {**site.cookie("ed@acme.example"), "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        for _ in range(5):
            assert line.request("GET", "/acme/", headers).status == 200
            assert line.request("POST", "/api/v1/tools/listBrains", headers, b"{}").status == 503
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 2, "once for each way in which it matters: the tenant has no index yet"
    assert all("There is no index" in each for each in told)
