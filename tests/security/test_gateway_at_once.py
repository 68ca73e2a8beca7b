"""Most requests for files are answered within the call that brings them: the same bytes as by the long way, and nothing seen too late."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.registry.audit import CONSOLE
from indexer.registry.members import end_membership
from indexer.serve import sites
from indexer.serve.addresses import Address
from indexer.serve.answers import Answer, Written, make_answer, write_answer
from indexer.serve.kept import Kept
from tests.tools.gateways import Line, Site, make_files, open_site, publish, running

PATHS = (
    "/acme/plans/",
    "/acme/plans",
    "/acme/plans/guides",
    "/acme/plans/guides/",
    "/acme/plans/index.md",
    "/acme/plans/%C3%BCn%C3%AF/",
    "/acme/plans/_/assets/style-OY3EKPKS.css",
    "/acme/plans/images/pic.png",
    "/acme/plans/sound.mp3",
    "/acme/plans/large.bin",
    "/acme/plans/never-existed",
    "/acme/handbook/",
    "/acme/di-home/",
    "/acme/old/",
    "/acme/never-existed/",
    "/other/ledger/",
    "/nobody/plans/",
)
LONG_WAY = {"Content-Length": "0"}
"""Says nothing, and keeps a request from being answered at once."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = open_site(tmp_path)
    copied = {"sound.mp3": b"la" * 500, "large.bin": b"x" * 1_000_000, "images/pic.png": b"\x89PNG"}
    publish(made.out / "acme" / "plans", make_files("word"), copied)
    with running(made) as running_site:
        yield running_site


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The paths of the requests that take the long way."""
    taken: list[bytes] = []
    answer = sites.answer_content

    async def note(gateway: Any, visit: Any) -> Any:
        taken.append(visit.path)
        return await answer(gateway, visit)

    monkeypatch.setattr("indexer.serve.gateway.answer_content", note)
    return taken


@pytest.mark.req("S11")
@pytest.mark.threat(28, 33)
@pytest.mark.parametrize("email", ["ed@acme.example", "ana@acme.example", "di@acme.example", "ana@other.example"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_both_ways_give_the_same_bytes(site: Site, tasks: list[bytes], email: str, method: str) -> None:
    cookie, line = site.cookie(email), site.open()
    line.request("GET", "/acme/plans/", cookie)
    for path in PATHS:
        long_way = line.request(method, path, cookie | LONG_WAY)
        tasks.clear()
        first, second = (line.request(method, path, cookie) for _ in range(2))
        assert first.bare == second.bare == long_way.bare, path
        assert len({reply.get("x-request-id") for reply in (first, second, long_way)}) == 3
        assert [name for name, _ in first.headers] == [name for name, _ in long_way.headers], path
        if "large" not in path and "sound" not in path and "handbook" not in path:
            assert tasks == [], path


@pytest.mark.req("T09")
@pytest.mark.threat(33)
def test_what_is_kept_is_neither_shown_to_others_nor_after_a_newer_release(site: Site, tasks: list[bytes]) -> None:
    ed, ana, line = site.cookie("ed@acme.example"), site.cookie("ana@acme.example"), site.open()
    missing = line.request("GET", "/acme/never-existed/", ana).bare
    for _ in range(3):
        assert b"word" in line.request("GET", "/acme/plans/", ed).body
    assert len(tasks) == 1
    assert line.request("GET", "/acme/plans/", ana).bare == missing
    publish(site.out / "acme" / "plans", {"index.html": b"newer"})
    assert line.request("GET", "/acme/plans/", ed).body == b"newer"
    assert line.request("GET", "/acme/plans/index.md", ed).bare == missing
    with site.world.writing() as connection:
        end_membership(connection, "acme", "ed", CONSOLE, site.world.now)
    assert line.request("GET", "/acme/plans/", ed).bare == missing


@pytest.mark.threat(28)
@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer sk_live_acme_0000000000000000000000000000000000000000"},
        {"Expect": "100-continue"},
        {"Content-Length": "0"},
        {"Upgrade": "websocket"},
        {"Cookie": "brain=short"},
    ],
    ids=str,
)
def test_what_is_out_of_the_ordinary_takes_the_long_way(site: Site, tasks: list[bytes], headers: dict[str, str]) -> None:
    cookie = site.cookie("ed@acme.example")
    site.ask("GET", "/acme/plans/", cookie)
    tasks.clear()
    line = site.open()
    line.send(f"GET /acme/plans/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie['Cookie']}\r\n".encode())
    line.send("".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n")
    status = line.read().status
    assert status == (404 if {"Authorization", "Cookie"} & set(headers) else 200)
    assert tasks == [b"/acme/plans/"]


@pytest.mark.threat(48)
def test_somebody_who_asks_and_does_not_read_is_answered_no_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    monkeypatch.setattr("indexer.serve.gateway.answer_wanted", _count(written, "indexer.serve.at_once"))
    publish(site.out / "acme" / "plans", {"index.html": b"x" * 100_000})
    cookie = site.cookie("ed@acme.example")
    site.ask("GET", "/acme/plans/", cookie)
    line = Line(site.address)
    request = f"GET /acme/plans/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie['Cookie']}\r\n\r\n".encode()
    line.send(request * 300)
    assert site.ask("GET", "/acme/plans/", cookie).status == 200, "others are answered meanwhile"
    assert len(written) < 150, "30 MB would wait in memory"
    assert [line.read().status for _ in range(300)] == [200] * 300, "and whoever reads on gets all of it"
    line.close()


def _count(calls: list[int], module: str) -> Any:
    from importlib import import_module

    answer = import_module(module).answer_wanted

    def note(*given: Any) -> Any:
        calls.append(1)
        return answer(*given)

    return note


def test_memory_for_files_is_bounded_and_what_was_used_last_stays() -> None:
    kept = Kept(most_bytes=10_000)
    places = [Address("acme", "plans", str(number), slash=False) for number in range(10)]
    stamp = (1, 2, 3)
    for place in places:
        kept.keep(place, stamp, Written(200, b"", b"x" * 2_000))
        assert kept.find(places[0], stamp) is not None, "it was asked for each time"
    assert sum(kept.find(place, stamp) is not None for place in places) == 4
    assert kept.find(places[9], (1, 2, 4)) is None, "of another release"
    kept.keep(places[9], (1, 2, 4), Written(200, b"", b"y" * 2_000))
    assert kept.find(places[9], (1, 2, 4)) is not None
    assert sum(kept.find(place, stamp) is not None for place in places[:9]) == 3


@pytest.mark.threat(34)
def test_no_header_can_break_the_connection() -> None:
    assert write_answer(make_answer(200, b"text/plain", b"x")).body == b"x"
    for answer in (make_answer(200, b"a\r\nset-cookie: x", b""), Answer(200, ((b"content-type", b"text/plain"),), b"x")):
        with pytest.raises(ValueError, match="BUG"):
            write_answer(answer)
