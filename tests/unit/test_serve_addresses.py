"""Paths of requests → what they name; ranges; media types; origins. Pure functions of the gateway."""

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.registry.tenant_model import RESERVED_IDS
from indexer.serve.addresses import Address, is_own, parse_address, parse_encoded, quote_path
from indexer.serve.context import open_gateway
from indexer.serve.gateway import own_routes
from indexer.serve.media_types import choose_sending
from indexer.serve.ranges import parse_range
from indexer.serve.sign_in import keep_local
from tests.tools.gateways import open_site


@pytest.mark.threat(1)
def test_a_path_is_tenant_repo_and_file() -> None:
    assert parse_address(b"/acme/plans/a/b%20c/") == Address("acme", "plans", "a/b c", slash=True)
    assert parse_address(b"/acme/plans") == Address("acme", "plans", "", slash=False)
    assert parse_address(b"/acme/") == Address("acme", "", "", slash=True)
    assert parse_address(b"/plans/a.md", "acme") == Address("acme", "plans", "a.md", slash=False)
    assert parse_address(b"/", "acme") == Address("acme", "", "", slash=True)
    assert parse_address(b"/acme/plans/%252e%252e/x") == Address("acme", "plans", "%2e%2e/x", slash=False), "decoded once"
    assert parse_address(b"/") is None


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\\"), min_size=1, max_size=40).filter(
    lambda name: name not in {".", ".."}
)


@pytest.mark.threat(1)
@given(st.lists(NAMES, max_size=5), st.booleans())
def test_every_name_survives_its_way_through_an_address(names: list[str], slash: bool) -> None:
    raw = ("/acme/plans/" + "/".join(quote(name, safe="") for name in names)).rstrip("/") + ("/" if slash else "")
    assert parse_address(raw.encode()) == Address("acme", "plans", "/".join(names), slash=slash)


@pytest.mark.threat(1)
@given(st.binary(max_size=200))
def test_whatever_comes_in_no_step_leads_up_or_out(raw: bytes) -> None:
    for path in (raw, b"/" + raw, b"/acme/plans/" + raw):
        found = parse_address(path)
        if found is not None:
            parts = found.path.split("/") if found.path else []
            assert not {"", ".", ".."} & set(parts)
            assert not any(char in found.path for char in "\\\0\r\n")
            assert "/" not in found.tenant + found.repo


SIGNS = st.text(st.sampled_from("aZ0-./:;~!*'()@&=+$,_[]\\?#|\"<>^` \x00\x7fé"), max_size=60)


@pytest.mark.threat(1)
@given(SIGNS, st.sampled_from(["", "/", "/acme", "/acme/", "/acme/plans", "/acme/plans/"]), st.sampled_from(["", "acme"]))
def test_a_path_without_percent_signs_is_read_at_once_as_it_would_be_step_by_step(rest: str, start: str, tenant: str) -> None:
    raw = (start + rest).encode()
    assert parse_address(raw, tenant) == parse_encoded(raw, tenant)


@pytest.mark.threat(1)
@pytest.mark.parametrize("length", [63, 64, 255, 256, 4090])
def test_parts_of_a_path_are_as_long_at_once_as_step_by_step(length: int) -> None:
    for raw in (
        b"/" + b"a" * length,
        b"/acme/" + b"a" * length,
        b"/acme/plans/" + b"a" * length + b"/b",
        b"/acme/plans" + b"/b" * (length // 2),
    ):
        assert parse_address(raw) == (parse_encoded(raw, "") if len(raw) <= 4096 else None)


@pytest.mark.threat(10)
def test_no_tenant_and_no_repo_can_be_called_like_a_route(tmp_path: Path) -> None:
    gateway = open_gateway(open_site(tmp_path).settings)
    paths = {str(getattr(route, "path", "")) for route in own_routes(gateway)} - {"/", ""}
    gateway.close()
    assert len(paths) >= 5
    for path in {*paths, "/healthz", "/.well-known/oauth-protected-resource", "/api/v1/x", "/mcp"}:
        first = path.strip("/").split("/")[0]
        assert first in RESERVED_IDS or not first[:1].isalnum(), f"{first} is a route, and free as an id"
        assert path == "/healthz" or is_own(path.replace("{", "x").replace("}", "").encode(), "acme"), path


@given(st.binary(max_size=60), st.integers(0, 2000))
def test_a_part_lies_inside_the_file(asked: bytes, size: int) -> None:
    for text in (asked, b"bytes=" + asked):
        found = parse_range(text, size)
        assert found is None or 0 <= found[0] < found[1] <= size


@given(st.text(max_size=60))
def test_the_next_address_is_a_path_of_this_host(text: str) -> None:
    for asked in (text, f"/{text}", f"//{text}", f"/\\{text}"):
        kept = keep_local(asked)
        assert kept.startswith("/")
        assert not kept.startswith(("//", "/\\"))
        assert kept.isascii()
        assert kept.isprintable()


@pytest.mark.threat(19)
@pytest.mark.parametrize(
    "name",
    ["x.html", "x.htm", "x.xhtml", "x.js", "x.mjs", "x.css", "x.xml", "x.xsl", "x.swf", "x.wasm", "x", "x.HTML", ".html", "x.svg.html"],
)
def test_nothing_of_somebodys_is_a_page_or_a_program(name: str) -> None:
    sending = choose_sending(f"files/{name}", attachment=True)
    assert sending.saved
    assert b"html" not in sending.kind + sending.policy.replace(b"sandbox", b"")
    assert sending.policy.endswith(b"; sandbox")
    assert not sending.lasting


def test_a_file_of_somebodys_is_not_kept_by_browsers_whatever_its_name() -> None:
    assert not choose_sending("_/assets/style-OY3EKPKS.css", attachment=True).lasting
    assert choose_sending("_/assets/style-OY3EKPKS.css", attachment=False).lasting
    assert not choose_sending("style-OY3EKPKS.css", attachment=False).lasting


def test_quoted_paths_are_plain() -> None:
    assert quote_path("acme", "", "a b/ü?#") == "/acme/a%20b/%C3%BC%3F%23"
