"""Every account and every key of two tenants asks the doors for programs for everything: what comes back is theirs, and nothing else is
told apart (THREATS D). Below the clients where a client would tidy what is sent."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from indexer.registry.audit import CONSOLE
from indexer.registry.members import end_membership
from indexer.registry.reach import Reader
from indexer.serve.access import TenantGate
from indexer.serve.library import Library
from indexer.serve.tool_error import ToolError
from indexer.serve.tools import TOOLS, Desk
from tests.tools.api_sites import RIVAL_WORD, call, make_key, open_api, revoke, strip
from tests.tools.customers import CANARY
from tests.tools.desks import make_call
from tests.tools.gateways import Line, Site, bearer, running

_TOP = b"POST /api/v1/tools/getBrain HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
OWN = {"Origin": "http://127.0.0.1:8080"}
MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
MEMBERS = {"shop": ("ada", "sam", "ann", "bob", "cyd", "olga", "max", "bot"), "rival": ("ann", "max", "bot")}
ADMITTED = {"ada", "sam", "bot"}
"""Of `shop`: who reaches the repo in which the secret word stands."""
BRAINS = (
    *("ann-home/shop", "bob-home/shop", "cyd-home/shop", "rules/house", "rules/house/cellar", "rules/drafts", "board/plans", "vault/house"),
    *("nowhere/at-all", "rules", "board", "", "rules/house/../../board/plans", "shop/board/plans", "rival/vault/house", "board/plans\0"),
)
PATHS = tuple(f"{brain}/{page}.md" for brain in BRAINS for page in ("brain", "pricing", "offer", "hidden", "wine"))
CALLS: tuple[tuple[str, Any], ...] = (
    ("listBrains", {}),
    *(("listBrains", {"project": project}) for project in ("board", "rules", "vault", "bob-home", "nowhere")),
    *(("getBrain", {"brain": brain}) for brain in BRAINS),
    *(("searchBrain", {"brain": brain, "query": word, "includeParents": True}) for brain in BRAINS for word in ("word", CANARY)),
    *(("readDocument", {"path": path}) for path in PATHS),
)


@pytest.fixture(scope="module")
def site(shops: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A gateway with a log, for tests that change nothing that another one needs."""
    folder = tmp_path_factory.mktemp("access")
    with running(open_api(shops, folder / "registry.sqlite", log=folder / "log.json")) as running_site:
        yield running_site


def ask_everything(line: Line, headers: dict[str, str], query: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield what was asked for and the body of the answer, over every door."""
    sent = {"Content-Type": "application/json", **headers}
    for tool, arguments in CALLS:
        reply = line.request("POST", f"/api/v1/tools/{tool}{query}", sent, json.dumps(arguments).encode())
        yield f"{tool} {arguments}", reply.body
    more = query.replace("?", "&")
    for path in (f"tools{query}", f"repos{query}", *(f"search?q={word}{more}" for word in ("word", CANARY, RIVAL_WORD, "a"))):
        yield path, line.request("GET", f"/api/v1/{path}", headers).body
    for repo in ("board", "vault", "rules", "bob-home"):
        yield f"search {repo}", line.request("GET", f"/api/v1/search?q=a&repo={repo}{more}", headers).body
    if "Authorization" in headers:
        for number, (tool, arguments) in enumerate(CALLS):
            yield f"mcp {tool}", line.request("POST", "/mcp", {**MCP, **headers}, make_call(number, tool, arguments)).body


def forbidden_words(tenant: str, who: str) -> list[str]:
    """Return what must be in no answer to somebody."""
    others = [f"Private words of {name}" for name in ("ann", "bob", "cyd") if name != who or tenant != "shop"]
    secret = [f"{CANARY} of"] if tenant == "shop" and who in ADMITTED else [CANARY]
    return [*others, *secret, *([RIVAL_WORD] if tenant == "shop" else ["violins", "House rules", "cellar"])]


@pytest.mark.req("X01", "S11", "S14", "S15")
@pytest.mark.threat(32, 36)
@pytest.mark.parametrize(("tenant", "who"), [(tenant, who) for tenant, names in MEMBERS.items() for who in names])
def test_no_byte_of_what_somebody_does_not_reach_is_in_any_answer(site: Site, tenant: str, who: str) -> None:
    said = []
    for what, body in ask_everything(site.open(), bearer(make_key(site, tenant, who))):
        said.append(body.decode())
        assert not [word for word in forbidden_words(tenant, who) if word in said[-1]], what
    assert len(said) > 250
    # Whoever does reach the words gets them, or this would prove nothing.
    assert any(CANARY in text for text in said) == (tenant == "shop" and who in ADMITTED)
    assert any(RIVAL_WORD in text for text in said) == (tenant == "rival")


@pytest.mark.req("X01", "S15", "T10")
@pytest.mark.threat(36)
@pytest.mark.parametrize("who", MEMBERS["shop"])
def test_everybody_gets_what_the_declared_rules_say_and_hidden_is_as_missing(site: Site, who: str) -> None:
    """The rules in plain Python against the registry, and every refusal for a brain or page against one that never was."""
    reader = Reader("shop", agent=who) if who == "bot" else Reader("shop", account=who)
    gate = TenantGate(site.out.parent / "brains" / "shop" / "tenant.yml", reader)
    desk = Desk(Library(site.out / "shop", single=False), gate, lambda: "2026-11-30")
    headers = bearer(make_key(site, "shop", who))
    missing = {
        "getBrain": strip(call(site, "getBrain", {"brain": "never/was"}, headers)),
        "searchBrain": strip(call(site, "searchBrain", {"brain": "never/was", "query": "x"}, headers)),
        "readDocument": strip(call(site, "readDocument", {"path": "never/was.md"}, headers)),
    }
    for tool, arguments in CALLS:
        reply = call(site, tool, arguments, headers)
        try:
            expected = desk.call(tool, arguments)
        except ToolError:
            assert strip(reply) == missing[tool], (tool, arguments)
        else:
            assert json.loads(reply.body) == expected, (tool, arguments)


@pytest.mark.req("X01", "T09")
@pytest.mark.threat(32, 36)
@pytest.mark.parametrize(
    ("email", "tenant", "who"),
    [
        *((f"{who}@shop.example", "shop", who) for who in ("ada", "sam", "ann", "olga")),
        ("ann@rival.example", "rival", "ann"),
        ("max@example.org", "shop", "max"),
        ("max@example.org", "rival", "max"),
    ],
)
def test_the_same_holds_for_people_in_a_browser(site: Site, email: str, tenant: str, who: str) -> None:
    headers, said = {**site.cookie(email), **OWN}, []
    for what, body in ask_everything(site.open(), headers, f"?tenant={tenant}"):
        said.append(body.decode())
        assert not [word for word in forbidden_words(tenant, who) if word in said[-1]], what
    assert any(CANARY in text for text in said) == (tenant == "shop" and who in ADMITTED)
    assert any(RIVAL_WORD in text for text in said) == (tenant == "rival")


@pytest.mark.req("S11")
@pytest.mark.threat(28, 31)
def test_a_repo_that_is_hidden_is_searched_as_one_that_never_was(site: Site) -> None:
    headers = bearer(make_key(site, "shop", "ann"))
    names = ("board", "bob-home", "vault", "nowhere", "rules/house", "RULES", "-", "%2e%2e", "rules%00")
    assert len({str(strip(site.ask("GET", f"/api/v1/search?q=a&repo={name}", headers))) for name in names}) == 1
    assert site.ask("GET", "/api/v1/search?q=a&repo=rules", headers).status == 200


def bad_keys(site: Site) -> Iterator[str]:
    """Yield what may stand in `Authorization` and is good for nothing: malformed, unknown, revoked, expired, of who left."""
    good = make_key(site, "shop", "ann")
    yield from (f"Bearer {text}" for text in ("x", "sk_live_shop_", "sk_live_shop_" + "A" * 40, "sk_live_nowhere_" + "A" * 40))
    yield from (f"Bearer {good}A", f"Bearer {good[:-1]}", f"Bearer {good.swapcase()}", f"Bearer {good.replace('shop', 'rival')}")
    yield from (good, f"Basic {good}", f"Bearer{good}", f"Bearer {'A' * 500}", "Bearer \xe9", "Bearer", f"Bearer {good} {good}")
    revoked = make_key(site, "shop", "ann")
    revoke(site, "shop", revoked)
    yield f"Bearer {revoked}"
    expired = make_key(site, "shop", "ann", expires=site.world.now + timedelta(minutes=1))
    site.world.wait(timedelta(minutes=2))
    yield f"Bearer {expired}"


@pytest.mark.req("M12", "S11")
@pytest.mark.threat(36, 38)
def test_a_key_that_is_no_good_gets_the_same_bytes_for_whatever_reason_and_whatever_it_asks_for(site: Site) -> None:
    requests = [
        ("GET", "/api/v1/repos"),
        ("GET", "/api/v1/nothing"),
        ("POST", "/api/v1/tools/getBrain"),
        ("GET", "/api/v1/search?q=a&repo=board"),
    ]
    answers = set()
    for text in bad_keys(site):
        for method, path in requests:
            reply = site.ask(method, path, {"Authorization": text, **site.cookie("ada@shop.example"), **OWN})
            assert reply.status == 401, text
            answers.add(str(strip(reply)))
        assert site.ask("POST", "/mcp", {**MCP, "Authorization": text}, make_call(1, "listBrains", {})).status == 401
    assert len(answers) == 1


@pytest.mark.req("M12")
@pytest.mark.threat(36)
def test_no_request_can_choose_another_tenant_for_a_key(site: Site) -> None:
    """Whether or not there is a tenant of that name."""
    headers = bearer(make_key(site, "shop", "ada"))
    for path in ("/api/v1/repos?tenant={}", "/api/v1/search?q=a&tenant={}", "/api/v1/tools?tenant={}"):
        replies = [strip(site.ask("GET", path.format(name), headers)) for name in ("rival", "nowhere", "SHOP", "")]
        assert replies[0][0] == 401
        assert len({str(reply) for reply in replies}) == 1
        assert site.ask("GET", path.format("shop"), headers).status == 200
    for more in ({"X-Tenant": "rival"}, {"Host": "rival.127.0.0.1"}, {"X-Forwarded-Host": "rival.example"}, {"Cookie": "tenant=rival"}):
        assert RIVAL_WORD.encode() not in site.ask("GET", "/api/v1/repos", {**headers, **more}).body


@pytest.mark.req("T10", "M12")
@pytest.mark.threat(36)
def test_an_agents_key_is_the_agent_alone_and_no_request_makes_it_speak_for_somebody(site: Site) -> None:
    headers = bearer(make_key(site, "shop", "bot"))
    alone = site.ask("GET", "/api/v1/repos", headers).body
    assert [repo["id"] for repo in json.loads(alone)["repos"]] == ["board"]
    for more in ({"X-On-Behalf-Of": "ann"}, {"X-Account": "ann"}, {"From": "ann@shop.example"}, site.cookie("ann@shop.example")):
        assert site.ask("GET", "/api/v1/repos", {**headers, **more}).body == alone
    for query in ("for=ann", "account=ann", "as=ann", "speaker=ann"):
        assert site.ask("GET", f"/api/v1/repos?{query}", headers).status == 400
    assert call(site, "listBrains", {"account": "ann"}, headers).status == 400
    # A person whom an agent asks for is asked for by a key of that person.
    person = json.loads(site.ask("GET", "/api/v1/repos", bearer(make_key(site, "shop", "ann"))).body)
    assert [repo["id"] for repo in person["repos"]] == ["ann-home", "rules"]


@pytest.mark.req("M12")
@pytest.mark.threat(36)
def test_a_key_for_one_brain_reads_that_brain_alone(site: Site) -> None:
    """Not the brain below it, not the repo around it, not its parent; what it is not for answers as missing."""
    house, shop = (bearer(make_key(site, "shop", "cyd", brain=brain)) for brain in ("rules/house", "cyd-home/shop"))
    listed = json.loads(call(site, "listBrains", {}, house).body)
    assert [brain["id"] for brain in listed["brains"]] == ["rules/house"]
    assert json.loads(call(site, "listBrains", {"project": "cyd-home"}, house).body)["brains"] == []
    assert json.loads(call(site, "getBrain", {"brain": "cyd-home/shop"}, shop).body)["parent"] is None
    found = call(site, "searchBrain", {"brain": "cyd-home/shop", "query": "word", "includeParents": True}, shop)
    assert json.loads(found.body)["searched"] == ["cyd-home/shop"]
    assert call(site, "readDocument", {"path": "rules/house/pricing.md"}, house).status == 200
    missing = strip(call(site, "readDocument", {"path": "never/was.md"}, house))
    for path in (
        "rules/house/cellar/wine.md",
        "rules/readme.md",
        "cyd-home/shop/offer.md",
        "rules/housekeeping.md",
        "board/plans/pricing.md",
    ):
        assert strip(call(site, "readDocument", {"path": path}, house)) == missing
    missing = strip(call(site, "getBrain", {"brain": "never/was"}, house))
    for brain in ("rules/house/cellar", "rules", "cyd-home/shop", "board/plans"):
        assert strip(call(site, "getBrain", {"brain": brain}, house)) == missing
    assert json.loads(site.ask("GET", "/api/v1/repos", house).body) == {"repos": []}
    assert json.loads(site.ask("GET", "/api/v1/search?q=word", house).body)["searched"] == []
    assert site.ask("GET", "/api/v1/search?q=word&repo=rules", house).status == 404


@pytest.mark.req("M12")
def test_a_key_for_the_brain_at_the_root_of_a_repo_reads_that_repo(site: Site) -> None:
    headers = bearer(make_key(site, "shop", "cyd", brain="rules"))
    assert [repo["id"] for repo in json.loads(site.ask("GET", "/api/v1/repos", headers).body)["repos"]] == ["rules"]
    assert [brain["id"] for brain in json.loads(call(site, "listBrains", {}, headers).body)["brains"]] == [
        "rules/house",
        "rules/house/cellar",
    ]
    assert call(site, "readDocument", {"path": "rules/house/cellar/wine.md"}, headers).status == 200
    assert call(site, "getBrain", {"brain": "cyd-home/shop"}, headers).status == 404


@pytest.mark.req("M12", "T09")
@pytest.mark.threat(33)
def test_what_ends_acts_on_the_next_request_of_an_open_connection(shops: Path, tmp_path: Path) -> None:
    with running(open_api(shops, tmp_path / "registry.sqlite")) as own:
        key, cookie = make_key(own, "shop", "ann"), own.cookie("bob@shop.example")
        program, person = own.open(), own.open()
        assert program.request("GET", "/api/v1/repos", bearer(key)).status == 200
        assert person.request("GET", "/api/v1/repos", cookie).status == 200
        revoke(own, "shop", key)
        assert program.request("GET", "/api/v1/repos", bearer(key)).status == 401
        other = bearer(make_key(own, "shop", "bob"))
        assert program.request("GET", "/api/v1/repos", other).status == 200
        with own.world.writing() as connection:
            end_membership(connection, "shop", "bob", CONSOLE, own.world.now)
        assert program.request("GET", "/api/v1/repos", other).status == 401
        assert b"bob-home" not in person.request("GET", "/api/v1/repos", cookie).body
        assert person.request("GET", "/api/v1/search?q=word", cookie).status in {401, 404}


@pytest.mark.threat(38)
def test_no_key_is_in_any_answer_or_in_the_log(site: Site) -> None:
    key = make_key(site, "shop", "ann")
    for path, headers in (
        (f"/api/v1/repos?access_token={key}", {}),
        (f"/api/v1/search?q={key}", bearer(key)),
        (f"/api/v1/repos?key={key}", bearer(key)),
        ("/api/v1/nothing", bearer(key + "x")),
    ):
        reply = site.ask("GET", path, headers)
        assert key not in str(reply.headers)
        assert key.encode() not in reply.body
    assert call(site, "getBrain", {key: key}, bearer(key)).status == 400
    assert site.settings.log is not None
    text = site.settings.log.read_text("ascii")
    assert '"route":"search"' in text
    assert key not in text
    assert key[-20:] not in text


@pytest.mark.req("X02")
@pytest.mark.threat(28, 48)
@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: 99999999999999\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}",
        b"Transfer-Encoding: gzip\r\n\r\n{}",
        b"Host: other\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\n folded: x\r\n\r\n[}",
        b"Content-Length: 2\r\n\r\n[}",
    ],
)
def test_malformed_requests_are_refused_and_hold_nothing(site: Site, rest: bytes) -> None:
    key = make_key(site, "shop", "ada")
    line = site.open()
    line.send(_TOP + f"Authorization: Bearer {key}\r\n".encode() + rest)
    reply = line.read()
    assert 400 <= reply.status < 500
    assert CANARY.encode() not in reply.body
    assert key.encode() not in reply.body


@pytest.mark.req("S10")
@pytest.mark.threat(48)
def test_a_body_in_chunks_is_read_up_to_the_limit(site: Site) -> None:
    key = make_key(site, "shop", "ada")
    top = _TOP + f"Authorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    for chunks, status in (([b"{", b"}"], 400), ([b"{", b" " * 40_000, b" " * 40_000, b"}"], 413)):
        line = site.open()
        line.send(top + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n")
        reply = line.read()
        assert (reply.status, b"`brain` is missing" in reply.body) == (status, status == 400)


def test_nobody_is_told_more_than_that_a_key_is_needed(site: Site) -> None:
    for tool in (*TOOLS, "nothing"):
        assert call(site, tool, {}, {}).status == 401
    for path in ("repos", "search?q=a", "tools"):
        assert site.ask("GET", f"/api/v1/{path}").status == 401


@pytest.mark.req("M12", "T09")
@pytest.mark.threat(34, 36)
def test_on_a_tenants_own_host_a_key_of_another_tenant_is_no_good(shops: Path, tmp_path: Path) -> None:
    with running(open_api(shops, tmp_path / "registry.sqlite", url="https://brain.example", host_per_tenant=True)) as own:
        shop, rival = (bearer(make_key(own, tenant, "ann")) for tenant in ("shop", "rival"))
        for host, good, bad in (("shop.brain.example", shop, rival), ("rival.brain.example", rival, shop)):
            assert own.ask("GET", "/api/v1/repos", {**good, "Host": host}).status == 200
            unknown = strip(own.ask("GET", "/api/v1/repos", {**bearer("x"), "Host": host}))
            assert strip(own.ask("GET", "/api/v1/repos", {**bad, "Host": host})) == unknown
            assert own.ask("POST", "/mcp", {**MCP, **bad, "Host": host}, make_call(1, "listBrains", {})).status == 401
            described = json.loads(own.ask("GET", "/.well-known/oauth-protected-resource/mcp", {"Host": host}).body)
            assert described["resource"] == f"https://{host}/mcp"
        found = json.loads(own.ask("GET", "/api/v1/search?q=word&repo=rules", {**shop, "Host": "brain.example"}).body)
        assert found["results"][0]["url"].startswith("https://shop.brain.example/rules/")
