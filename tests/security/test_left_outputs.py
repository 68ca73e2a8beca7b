"""What an earlier build made of a repo that is archived or taken out by now is reached through no door (THREATS 28, 32, 50).

Folders and rows of the index stay until the next build: nobody has to wait for it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.registry.apply import apply_tenants
from indexer.registry.reach import Reader
from indexer.registry.tenant_file import load_tenant_file
from indexer.serve.access import TenantGate
from indexer.serve.library import Library
from indexer.serve.tools import Desk
from tests.tools.api_sites import DAY, call, make_key, open_api, strip
from tests.tools.commands import run_brain
from tests.tools.desks import build_tenants, write_workspace
from tests.tools.gateways import Site, bearer, running
from tests.tools.trees import find_bytes

CANARY = "Quaggafjord"
PATHS = ("", "index.html", "index.md", "plan/", "plan/index.md", "llms.txt", "llms-full.txt", "sitemap.xml", "feed.xml", "graph.json")
REPOS = [
    {
        "id": repo,
        "title": repo,
        "folder": repo,
        "owner": "ann",
        "grants": [{"to": "everyone", "access": "read"}, {"to": "bot", "access": "read"}],
    }
    for repo in ("one", "old")
]
BASE: dict[str, Any] = {
    "accounts": [
        {"id": "ann", "name": "Ann", "email": "ann@shop.example"},
        {"id": "sam", "name": "Sam", "email": "sam@shop.example"},
    ],
    "agents": [{"id": "bot", "name": "Bot"}],
    "memberships": [{"account": "ann", "role": "operator"}, {"account": "sam"}],
}
_CARD = "---\ntitle: {0}\nblueprint: site@1\n---\n{0}\n"
FILES = {
    "one/firm/brain.md": _CARD.format("Plain"),
    "one/plan.md": "# A plan\n",
    "old/firm/brain.md": _CARD.format(CANARY),
    "old/plan.md": f"# {CANARY}\n\nA word of {CANARY}.\n",
    "old/index.md": f"# {CANARY}\n",
}
CHANGES: dict[str, list[dict[str, Any]]] = {
    "taken out": REPOS[:1],
    "archived": [REPOS[0], {**REPOS[1], "status": "archived"}],
    "all taken out": [],
    "all archived": [{**repo, "status": "archived"} for repo in REPOS],
}


@pytest.fixture(params=CHANGES)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A gateway over a build that was made before the change."""
    brains = write_workspace(tmp_path / "brains", "shop", {**BASE, "repos": REPOS}, FILES)
    build_tenants(brains, tmp_path / "out")
    with running(open_api(tmp_path, tmp_path / "registry.sqlite")) as site:
        before = site.ask("GET", "/shop/old/plan/", bearer(make_key(site, "shop", "sam")))
        assert CANARY.encode() in before.body, "it was there, or this would prove nothing"
        write_workspace(brains, "shop", {**BASE, "repos": CHANGES[request.param]}, {})
        with site.world.writing() as connection:
            apply_tenants(connection, [load_tenant_file(brains / "shop" / "tenant.yml")], site.world.now)
        assert find_bytes(site.out / "shop/old/site", CANARY)
        yield site


@pytest.mark.req("X01", "T09", "T15")
@pytest.mark.threat(28, 32, 33, 50)
@pytest.mark.parametrize("who", ["ann", "sam", "bot", ""])
def test_no_door_leads_to_what_is_left_and_it_is_as_if_it_never_was(site: Site, who: str) -> None:
    headers = bearer(make_key(site, "shop", who)) if who else {}
    for method in ("GET", "HEAD", "POST"):
        missing = site.ask(method, "/shop/never/plan/", headers).bare
        for path in PATHS:
            assert site.ask(method, f"/shop/old/{path}", headers).bare == missing, (method, path)
    for tool, left, never in (
        ("getBrain", {"brain": "old/firm"}, {"brain": "never/firm"}),
        ("searchBrain", {"brain": "old/firm", "query": "word"}, {"brain": "never/firm", "query": "word"}),
        ("readDocument", {"path": "old/plan.md"}, {"path": "never/plan.md"}),
    ):
        assert strip(call(site, tool, left, headers)) == strip(call(site, tool, never, headers)), tool
    for path in ("/api/v1/repos", f"/api/v1/search?q={CANARY}", "/api/v1/search?q=word", "/api/v1/search?q=word&repo=old", "/"):
        body = site.ask("GET", path, headers).body
        assert CANARY.encode() not in body
        assert b'"old"' not in body
    assert CANARY.encode() not in call(site, "listBrains", {}, headers).body


@pytest.mark.req("X01", "T09")
@pytest.mark.threat(32, 50)
@pytest.mark.parametrize("who", ["ann", "sam"])
def test_nor_do_the_tools_of_the_command_line_with_rows_still_in_the_index(site: Site, who: str) -> None:
    gate = TenantGate(site.out.parent / "brains" / "shop" / "tenant.yml", Reader("shop", account=who))
    desk = Desk(Library(site.out / "shop", single=False), gate, lambda: DAY.date().isoformat())
    assert CANARY not in json.dumps(desk.call("listBrains", {}))


@pytest.mark.req("X01")
@pytest.mark.threat(50)
def test_after_the_next_build_its_words_are_in_the_index_no_more(site: Site) -> None:
    brains = site.out.parent / "brains"
    assert CANARY.encode() in (site.out / "shop/index.duckdb").read_bytes()
    assert run_brain("build", brains, "--out", site.out, "--uncommitted", "--registry", site.settings.registry).code == 0
    assert CANARY.encode() not in (site.out / "shop/index.duckdb").read_bytes()
    named = '"old"' in (brains / "shop" / "tenant.yml").read_text("utf-8")
    assert (site.out / "shop/old").exists() == named
