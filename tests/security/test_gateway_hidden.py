"""Hidden and missing over raw sockets: the same bytes, whatever is asked for, however, and by whom (SPEC S11, X01)."""

from collections.abc import Iterator

import pytest

from indexer.registry.members import end_membership
from tests.tools.gateways import SECRETS, Site, open_site, running
from tests.tools.registries import act

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
SUFFIXES = [
    "",
    "/",
    "/index.html",
    "/index.md",
    "/guides",
    "/guides/",
    "/guides/start/",
    "/search/index.json",
    "/llms.txt",
    "/sitemap.xml",
    "/images/pic.png",
    "/_/assets/style-OY3EKPKS.css",
    "/%C3%BCn%C3%AF/",
    "/404.html",
    "/nothing/",
    "/guides/;a.js",
    "/guides/x.css",
    "/?x=1",
    "/index.html?download=1",
]
REQUEST_HEADERS: list[dict[str, str]] = [
    {},
    {"Range": "bytes=0-9"},
    {"If-None-Match": "*"},
    {"If-Modified-Since": "Mon, 30 Nov 2026 10:00:00 GMT"},
    {"Accept": "application/json"},
    {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Original-URL": "/acme/handbook/"},
    {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"},
    {"Cookie": "brain=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    {"Authorization": "Bearer sk_live_acme_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
]
TRAVERSALS = [
    "/acme/handbook/../plans/",
    "/acme/handbook/%2e%2e/plans/",
    "/acme/handbook/.%2e/plans/",
    "/acme/handbook/%252e%252e/plans/",
    "/acme/handbook//index.html",
    "/acme//handbook/",
    "//acme/handbook/",
    "/acme/./handbook/",
    "/acme/handbook/./",
    "/acme/handbook/.%2f",
    "/acme/handbook/guides%2findex.html",
    "/acme/handbook/guides%2Findex.html",
    "/acme/handbook/guides%5cindex.html",
    "/acme/handbook/guides\\index.html",
    "/acme/handbook/..\\..\\plans/",
    "/acme/handbook/index.html%00",
    "/acme/handbook/index.html%00.png",
    "/acme/handbook/%0a",
    "/acme/handbook/index.html%0d%0aX-Evil:%201",
    "/acme/handbook/%7f",
    "/acme/handbook/%c2%85",
    "/acme/handbook/%ff",
    "/acme/handbook/%c0%ae%c0%ae/plans/",
    "/acme/handbook/%",
    "/acme/handbook/%zz",
    "/acme/handbook/%2",
    "/acme/handbook/../../../../../../etc/passwd",
    "/acme/handbook/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/acme/handbook/.brain/state.msgpack",
    "/acme/handbook/../report.json",
    "/acme/handbook/site/index.html",
    "/acme/index.duckdb",
    "/acme/blueprints.json",
    "/ACME/handbook/",
    "/acme/HANDBOOK/",
    "/acme/handbook/INDEX.HTML",
    "/acme/handbook/index.html/",
    "/acme/handbook/index.html/.",
    "/acme%2fhandbook/",
    "/acme/-handbook/",
    "/acme/handbook/" + "a" * 300,
    "/acme/handbook/" + "a/" * 3000,
    "/favicon.ico",
    "/robots.txt",
    "/.git/config",
    "/.env",
    "/-internal/acme/plans/site/index.html",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A gateway that runs for all tests here; none of them changes anything."""
    with running(open_site(tmp_path_factory.mktemp("gateway"))) as running_site:
        yield running_site


@pytest.fixture(scope="module")
def roles(site: Site) -> dict[str, dict[str, str]]:
    """Headers of everybody who may not read `acme/plans`."""
    left = site.cookie("bo@acme.example")
    with site.world.writing() as connection:
        end_membership(connection, "acme", "bo", act("ana"), site.world.now)
    return {
        "anonymous": {},
        "an admin who left": left,
        "member without grant": site.cookie("ana@acme.example"),
        "other tenant": site.cookie("ana@other.example"),
        "agent without grant": site.bearer("filer"),
        "key of another tenant": site.bearer("ana", "other"),
        "key for another brain": site.bearer("ed", brain="handbook"),
    }


@pytest.mark.req("S11", "X01")
@pytest.mark.threat(28)
@pytest.mark.parametrize("method", METHODS)
def test_hidden_and_missing_are_the_same_bytes(site: Site, roles: dict[str, dict[str, str]], method: str) -> None:
    missing = site.ask(method, "/acme/never-existed/").bare
    assert missing[0] == 404
    for role, credentials in roles.items():
        line = site.open()
        for hidden in ("plans", "di-home", "old", "orphaned", "never-existed"):
            for suffix in SUFFIXES:
                reply = line.request(method, f"/acme/{hidden}{suffix}", credentials)
                assert reply.bare == missing, (role, method, hidden, suffix)


@pytest.mark.req("S11")
@pytest.mark.threat(28)
@pytest.mark.parametrize("headers", REQUEST_HEADERS, ids=lambda each: next(iter(each), "plain"))
def test_no_request_header_tells_hidden_from_missing(site: Site, headers: dict[str, str]) -> None:
    missing = site.ask("GET", "/acme/never-existed/").bare
    for path in ("/acme/plans/", "/acme/plans/images/pic.png", "/acme/old/", "/other/ledger/", "/nobody/nothing/", "/acme/", "/nobody/"):
        assert site.ask("GET", path, headers).bare == missing


@pytest.mark.req("X01")
@pytest.mark.threat(32)
def test_no_byte_of_a_hidden_repo_is_served(site: Site, roles: dict[str, dict[str, str]]) -> None:
    for credentials in roles.values():
        line = site.open()
        for tenant, repo in (("acme", "plans"), ("acme", "di-home"), ("acme", "old"), ("acme", "orphaned")):
            for suffix in SUFFIXES:
                for method in ("GET", "POST"):
                    reply = line.request(method, f"/{tenant}/{repo}{suffix}", credentials)
                    assert not any(word.encode() in reply.body for word in SECRETS.values())
                    assert not any(word in str(reply.headers) for word in SECRETS.values())
        home = line.request("GET", "/", credentials)
        assert b"plans" not in home.body
        assert b"di-home" not in home.body


@pytest.mark.req("S11")
@pytest.mark.threat(36)
def test_staff_reach_no_home_and_no_other_tenant(site: Site) -> None:
    for cookie in (site.cookie("cy@acme.example"), site.bearer("cy")):
        missing = site.ask("GET", "/acme/never-existed/", cookie).bare
        assert site.ask("GET", "/acme/plans/", cookie).status == 200
        for path in ("/acme/di-home/", "/other/ledger/", "/other/", "/nobody/"):
            assert site.ask("GET", path, cookie).bare == missing


@pytest.mark.threat(1)
@pytest.mark.parametrize("target", TRAVERSALS)
def test_no_odd_path_names_anything_even_for_who_reads_everything_around_it(site: Site, target: str) -> None:
    reply = site.ask("GET", target, site.cookie("di@acme.example"))
    assert reply.bare == site.ask("GET", "/acme/never-existed/").bare


@pytest.mark.threat(34)
@pytest.mark.parametrize("suffix", ["/x.css", ";a.js", "%23", "%3Fx", "/a.png", ".css"])
def test_a_suffix_for_caches_names_nothing(site: Site, suffix: str) -> None:
    cookie = site.cookie("ed@acme.example")
    for path in ("/acme/handbook/index.html", "/acme/handbook/guides", "/"):
        reply = site.ask("GET", f"{path}{suffix}", cookie)
        assert reply.status == 404
        assert reply.get("cache-control") == "private, no-store"


@pytest.mark.threat(28)
def test_other_methods_get_the_same_answer_on_what_is_there(site: Site) -> None:
    cookie = site.cookie("ed@acme.example")
    for method in METHODS[2:]:
        missing = site.ask(method, "/acme/never-existed/", cookie).bare
        assert site.ask(method, "/acme/handbook/", cookie).bare == missing
        assert site.ask(method, "/acme/", cookie).bare == missing


@pytest.mark.threat(28)
def test_a_request_with_a_body_is_not_found_whatever_it_names(site: Site) -> None:
    cookie = site.cookie("ed@acme.example")
    replies = {str(site.ask("GET", path, cookie, b"x=1").bare) for path in ("/acme/handbook/", "/acme/plans/", "/acme/never-existed/")}
    assert len(replies) == 1


@pytest.mark.threat(33)
def test_validators_and_ranges_are_never_sent(site: Site) -> None:
    reply = site.ask("GET", "/acme/handbook/", {**site.cookie("ed@acme.example"), "Range": "bytes=0-3", "If-None-Match": "*"})
    assert reply.status == 200
    assert reply.get("etag") is reply.get("last-modified") is reply.get("accept-ranges") is None
