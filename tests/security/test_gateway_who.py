"""Exactly one source says who asks; whatever is odd about it makes a stranger (THREATS 35, 36, 38)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.serve.settings import ProxySettings
from tests.tools.gateways import Site, open_site, running

SECRET = "a-long-secret-of-the-proxy"
PLANS = "/acme/plans/"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A gateway without a proxy."""
    with running(open_site(tmp_path)) as running_site:
        yield running_site


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Site]:
    """A gateway behind a proxy that names people."""
    with running(open_site(tmp_path, proxy=ProxySettings("X-Forwarded-Email", SECRET))) as running_site:
        yield running_site


def proxied(person: str, secret: str = SECRET) -> dict[str, str]:
    return {"X-Forwarded-Email": person, "X-Brain-Proxy-Secret": secret}


@pytest.mark.threat(38)
def test_odd_cookies_are_a_strangers(site: Site) -> None:
    token = site.session("ed@acme.example")
    for cookie in (f"brain={token}", f"a=b; brain={token}; c=d", f"a=brain=; brain={token}", f"brain={token};"):
        assert site.ask("GET", PLANS, {"Cookie": cookie}).status == 200, cookie
    odd = [
        f"brain={token}x",
        f"brain={token[:-1]}",
        f'brain="{token}"',
        f"BRAIN={token}",
        f"xbrain={token}",
        f"brain ={token}x",
        "brain=",
        "brain",
    ]
    odd += [f"brain={token}; brain={token}", f"brain=x; brain={token}", f"brain={token}\x80", "brain=" + "a" * 5000, "=" * 500, ";" * 500]
    missing = site.ask("GET", "/acme/never-existed/").bare
    for cookie in odd:
        assert site.ask("GET", PLANS, {"Cookie": cookie}).bare == missing, cookie


@pytest.mark.threat(38)
def test_odd_keys_are_a_strangers(site: Site) -> None:
    key = site.key("ed")
    for value in (f"Bearer {key}", f"bearer {key}", f"BEARER  {key}"):
        assert site.ask("GET", PLANS, {"Authorization": value}).status == 200
    missing = site.ask("GET", "/acme/never-existed/").bare
    for value in (
        "",
        "Bearer",
        "Bearer ",
        key,
        f"Basic {key}",
        f"Bearer {key} x",
        f"Bearer {key[:-1]}",
        f"Bearer {key}, Bearer {key}",
        f"Bearer\t{key}",
    ):
        assert site.ask("GET", PLANS, {"Authorization": value}).bare == missing, value
    assert site.ask("GET", f"{PLANS}?access_token={key}&key={key}").bare == missing, "never in an address"


@pytest.mark.threat(36)
def test_a_bad_key_beside_a_good_session_is_a_strangers(site: Site) -> None:
    cookie = site.cookie("ed@acme.example")
    assert site.ask("GET", PLANS, {**cookie, "Authorization": "Bearer nonsense"}).status == 404
    assert site.ask("GET", "/acme/plans/", {**cookie, **site.bearer("filer")}).status == 404, "a key is judged alone"


@pytest.mark.threat(36)
def test_nothing_in_a_request_chooses_the_tenant(site: Site) -> None:
    bearer = site.bearer("ana", "other")
    for headers in ({"X-Tenant": "acme"}, {"Host": "acme.127.0.0.1"}, {"X-Forwarded-Host": "acme"}):
        assert site.ask("GET", "/acme/handbook/", {**bearer, **headers}).status in {404, 421}


@pytest.mark.req("M12")
def test_programs_with_a_bad_key_are_told_where_they_ask(site: Site) -> None:
    for path, suffix in (("/api/v1/x", ""), ("/mcp", "/mcp")):
        replies = set()
        for value in ("Bearer nonsense", "Basic x", f"Bearer sk_live_acme_{'A' * 40}", f"Bearer sk_live_nobody_{'A' * 40}"):
            reply = site.ask("GET", path, {"Authorization": value})
            assert reply.status == 401
            assert (reply.get("www-authenticate") or "").startswith(
                f'Bearer resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource{suffix}"'
            )
            replies.add(str(reply.bare).replace(reply.get("x-request-id") or "", ""))
        assert len(replies) == 1


@pytest.mark.threat(35)
def test_the_proxys_word_counts_with_its_secret_alone(behind: Site) -> None:
    assert behind.ask("GET", PLANS, proxied("ed@acme.example")).status == 200
    assert behind.ask("GET", PLANS, proxied("Ed@ACME.example")).status == 200, "in capitals it is the same address"
    missing = behind.ask("GET", "/acme/never-existed/").bare
    for headers in (
        {"X-Forwarded-Email": "ed@acme.example"},
        proxied("ed@acme.example", ""),
        proxied("ed@acme.example", SECRET + "x"),
        proxied("ed@acme.example", SECRET.upper()),
        {"X_Forwarded_Email": "ed@acme.example", "X-Brain-Proxy-Secret": SECRET},
        {"X-Forwarded-User": "ed@acme.example", "X-Brain-Proxy-Secret": SECRET},
        proxied("\u212aed@acme.example".encode().decode("latin-1")),
        proxied("ed@acme.example, di@acme.example"),
        proxied("ed@acme.example ; x"),
        proxied("nobody@acme.example"),
        proxied("left@acme.example"),
        proxied("\xff"),
        proxied("x" * 300),
        proxied(""),
    ):
        assert behind.ask("GET", PLANS, headers).bare == missing, headers


@pytest.mark.threat(35)
def test_two_names_or_two_secrets_are_none(behind: Site) -> None:
    line = behind.open()
    good = b"X-Forwarded-Email: ed@acme.example\r\n"
    secret = f"X-Brain-Proxy-Secret: {SECRET}\r\n".encode()
    for extra in (good + good + secret, good + secret + secret, good + b"x-forwarded-email: di@acme.example\r\n" + secret):
        line.send(b"GET /acme/plans/ HTTP/1.1\r\nHost: 127.0.0.1\r\n" + extra + b"\r\n")
        assert line.read().status == 404


@pytest.mark.threat(35)
@pytest.mark.parametrize("path", ["/", "/api/v1/repos?tenant=acme"])
def test_what_comes_behind_the_body_names_nobody(behind: Site, path: str) -> None:
    """Servers in front drop headers that name people, and pass trailers on (as in CVE-2013-5704 of Apache)."""
    secret = f"X-Brain-Proxy-Secret: {SECRET}\r\n"
    stranger = behind.ask("GET", path, {"X-Brain-Proxy-Secret": SECRET})
    line = behind.open()
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{secret}Transfer-Encoding: chunked\r\n\r\n"
    for trailers in ("X-Forwarded-Email: ed@acme.example\r\n", f"{secret}X-Forwarded-Email: ed@acme.example\r\n"):
        line.send(f"{head}0\r\n{trailers}\r\n".encode())
        reply = line.read()
        assert (reply.status, len(reply.body)) == (stranger.status, len(stranger.body))
    line.send(f"{head}0\r\nAuthorization: {behind.bearer('ed')['Authorization']}\r\n\r\n".encode())
    assert line.read().status == stranger.status


@pytest.mark.threat(35)
def test_without_a_proxy_its_headers_are_nothing(site: Site) -> None:
    assert site.ask("GET", PLANS, proxied("ed@acme.example")).status == 404


@pytest.mark.threat(33, 35)
def test_what_the_proxy_says_is_judged_anew_each_time(behind: Site) -> None:
    from indexer.registry.members import end_membership
    from tests.tools.registries import act

    line = behind.open()
    assert line.request("GET", PLANS, proxied("ed@acme.example")).status == 200
    with behind.world.writing() as connection:
        end_membership(connection, "acme", "ed", act("ana"), behind.world.now)
    assert line.request("GET", PLANS, proxied("ed@acme.example")).status == 404


@pytest.mark.threat(35)
def test_behind_a_proxy_a_key_is_judged_alone_and_basic_is_the_proxys_own(behind: Site) -> None:
    assert behind.ask("GET", PLANS, {**proxied("ed@acme.example"), **behind.bearer("filer")}).status == 404
    assert behind.ask("GET", PLANS, {**proxied("ed@acme.example"), "Authorization": "Basic eDp5"}).status == 200


@pytest.mark.threat(35, 37)
def test_forms_of_people_whom_the_proxy_names_need_a_token_as_well(behind: Site) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    assert behind.ask("POST", "/-/logout", {**proxied("ed@acme.example"), **form}, b"csrf=x").status == 403
