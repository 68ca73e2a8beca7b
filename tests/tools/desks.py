"""Workspaces for tests of the read tools: built once, and asked through the command line, over MCP and in this process."""

import json
import subprocess
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from indexer.registry.reach import Reader
from indexer.registry.tenant_file import FILE_NAME
from indexer.serve.access import TenantGate
from indexer.serve.library import Library
from indexer.serve.tools import Desk
from indexer.store.read import IndexReader
from tests.tools.commands import Ran, build_environment, command, run_brain
from tests.tools.vaults import Files, write_files

Answer = TypeVar("Answer")

DAY = "2026-11-30"
LEGACY, MODERN = "legacy", "2026-07-28"
"""How the official client is told to speak: with a handshake (2025-11-25), or without (2026-07-28)."""

NORTHWIND = Path(__file__).parents[2] / "brains" / "northwind"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A built workspace with one tenant."""

    path: Path
    out: Path
    tenant: str

    @property
    def tenant_file(self) -> Path:
        """Its tenant.yml, which tests change."""
        return self.path / self.tenant / FILE_NAME

    def options(self, who: str, *more: str) -> list[str]:
        """Return the options that ask this workspace as somebody."""
        return ["--path", str(self.path), "--out", str(self.out), "--as", who, "--date", DAY, *more]

    def ask(self, who: str, tool: str, arguments: Any, *more: str) -> Ran:
        """Call a tool by the command line."""
        return run_brain("tool", tool, json.dumps(arguments), *self.options(who, *more))

    def open_desk(self, who: str, **more: Any) -> Desk:
        """Open a desk in this process; `more` goes to Reader."""
        reader = Reader(self.tenant, **({"account": who, **more} if who else more))
        return Desk(Library(self.out / self.tenant, single=False), TenantGate(self.tenant_file, reader), lambda: DAY)

    def converse(self, who: str, talk: Callable[[Client], Awaitable[Answer]], *more: str, mode: str = LEGACY) -> Answer:
        """Start `brain mcp` as somebody and talk to it with the official client."""
        return converse(["mcp", *self.options(who, *more)], talk, mode)

    def exchange(self, who: str, lines: Iterable[bytes], *more: str) -> list[bytes]:
        """Send raw lines after a handshake and return every line that came back after its answer, byte for byte."""
        return exchange(["mcp", *self.options(who, *more)], lines)


def build_workspace(path: Path, out: Path) -> Workspace:
    """Build a workspace of one tenant, from the files as they lie there."""
    build_tenants(path, out)
    (tenant,) = (folder.name for folder in path.iterdir() if (folder / FILE_NAME).exists())
    return Workspace(path, out, tenant)


def build_tenants(path: Path, out: Path) -> None:
    """Build a workspace, however many tenants it has, from the files as they lie there."""
    ran = run_brain("build", path, "--out", out, "--uncommitted", "--quiet")
    assert ran.code == 0, ran.said


def write_workspace(root: Path, tenant: str, declared: Any, files: Files) -> Path:
    """Write a workspace with one tenant; `declared` is its tenant.yml as values (JSON is YAML as well)."""
    text = json.dumps({"id": tenant, "title": tenant.title(), **declared}, indent=1)
    write_files(root / tenant, {FILE_NAME: text, **files})
    return root


def converse(arguments: list[str], talk: Callable[[Client], Awaitable[Answer]], mode: str = LEGACY) -> Answer:
    """Start the command as an MCP server and talk to it with the official client."""
    program, *rest = command(*arguments)
    server = StdioServerParameters(command=program, args=rest, env=build_environment())

    async def run() -> Answer:
        client: AbstractAsyncContextManager[Client] = Client(server, mode=mode, read_timeout_seconds=120)
        async with client as opened:
            return await talk(opened)

    return anyio.run(run)


_CLIENT = b'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}'
HANDSHAKE = (
    b'{"jsonrpc":"2.0","id":"hello","method":"initialize","params":' + _CLIENT + b"}",
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
)


def exchange(arguments: list[str], lines: Iterable[bytes]) -> list[bytes]:
    """Send a handshake and raw lines to the command, close its input, and return the lines it wrote after the handshake's answer."""
    sent = b"".join(line + b"\n" for line in (*HANDSHAKE, *lines))
    done = subprocess.run(command(*arguments), input=sent, env=build_environment(), capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    hello, *messages = done.stdout.splitlines()
    assert json.loads(hello)["id"] == "hello"
    return messages


def record_queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that fills with the name of each query that is asked of an index from now on."""
    asked: list[str] = []
    fetch = IndexReader._fetch

    def record(self: IndexReader, statement: str, *rest: Any, **parameters: Any) -> Any:
        asked.append(statement)
        return fetch(self, statement, *rest, **parameters)

    monkeypatch.setattr(IndexReader, "_fetch", record)
    return asked


def make_call(identity: int | str, tool: str, arguments: Any) -> bytes:
    """Return the line that calls a tool."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}).encode()
