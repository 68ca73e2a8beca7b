"""Gateways over real builds, for tests of the doors for programs: the customers' workspace with a second tenant, and the sample workspace.

Tenant `rival` has repos and brains with the same ids as `shop`, and other words in them; `max` belongs to both.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from indexer.registry.audit import CONSOLE
from indexer.registry.key_list import list_keys
from indexer.registry.keys import create_key, revoke_key
from indexer.serve.settings import Settings
from tests.tools.customers import DECLARED, FILES
from tests.tools.desks import build_tenants, write_workspace
from tests.tools.gateways import Reply, Site
from tests.tools.registries import open_declared

DAY = datetime(2026, 11, 30, 9, tzinfo=UTC)
RIVAL_WORD = "Kumquatfjord"
"""Stands in every page of tenant `rival`."""
READ = ("knowledge:read",)

_BOTH = {"id": "max", "name": "Max", "email": "max@example.org"}
_DECLARED: dict[str, Any] = dict(DECLARED)
SHOP: dict[str, Any] = {
    **_DECLARED,
    "accounts": [*({**account, "email": f"{account['id']}@shop.example"} for account in _DECLARED["accounts"]), _BOTH],
    "memberships": [*_DECLARED["memberships"], {"account": "max"}],
}
RIVAL: dict[str, Any] = {
    "accounts": [{"id": "ann", "name": "Another Ann", "email": "ann@rival.example"}, _BOTH],
    "agents": [{"id": "bot", "name": "Bot"}],
    "memberships": [{"account": "ann", "role": "operator"}, {"account": "max"}],
    "repos": [
        {
            "id": repo,
            "title": f"{RIVAL_WORD} {repo}",
            "folder": repo,
            "owner": "ann",
            "grants": [{"to": "max", "access": "read"}, {"to": "bot", "access": "read"}],
        }
        for repo in ("rules", "vault")
    ],
}
_CARD = f"---\ntitle: {RIVAL_WORD}\nblueprint: business@1\n---\n{RIVAL_WORD}\n"
RIVAL_FILES: dict[str, str] = {
    f"{repo}/{path}": text
    for repo in ("rules", "vault")
    for path, text in (("house/brain.md", _CARD), ("house/pricing.md", f"# {RIVAL_WORD}\n\nA word on prices and {RIVAL_WORD}.\n"))
}
INNER = {"rules/house/cellar/brain.md": "---\ntitle: Cellar\nblueprint: site@1\n---\n", "rules/house/cellar/wine.md": "A word on wine.\n"}
"""A brain below another one."""


def build_shops(root: Path) -> Path:
    """Write and build both tenants; returns the folder that holds `brains` and `out`."""
    write_workspace(root / "brains", "shop", SHOP, {**FILES, **INNER})
    write_workspace(root / "brains", "rival", RIVAL, RIVAL_FILES)
    build_tenants(root / "brains", root / "out")
    return root


def open_api(root: Path, registry: Path, **settings: Any) -> Site:
    """A gateway over that build with a new registry of what its tenant.yml files declare; nothing runs yet."""
    world = open_declared(root / "brains", registry, DAY)
    options: dict[str, Any] = {"url": "http://127.0.0.1:8080", "dev_login": True, **settings}
    return Site(world, root / "out", Settings(out=root / "out", registry=str(registry), **options))


def make_key(site: Site, tenant: str, holder: str, scopes: Iterable[str] = READ, **options: Any) -> str:
    """A new key, made by whoever runs the machine."""
    with site.world.writing() as connection:
        return create_key(connection, tenant, holder, list(scopes), CONSOLE, site.world.now, **options)[1]


def revoke(site: Site, tenant: str, key: str) -> None:
    """Revoke a key."""
    with site.world.writing() as connection:
        (found,) = [each for each in list_keys(connection, tenant) if each.shown.endswith(key[-4:]) and each.revoked is None]
        revoke_key(connection, tenant, found.id, CONSOLE, site.world.now)


def call(site: Site, tool: str, arguments: Any, headers: Mapping[str, str], query: str = "") -> Reply:
    """Call a tool over HTTP."""
    sent = {"Content-Type": "application/json", **headers}
    return site.ask("POST", f"/api/v1/tools/{tool}{query}", sent, json.dumps(arguments).encode())


def strip(reply: Reply) -> tuple[int, list[tuple[str, str]], bytes]:
    """An answer without what differs between any two: date and request id."""
    identity = reply.get("x-request-id") or ""
    status, headers, body = reply.bare
    return status, headers, body.replace(identity.encode(), b"ID")
