"""Somebody who has much searched waits behind themselves, and keeps nobody else from an answer (THREATS 48)."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.registry.members import end_membership
from indexer.registry.sessions import end_session
from indexer.serve import home_search
from indexer.serve.library import Library
from indexer.serve.search_all import search_places
from indexer.serve.turns import TooManyError, Turns
from tests.tools.api_sites import call, make_key, open_api, revoke
from tests.tools.gateways import Line, Site, bearer, open_site, running
from tests.tools.registries import act

SEARCH = {"brain": "rules/house", "query": "prices"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Searches take as long as this is not set."""
    event = threading.Event()
    yield event
    event.set()


def begin(site: Site, headers: dict[str, str], path: str, body: object, count: int) -> list[Line]:
    """Send requests, and do not wait for their answers."""
    sent = json.dumps(body).encode()
    lines = "".join(f"{name}: {value}\r\n" for name, value in {**headers, **JSON, "Content-Length": str(len(sent))}.items())
    opened = [site.open() for _ in range(count)]
    for line in opened:
        line.send(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}\r\n".encode() + sent)
    return opened


def test_each_gets_a_part_of_the_places_and_a_bounded_row() -> None:
    async def check() -> None:
        turns, ended = Turns(places=3, each=2, row=4), asyncio.Event()
        inside: list[str] = []

        async def work(name: str) -> None:
            async with turns.take(name):
                inside.append(name)
                await ended.wait()

        tasks = [asyncio.create_task(work(name)) for name in "aaaab"]
        await asyncio.sleep(0.05)
        assert inside == ["a", "a", "b"]
        with pytest.raises(TooManyError):
            await work("a")
        waiting = asyncio.create_task(work("c"))
        await asyncio.sleep(0.05)
        assert len(inside) == 3
        waiting.cancel()
        ended.set()
        await asyncio.gather(*tasks)
        assert sorted(inside) == list("aaaab")
        assert not turns._own, "nothing is kept of those who are done"
        await work("a")

    asyncio.run(check())


@pytest.mark.threat(48)
def test_tools_answer_others_while_one_asker_has_everything_searched(
    shops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    monkeypatch.setattr(Library, "read_text", lambda *_: gate.wait(20) and "prices")
    with running(open_api(shops, tmp_path / "registry.sqlite")) as site:
        bot, ann = bearer(make_key(site, "rival", "bot")), bearer(make_key(site, "rival", "ann"))
        rows = begin(site, bot, "/api/v1/tools/searchBrain", SEARCH, 50)
        time.sleep(1)
        assert call(site, "searchBrain", SEARCH, bot).status == 429
        again = call(site, "listBrains", {}, bearer(make_key(site, "rival", "bot")))
        assert (again.status, again.get("retry-after")) == (429, "5"), "another key of the same agent is the same asker"
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "listBrains", "arguments": {}}}
        accepted = {**bot, **JSON, "Accept": "application/json"}
        refused = json.loads(site.ask("POST", "/mcp", accepted, json.dumps(message).encode()).body)["result"]
        assert refused["isError"]
        assert "under way" in refused["content"][0]["text"]
        assert call(site, "listBrains", {}, ann).status == 200
        assert site.ask("GET", "/api/v1/repos", ann).status == 200
        assert site.ask("GET", "/api/v1/search?q=prices", ann).status == 200
        gate.set()
        assert {line.read().status for line in rows} == {200}
        assert call(site, "searchBrain", SEARCH, bot).status == 200


def hold_slow_searches(monkeypatch: pytest.MonkeyPatch, gate: threading.Event) -> None:
    """Have searches of people for `slow` wait for the gate."""

    def slow(releases: object, places: object, query: str) -> object:
        if query == "slow":
            gate.wait(20)
        return search_places(releases, places, query)  # type: ignore[arg-type]

    monkeypatch.setattr(home_search, "search_places", slow)


@pytest.mark.threat(48)
def test_people_search_while_one_of_them_searches_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    hold_slow_searches(monkeypatch, gate)
    with running(open_site(tmp_path)) as site:
        ed, di = site.cookie("ed@acme.example"), site.cookie("di@acme.example")
        lines = [site.open() for _ in range(6)]
        for line in lines:
            line.send(f"GET /-/search?q=slow HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {ed['Cookie']}\r\n\r\n".encode())
        time.sleep(1)
        assert site.ask("GET", "/-/search?q=canary", ed).status == 429
        assert site.ask("GET", "/-/search?q=canary", di).status == 200
        gate.set()
        assert {line.read().status for line in lines} == {200}


@pytest.mark.threat(33)
@pytest.mark.parametrize("what", ["membership", "session"])
def test_a_search_that_waits_opens_nothing_that_was_taken_back_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event, what: str
) -> None:
    hold_slow_searches(monkeypatch, gate)
    with running(open_site(tmp_path)) as site:
        cookie = site.cookie("ed@acme.example")
        asked = "GET /-/search?q={} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + cookie["Cookie"] + "\r\n\r\n"
        lines = [site.open() for _ in range(3)]
        for line, query in zip(lines, ("slow", "slow", "handbook"), strict=True):
            line.send(asked.format(query).encode())
            time.sleep(0.5)
        with site.world.writing() as connection:
            if what == "membership":
                end_membership(connection, "acme", "ed", act("ana"), site.world.now)
            else:
                end_session(connection, cookie["Cookie"].partition("=")[2], site.world.now)
        gate.set()
        last = lines[2].read()
        assert b"Handbook" not in last.body
        assert last.status == (200 if what == "membership" else 404)


@pytest.mark.threat(33)
def test_a_key_that_is_revoked_while_its_call_waits_opens_nothing_any_more(
    shops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    monkeypatch.setattr(Library, "read_text", lambda *_: gate.wait(20) and "prices")
    with running(open_api(shops, tmp_path / "registry.sqlite")) as site:
        busy, taken = make_key(site, "rival", "bot"), make_key(site, "rival", "bot")
        begin(site, bearer(busy), "/api/v1/tools/searchBrain", SEARCH, 2)
        time.sleep(1)
        tool = begin(site, bearer(taken), "/api/v1/tools/listBrains", {}, 1)[0]
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "listBrains", "arguments": {}}}
        mcp = begin(site, {**bearer(taken), "Accept": "application/json"}, "/mcp", message, 1)[0]
        time.sleep(1)
        revoke(site, "rival", taken)
        gate.set()
        assert tool.read().status == 401
        assert json.loads(mcp.read().body)["result"]["isError"]
        assert call(site, "listBrains", {}, bearer(busy)).status == 200
