"""The canary: a secret word in every part of every hidden repo and page; whoever may not read asks for everything (SPEC X01, S11).

Routes come from the gateway's own table and files from every release's own list, so what is new is asked for without anybody thinking of
it. Raw sockets that stay open; no byte of a secret comes back, and hidden and missing are the same status, headers and body, but for
date and request id (THREATS 28, 32, 36).
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.routing import Route

from indexer.registry.reach import Reader
from indexer.serve.context import Visit, open_gateway, read_clock
from indexer.serve.gateway import own_routes
from indexer.serve.tenant_desks import Asking, TenantDesks
from indexer.serve.tool_error import ToolError
from indexer.serve.tools import TOOLS
from tests.tools.canaries import (
    ALL_REPOS,
    KINDS,
    Ask,
    Role,
    Walker,
    assemble,
    build_canaries,
    find_secrets,
    list_files,
    open_canaries,
    serving,
    stem,
    words,
)
from tests.tools.desks import make_call
from tests.tools.gateways import Line, Reply, Site

pytestmark = [pytest.mark.req("X01", "S11"), pytest.mark.threat(28, 32, 36)]

METHODS = ("HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
SUFFIXES: tuple[str, ...] = (
    "",
    ".md",
    "index.html",
    "/",
    "/index.html",
    ".json",
    "?x",
    "%2e",
    "/%2e%2e/",
    ";a.css",
    "%00",
    "//",
    ".map",
    "~",
    "%20",
    "/..;/",
)
MISSING = "never-existed"
MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
Replies = Iterable[tuple[str, Reply]]
Bare = tuple[int, list[tuple[str, str]], bytes]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Both tenants behind `brain serve`."""
    root: Path = tmp_path_factory.mktemp("canary")
    with serving(open_canaries(build_canaries(root), root / "registry.sqlite")) as running:
        yield running


@pytest.fixture(scope="module")
def roles(site: Site) -> list[Role]:
    """Everybody who may not read; nothing changes any more."""
    return assemble(site)


@pytest.fixture(scope="module")
def walker(site: Site) -> Iterator[Walker]:
    """Counts the requests of all tests here, and says how many there were."""
    counting = Walker(site)
    yield counting
    print(f"\ncanary: {counting.count:,} requests")


def bare(reply: Reply, *names: tuple[str, str]) -> Bare:
    """An answer without what differs between any two, and with the names that were asked for replaced by the others."""
    status, headers, body = reply.bare
    body = body.replace((reply.get("x-request-id") or "-").encode(), b"ID")
    for old, new in names:
        body = body.replace(old.encode(), new.encode())
        headers = [(name, value.replace(old, new)) for name, value in headers]
    return status, headers, body


def list_hidden_files(site: Site, tenant: str, repo: str) -> list[str]:
    """Every file of a release, as part of an address."""
    return [quote(file) for file in list_files(site, tenant, repo)]


def list_kinds(files: Iterable[str]) -> list[str]:
    """One file of each kind: by folder at the top and ending. Each is also asked for as the address of its page."""
    chosen = {(file.split("/")[0] if "/" in file else "", file.rpartition(".")[2]): file for file in files}
    kinds = sorted(chosen.values())
    return ["", *kinds, *(file.removesuffix("index.html") for file in kinds if file.endswith("/index.html"))]


def test_who_may_read_finds_every_secret(site: Site, roles: list[Role], walker: Walker) -> None:
    """Or nothing here would prove anything."""
    reader = next(role for role in roles if role.name == "reader of plans")
    seen = b""
    for ask, reply in walker.walk([Ask("GET", f"/acme/plans/{file}") for file in list_hidden_files(site, "acme", "plans")], reader.headers):
        assert reply.status == 200, ask
        assert find_secrets(reply, reader) == [], ask
        seen += ask.target.encode() + reply.body
    low = seen.lower()
    assert [kind for kind, word in words(stem("acme", "plans")).items() if word.encode() not in low] == []
    for _, reply in walker.walk([Ask("GET", "/"), Ask("GET", f"/-/search?q={stem('acme', 'plans')}body")], reader.headers):
        assert f"{stem('acme', 'plans')}title".encode() in reply.body


def test_hidden_repos_are_missing_ones_in_every_byte(site: Site, roles: list[Role], walker: Walker) -> None:
    """Every file of every hidden repo; of every kind of file, every method and every suffix."""
    files = {place: list_hidden_files(site, *place) for place in sorted(ALL_REPOS)}
    assert all(len(each) > 40 for each in files.values())
    for turn, role in enumerate(roles):
        missing = {}
        for ask, reply in walker.walk([Ask(method, f"/acme/{MISSING}/") for method in ("GET", *METHODS)], role.headers):
            missing[ask.method] = reply.bare
            assert reply.status == 404
        for tenant, repo in sorted(role.hidden):
            base, listed = f"/{tenant}/{repo}", files[tenant, repo]
            kinds = list_kinds(listed)
            asks = [Ask("GET", base), *(Ask("GET", f"{base}/{file}") for file in listed)]
            asks += [Ask("GET", f"{base}/{kind}{suffix}") for at, kind in enumerate(kinds) for suffix in SUFFIXES[(turn + at) % 3 :: 3]]
            asks += [Ask(method, f"{base}/{kind}") for at, kind in enumerate(kinds) for method in METHODS[(turn + at) % 3 :: 3]]
            for ask, reply in walker.walk(asks, role.headers):
                assert reply.bare == missing[ask.method], (role.name, ask)
    assert walker.count > 10_000


def test_hidden_pages_of_readable_repos_are_missing_ones(site: Site, roles: list[Role], walker: Walker) -> None:
    """Nothing of them is in any byte of what may be read around them, and their own addresses are none."""
    for role in roles:
        for tenant, repo in sorted(ALL_REPOS - role.hidden):
            base, hid = f"/{tenant}/{repo}", words(f"zqhid{tenant}{repo}")
            for ask, reply in walker.walk([Ask("GET", f"{base}/{file}") for file in list_hidden_files(site, tenant, repo)], role.headers):
                assert reply.status == 200, (role.name, ask)
                assert find_secrets(reply, role) == [], (role.name, ask)
            places = [hid["folder"], f"{hid['folder']}/{hid['file']}", f"{hid['folder']}/{hid['image']}.png", f"_/tags/{hid['tag']}"]
            asks = [Ask("GET", f"{base}/{place}{suffix}") for place in places for suffix in SUFFIXES]
            asks += [Ask(method, f"{base}/{place}") for place in places for method in METHODS]
            missing = {}
            for ask, reply in walker.walk([Ask(method, f"{base}/{MISSING}") for method in ("GET", *METHODS)], role.headers):
                missing[ask.method] = reply.bare
            for ask, reply in walker.walk(asks, role.headers):
                assert reply.bare == missing[ask.method], (role.name, ask)


# ---------------------------------------------------------------- the gateway's own addresses


def list_routes(site: Site) -> list[str]:
    """Templates of all routes, from the gateway's own table."""
    gateway = open_gateway(site.settings)
    try:
        routes = own_routes(gateway)
    finally:
        gateway.close()
    assert all(isinstance(route, Route) for route in routes), "teach the canary this kind of route"
    return sorted({route.path_format for route in routes if isinstance(route, Route)})


def fill(template: str, tenant: str, repo: str) -> list[str]:
    """The addresses that a template stands for, with these names in them."""
    values = {
        "tenant": [tenant],
        "repo": [repo],
        "name": [*TOOLS, "gateway.css"] if "tools" in template else ["gateway.css", f"../{tenant}/{repo}/index.html"],
        "rest": [f"v1/{tenant}/{repo}", f"{tenant}/{repo}/index.html"],
    }
    addresses = [template]
    for name in re.findall(r"\{(\w+)\}", template):
        assert name in values, f"teach the canary what {{{name}}} of {template} is"
        addresses = [address.replace(f"{{{name}}}", value) for address in addresses for value in values[name]]
    return addresses


def choose_pair(role: Role) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Hidden names and missing ones of the same length: a repo of their own tenant, and a tenant that is not theirs."""
    own = next((place for place in sorted(role.hidden) if place[0] == role.tenant), None)
    other = next(place for place in sorted(role.hidden) if place[0] != role.tenant)
    pairs = [(other, ("x" * len(other[0]), other[1]))]
    return [*pairs, (own, (own[0], "x" * len(own[1])))] if own else pairs


def test_no_route_tells_a_secret_or_hidden_from_missing(site: Site, roles: list[Role], walker: Walker) -> None:
    began = walker.count
    templates = list_routes(site)
    assert len(templates) > 20
    for turn, role in enumerate(roles):
        for hidden, missing in choose_pair(role):
            for at, template in enumerate(templates):
                named = "{" in template
                pairs = list(zip(fill(template, *hidden), fill(template, *missing), strict=True))
                ways = [("GET", suffix) for suffix in SUFFIXES[(turn + at) % 4 :: 4]] + [
                    (method, "") for method in METHODS[(turn + at) % 2 :: 2]
                ]
                asks = [Ask(method, side + suffix) for pair in pairs for method, suffix in ways for side in (pair if named else pair[:1])]
                replies = list(walker.walk(asks, role.headers))
                for ask, reply in replies:
                    assert find_secrets(reply, role, ask.target) == [], (role.name, ask)
                    assert reply.status < 500, (role.name, ask)
                if named:
                    swap = [(new, old) for old, new in zip(hidden, missing, strict=True) if new != old]
                    for (ask, one), (_, other) in zip(replies[::2], replies[1::2], strict=True):
                        assert bare(one) == bare(other, *swap), (role.name, ask)
    assert walker.count - began > 10_000


def test_forms_about_hidden_repos_are_answered_as_about_missing_ones(site: Site, roles: list[Role]) -> None:
    """With a token that is good: nothing is changed, nothing is told."""
    for role in (role for role in roles if role.person):
        line = site.open()
        found = re.search(rb'name="csrf" value="([0-9a-f]{64})"', line.request("GET", "/", role.headers).body)
        assert found, role.name
        body = b"to=fay&access=read&csrf=" + found[1]
        for (tenant, repo), (other, never) in choose_pair(role):
            for action in ("grant", "revoke", "archive", "restore"):
                one = line.request("POST", f"/-/repos/{tenant}/{repo}/{action}", {**role.headers, **FORM}, body)
                two = line.request("POST", f"/-/repos/{other}/{never}/{action}", {**role.headers, **FORM}, body)
                assert bare(one) == bare(two), (role.name, tenant, repo, action)
                assert one.status == 404
                assert find_secrets(one, role) == []
        line.close()


# ---------------------------------------------------------------- lists, searches, tools


def make_arguments(tool: str, repo: str, word: str, page: str) -> dict[str, Any]:
    """Arguments of a tool that name a repo, a page of it and a word in it."""
    values = {
        "project": repo,
        "brain": f"{repo}/house",
        "path": f"{repo}/{page}",
        "query": word,
        "includeParents": True,
        "type": "business@1",
        "cursor": None,
    }
    fields = TOOLS[tool].arguments.model_fields
    assert set(fields) <= set(values), f"teach the canary the arguments of {tool}"
    return {name: values[name] for name in fields if values[name] is not None}


def ask_tools(line: Line, role: Role, repo: str, word: str, page: str) -> Iterator[tuple[str, Reply]]:
    """Everything that programs can ask about a repo, a page and a word."""
    for number, tool in enumerate(TOOLS):
        arguments = make_arguments(tool, repo, word, page)
        body = json.dumps(arguments).encode()
        sent = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", **role.headers}
        yield tool, line.request("POST", f"/api/v1/tools/{tool}", sent, body)
        yield f"mcp {tool}", line.request("POST", "/mcp", {**MCP, **role.headers}, make_call(number, tool, arguments))
    yield "search", line.request("GET", f"/api/v1/search?q={word}", role.headers)
    yield "search in", line.request("GET", f"/api/v1/search?q={word}&repo={repo}", role.headers)
    yield "search page", line.request("GET", f"/-/search?q={word}", role.headers)
    yield "search page in", line.request("GET", f"/-/search?q={word}&in=acme/{repo}", role.headers)


def test_tools_and_searches_tell_no_secret_and_hidden_is_missing(site: Site, roles: list[Role], walker: Walker) -> None:
    for turn, role in enumerate(roles):
        line = site.open()
        visible = {repo for tenant, repo in ALL_REPOS - role.hidden if tenant == role.tenant}
        for tenant, repo in sorted(role.hidden):
            if repo in visible:
                continue  # their own, of the same name
            word = stem(tenant, repo) + KINDS[turn % len(KINDS)]
            swap = ("x" * len(repo), repo), ("zx" + word[2:], word)
            hidden = ask_tools(line, role, repo, word, "house/pricing.md")
            missing = ask_tools(line, role, swap[0][0], swap[1][0], "house/pricing.md")
            compare(role, walker, hidden, missing, f"{repo} {word}", *swap)
        for tenant, repo in sorted(place for place in ALL_REPOS - role.hidden if place[0] == role.tenant):
            hid = words(f"zqhid{tenant}{repo}")
            page = f"{hid['folder']}/{hid['file']}.md"
            swap = (page.replace("zq", "zx"), page), (hid["body"].replace("zq", "zx"), hid["body"])
            compare(
                role,
                walker,
                ask_tools(line, role, repo, hid["body"], page),
                ask_tools(line, role, repo, swap[1][0], swap[0][0]),
                f"{repo} {page} {hid['body']}",
                *swap,
            )
        line.close()


def compare(role: Role, walker: Walker, hidden: Replies, missing: Replies, asked: str, *swap: tuple[str, str]) -> None:
    """Hidden and missing are the same, and no secret is in either."""
    for (what, one), (_, other) in zip(hidden, missing, strict=True):
        walker.count += 2
        assert find_secrets(one, role, asked) == [], (role.name, what, asked)
        assert find_secrets(other, role) == [], (role.name, what, asked)
        assert bare(one, *swap) == bare(other, *swap), (role.name, what, asked)


def test_lists_hold_what_is_readable_and_count_nothing_else(site: Site, roles: list[Role]) -> None:
    for role in roles:
        line = site.open()
        visible = sorted(repo for tenant, repo in ALL_REPOS - role.hidden if tenant == role.tenant)
        reply = line.request("GET", "/api/v1/repos", role.headers)
        if role.program or role.person:
            assert [repo["id"] for repo in json.loads(reply.body)["repos"]] == visible, role.name
        else:
            # In a browser somebody who left is still somebody, of no tenant.
            assert reply.status in {401, 404}, role.name
        for path in ("/", "/acme/", "/rival/", "/-/search", "/-/repos/acme/", "/-/repos/rival/", "/api/v1/tools"):
            reply = line.request("GET", path, role.headers)
            assert find_secrets(reply, role) == [], (role.name, path)
        if role.person:
            text = html.unescape(line.request("GET", "/", role.headers).body.decode())
            assert set(re.findall(rf"/{role.tenant}/([a-z]+)/", text)) == set(visible), role.name
        line.close()


def test_an_agent_for_a_person_gets_no_secret_from_any_tool(site: Site, roles: list[Role]) -> None:
    """No key stands for both yet; the desk that the doors open for whoever asks takes such a reader."""
    import anyio

    assert roles
    gateway = open_gateway(site.settings)
    readers = {
        "agent for a member without grant": Reader("acme", account="fay", agent="filer"),
        "agent to which a revoked person is speaking": Reader("acme", account="ed", agent="pager", speaking=True),
        "agent for somebody who left": Reader("acme", account="gus", agent="filer"),
        "agent for somebody of another tenant": Reader("acme", account="nobody", agent="filer"),
    }
    visit = Visit("0" * 16, "POST", b"/mcp", [], read_clock())

    async def ask(reader: Reader, tool: str, repo: str) -> str:
        desk = await TenantDesks(gateway).open(Asking(reader), visit)
        try:
            return str(desk.call(tool, make_arguments(tool, repo, stem("acme", repo) + "body", "house/pricing.md")))
        except ToolError as error:
            return error.render(tool)

    for name, reader in readers.items():
        for tool in TOOLS:
            missing = anyio.run(ask, reader, tool, MISSING)
            for repo in ("plans", "vault", "gone"):
                answer = anyio.run(ask, reader, tool, repo)
                for hidden in ("acmeplans", "acmevault", "acmegone", "hid", "rival"):
                    assert f"zq{hidden}" not in answer.lower().replace(f"{stem('acme', repo)}body", ""), (name, tool, repo)
                expected = missing.replace(stem("acme", MISSING), stem("acme", repo)).replace(MISSING, repo)
                assert answer == expected, (name, tool, repo)
    gateway.close()
