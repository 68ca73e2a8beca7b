"""Signing in and out: with a real OpenID Connect service, with a printed link, over several hosts (THREATS 37)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from oidc_provider_mock import User, run_server_in_thread

from indexer.registry.identities import end_sessions_of_identity, sign_in
from indexer.registry.sessions import create_session
from indexer.serve.login_dev import make_link
from indexer.serve.settings import OidcSettings
from tests.tools.gateways import Reply, Site, open_site, running

ED = {"email": "ed@acme.example", "email_verified": True}
CHECKED = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}


@contextmanager
def service(**claims: Any) -> Iterator[str]:
    """A sign-in service that knows `sub-ed`; gives its issuer."""
    with run_server_in_thread(user_claims=[User(sub="sub-ed", claims=claims or ED)]) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture
def oidc(tmp_path: Path) -> Iterator[Site]:
    """A gateway with that service."""
    with service() as issuer, running(open_site(tmp_path, oidc=OidcSettings(issuer, "brain", "s3cret"), dev_login=False)) as site:
        site.world.now = datetime.now(UTC)  # the service's clock is the real one
        yield site


def authorize(address: str, subject: str = "sub-ed") -> str:
    """What the browser does at the service; returns where it is sent back to."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=20)
    form = urlencode({"sub": subject})
    connection.request("POST", f"{parts.path}?{parts.query}", form, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    back = answer.getheader("Location")
    assert back, answer.status
    return back


def leave(site: Site, target: str = "/-/login", headers: dict[str, str] | None = None) -> tuple[Reply, dict[str, str]]:
    """Begin a sign-in; returns the answer and the browser's cookie."""
    reply = site.ask("GET", target, headers)
    assert reply.status == 303, reply
    return reply, {"Cookie": f"brain-login={reply.cookie('brain-login')}"}


def path_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def sign_in_by_oidc(site: Site, target: str = "/-/login", headers: dict[str, str] | None = None) -> Reply:
    reply, browser = leave(site, target, headers)
    back = authorize(reply.get("location") or "")
    return site.ask("GET", path_of(back), {"Cookie": "; ".join(filter(None, [(headers or {}).get("Cookie"), browser["Cookie"]]))})


@pytest.mark.threat(37)
def test_a_person_signs_in_and_is_back_where_they_wanted_to_be(oidc: Site) -> None:
    reply = sign_in_by_oidc(oidc, "/-/login?next=/acme/plans/guides/")
    assert (reply.status, reply.get("location")) == (303, "/acme/plans/guides/")
    cookie = {"Cookie": f"brain={reply.cookie('brain')}"}
    assert oidc.ask("GET", "/acme/plans/guides/", cookie).status == 200
    assert oidc.ask("GET", "/acme/di-home/", cookie).status == 404


def test_the_link_on_the_not_found_page_leads_back_to_it(oidc: Site) -> None:
    page = oidc.ask("GET", "/acme/plans/guides/")
    assert b'href="/-/login" referrerpolicy="same-origin"' in page.body
    reply = sign_in_by_oidc(oidc, "/-/login", {"Referer": f"{oidc.settings.url}/acme/plans/guides/"})
    assert reply.get("location") == "/acme/plans/guides/"


def test_a_person_who_is_signed_in_is_told_so_and_not_sent_back_to_what_is_not_there(oidc: Site) -> None:
    signed_in = {"Cookie": f"brain={oidc.session('ed@acme.example', oidc.settings.oidc.issuer if oidc.settings.oidc else '')}"}
    told = {
        str(oidc.ask("GET", "/-/login", {**signed_in, "Referer": f"{oidc.settings.url}/acme/{name}/"}).bare)
        for name in ("di-home", "plans", "never-existed")
    }
    assert len(told) == 1
    assert "You are signed in" in told.pop()
    assert oidc.ask("GET", "/-/login?next=/acme/plans/", signed_in).get("location") == "/acme/plans/"


@pytest.mark.threat(37)
def test_a_sign_in_begun_in_several_windows_ends_in_each(oidc: Site) -> None:
    first, browser = leave(oidc, "/-/login?next=/acme/plans/guides/")
    second, again = leave(oidc, "/-/login?next=/acme/plans/", browser)
    assert again == browser
    backs = [path_of(authorize(reply.get("location") or "")) for reply in (first, second)]
    done = oidc.ask("GET", backs[0], browser)
    assert done.get("location") == "/acme/plans/guides/"
    session = {"Cookie": f"brain={done.cookie('brain')}"}
    other = oidc.ask("GET", backs[1], session)
    assert (other.status, other.get("location"), other.get_all("set-cookie")) == (303, "/acme/plans/", [])
    assert oidc.ask("GET", backs[0], session).get("location") == "/", "the way back in the browser leads there again"
    assert oidc.ask("GET", "/acme/plans/", session).status == 200


@pytest.mark.threat(37)
def test_the_way_to_the_service_is_code_with_pkce_state_and_nonce(oidc: Site) -> None:
    reply, _ = leave(oidc)
    asked = {key: value[0] for key, value in parse_qs(urlsplit(reply.get("location") or "").query).items()}
    assert asked["response_type"] == "code"
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == f"{oidc.settings.url}/-/callback"
    assert min(len(asked["state"]), len(asked["nonce"]), len(asked["code_challenge"])) == 43
    assert "s3cret" not in (reply.get("location") or "")
    line = reply.get_all("set-cookie")[0]
    assert "HttpOnly" in line
    assert "SameSite=Lax" in line


@pytest.mark.threat(37)
def test_a_sign_in_of_another_browser_is_not_completed(oidc: Site) -> None:
    first, _ = leave(oidc)
    _, victim = leave(oidc)
    back = path_of(authorize(first.get("location") or ""))
    for cookie in (victim, {}, {"Cookie": "brain-login=x"}, {"Cookie": f"{victim['Cookie']}; {victim['Cookie']}"}):
        reply = oidc.ask("GET", back, cookie)
        assert reply.status == 400
        assert not [line for line in reply.get_all("set-cookie") if line.startswith("brain=")]


@pytest.mark.threat(37)
def test_a_state_serves_once_and_not_for_long(oidc: Site) -> None:
    reply, browser = leave(oidc)
    back = path_of(authorize(reply.get("location") or ""))
    assert oidc.ask("HEAD", back, browser).status == 400
    assert oidc.ask("GET", back, browser).status == 303
    assert oidc.ask("GET", back, browser).status == 400
    reply, browser = leave(oidc)
    back = path_of(authorize(reply.get("location") or ""))
    oidc.world.wait(timedelta(minutes=11))
    assert oidc.ask("GET", back, browser).status == 400


@pytest.mark.threat(37)
@pytest.mark.parametrize("query", ["", "?code=x", "?state=x", "?code=x&state=x", "?error=access_denied&state=x", "?state=%00&code=%ff"])
def test_a_callback_of_nobody_is_refused(oidc: Site, query: str) -> None:
    assert oidc.ask("GET", f"/-/callback{query}").status == 400


@pytest.mark.threat(37)
def test_a_code_of_another_sign_in_is_refused(oidc: Site) -> None:
    first, _ = leave(oidc)
    second, browser = leave(oidc)
    stolen = parse_qs(urlsplit(authorize(first.get("location") or "")).query)["code"][0]
    own = parse_qs(urlsplit(authorize(second.get("location") or "")).query)
    reply = oidc.ask("GET", f"/-/callback?{urlencode({'code': stolen, 'state': own['state'][0]})}", browser)
    assert reply.status == 400, "PKCE and nonce belong to one sign-in"


@pytest.mark.threat(37)
def test_an_answer_that_names_another_issuer_is_refused(oidc: Site) -> None:
    reply, browser = leave(oidc)
    back = path_of(authorize(reply.get("location") or ""))
    assert oidc.ask("GET", f"{back}&iss=https://evil.example", browser).status == 400


@pytest.mark.threat(37)
def test_a_planted_session_is_worth_nothing_after_the_sign_in(oidc: Site) -> None:
    planted = oidc.session("ana@acme.example", oidc.settings.oidc.issuer if oidc.settings.oidc else "")
    # Somebody who is signed in already is sent on; the sign-in was begun before the cookie was planted.
    reply, browser = leave(oidc)
    back = path_of(authorize(reply.get("location") or ""))
    reply = oidc.ask("GET", back, {"Cookie": f"brain={planted}; {browser['Cookie']}"})
    assert reply.status == 303
    assert reply.cookie("brain") != planted
    assert oidc.ask("GET", "/acme/handbook/", {"Cookie": f"brain={planted}"}).status == 404
    assert oidc.ask("GET", "/acme/plans/", {"Cookie": f"brain={reply.cookie('brain')}"}).status == 200


@pytest.mark.threat(37)
@pytest.mark.parametrize(
    "claims",
    [
        {"email": "ed@acme.example"},
        {"email": "ed@acme.example", "email_verified": False},
        {"email": "ed@acme.example", "email_verified": "yes"},
        {"email": "nobody@acme.example", "email_verified": True},
        {"email": "left@acme.example", "email_verified": True},
        {"email_verified": True},
    ],
)
def test_whoever_is_nobody_here_gets_no_session(tmp_path: Path, claims: dict[str, Any]) -> None:
    with service(**claims) as issuer, running(open_site(tmp_path, oidc=OidcSettings(issuer, "brain", "s3cret"))) as site:
        site.world.now = datetime.now(UTC)
        reply = sign_in_by_oidc(site)
        assert reply.status == 403
        assert (b"Address not confirmed" in reply.body) == (claims.get("email_verified") is not True)
        assert b'href="/-/signed-out"' in reply.body, "perhaps it was the wrong account"
        assert not [line for line in reply.get_all("set-cookie") if line.startswith("brain=")]


def test_the_address_of_a_service_that_does_not_say_so_counts_only_when_the_operator_says_so(tmp_path: Path) -> None:
    with service(email="ed@acme.example") as issuer:
        trusted = OidcSettings(issuer, "brain", "s3cret", trusts_email=True)
        with running(open_site(tmp_path, oidc=trusted)) as site:
            site.world.now = datetime.now(UTC)
            assert sign_in_by_oidc(site).status == 303


@pytest.mark.threat(37)
def test_a_service_that_calls_itself_otherwise_is_not_believed(tmp_path: Path) -> None:
    with service() as issuer:
        settings = OidcSettings(f"{issuer}/", "brain", "s3cret")
        with running(open_site(tmp_path, oidc=settings)) as site:
            reply = site.ask("GET", "/-/login")
            assert reply.status == 502
            assert issuer.encode() not in reply.body


def test_a_service_that_is_down_is_said_so_and_sites_go_on(tmp_path: Path) -> None:
    with running(open_site(tmp_path, oidc=OidcSettings("http://127.0.0.1:9", "brain"))) as site:
        assert site.ask("GET", "/-/login").status == 502
        assert site.ask("GET", "/acme/plans/", site.cookie("ed@acme.example")).status == 200


OPEN_REDIRECTS = [
    "https://evil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/%0d%0aSet-Cookie:x",
    "/\t/evil.example",
    "/\n//evil.example",
    " //evil.example",
    "javascript:alert(1)",
    "http:evil.example",
    "evil.example",
    "",
    "/-/logout",
    "/-/login",
    "/-/callback?x",
    "/api/v1/x",
    "/" + "a" * 5000,
    "/\u2215/evil.example",
    "/x\\y",
    "@evil.example",
    "?x",
]


@pytest.mark.threat(37)
@pytest.mark.parametrize("target", OPEN_REDIRECTS)
def test_nobody_is_sent_to_another_host(oidc: Site, target: str) -> None:
    signed_in = {"Cookie": f"brain={oidc.session('ed@acme.example', oidc.settings.oidc.issuer if oidc.settings.oidc else '')}"}
    reply = oidc.ask("GET", f"/-/login?{urlencode({'next': target})}", signed_in)
    assert reply.status == 303
    location = reply.get("location") or ""
    assert location == "/" or (target == "/%0d%0aSet-Cookie:x" and location == target)
    assert (
        oidc.ask("GET", "/-/login", {**signed_in, "Referer": target.replace("\n", "").encode("ascii", "replace").decode()}).get("location")
        == "/"
    )


@pytest.mark.threat(37)
@pytest.mark.parametrize(
    "referrer",
    ["http://127.0.0.1:8080.evil.example/x", "http://127.0.0.1:8080//evil.example", "http://evil.example/http://127.0.0.1:8080/"],
)
def test_a_referrer_of_elsewhere_leads_home(oidc: Site, referrer: str) -> None:
    signed_in = {"Cookie": f"brain={oidc.session('ed@acme.example', oidc.settings.oidc.issuer if oidc.settings.oidc else '')}"}
    assert oidc.ask("GET", "/-/login", {**signed_in, "Referer": referrer}).get("location") == "/"


# ---------------------------------------------------------------- the printed link


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Site]:
    """A gateway that signs in by links."""
    with running(open_site(tmp_path)) as site:
        yield site


def print_link(site: Site, account: str = "acme/di") -> str:
    with site.world.writing() as connection:
        return path_of(make_link(connection, site.settings.url, account, site.world.now))


@pytest.mark.threat(37, 38)
def test_a_printed_link_serves_once(dev: Site) -> None:
    link = print_link(dev)
    assert dev.ask("HEAD", link).status == 400, "a look ahead does not use it up"
    reply = dev.ask("GET", link)
    assert (reply.status, reply.get("location")) == (303, "/")
    cookie = {"Cookie": f"brain={reply.cookie('brain')}"}
    assert dev.ask("GET", "/acme/di-home/", cookie).status == 200
    assert dev.ask("GET", "/other/ledger/", cookie).status == 200, "the same person is somebody there as well"
    again = dev.ask("GET", link)
    assert again.status == 400
    assert again.get_all("set-cookie") == []


@pytest.mark.threat(37)
def test_a_printed_link_ends_after_ten_minutes(dev: Site) -> None:
    link = print_link(dev)
    dev.world.wait(timedelta(minutes=10, seconds=1))
    assert dev.ask("GET", link).status == 400


@pytest.mark.threat(37)
def test_links_are_nothing_where_they_are_not_offered(tmp_path: Path) -> None:
    with running(open_site(tmp_path, dev_login=False)) as site:
        assert site.ask("GET", print_link(site)).bare == site.ask("GET", "/-/nothing").bare


@pytest.mark.threat(37)
def test_a_link_signs_the_earlier_person_out(dev: Site) -> None:
    earlier = dev.session("ed@acme.example")
    reply = dev.ask("GET", print_link(dev), {"Cookie": f"brain={earlier}"})
    assert reply.cookie("brain") != earlier
    assert dev.ask("GET", "/acme/plans/", {"Cookie": f"brain={earlier}"}).status == 404


# ---------------------------------------------------------------- signing out


def read_token(site: Site, cookie: dict[str, str]) -> str:
    found = re.search(rb'name="csrf" value="([0-9a-f]{64})"', site.ask("GET", "/", cookie).body)
    assert found
    return found[1].decode()


@pytest.mark.threat(37)
def test_only_a_form_of_ours_signs_out(dev: Site) -> None:
    cookie = dev.cookie("ed@acme.example")
    token = read_token(dev, cookie)
    other = read_token(dev, dev.cookie("ana@acme.example"))
    good = urlencode({"csrf": token}).encode()
    refused: list[tuple[dict[str, str], bytes]] = [
        (CHECKED, b""),
        (CHECKED, b"csrf="),
        (CHECKED, urlencode({"csrf": other}).encode()),
        ({**CHECKED, "Sec-Fetch-Site": "cross-site"}, good),
        ({**CHECKED, "Sec-Fetch-Site": "same-site"}, good),
        ({**CHECKED, "Sec-Fetch-Site": "none"}, good),
        ({**CHECKED, "Origin": "https://evil.example"}, good),
        ({"Content-Type": CHECKED["Content-Type"]}, good),
        ({"Content-Type": CHECKED["Content-Type"], "Origin": "null"}, good),
        ({"Content-Type": CHECKED["Content-Type"], "Origin": "http://127.0.0.1:8081"}, good),
        ({**CHECKED, "Content-Type": "text/plain"}, good),
        ({**CHECKED, "Content-Type": "multipart/form-data; boundary=x"}, good),
        (CHECKED, good + b"&x=" + b"y" * 70_000),
    ]
    for headers, body in refused:
        reply = dev.ask("POST", "/-/logout", {**cookie, **headers}, body)
        assert reply.status in {403, 413, 415}, (headers, body[:80])
    assert dev.ask("GET", "/-/logout", cookie).status == 405
    assert dev.ask("GET", "/acme/plans/", cookie).status == 200
    reply = dev.ask("POST", "/-/logout", {**cookie, **CHECKED, "Origin": "null"}, good)
    assert (reply.status, reply.get("location")) == (303, "/")
    assert "Max-Age=0" in reply.get_all("set-cookie")[0]
    assert dev.ask("GET", "/acme/plans/", cookie).status == 404


@pytest.mark.threat(37)
def test_nobody_signs_out_a_stranger(dev: Site) -> None:
    for cookie in ({}, {"Cookie": "brain=" + "a" * 43}):  # signed out already, in another window or because the session ended
        reply = dev.ask("POST", "/-/logout", {**CHECKED, **cookie}, b"csrf=" + b"0" * 64)
        assert (reply.status, reply.get("location"), reply.cookie("brain")) == (303, "/", "")
    assert dev.ask("POST", "/-/logout", {**CHECKED, "Sec-Fetch-Site": "cross-site"}, b"csrf=" + b"0" * 64).status == 403
    key = dev.bearer("ed")
    assert dev.ask("POST", "/-/logout", {**CHECKED, **key}, b"csrf=" + b"0" * 64).status == 403


def test_over_tls_the_cookie_belongs_to_this_host_alone(tmp_path: Path) -> None:
    with running(open_site(tmp_path, url="https://brain.example.org")) as site:
        token = site.session("ed@acme.example")
        host = {"Host": "brain.example.org"}
        assert site.ask("GET", "/acme/plans/", {**host, "Cookie": f"__Host-brain={token}"}).status == 200
        assert site.ask("GET", "/acme/plans/", {**host, "Cookie": f"brain={token}"}).status == 404
        line = site.ask("GET", print_link(site), host).get_all("set-cookie")[0]
        assert line.startswith("__Host-brain=")
        assert line.endswith("; Path=/; Secure; HttpOnly; SameSite=Lax")


# ---------------------------------------------------------------- a host per tenant


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Site]:
    """A gateway with a host for each tenant."""
    site = open_site(tmp_path, url="http://localhost:8080", host_per_tenant=True)
    with service() as issuer:
        site.settings = replace(site.settings, oidc=OidcSettings(issuer, "brain", "s3cret"))
        site.world.now = datetime.now(UTC)
        with running(site) as running_site:
            yield running_site


def at(host: str, cookie: str = "") -> dict[str, str]:
    return {"Host": f"{host}:8080", **({"Cookie": cookie} if cookie else {})}


@pytest.mark.threat(36)
def test_a_tenants_host_serves_that_tenant_alone(hosts: Site) -> None:
    session = f"brain={hosts.session('di@acme.example')}"
    assert hosts.ask("GET", "/plans/", at("acme.localhost", session)).status == 200
    assert hosts.ask("GET", "/ledger/", at("other.localhost", session)).status == 200
    missing = hosts.ask("GET", "/never-existed/", at("acme.localhost", session)).bare
    for host, path in (("other", "/plans/"), ("acme", "/ledger/"), ("acme", "/acme/plans/"), ("nobody", "/plans/"), ("nobody", "/")):
        assert hosts.ask("GET", path, at(f"{host}.localhost", session)).bare == missing
    assert hosts.ask("GET", "/plans/", at("a.acme.localhost", session)).status == 421
    assert hosts.ask("GET", "/acme/plans/guides/", at("localhost", session)).get("location") == "http://acme.localhost:8080/plans/guides/"
    assert hosts.ask("GET", "/acme/di-home/", at("localhost", f"brain={hosts.session('ed@acme.example')}")).status == 404
    home = hosts.ask("GET", "/", at("acme.localhost", session)).body
    assert b'href="http://acme.localhost:8080/plans/"' in home
    assert b"ledger" not in home


@pytest.mark.threat(37)
def test_a_sign_in_on_a_tenants_host_leads_over_the_gateways_own_and_back(hosts: Site) -> None:
    left = hosts.ask("GET", "/-/login?next=/plans/guides/", at("acme.localhost"))
    browser = f"brain-login={left.cookie('brain-login')}"
    assert (left.get("location") or "").startswith("http://localhost:8080/-/login?from=")
    away = hosts.ask("GET", path_of(left.get("location") or ""), at("localhost"))
    back = authorize(away.get("location") or "")
    arrived = hosts.ask("GET", path_of(back), at("localhost", f"brain-login={away.cookie('brain-login')}"))
    ticket = arrived.get("location") or ""
    assert ticket.startswith("http://acme.localhost:8080/-/enter?ticket=")
    entered = hosts.ask("GET", path_of(ticket), at("acme.localhost", browser))
    assert (entered.status, entered.get("location")) == (303, "/plans/guides/")
    session = f"brain={entered.cookie('brain')}"
    assert hosts.ask("GET", "/plans/guides/", at("acme.localhost", session)).status == 200
    assert hosts.ask("GET", path_of(ticket), at("acme.localhost", browser)).status == 400, "a ticket serves once"


@pytest.mark.threat(37)
def test_a_ticket_serves_the_browser_and_the_host_that_it_is_for(hosts: Site) -> None:
    own = hosts.session("ed@acme.example")
    for host, keeps in (("acme.localhost", False), ("other.localhost", True), ("localhost", True)):
        left = hosts.ask("GET", "/-/login", at("acme.localhost"))
        away = hosts.ask("GET", path_of(left.get("location") or ""), at("localhost", f"brain={own}"))
        ticket = path_of(away.get("location") or "")
        assert ticket.startswith("/-/enter?ticket=")
        reply = hosts.ask("GET", ticket, at(host, f"brain-login={left.cookie('brain-login')}" if keeps else ""))
        assert reply.status == 400
        assert reply.get_all("set-cookie") == []


def test_signing_out_on_one_host_signs_out_on_all(hosts: Site) -> None:
    with hosts.world.writing() as connection:
        person = sign_in(connection, "dev-login", "ed@acme.example", "ed@acme.example", hosts.world.now)
        first, second = (create_session(connection, person.identity, hosts.world.now) for _ in range(2))
    found = re.search(rb'value="([0-9a-f]{64})"', hosts.ask("GET", "/", at("acme.localhost", f"brain={first}")).body)
    assert found
    headers = {**at("acme.localhost", f"brain={first}"), **CHECKED}
    assert hosts.ask("POST", "/-/logout", headers, b"csrf=" + found[1]).status == 303
    assert hosts.ask("GET", "/acme/plans/", at("localhost", f"brain={second}")).status == 404


# ---------------------------------------------------------------- signing out at the service


@pytest.mark.threat(37)
def test_signing_out_here_is_done_at_once_and_leads_on_to_the_service(oidc: Site) -> None:
    cookie = {"Cookie": f"brain={sign_in_by_oidc(oidc).cookie('brain')}"}
    form = urlencode({"csrf": read_token(oidc, cookie)}).encode()
    reply = oidc.ask("POST", "/-/logout", {**cookie, **CHECKED}, form)
    assert (reply.status, reply.get("location")) == (303, "/-/signed-out")
    assert oidc.ask("GET", "/acme/plans/", cookie).status == 404
    page = oidc.ask("GET", "/-/signed-out")
    found = re.search(rb'<a href="([^"]+)"[^>]*>Sign out there too', page.body)
    assert found, page
    address = urlsplit(found[1].decode().replace("&amp;", "&"))
    asked = parse_qs(address.query)
    assert (asked["client_id"], asked["post_logout_redirect_uri"]) == (["brain"], [f"{oidc.settings.url}/"])
    connection = HTTPConnection(address.netloc, timeout=20)
    connection.request("GET", f"{address.path}?{address.query}")
    answer = connection.getresponse()
    assert answer.status == 200, "the service asks whether one really wants to"
    assert oidc.settings.url.encode() in answer.read()
    connection.close()


@pytest.mark.threat(37)
def test_signing_out_here_does_not_wait_for_the_service(tmp_path: Path) -> None:
    with service() as issuer:
        site = open_site(tmp_path, oidc=OidcSettings(issuer, "brain", "s3cret"), dev_login=False)
    with running(site):
        cookie = {"Cookie": f"brain={site.session('ed@acme.example', issuer)}"}
        form = urlencode({"csrf": read_token(site, cookie)}).encode()
        assert site.ask("POST", "/-/logout", {**cookie, **CHECKED}, form).status == 303
        page = site.ask("GET", "/-/signed-out")
        assert page.status == 200
        assert b"Sign out there" not in page.body
        assert site.ask("GET", "/acme/plans/", cookie).status == 404


@pytest.mark.threat(33, 37)
def test_a_logout_that_the_service_did_not_sign_ends_no_session(oidc: Site) -> None:
    cookie = {"Cookie": f"brain={sign_in_by_oidc(oidc).cookie('brain')}"}
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    for body in (b"", b"logout_token=", b"logout_token=a.b.c", b"x=1&logout_token=a.b.c", b"logout_token=" + b"a" * 70_000):
        assert oidc.ask("POST", "/-/backchannel-logout", kind, body).status in {400, 413}
    assert oidc.ask("GET", "/-/backchannel-logout").status == 405
    line = oidc.open()
    flood = {**kind, "X-Brain-Client": "192.0.2.1"}
    assert 429 in {line.request("POST", "/-/backchannel-logout", flood, b"x=1").status for _ in range(150)}
    assert oidc.ask("POST", "/-/backchannel-logout", kind, b"x=1").status == 400, "nor the service from being heard"
    assert oidc.ask("GET", "/-/login").status == 303, "that keeps nobody from signing in"
    assert oidc.ask("GET", "/acme/plans/", cookie).status == 200


@pytest.mark.threat(33)
def test_ending_the_sessions_of_an_identity_ends_them_all(oidc: Site) -> None:
    mine = [{"Cookie": f"brain={sign_in_by_oidc(oidc).cookie('brain')}"} for _ in range(2)]
    issuer = oidc.settings.oidc.issuer if oidc.settings.oidc else ""
    other = {"Cookie": f"brain={oidc.session('di@acme.example', issuer)}"}
    with oidc.world.writing() as connection:
        assert end_sessions_of_identity(connection, issuer, "sub-ed", oidc.world.now) == 2
    assert [oidc.ask("GET", "/acme/plans/", each).status for each in (*mine, other)] == [404, 404, 200]
