"""The gateway decides each request anew: what was taken away is gone with the next one, on the same connection (SPEC T09; THREATS 33)."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from indexer.registry.audit import CONSOLE
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.identities import end_sessions_of
from indexer.registry.key_list import list_keys
from indexer.registry.keys import revoke_key
from indexer.registry.members import end_membership, restore_membership
from indexer.registry.repos import archive_repo, unarchive_repo
from indexer.registry.sessions import end_session
from indexer.serve.settings import DEV_ISSUER
from tests.tools.gateways import Site, open_site, publish, running
from tests.tools.registries import act

Change = Callable[[Site], None]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A gateway of one test's own."""
    with running(open_site(tmp_path)) as running_site:
        yield running_site


def revoke(site: Site) -> None:
    with site.world.writing() as connection:
        revoke_grant(connection, "acme", "plans", "ed", act("di"), site.world.now)


def end(site: Site) -> None:
    with site.world.writing() as connection:
        end_membership(connection, "acme", "ed", act("ana"), site.world.now)


def archive(site: Site) -> None:
    with site.world.writing() as connection:
        archive_repo(connection, "acme", "plans", act("di"), site.world.now)


def owner_leaves(site: Site) -> None:
    with site.world.writing() as connection:
        end_membership(connection, "acme", "di", act("ana"), site.world.now)


def end_all_sessions(site: Site) -> None:
    with site.world.writing() as connection:
        end_sessions_of(connection, "acme", "ed", site.world.now)


def idle(site: Site) -> None:
    site.world.wait(timedelta(hours=12, minutes=1))


@pytest.mark.req("T09")
@pytest.mark.threat(33)
@pytest.mark.parametrize("change", [revoke, end, archive, owner_leaves, end_all_sessions, idle])
def test_what_is_taken_from_a_session_is_gone_with_the_next_request(site: Site, change: Change) -> None:
    cookie, line = site.cookie("ed@acme.example"), site.open()
    missing = site.ask("GET", "/acme/never-existed/", cookie).bare
    assert line.request("GET", "/acme/plans/", cookie).status == 200
    assert line.request("GET", "/acme/plans/_/assets/style-OY3EKPKS.css", cookie).status == 200
    change(site)
    for path in ("/acme/plans/", "/acme/plans/images/pic.png", "/acme/plans/_/assets/style-OY3EKPKS.css", "/acme/plans"):
        assert line.request("GET", path, cookie).bare == missing


@pytest.mark.req("T09")
@pytest.mark.threat(33)
def test_a_revoked_key_is_refused_with_the_next_request(site: Site) -> None:
    bearer, line = site.bearer("pager"), site.open()
    assert line.request("GET", "/acme/plans/llms.txt", bearer).status == 200
    with site.world.writing() as connection:
        revoke_key(connection, "acme", list_keys(connection, "acme", "pager")[0].id, CONSOLE, site.world.now)
    assert line.request("GET", "/acme/plans/llms.txt", bearer).bare == site.ask("GET", "/acme/never-existed/").bare


@pytest.mark.req("T09", "T10")
@pytest.mark.threat(33, 36)
def test_an_agent_for_a_person_reaches_what_either_reaches_as_long_as_both_are_there(site: Site) -> None:
    alone, both, other = site.bearer("filer"), site.bearer("filer", person="ed"), site.bearer("filer", person="ana")
    line, missing = site.open(), site.ask("GET", "/acme/never-existed/").bare
    assert line.request("GET", "/acme/handbook/", both).status == 200
    assert line.request("GET", "/acme/plans/", both).status == 200
    for headers in (alone, other):
        assert line.request("GET", "/acme/plans/", headers).bare == missing
    assert line.request("GET", "/acme/di-home/", both).bare == missing
    with site.world.writing() as connection:
        revoke_grant(connection, "acme", "plans", "ed", act("di"), site.world.now)
    assert line.request("GET", "/acme/plans/", both).bare == missing
    end(site)
    for path in ("/acme/handbook/", "/acme/plans/", "/acme/"):
        assert line.request("GET", path, both).bare == missing, "the agent alone would read it, and its key says that it is not alone"
    assert line.request("GET", "/acme/handbook/", alone).status == 200
    assert line.request("GET", "/api/v1/repos", both).status == 401


@pytest.mark.req("T09")
def test_what_is_granted_is_there_with_the_next_request(site: Site) -> None:
    cookie, line = site.cookie("ana@acme.example"), site.open()
    assert line.request("GET", "/acme/plans/", cookie).status == 404
    with site.world.writing() as connection:
        give_grant(connection, "acme", "plans", "ana", "read", act("di"), site.world.now)
    assert line.request("GET", "/acme/plans/", cookie).status == 200


@pytest.mark.req("T15")
@pytest.mark.threat(33, 39)
def test_a_session_from_before_a_membership_ended_does_not_come_back_with_it(site: Site) -> None:
    cookie = site.cookie("ed@acme.example")
    end(site)
    with site.world.writing() as connection:
        restore_membership(connection, "acme", "ed", act("ana"), site.world.now)
    assert site.ask("GET", "/acme/plans/", cookie).status == 404
    assert site.ask("GET", "/acme/plans/", site.cookie("ed@acme.example")).status == 200


def test_an_archived_repo_is_back_when_it_is_restored(site: Site) -> None:
    cookie = site.cookie("ed@acme.example")
    archive(site)
    assert site.ask("GET", "/acme/plans/", cookie).status == 404
    with site.world.writing() as connection:
        unarchive_repo(connection, "acme", "plans", act("di"), site.world.now)
    assert site.ask("GET", "/acme/plans/", cookie).status == 200


@pytest.mark.threat(36)
def test_one_person_is_another_account_in_each_tenant_and_nobody_elsewhere(site: Site) -> None:
    cookie = site.cookie("di@acme.example")  # `di` in acme, `zoe` in other
    assert site.ask("GET", "/acme/di-home/", cookie).status == 200
    assert site.ask("GET", "/other/ledger/", cookie).status == 200
    assert site.ask("GET", "/other/di-home/", cookie).status == 404
    assert site.ask("GET", "/acme/ledger/", cookie).status == 404


@pytest.mark.threat(36)
def test_a_key_for_one_brain_opens_that_repo_alone(site: Site) -> None:
    bound = site.bearer("ed", brain="plans")
    assert site.ask("GET", "/acme/plans/", bound).status == 200
    assert site.ask("GET", "/acme/handbook/", bound).status == 404
    inside = site.bearer("ed", brain="plans/site-a")
    assert site.ask("GET", "/acme/plans/", inside).status == 404


@pytest.mark.threat(33)
def test_a_session_of_a_way_to_sign_in_that_is_not_offered_is_none(site: Site) -> None:
    foreign = site.session("ed@acme.example", "https://login.elsewhere.example")
    assert site.ask("GET", "/acme/plans/", {"Cookie": f"brain={foreign}"}).status == 404
    assert site.ask("GET", "/acme/plans/", {"Cookie": f"brain={site.session('ed@acme.example', DEV_ISSUER)}"}).status == 200


def test_use_of_sessions_and_keys_is_noted_to_the_minute(site: Site) -> None:
    cookie, bearer = site.cookie("ed@acme.example"), site.bearer("pager")
    for _ in range(13):
        site.world.wait(timedelta(hours=1))
        assert site.ask("GET", "/acme/plans/", cookie).status == 200, "a session in use does not run out"
        assert site.ask("GET", "/acme/plans/", bearer).status == 200
        wait_until(lambda: was_used(site))
    assert was_used(site)


def was_used(site: Site) -> bool:
    with site.world.registry.reading() as connection:
        used = list_keys(connection, "acme", "pager")[0].used
        seen = connection.exec_driver_sql("select max(seen_at) from session").scalar()
    return used == site.world.now.strftime("%Y-%m-%dT%H:%M:%SZ") and seen == int(site.world.now.timestamp() * 1000)


def wait_until(holds: Callable[[], bool]) -> None:
    import time

    until = time.monotonic() + 10
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)


@pytest.mark.req("T09")
def test_a_new_release_is_served_from_the_next_request_on_and_what_it_lost_is_gone(site: Site) -> None:
    cookie, line = site.cookie("ed@acme.example"), site.open()
    assert line.request("GET", "/acme/plans/guides/", cookie).status == 200
    for turn in range(3):
        publish(site.out / "acme" / "plans", {"index.html": b"turn %d" % turn})
        assert line.request("GET", "/acme/plans/", cookie).body == b"turn %d" % turn
        assert line.request("GET", "/acme/plans/guides/", cookie).bare == line.request("GET", "/acme/plans/nothing/", cookie).bare


def test_sign_out_ends_the_session_for_good(site: Site) -> None:
    token = site.session("ed@acme.example")
    with site.world.writing() as connection:
        end_session(connection, token, site.world.now)
    assert site.ask("GET", "/acme/plans/", {"Cookie": f"brain={token}"}).status == 404
