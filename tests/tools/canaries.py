"""Two tenants with a secret word in every part of every repo, built for real, served by the real command, and everybody who may not read.

Words begin with `zq` and the name of the repo they belong to; those of pages that are hidden in a repo begin with `zqhid`.
"""

import re
import subprocess
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from indexer.registry.audit import CONSOLE
from indexer.registry.decide import reach
from indexer.registry.grants import revoke_grant
from indexer.registry.key_list import list_keys
from indexer.registry.keys import create_key, revoke_key
from indexer.registry.members import end_membership
from indexer.registry.reach import Reader
from indexer.registry.repos import archive_repo
from indexer.serve.settings import Settings
from indexer.sources.orders import STATE_FOLDER
from tests.tools.commands import build_environment, command
from tests.tools.desks import build_tenants, write_workspace
from tests.tools.fronts import free_port
from tests.tools.gateways import Line, Reply, Site, bearer
from tests.tools.registries import act, open_declared
from tests.tools.vaults import PNG

KINDS = ("title", "body", "tag", "alias", "heading", "file", "folder", "image", "picture", "card", "fact", "summary", "code")
REPOS = {"acme": ("handbook", "plans", "vault", "gone"), "rival": ("plans", "ledger")}
Headers = dict[str, str]


def stem(tenant: str, repo: str) -> str:
    """What the words of a repo begin with."""
    return f"zq{tenant}{repo}".replace("-", "")


def words(begin: str) -> dict[str, str]:
    """Kind → word."""
    return {kind: begin + kind for kind in KINDS}


def _page(begin: str, front: str = "") -> str:
    w = words(begin)
    return (
        f"---\ntitle: {w['title']}\naliases: [{w['alias']}]\ntags: [{w['tag']}]\nsummary: {w['summary']}\n{front}---\n\n# {w['title']}\n\n"
        f"## {w['heading']}\n\nThe word {w['body']} and `{w['code']}`. ![seen]({w['image']}.png)\n"
    )


def _picture(begin: str) -> bytes:
    """A picture with the word in its bytes."""
    chunk = b"tEXt" + b"Comment\0" + words(begin)["picture"].encode()
    length, check = (len(chunk) - 4).to_bytes(4, "big"), zlib.crc32(chunk).to_bytes(4, "big")
    return PNG[:33] + length + chunk + check + PNG[33:]


def _repo_files(tenant: str, repo: str) -> dict[str, str | bytes]:
    begin, hidden = stem(tenant, repo), f"zqhid{tenant}{repo}"
    w, h = words(begin), words(hidden)
    parent = "" if repo == "plans" else "parent: plans/house\n"
    priced = _page(begin, f"price: {w['fact']}\nowner: Ann\nchecked: 2026-11-01\ncheckedBy: Ann\n")
    return {
        f"{repo}/index.md": f"# Front page\n\nSee [[{w['file']}]].\n",
        f"{repo}/house/brain.md": f"---\ntitle: {w['card']}\nblueprint: business@1\n{parent}---\n{w['card']}\n",
        f"{repo}/house/pricing.md": priced.replace(f"({w['image']}", f"(../{w['folder']}/{w['image']}"),
        f"{repo}/{w['folder']}/{w['file']}.md": _page(begin),
        f"{repo}/{w['folder']}/{w['image']}.png": _picture(begin),
        f"{repo}/{h['folder']}/{h['file']}.md": _page(hidden, "private: true\n"),
        f"{repo}/{h['folder']}/{h['image']}.png": _picture(hidden),
        f"{repo}/{h['folder']}/draft/brain.md": f"---\ntitle: {h['card']}\nblueprint: site@1\ndraft: true\n---\n{h['card']}\n",
    }


def _declare(tenant: str, people: Mapping[str, str], agents: Iterable[str], repos: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "accounts": [{"id": name, "name": name.title(), "email": f"{name}@{tenant}.example"} for name in people],
        "agents": [{"id": name, "name": name.title()} for name in agents],
        "memberships": [{"account": name, "role": role} for name, role in people.items()],
        "repos": [{"title": f"{stem(tenant, each['id'])}title", "folder": each["id"], "owner": "di", **each} for each in repos],
    }


_EVERYONE = {"to": "everyone", "access": "read"}
ACME = _declare(
    "acme",
    {"ana": "operator", "bo": "admin", "di": "member", "ed": "member", "fay": "member", "gus": "member", "hal": "member"},
    ("filer", "pager"),
    [
        {"id": "handbook", "grants": [_EVERYONE, {"to": "filer", "access": "write"}]},
        {
            "id": "plans",
            "grants": [{"to": name, "access": "read"} for name in ("ed", "gus", "pager", "hal")],
        },
        {"id": "vault", "kind": "home"},
        {"id": "gone", "grants": [_EVERYONE, {"to": "filer", "access": "read"}]},
    ],
)
RIVAL = _declare(
    "rival",
    {"ana": "operator", "di": "admin"},
    ("filer",),
    [{"id": "plans", "grants": [_EVERYONE]}, {"id": "ledger", "grants": [{"to": "filer", "access": "write"}]}],
)


def build_canaries(root: Path) -> Path:
    """Write and build both tenants: `root` holds `brains` and `out`."""
    for tenant, declared in (("acme", ACME), ("rival", RIVAL)):
        files: dict[str, str | bytes] = {}
        for repo in REPOS[tenant]:
            files |= _repo_files(tenant, repo)
        write_workspace(root / "brains", tenant, declared, files)
    build_tenants(root / "brains", root / "out")
    return root


def open_canaries(root: Path, registry: Path) -> Site:
    """A new registry of what is declared; nothing runs yet, and nothing was taken from anybody."""
    world = open_declared(root / "brains", registry, datetime.now(UTC))
    return Site(world, root / "out", Settings(out=root / "out", registry=str(registry), url="http://127.0.0.1:8080", dev_login=True))


@contextmanager
def serving(site: Site, *options: str) -> Iterator[Site]:
    """Run `brain serve` as a program of its own."""
    port = free_port()
    given: list[str | Path] = [
        "serve",
        "--rate",
        "0",
        "--out",
        site.out,
        "--registry",
        site.settings.registry,
        "--listen",
        f"127.0.0.1:{port}",
        "--dev-login",
        "acme/di",
    ]
    with subprocess.Popen(
        command(*given, *options), env=build_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            site.address = ("127.0.0.1", port)
            _wait(site, process)
            yield site
        finally:
            for line in site.lines:
                line.close()
            process.terminate()
            process.wait(30)
            site.world.registry.close()


def _wait(site: Site, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            assert site.ask("GET", "/healthz").status == 200
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the gateway did not start")


def list_files(site: Site, tenant: str, repo: str) -> list[str]:
    """The files of a release, as its own list names them."""
    read = msgspec.msgpack.decode((site.out / tenant / repo / STATE_FOLDER / "state.msgpack").read_bytes())
    return sorted(read["manifest"])


# ---------------------------------------------------------------- everybody who may not read


@dataclass(frozen=True)
class Role:
    """Somebody, and what is hidden from them at the moment of the walk."""

    name: str
    headers: Headers
    hidden: frozenset[tuple[str, str]]
    """(tenant, repo) they may not read."""
    person: bool = False
    """Whether somebody is signed in in a browser."""
    program: bool = False
    """Whether a good key comes along."""
    tenant: str = "acme"
    """Where they belong."""

    @property
    def secrets(self) -> tuple[bytes, ...]:
        """What no byte for them may hold."""
        return (b"zqhid", *(stem(*place).encode() for place in sorted(self.hidden)))


ALL_REPOS = frozenset((tenant, repo) for tenant, repos in REPOS.items() for repo in repos)


@dataclass
class Cast:
    """Those who may not read, made by taking things away from people who had them, in a registry that runs."""

    site: Site
    roles: list[Role] = field(default_factory=list)

    def add(self, name: str, headers: Headers, *readers: Reader, **more: Any) -> None:
        """Somebody, who is these readers; what is hidden is what the registry says now."""
        with self.site.world.registry.reading() as connection:
            seen = {(reader.tenant, repo) for reader in readers for repo in reach(connection, reader)}
        self.roles.append(Role(name, headers, ALL_REPOS - seen, **more))

    def make_key(self, tenant: str, holder: str, **options: Any) -> str:
        """A new key."""
        with self.site.world.writing() as connection:
            return create_key(connection, tenant, holder, ["knowledge:read"], CONSOLE, self.site.world.now, **options)[1]


def assemble(site: Site) -> list[Role]:
    """Everybody; the repo `gone` is archived, and `ed`, `gus` and a key lose what they had, after all of them were seen to read it."""
    cast, world = Cast(site), site.world
    cookies = {name: site.cookie(f"{name}@acme.example") for name in ("ana", "bo", "ed", "fay", "gus", "hal")}
    rival = site.cookie("di@rival.example")
    lost = {name: bearer(cast.make_key("acme", name)) for name in ("ed", "gus")}
    agent, paging = bearer(cast.make_key("acme", "filer")), bearer(cast.make_key("acme", "pager"))
    expired = bearer(cast.make_key("acme", "pager", expires=world.now + timedelta(days=1)))
    bound = bearer(cast.make_key("acme", "hal", brain="handbook"))
    for headers in (cookies["ed"], cookies["gus"], lost["ed"], lost["gus"], paging, expired, cookies["hal"]):
        assert site.ask("GET", "/acme/plans/", headers).status == 200
    assert site.ask("GET", "/acme/gone/", cookies["fay"]).status == 200
    with world.writing() as connection:
        # The program reads the real clock, and that of these tests runs ahead of it: long ago is past for both.
        connection.exec_driver_sql("update api_key set expires_at = 1 where expires_at is not null")
        end_membership(connection, "acme", "gus", CONSOLE, world.now)
        archive_repo(connection, "acme", "gone", CONSOLE, world.now)
        (key,) = [each for each in list_keys(connection, "acme", "pager") if each.expires is None]
        revoke_key(connection, "acme", key.id, CONSOLE, world.now)
        revoke_grant(connection, "acme", "plans", "ed", act("di"), world.now)
    ed, hal = Reader("acme", account="ed"), Reader("acme", account="hal")
    cast.add("anonymous", {})
    cast.add("cookie of nobody", {"Cookie": f"brain={'A' * 43}"})
    cast.add("key of nobody", bearer("sk_live_acme_" + "A" * 40))
    cast.add("other tenant", rival, Reader("rival", account="di"), person=True, tenant="rival")
    cast.add("key of another tenant", bearer(cast.make_key("rival", "di")), Reader("rival", account="di"), program=True, tenant="rival")
    cast.add("member without grant", cookies["fay"], Reader("acme", account="fay"), person=True)
    cast.add("operator without grant", cookies["ana"], Reader("acme", account="ana"), person=True)
    cast.add("admin", cookies["bo"], Reader("acme", account="bo"), person=True)
    cast.add("revoked a second ago", cookies["ed"], ed, person=True)
    cast.add("revoked a second ago, by key", lost["ed"], ed, program=True)
    cast.add("ended member", cookies["gus"])
    cast.add("ended member, by key", lost["gus"])
    cast.add("revoked key", paging)
    cast.add("expired key", expired)
    cast.add("agent alone", agent, Reader("acme", agent="filer"), program=True)
    # A browser that belongs to somebody who reads adds nothing to an agent's key.
    cast.add("agent beside a person", {**agent, **cookies["hal"]}, Reader("acme", agent="filer"), program=True)
    handbook = frozenset({("acme", "handbook")})
    cast.roles.append(Role("key for another brain", bound, ALL_REPOS - handbook, program=True))
    cast.add("reader of plans", cookies["hal"], hal, person=True)
    return cast.roles


# ---------------------------------------------------------------- many requests


@dataclass(frozen=True)
class Ask:
    """One request without a body."""

    method: str
    target: str


class Walker:
    """Sends many requests over few connections, some at once, and counts them."""

    AT_ONCE = 20

    def __init__(self, site: Site) -> None:
        self.site = site
        self.count = 0

    def walk(self, asks: Iterable[Ask], headers: Mapping[str, str]) -> Iterator[tuple[Ask, Reply]]:
        """Yield each request with its answer, in order, all of them over one connection that is kept open."""
        line: Line | None = None
        listed = list(asks)
        top = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "127.0.0.1", **headers}.items())
        for start in range(0, len(listed), self.AT_ONCE):
            part = listed[start : start + self.AT_ONCE]
            line = line or self.site.open()
            sent = [f"{ask.method} {ask.target} HTTP/1.1\r\n{top}{_length(ask)}\r\n".encode("latin-1") for ask in part]
            line.send(b"".join(sent))
            for ask in part:
                reply = line.read(head=ask.method == "HEAD")
                self.count += 1
                yield ask, reply
        if line:
            line.close()


def _length(ask: Ask) -> str:
    return "Content-Length: 0\r\n" if ask.method in {"POST", "PUT", "PATCH"} else ""


_WORD = re.compile(rb"zq[a-z]+")


def find_secrets(reply: Reply, role: Role, asked: str = "") -> list[str]:
    """Every secret in any byte of an answer, but for the words that the request itself held."""
    raw = (str(reply.headers).encode() + reply.body).lower()
    if b"zq" not in raw:
        return []
    found = {word for word in _WORD.findall(raw) if word.startswith(role.secrets)}
    return sorted(word.decode() for word in found if word.decode() not in asked.lower())
