"""Whoever asks too often waits, alike for what is hidden and what is missing, and nobody beside them does (THREATS 29, 48)."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from indexer.registry.audit import CONSOLE
from indexer.registry.key_list import list_keys
from indexer.registry.keys import revoke_key
from indexer.serve.hosts import Headers
from indexer.serve.rates import COST_OF_FAILURE, MOST_KEPT, Rates, find_address, find_credential, shorten_address
from tests.tools.gateways import Reply, Site, bearer, open_site, running
from tests.tools.home_sites import FORM, read_token

PLANS, HIDDEN, MISSING = "/acme/plans/llms.txt", "/acme/di-home/", "/acme/never-existed/"
RATE = 3.0
BURST = 30


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A gateway that lets nobody ask more than three times in a second, thirty times at once."""
    with running(open_site(tmp_path, rate=RATE)) as running_site:
        yield running_site


def ask(site: Site, path: str, headers: dict[str, str] | None = None, address: str = "192.0.2.1") -> Reply:
    return site.ask("GET", path, {**(headers or {}), "X-Brain-Client": address})


def use_up(site: Site, headers: dict[str, str] | None = None, address: str = "192.0.2.1", path: str = MISSING) -> Reply:
    """Ask until it is too often."""
    for _ in range(3 * BURST):
        reply = ask(site, path, headers, address)
        if reply.status == 429:
            return reply
    raise AssertionError("never too often")


@pytest.mark.threat(28, 29, 48)
def test_hidden_and_missing_wait_alike(site: Site) -> None:
    ed = site.bearer("ed")
    assert ask(site, PLANS, ed).status == 200
    first = use_up(site, ed)
    assert 1 <= int(first.get("retry-after") or 0) <= 10
    assert first.get("cache-control") == "private, no-store"
    assert first.get("x-request-id")
    answers = []
    for path in (HIDDEN, MISSING, PLANS, "/", "/nobody/x/"):
        reply = ask(site, path, ed)
        assert reply.status == 429
        status, headers, body = reply.bare
        answers.append((status, [pair for pair in headers if pair[0] != "retry-after"], body))
    assert len({repr(answer) for answer in answers}) == 1
    told = ask(site, "/api/v1/repos", ed)
    assert (told.status, told.get("content-type")) == (429, "application/json")
    assert b'"too_many_requests"' in told.body
    assert int(told.get("retry-after") or 0) >= 1


@pytest.mark.threat(48)
def test_each_counts_by_themselves_and_health_is_always_answered(site: Site) -> None:
    ed, di = site.bearer("ed"), site.cookie("di@acme.example")
    for headers in (ed, di):
        assert ask(site, PLANS, headers).status == 200
    use_up(site, ed)
    assert ask(site, PLANS, ed, "198.51.100.9").status == 429, "a key counts wherever it is used"
    assert ask(site, PLANS, di).status == 200, "another one at the same address does not wait"
    use_up(site)
    assert ask(site, MISSING).status == 429
    assert ask(site, MISSING, address="192.0.2.2").status == 404, "another address does not wait"
    assert ask(site, PLANS, di).status == 200
    assert [ask(site, "/healthz").status for _ in range(2 * BURST)] == [200] * (2 * BURST)
    time.sleep(1.2)
    assert ask(site, PLANS, ed).status == 200, "after a moment it goes on"


@pytest.mark.threat(38, 48)
def test_trying_keys_is_slow_and_keeps_nobody_from_signing_in(site: Site) -> None:
    good = site.bearer("ed")
    assert ask(site, PLANS, good).status == 200
    tried = 0
    while ask(site, "/api/v1/repos", bearer(f"sk_live_acme_{tried:040d}")).status == 401:
        tried += 1
        assert tried < BURST
    assert tried <= 2 + BURST // COST_OF_FAILURE, "each costs as much as many requests"
    assert ask(site, "/api/v1/repos", bearer("sk_live_acme_" + "B" * 40)).status == 429
    assert ask(site, PLANS, good).status == 200, "a key that is known does not wait for those who try"
    assert ask(site, "/").status == 200
    assert ask(site, PLANS, site.cookie("ed@acme.example")).status == 200


@pytest.mark.threat(37, 48)
def test_trying_links_that_serve_once_is_slow(site: Site) -> None:
    tried = 0
    while ask(site, f"/-/dev-login?ticket={'A' * 43}").status == 400:
        tried += 1
        assert tried < BURST
    assert tried <= 2 + BURST // COST_OF_FAILURE
    assert ask(site, "/", address="192.0.2.2").status == 200


@pytest.mark.threat(30, 48)
@pytest.mark.parametrize("form", ["plans/grant", "new"])
def test_trying_names_in_a_form_is_slow(site: Site, form: str) -> None:
    """An owner learns of an address whether it is somebody's here, and of an id whether it is taken: of those they know, not of a list."""
    site.world.wait(timedelta(seconds=1))
    di = site.cookie("di@acme.example")
    at = "/-/repos/acme/plans/" if form == "plans/grant" else "/-/repos/acme/new"
    token = read_token(site.ask("GET", at, di))
    tried = 0
    while (status := _send(site, di, form, csrf=token, to=f"{tried}@acme.example", access="read", id="old", title="T")) == 422:
        tried += 1
        assert tried < BURST
    assert status == 429
    assert tried <= 2 + BURST // COST_OF_FAILURE
    assert ask(site, PLANS, site.cookie("ed@acme.example")).status == 200


def _send(site: Site, cookie: dict[str, str], form: str, **fields: str) -> int:
    return site.ask("POST", f"/-/repos/acme/{form}", {**cookie, **FORM}, urlencode(fields).encode()).status


@pytest.mark.threat(33, 48)
def test_a_key_that_was_revoked_is_a_try_again(site: Site) -> None:
    ed = site.bearer("ed")
    assert ask(site, PLANS, ed).status == 200
    with site.world.writing() as connection:
        revoke_key(connection, "acme", list_keys(connection, "acme", "ed")[0].id, CONSOLE, site.world.now)
    assert ask(site, PLANS, ed).status == 404
    use_up(site, ed)
    assert ask(site, "/api/v1/repos", bearer("sk_live_acme_" + "B" * 40)).status == 429


@pytest.mark.threat(35, 48)
def test_whose_address_it_is_says_the_server_in_front_and_nobody_else() -> None:
    def said(*values: str) -> Headers:
        return [(b"x-brain-client", value.encode("latin-1")) for value in values]

    here = ("127.0.0.1", 1234)
    assert find_address(here, said("192.0.2.1")) == "192.0.2.1"
    assert find_address(None, said("192.0.2.1")) == "192.0.2.1"
    assert find_address(("::1", 1), said("2001:db8:1:2:3:4:5:6")) == "2001:db8:1:2::"
    for odd in (said(), said("192.0.2.1", "192.0.2.2"), said("x" * 100), said("evil"), said(""), said("192.0.2.1, 10.0.0.1"), said("\xff")):
        assert find_address(here, odd) == ""
    assert find_address(("198.51.100.7", 1), said("192.0.2.1")) == "198.51.100.7", "who comes from elsewhere speaks for nobody"
    assert shorten_address("::ffff:192.0.2.1") == "192.0.2.1"
    assert find_credential([(b"x-forwarded-email", b"ed@acme.example")], frozenset()) == (b"", False)


def test_memory_stays_flat_and_an_unknown_address_is_shared() -> None:
    now = [0.0]
    rates = Rates(1.0, lambda: now[0])
    for number in range(MOST_KEPT + 100):
        assert rates.take(f"address {number}") == 0
        rates.learn(b"%d" % number, "key x")
    assert len(rates._buckets) == len(rates._known) == MOST_KEPT
    assert [rates.take("address ") for _ in range(101)].count(0) == 100, "ten times that of a known one"
    assert [rates.take("key k") for _ in range(12)] == [0] * 10 + [1, 1]
    now[0] += 5
    assert [rates.take("key k") for _ in range(6)].count(0) == 5
    for _ in range(1000):
        rates.charge("tries a")
    assert rates.take("tries a") == 11, "a debt is no larger than a burst"
