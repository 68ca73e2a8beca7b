"""What is taken away is gone with the next request, at every door: site, home page, search, JSON and MCP (SPEC T09, T15; THREATS 33).

A browser and a program have been reading, each over a connection that stays open; then something is taken from them, and they go on.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection

from indexer.registry.audit import CONSOLE
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.identities import end_sessions_of
from indexer.registry.key_list import list_keys
from indexer.registry.keys import create_key, revoke_key
from indexer.registry.members import end_membership
from indexer.registry.repos import archive_repo, unarchive_repo
from indexer.registry.sessions import end_session
from tests.tools.canaries import build_canaries, open_canaries, stem
from tests.tools.desks import make_call
from tests.tools.gateways import Line, Reply, Site, bearer, running
from tests.tools.registries import act

pytestmark = [pytest.mark.req("T09"), pytest.mark.threat(33)]

WORD = stem("acme", "plans")
PAGE = {"path": "plans/house/pricing.md"}
SENT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
Change = Callable[[Connection, "Reading"], object]


@dataclass
class Reading:
    """`hal` in the middle of reading `acme/plans`: in a browser and by a program."""

    site: Site
    token: str
    key: str
    browser: Line
    program: Line

    def ask(self) -> dict[str, Reply]:
        """Ask at every door, over the connections that are open."""
        cookie, key = {"Cookie": f"brain={self.token}"}, bearer(self.key)
        call = json.dumps(PAGE).encode()
        from_here = {**SENT, "Sec-Fetch-Site": "same-origin", **cookie}
        return {
            "site": self.browser.request("GET", "/acme/plans/", cookie),
            "file": self.browser.request("GET", "/acme/plans/llms.txt", cookie),
            "home": self.browser.request("GET", "/", cookie),
            "tenant": self.browser.request("GET", "/acme/", cookie),
            "search": self.browser.request("GET", f"/-/search?q={WORD}body", cookie),
            "search in": self.browser.request("GET", f"/-/search?q={WORD}body&in=acme/plans", cookie),
            "repos": self.browser.request("GET", "/api/v1/repos", cookie),
            "tool": self.browser.request("POST", "/api/v1/tools/readDocument", from_here, call),
            "key site": self.program.request("GET", "/acme/plans/", key),
            "key repos": self.program.request("GET", "/api/v1/repos", key),
            "key search": self.program.request("GET", f"/api/v1/search?q={WORD}body", key),
            "key tool": self.program.request("POST", "/api/v1/tools/readDocument", {**SENT, **key}, call),
            "key list": self.program.request("POST", "/api/v1/tools/listBrains", {**SENT, **key}, b"{}"),
            "key mcp": self.program.request("POST", "/mcp", {**SENT, **key}, make_call(1, "readDocument", PAGE)),
            "key mcp list": self.program.request("POST", "/mcp", {**SENT, **key}, make_call(2, "listBrains", {})),
        }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both tenants, built."""
    return build_canaries(tmp_path_factory.mktemp("at-once"))


@pytest.fixture
def reading(built: Path, tmp_path: Path) -> Iterator[Reading]:
    """A registry and a gateway of one test's own; everything has been read once."""
    with running(open_canaries(built, tmp_path / "registry.sqlite")) as site:
        token = site.session("hal@acme.example")
        with site.world.writing() as connection:
            key = create_key(connection, "acme", "hal", ["knowledge:read"], CONSOLE, site.world.now)[1]
        started = Reading(site, token, key, site.open(), site.open())
        for door, reply in started.ask().items():
            assert reply.status == 200, (door, reply)
            assert shows(door, reply), (door, reply)
        yield started


def shows(door: str, reply: Reply) -> bool:
    """Whether an answer has anything of the repo in it; the word that was searched for is in the page of a search anyway."""
    body = reply.body.decode()
    if door.startswith("search"):
        return f"{WORD}title" in body
    return WORD in body or '"plans' in body


def revoke(connection: Connection, reading: Reading) -> None:
    revoke_grant(connection, "acme", "plans", "hal", act("di"), reading.site.world.now)


def leave(connection: Connection, reading: Reading) -> None:
    end_membership(connection, "acme", "hal", act("ana"), reading.site.world.now)


def archive(connection: Connection, reading: Reading) -> None:
    archive_repo(connection, "acme", "plans", act("di"), reading.site.world.now)


def owner_leaves(connection: Connection, reading: Reading) -> None:
    end_membership(connection, "acme", "di", act("ana"), reading.site.world.now)


def end(connection: Connection, reading: Reading) -> None:
    end_session(connection, reading.token, reading.site.world.now)


def end_all(connection: Connection, reading: Reading) -> None:
    end_sessions_of(connection, "acme", "hal", reading.site.world.now)


def drop_key(connection: Connection, reading: Reading) -> None:
    revoke_key(connection, "acme", list_keys(connection, "acme", "hal")[0].id, CONSOLE, reading.site.world.now)


TAKEN = {
    "a grant is revoked": (revoke, True, True),
    "a membership ends": (leave, True, True),
    "a repo is archived": (archive, True, True),
    "the owner of a repo leaves": (owner_leaves, True, True),
    "a session ends": (end, True, False),
    "all sessions of a person end": (end_all, True, False),
    "a key is revoked": (drop_key, False, True),
}
"""What happens, whether the browser loses by it, and whether the program does."""


@pytest.mark.req("T15")
@pytest.mark.parametrize("what", TAKEN)
def test_it_is_gone_with_the_next_request_at_every_door(reading: Reading, what: str) -> None:
    change, browser, program = TAKEN[what]
    with reading.site.world.writing() as connection:
        change(connection, reading)
    for door, reply in reading.ask().items():
        gone = program if door.startswith("key") else browser
        assert shows(door, reply) is not gone, (what, door, reply)
        assert WORD.encode() not in (reply.body.replace(f"{WORD}body".encode(), b"") if gone else b""), (what, door)
        if not gone:
            assert reply.status == 200
    if browser:
        cookie = {"Cookie": f"brain={reading.token}"}
        assert reading.browser.request("GET", "/acme/plans/", cookie).bare == reading.browser.request("GET", "/acme/x/", cookie).bare


def test_what_is_given_is_there_with_the_next_request_at_every_door(reading: Reading) -> None:
    for take, give in (
        (revoke, lambda connection, now: give_grant(connection, "acme", "plans", "hal", "read", act("di"), now)),
        (archive, lambda connection, now: unarchive_repo(connection, "acme", "plans", act("di"), now)),
    ):
        with reading.site.world.writing() as connection:
            take(connection, reading)
        assert not any(shows(door, reply) for door, reply in reading.ask().items())
        with reading.site.world.writing() as connection:
            give(connection, reading.site.world.now)
        assert all(shows(door, reply) for door, reply in reading.ask().items())


def test_a_change_is_seen_by_requests_that_were_sent_together_with_it(reading: Reading) -> None:
    """Requests that wait on one connection are decided when their turn comes, not when they arrived."""
    line, cookie = reading.browser, f"Cookie: brain={reading.token}\r\n"
    request = f"GET /acme/plans/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}\r\n".encode()
    line.send(request)
    assert line.read().status == 200
    line.send(request[:-2])  # all but the end
    with reading.site.world.writing() as connection:
        revoke(connection, reading)
    line.send(request[-2:])
    assert line.read().status == 404
