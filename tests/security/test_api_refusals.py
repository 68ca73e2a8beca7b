"""What the gateway refuses before any door for programs: the same shape of error as the doors have, and the same bytes for all bad keys."""

import json
from pathlib import Path

import pytest

from tests.tools.api_sites import call, make_key, open_api, revoke, strip
from tests.tools.gateways import Reply, Site, bearer, running

PATHS = (("GET", "/api/v1/repos"), ("POST", "/api/v1/tools/getBrain"), ("POST", "/mcp"))


def read_code(reply: Reply) -> tuple[int, str]:
    """Return status and code of an error, which has the one shape."""
    assert reply.get("content-type") == "application/json"
    (error,) = json.loads(reply.body).values()
    assert error.keys() == {"code", "message", "request_id"}
    assert error["request_id"] == reply.get("x-request-id")
    return reply.status, error["code"]


@pytest.mark.req("M12", "S11")
@pytest.mark.threat(36)
def test_a_bad_key_and_a_good_one_of_another_tenant_get_the_same_bytes(shops: Path, tmp_path: Path) -> None:
    with running(open_api(shops, tmp_path / "registry.sqlite")) as site:
        key, revoked = make_key(site, "shop", "ann"), make_key(site, "shop", "ann")
        revoke(site, "shop", revoked)
        replies = [site.ask("GET", "/api/v1/repos?tenant=rival", bearer(each)) for each in (key, revoked, "x", "sk_live_shop_" + "A" * 40)]
        assert read_code(replies[0]) == (401, "unauthorized")
        assert len({str(strip(reply)) for reply in replies}) == 1


@pytest.mark.req("S11", "X02")
@pytest.mark.threat(28, 34)
def test_a_wrong_host_and_an_odd_address_are_refused_in_the_same_shape(shops: Path, tmp_path: Path) -> None:
    with running(open_api(shops, tmp_path / "registry.sqlite")) as site:
        for method, path in PATHS:
            assert read_code(site.ask(method, path, {"Host": "evil.example"})) == (421, "wrong_host")
            assert read_code(site.ask(method, path, bearer("x"))) == (401, "unauthorized")
        assert read_code(site.ask("GET", "/api/%0a")) == (404, "not_found")


@pytest.mark.req("T09", "M12")
@pytest.mark.threat(33)
def test_while_the_registry_cannot_be_asked_every_request_is_refused(shops: Path, tmp_path: Path) -> None:
    file = tmp_path / "registry.sqlite"
    with running(open_api(shops, file)) as site:
        headers = bearer(make_key(site, "shop", "ann"))
        assert call(site, "listBrains", {}, headers).status == 200
        file.rename(tmp_path / "elsewhere")
        try:
            for method, path in PATHS:
                for given in (headers, bearer("x"), {}):
                    assert read_code(site.ask(method, path, given)) == (503, "unavailable")
        finally:
            (tmp_path / "elsewhere").rename(file)
        assert call(site, "listBrains", {}, headers).status == 200


def test_what_was_refused_says_nothing_of_where_it_runs(shops: Path, tmp_path: Path) -> None:
    """No path, no name of a class, no line of a program."""
    site: Site
    with running(open_api(shops, tmp_path / "registry.sqlite")) as site:
        for path in ("/api/v1/repos", "/api/v1/nothing", "/mcp"):
            said = site.ask("GET", path).body
            assert str(tmp_path).encode() not in said
            assert b"Traceback" not in said
