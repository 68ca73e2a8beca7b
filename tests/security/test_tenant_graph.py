"""The one graph of a tenant: it opens to who reaches all it was drawn from, to operators, and to nobody else by so much as a byte (T36)."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import RefusalError
from indexer.registry.audit import CONSOLE, fetch_audit
from indexer.registry.grants import revoke_grant
from indexer.registry.key_list import list_keys
from indexer.registry.keys import create_key, revoke_key
from indexer.registry.members import end_membership
from indexer.registry.repos import archive_repo
from indexer.serve import api_graph, api_requests
from indexer.serve.tool_text import render_compact_json
from tests.tools.api_sites import strip
from tests.tools.gateways import SECRETS, Site, bearer, running
from tests.tools.home_sites import copy_home_site, open_home_site
from tests.tools.registries import act

PAGE, DOOR = "/-/graph/acme/", "/api/v1/graph"
WORD = "canary-graph-51c0"
PUBLISH = ["graph:publish"]
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    open_home_site(folder).world.registry.close()
    return folder


@pytest.fixture
def site(prepared: Path, tmp_path: Path) -> Iterator[Site]:
    """A gateway of one test's own; nothing is published yet."""
    with running(copy_home_site(prepared, tmp_path)) as running_site:
        yield running_site


def draw(*repos: str, **more: Any) -> dict[str, Any]:
    """A graph of some repos: two pages each that are published, one that is not, a chain of links through all of them."""
    nodes = [
        {"repo": number, "path": f"{page}.md", "title": f"{WORD} {repo} {page}", "url": f"{page}/" if page != "index" else ""}
        for number, repo in enumerate(repos)
        for page in ("index", "guides", "gone")
    ]
    edges = [[at, at + 1, 1] for at in range(len(nodes) - 1)]
    named = [{"id": repo, "title": f"{WORD} {repo}", "revision": None} for repo in repos]
    return {"tenant": "acme", "repos": named, "nodes": nodes, "edges": edges, "parents": [], **more}


def token(site: Site, holder: str = "filer", **options: Any) -> dict[str, str]:
    with site.world.writing() as connection:
        return bearer(create_key(connection, "acme", holder, options.pop("scopes", PUBLISH), CONSOLE, site.world.now, **options)[1])


def put(site: Site, graph: Any, headers: dict[str, str], query: str = "") -> Any:
    return site.ask("PUT", f"{DOOR}{query}", {**headers, **JSON}, json.dumps(graph).encode())


def publish(site: Site, *repos: str) -> None:
    assert put(site, draw(*repos), token(site)).status == 200


@pytest.mark.req("T36", "X01")
@pytest.mark.threat(28, 32)
def test_it_opens_to_who_reaches_all_of_it_and_to_operators(site: Site) -> None:
    """`ed` reaches handbook and plans; `bo` and `cy` by their roles; `di` owns plans; `ana` is an operator and reaches handbook alone."""
    people = {name: site.cookie(f"{name}@acme.example") for name in ("ana", "bo", "cy", "di", "ed")}
    strangers = {"anonymous": {}, "other": site.cookie("ana@other.example"), "filer": site.bearer("filer"), "pager": site.bearer("pager")}
    everybody = {**people, **strangers}
    before = {
        name: (site.ask("GET", PAGE, who).bare, strip(site.ask("GET", f"{DOOR}?tenant=acme", who))) for name, who in everybody.items()
    }
    publish(site, "handbook", "plans")
    for name, who in people.items():
        page, answer = site.ask("GET", PAGE, who), site.ask("GET", f"{DOOR}?tenant=acme", who)
        assert (page.status, answer.status) == (200, 200), name
        assert f'href="{PAGE}"'.encode() in site.ask("GET", "/acme/", who).body
    publish(site, "handbook", "plans", "di-home")
    for name, who in everybody.items():
        opens = name in {"ana", "di"}
        page, answer = site.ask("GET", PAGE, who), site.ask("GET", f"{DOOR}?tenant=acme", who)
        assert (page.status == 200, answer.status == 200) == (opens, opens), name
        assert (PAGE.encode() in site.ask("GET", "/acme/", who).body) == opens
        if not opens:
            assert (page.bare, strip(answer)) == before[name], name
            assert WORD.encode() not in page.body + answer.body


@pytest.mark.req("T36")
@pytest.mark.threat(28)
def test_before_the_first_it_says_that_there_is_none(site: Site) -> None:
    ana, ed = site.bearer("ana"), site.bearer("ed")
    assert b"No graph of this tenant was published yet." in site.ask("GET", DOOR, ana).body
    for path in ("/-/graph/nobody/", "/-/graph/acme", "/-/graph/ACME/", "/-/graph/../acme/", "/-/graph/%61cme/x/"):
        assert site.ask("GET", path, site.cookie("ana@acme.example")).status == 404
    assert site.ask("GET", PAGE, site.cookie("ana@acme.example")).status == 404
    assert b"There is nothing at this address, or it is not shared with you." in site.ask("GET", DOOR, ed).body


def revoke(site: Site) -> None:
    with site.world.writing() as connection:
        revoke_grant(connection, "acme", "plans", "ed", act("di"), site.world.now)


def archive(site: Site) -> None:
    with site.world.writing() as connection:
        archive_repo(connection, "acme", "plans", act("di"), site.world.now)


def end(site: Site) -> None:
    with site.world.writing() as connection:
        end_membership(connection, "acme", "ed", act("ana"), site.world.now)


@pytest.mark.req("T36")
@pytest.mark.threat(33)
@pytest.mark.parametrize("change", [revoke, archive, end])
def test_one_revoke_closes_it_with_the_next_request(site: Site, change: Callable[[Site], None]) -> None:
    ed, key, line = site.cookie("ed@acme.example"), site.bearer("ed"), site.open()
    missing = line.request("GET", PAGE, ed).bare, strip(line.request("GET", DOOR, key))
    publish(site, "handbook", "plans")
    assert (line.request("GET", PAGE, ed).status, line.request("GET", DOOR, key).status) == (200, 200)
    change(site)
    assert line.request("GET", PAGE, ed).bare == missing[0]
    answer = line.request("GET", DOOR, key)
    assert answer.status == 401 if change is end else strip(answer) == missing[1]
    assert WORD.encode() not in answer.body + line.request("GET", "/", ed).body


@pytest.mark.req("T36", "X01")
@pytest.mark.threat(32)
def test_pages_that_are_not_published_any_more_are_left_out(site: Site) -> None:
    publish(site, "handbook", "plans")
    graph = json.loads(site.ask("GET", DOOR, site.bearer("ed")).body)
    assert [(node["repo"], node["path"]) for node in graph["nodes"]] == [
        (0, "index.md"),
        (0, "guides.md"),
        (1, "index.md"),
        (1, "guides.md"),
    ]
    assert graph["edges"] == [[0, 1, 1], [2, 3, 1]]
    assert b"gone" not in site.ask("GET", PAGE, site.cookie("ed@acme.example")).body


@pytest.mark.req("T36", "M12")
@pytest.mark.threat(36)
def test_publishing_needs_the_system_token(site: Site) -> None:
    graph = draw("handbook")
    everybody = [
        (site.cookie("ana@acme.example"), 403),  # of another site's page, as far as the gateway knows
        ({**site.cookie("ana@acme.example"), "Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"}, 401),
        ({}, 401),
        (site.bearer("ana"), 403),
        (site.bearer("filer"), 403),
        (token(site, scopes=["knowledge:read", "knowledge:write"]), 403),
        (bearer("sk_live_acme_" + "A" * 40), 401),
    ]
    for headers, status in everybody:
        assert put(site, graph, headers, "" if "Cookie" not in headers else "?tenant=acme").status == status
    assert not (site.out / "acme" / "graph.json").exists()
    good = token(site)
    assert put(site, graph, good, "?tenant=other").status == 401
    assert put(site, {**graph, "tenant": "other"}, good).status == 400
    assert json.loads(put(site, graph, good).body) == {"repos": 1, "nodes": 3, "edges": 2}
    assert site.ask("GET", DOOR, good).status == 403, "it is for publishing, not for reading"
    with site.world.writing() as connection:
        (line,) = [each for each in fetch_audit(connection, "acme") if each.action == "graph.publish"]
        revoke_key(connection, "acme", list_keys(connection, "acme", "filer")[-1].id, CONSOLE, site.world.now)
    assert (line.actor, line.after) == ("filer", {"repos": ["handbook"]})
    assert put(site, draw("plans"), good).status == 401
    assert json.loads((site.out / "acme" / "graph.json").read_bytes())["repos"][0]["id"] == "handbook"


@pytest.mark.req("T36")
@pytest.mark.threat(36)
@pytest.mark.parametrize("by", ["bo", "cy", "ed"])
def test_only_operators_make_system_tokens(site: Site, by: str) -> None:
    for holder in ("filer", by):
        with pytest.raises(RefusalError), site.world.writing() as connection:
            create_key(connection, "acme", holder, PUBLISH, act(by), site.world.now)


@pytest.mark.req("T36")
@pytest.mark.threat(11, 13, 48)
@pytest.mark.parametrize(
    "graph",
    [
        {},
        [],
        draw(),
        draw("handbook", "handbook"),
        draw("handbook", "ledger"),
        draw("handbook", "never-existed"),
        draw("handbook", more=1),
        draw("../other"),
        draw("handbook", edges=[[0, 99, 1]]),
        draw("handbook", edges=[[0, -1, 1]]),
        draw("handbook", edges=[[0, 1]]),
        draw("handbook", nodes=[{"repo": 1, "path": "a", "title": "a", "url": ""}], edges=[]),
        draw("handbook", parents=[["handbook/a", "plans/b"]]),
        draw("handbook", nodes=[{"repo": 0, "path": "a", "title": 1, "url": ""}], edges=[]),
    ],
    ids=range(14),
)
def test_what_is_no_graph_of_the_tenant_is_refused_and_leaves_the_last(site: Site, graph: Any) -> None:
    publish(site, "plans")
    reply = put(site, graph, token(site))
    assert reply.status == 400
    assert not any(secret.encode() in reply.body for secret in SECRETS.values())
    assert json.loads(site.ask("GET", DOOR, site.bearer("ana")).body)["repos"][0]["id"] == "plans"


@pytest.mark.threat(11, 48)
def test_a_graph_that_is_too_large_or_no_json_is_refused(site: Site) -> None:
    key = token(site)
    assert site.ask("PUT", DOOR, {**key, **JSON, "Content-Length": "99999999"}).status == 413
    assert site.ask("PUT", DOOR, {**key, **JSON}, b"[" * 100_000).status == 400
    assert site.ask("PUT", DOOR, key, b"{}").status == 415
    for method in ("POST", "DELETE", "PATCH", "OPTIONS"):
        assert site.ask(method, DOOR, key).status == 405


@pytest.mark.req("T36")
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"tenant": "other"}', b"\xff\xfe"])
def test_a_file_that_cannot_be_read_opens_to_nobody(site: Site, content: bytes) -> None:
    (site.out / "acme" / "graph.json").write_bytes(content)
    assert site.ask("GET", PAGE, site.cookie("ana@acme.example")).status == 404
    assert site.ask("GET", DOOR, site.bearer("ana")).status == 404
    assert site.ask("GET", "/acme/", site.cookie("ana@acme.example")).status == 200


@pytest.mark.req("T36")
def test_the_file_itself_is_at_no_address(site: Site) -> None:
    publish(site, "handbook")
    for path in ("/acme/graph.json", "/acme/graph.json/", "/acme//graph.json", "/-/graph/acme/graph.json"):
        reply = site.ask("GET", path, site.cookie("ana@acme.example"))
        assert (reply.status, WORD.encode() in reply.body) == (404, False)


@pytest.mark.threat(48)
def test_a_large_graph_is_written_and_read_beside_the_other_requests(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    where: dict[str, str] = {}

    def noting(name: str, real: Any) -> Any:
        def run(*given: Any) -> Any:
            where[name] = threading.current_thread().name
            return real(*given)

        return run

    monkeypatch.setattr(api_graph, "render_compact_json", noting("written", render_compact_json))
    monkeypatch.setattr(api_requests, "_read_json", noting("read", api_requests._read_json))
    assert (
        put(site, draw("handbook", nodes=[{**draw("handbook")["nodes"][0], "title": "x" * 3999}] * 20, edges=[]), token(site)).status == 200
    )
    assert site.ask("GET", DOOR, site.bearer("ed")).status == 200
    assert {name.startswith("AnyIO worker") for name in where.values()} == {True}
    assert set(where) == {"written", "read"}
