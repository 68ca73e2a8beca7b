"""When something is missing or broken: everybody is refused alike, the operator learns why, secrets go nowhere (THREATS 38)."""

import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.registry.tables import SCHEMA
from indexer.serve.settings import ProxySettings
from tests.tools.gateways import Site, open_site, publish, running

TARGETS = [
    "/",
    "/acme/",
    "/acme/plans/",
    "/acme/never-existed/",
    "/acme/handbook/_/assets/style-OY3EKPKS.css",
    "/-/login",
    "/-/nothing",
    "/api/v1/x",
    "/%",
    "/mcp",
]

PROGRAMS = ("/api/v1/x", "/mcp")
"""Their refusals carry the number of the request in the body."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A gateway of one test's own, with a log."""
    with running(open_site(tmp_path, log=tmp_path / "access.log")) as running_site:
        yield running_site


def check_refused(site: Site, *credentials: dict[str, str]) -> None:
    """Every request gets one answer, programs theirs as JSON, and the health page says so without saying why."""
    for doors in ([each for each in TARGETS if each not in PROGRAMS], PROGRAMS):
        replies = set()
        for target in doors:
            for headers in ({}, *credentials):
                status, answered, body = site.ask("GET", target, headers).bare
                replies.add(str((status, answered, re.sub(rb'"request_id": ?"[^"]*"', b"", body))))
        assert len(replies) == 1, replies
        assert replies.pop().startswith("(503,")
    health = site.ask("GET", "/healthz")
    assert (health.status, json.loads(health.body)["status"]) == (503, "failing")
    assert b"sqlite" not in health.body


@pytest.mark.req("T09")
def test_without_a_registry_everybody_is_refused_until_it_is_back(site: Site, tmp_path: Path) -> None:
    cookie, line = site.cookie("ed@acme.example"), site.open()
    assert line.request("GET", "/acme/plans/", cookie).status == 200
    assert site.ask("GET", "/healthz").status == 200
    site.world.registry.close()
    file = tmp_path / "registry.sqlite"
    file.rename(tmp_path / "away")
    check_refused(site, cookie)
    assert line.request("GET", "/acme/plans/", cookie).status == 503
    (tmp_path / "away").rename(file)
    assert line.request("GET", "/acme/plans/", cookie).status == 200


@pytest.mark.req("T09")
def test_a_registry_of_a_newer_program_refuses_everybody(site: Site, tmp_path: Path) -> None:
    cookie = site.cookie("ed@acme.example")
    with sqlite3.connect(tmp_path / "registry.sqlite") as other:
        other.execute(f"update {SCHEMA.name} set version = version + 1")
    other.close()
    check_refused(site, cookie)


@pytest.mark.req("T09")
def test_a_damaged_registry_refuses_everybody(site: Site, tmp_path: Path) -> None:
    cookie = site.cookie("ed@acme.example")
    site.world.registry.close()
    fresh = tmp_path / "fresh"
    fresh.write_bytes(b"no database at all " * 500)
    fresh.replace(tmp_path / "registry.sqlite")
    for companion in ("-wal", "-shm"):  # from these the database would mend the file
        (tmp_path / f"registry.sqlite{companion}").unlink(missing_ok=True)
    check_refused(site, cookie)


@pytest.mark.req("T09")
def test_a_locked_registry_refuses_everybody_and_soon(site: Site, tmp_path: Path) -> None:
    cookie = site.cookie("ed@acme.example")
    site.world.registry.close()
    # Another process that recovers the file holds all locks of its shared memory; the gateway's own lock on the file stays.
    hold = "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX, 8, 120); print(flush=True); sys.stdin.read()"
    shared = str(tmp_path / "registry.sqlite-shm")
    with subprocess.Popen([sys.executable, "-c", hold, shared], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        assert site.ask("GET", "/acme/plans/", cookie).status == 503
        waiting = site.open()  # finds out whether it is back, which takes the database a while
        waiting.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(0.3)
        began = time.monotonic()
        replies = [site.ask("GET", path, headers) for path in ("/acme/plans/", "/acme/never-existed/") for headers in ({}, cookie)]
        assert [reply.status for reply in replies] == [503] * 4
        assert time.monotonic() - began < 5, "the others do not wait"
        holder.kill()
        waiting.read()
    assert site.ask("GET", "/acme/plans/", cookie).status == 200


def test_a_repo_without_a_complete_release_is_missing_and_the_operator_hears_of_it(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    cookie = site.cookie("ed@acme.example")
    missing = site.ask("GET", "/acme/never-existed/", cookie).bare
    plans = site.out / "acme" / "plans"
    for break_it in (
        lambda: (plans / ".brain" / "state.msgpack").write_bytes(b"\xc1 broken"),
        (plans / ".brain" / "state.msgpack").unlink,
        lambda: shutil.rmtree(plans / "site"),
        lambda: shutil.rmtree(site.out),
    ):
        break_it()
        assert site.ask("GET", "/acme/plans/", cookie).bare == missing
    assert "acme/plans has no complete release" in capfd.readouterr().err
    publish(plans, {"index.html": b"back"})
    assert site.ask("GET", "/acme/plans/", cookie).body == b"back"


@pytest.mark.threat(2)
def test_no_symbolic_link_leads_out_of_a_release(site: Site, tmp_path: Path) -> None:
    cookie = site.cookie("ed@acme.example")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "index.html").write_bytes(b"SECRET")
    plans = site.out / "acme" / "plans" / "site"
    (plans / "index.html").unlink()
    (plans / "index.html").symlink_to(secret / "index.html")
    shutil.rmtree(plans / "guides")
    (plans / "guides").symlink_to(secret)
    (plans / "llms.txt").unlink()
    os.mkfifo(plans / "llms.txt")
    for path in ("/acme/plans/", "/acme/plans/guides/", "/acme/plans/llms.txt"):
        assert site.ask("GET", path, cookie).status == 404
    shutil.rmtree(site.out / "acme" / "plans")
    (site.out / "acme" / "plans").symlink_to(site.out / "acme" / "di-home")
    assert site.ask("GET", "/acme/plans/", cookie).status == 404


def test_what_lies_in_the_folder_and_not_in_the_list_is_missing(site: Site) -> None:
    (site.out / "acme" / "plans" / "site" / "left-over.html").write_bytes(b"x")
    assert site.ask("GET", "/acme/plans/left-over.html", site.cookie("ed@acme.example")).status == 404


@pytest.mark.threat(33)
def test_a_request_under_way_is_served_from_one_release(tmp_path: Path) -> None:
    made = open_site(tmp_path)
    first, second = b"1" * 8_000_000, b"2" * 8_000_000
    publish(made.out / "acme" / "plans", {"index.html": b"1"}, {"large.bin": first})
    with running(made) as site:
        line = site.open()
        cookie = site.cookie("ed@acme.example")
        line.send(f"GET /acme/plans/large.bin HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie['Cookie']}\r\n\r\n".encode())
        publish(site.out / "acme" / "plans", {"index.html": b"2"}, {"large.bin": second})
        assert line.read().body in {first, second}
        assert line.request("GET", "/acme/plans/large.bin", cookie).body == second


@pytest.mark.threat(38)
def test_the_log_says_who_asked_for_what_and_holds_no_secret(tmp_path: Path) -> None:
    proxy = ProxySettings("X-Forwarded-Email", "the-secret-of-the-proxy")
    with running(open_site(tmp_path, log=tmp_path / "access.log", proxy=proxy)) as site:
        token, key = site.session("ed@acme.example"), site.key("pager")
        site.ask("GET", "/acme/plans/?code=QUERY", {"Cookie": f"brain={token}"})
        site.ask("GET", "/acme/plans/", {"Authorization": f"Bearer {key}"})
        site.ask("GET", "/-/dev-login?ticket=TICKET")
        site.ask("GET", "/acme/handbook/", {"X-Forwarded-Email": "ed@acme.example", "X-Brain-Proxy-Secret": proxy.secret})
        reply = site.ask("GET", "/acme/never-existed/\x1b]0;x", {"Cookie": "brain=PLANTED", "Referer": "http://x/REFERRER"})
        line = site.open()
        line.send(b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        line.read()
    file = tmp_path / "access.log"
    text = file.read_text("ascii")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for secret in (token, key, "QUERY", "TICKET", "PLANTED", "REFERRER", proxy.secret, "\x1b", "canary"):
        assert secret not in text
    records = [json.loads(line) for line in text.splitlines()]
    assert [record["status"] for record in records[:4]] == [200, 200, 400, 200]
    assert records[0]["path"] == "/acme/plans/"
    assert records[0]["who"].startswith("session:")
    assert records[0]["who"].endswith(" acme/ed")
    assert records[1]["who"].endswith(" acme/pager")
    assert records[3]["who"] == "proxy acme/ed"
    assert reply.status in {400, 404}
    assert max(map(len, text.splitlines())) < 3000
    assert {"time", "id", "method", "route", "path", "status", "ms", "who", "host"} == set(records[0])


@pytest.mark.parametrize("logs", [True, False])
def test_a_line_is_made_for_a_log_and_only_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logs: bool) -> None:
    made: list[object] = []
    monkeypatch.setattr("indexer.serve.access_log.AccessLog.write", lambda _, record: made.append(record))
    with running(open_site(tmp_path, log=tmp_path / "access.log" if logs else None)) as site:
        assert site.ask("GET", "/acme/plans/", site.cookie("ed@acme.example")).status == 200
    assert bool(made) is logs


def test_a_log_that_cannot_be_written_is_said_at_the_start(tmp_path: Path) -> None:
    from indexer.errors import BrainpressError
    from indexer.serve.gateway import build_app

    site = open_site(tmp_path, log=tmp_path / "none" / "access.log")
    with pytest.raises(BrainpressError, match="cannot be written"):
        build_app(site.settings)


@pytest.mark.parametrize("module", ["sites", "at_once"])
def test_a_mistake_in_the_program_tells_readers_nothing(
    site: Site, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("canary-of-a-mistake")

    cookie = site.cookie("ed@acme.example")
    if module == "at_once":  # which answers when the release is open
        assert site.ask("GET", "/acme/plans/llms.txt", cookie).status == 200
    monkeypatch.setattr(f"indexer.serve.{module}.answer_from", fail)
    reply = site.ask("GET", "/acme/plans/", cookie)
    assert reply.status == 500
    assert b"canary" not in reply.body
    assert b"Zero" not in reply.body
    told = capfd.readouterr().err
    assert f"request {reply.get('x-request-id')}: ZeroDivisionError" in told
    assert reply.get("cache-control") == "private, no-store"
