"""A gateway's site whose repos can be told apart in every byte: titles, pages, search indexes and figures hold a word of their own repo."""

import os
import re
import shutil
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from indexer.model.index import BrainRow, DocumentRow, RepoRows
from indexer.registry.engine import open_registry
from indexer.registry.members import end_membership, restore_membership
from indexer.serve.settings import Settings
from indexer.sources.orders import STATE_FOLDER
from indexer.store.write import write_index
from tests.tools.gateways import SECRETS, Reply, Site, make_files, open_site, publish
from tests.tools.registries import ACME, OTHER, START, World, act
from tests.tools.search_vault import build_index

FORM = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
COMMON = "lantern"
"""Stands on a page of every repo."""
RELEASED = 1772100000
PEOPLE = ("ana", "bo", "cy", "di", "ed")
_TOKEN = re.compile(rb'name="csrf" value="([0-9a-f]{64})"')
REPOS = {"acme": ("handbook", "plans", "di-home", "old", "orphaned"), "other": ("ledger",)}


def declare(tenant: dict[str, Any]) -> dict[str, Any]:
    """A tenant in which every title of a repo is its secret word."""
    declared = deepcopy(tenant)
    for repo in declared["repos"]:
        repo["title"] = f"Title {SECRETS[repo['id']]}"
    return declared


def open_home_site(folder: Path, **settings: Any) -> Site:
    """Both tenants; every repo has a release with a search index, and rows in the index of its tenant. Nothing runs yet."""
    site = open_site(folder, **settings)
    site.world.apply(declare(ACME), declare(OTHER))
    for tenant, repos in REPOS.items():
        for repo in repos:
            word = SECRETS[repo]
            pages = {"start.md": f"# Page {word}\n\nA {COMMON} and {word}.\n", "other.md": "# Other\n\nNothing here.\n"}
            index = {f"_/search/{name}": content for name, content in build_index(pages).items()}
            publish(site.out / tenant / repo, {**make_files(word), **index})
            state = site.out / tenant / repo / STATE_FOLDER / "state.msgpack"
            os.utime(state, (RELEASED, RELEASED))
        write_index(site.out / tenant / "index.duckdb", [make_rows(repo) for repo in repos])
    return site


def cookie_of_ended(site: Site) -> dict[str, str]:
    """Headers of a browser that goes on with a session of somebody whose membership has ended since."""
    with site.world.writing() as connection:
        restore_membership(connection, "acme", "left", act("ana"), site.world.now)
    cookie = site.cookie("left@acme.example")
    with site.world.writing() as connection:
        end_membership(connection, "acme", "left", act("ana"), site.world.now)
    return cookie


def copy_home_site(prepared: Path, folder: Path) -> Site:
    """A copy of such a site that nothing runs on, for a test that changes it."""
    shutil.copytree(prepared, folder / "site", copy_function=shutil.copy2)
    registry, out = str(folder / "site" / "registry.sqlite"), folder / "site" / "out"
    settings = Settings(out=out, registry=registry, url="http://127.0.0.1:8080", dev_login=True)
    return Site(World(open_registry(registry), START + timedelta(seconds=10)), out, settings)


def make_rows(repo: str) -> RepoRows:
    """Rows of a repo with one brain: of two documents one is written; `plans` could not be read lately."""
    word = SECRETS[repo]
    documents = tuple(
        DocumentRow(
            card="b/brain.md",
            position=position,
            id=f"d{position}",
            file=f"d{position}.md",
            title=f"{word} {position}",
            ring="Flow",
            deepens=(),
            out_of_date_after_days=30,
            asks=word,
            page=f"b/d{position}.md" if position else "",
            written=bool(position),
            added=False,
            reason="",
            summary=word,
            owner="",
            checked="2026-02-20" if position else None,
            checked_by="Bo" if position else "",
            declined="",
            facts=(),
        )
        for position in (0, 1)
    )
    return RepoRows(
        repo,
        title=word,
        committed_at=1772000000,
        status="failed" if repo == "plans" else "fresh",
        failed_reason=f"https://git.example/{word} did not answer" if repo == "plans" else "",
        brains=(BrainRow("b/brain.md", f"{repo}/b", "b", word, "business@1", known=True, parent=""),),
        documents=documents,
    )


def read_token(reply: Reply) -> str:
    """The token that the forms of a page hold."""
    found = _TOKEN.search(reply.body)
    assert found is not None, reply
    return found[1].decode()


def send_form(site: Site, cookie: dict[str, str], target: str, **fields: str) -> Reply:
    """Send a form as a browser would from one of the gateway's own pages."""
    token = read_token(site.ask("GET", "/", cookie))
    return site.ask("POST", target, {**FORM, **cookie}, urlencode({"csrf": token, **fields}).encode())


def follow(site: Site, cookie: dict[str, str], reply: Reply) -> Reply:
    """Go where a redirect leads."""
    assert reply.status == 303, reply
    return site.ask("GET", reply.get("location") or "", cookie)
