"""What the commands about the registry have in common: which registry, which tenant, who acts, how it is told. Wiring only.

The one place on the command line where the registry's clock is read.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from sqlalchemy import Connection

from indexer.cli.options import json_option
from indexer.cli.terminal import escape_text, render_json
from indexer.errors import UsageError
from indexer.registry.audit import CONSOLE, Actor
from indexer.registry.engine import DEFAULT_FILE, Registry, open_registry
from indexer.registry.lookup import require_tenant
from indexer.registry.state import list_tenants

VARIABLE, TENANT = "BRAIN_REGISTRY", "BRAIN_TENANT"


class Asked(Struct, frozen=True):
    """How a command was called."""

    url: str | None
    """Registry, as typed or in the environment; None = the file beside the workspace."""
    tenant: str | None
    actor: Actor
    as_json: bool
    now: datetime

    @contextmanager
    def opened(self, *, create: bool = False, beside: Path | None = None) -> Iterator[Registry]:
        """Open the registry: the one named, or else `registry.sqlite` beside the workspace or in this folder."""
        default = beside.absolute().parent / DEFAULT_FILE if beside else Path(DEFAULT_FILE)
        registry = open_registry(self.url or str(default), create=create)
        try:
            yield registry
        finally:
            registry.close()

    @contextmanager
    def reading(self) -> Iterator[tuple[Connection, str]]:
        """Give a connection that sees one moment, and the tenant."""
        with self.opened() as registry, registry.snapshot() as connection:
            yield connection, self.choose_tenant(connection)

    @contextmanager
    def writing(self) -> Iterator[tuple[Connection, str]]:
        """Give a connection with the transaction of one operation, and the tenant."""
        with self.opened() as registry, registry.writing() as connection:
            yield connection, self.choose_tenant(connection)

    def choose_tenant(self, connection: Connection) -> str:
        """Return the tenant that was named, or the only one there is."""
        if self.tenant is not None:
            require_tenant(connection, self.tenant)
            return self.tenant
        tenants = list_tenants(connection)
        if len(tenants) != 1:
            raise UsageError("The registry holds several tenants." if tenants else "The registry holds no tenant.", hint=_name(tenants))
        return tenants[0]

    def tell(self, sentence: str, value: Any) -> None:
        """Print what happened: a sentence for people or the value for programs."""
        click.echo(render_json(value) if self.as_json else escape_text(sentence, lines=True))


def _name(tenants: list[str]) -> str:
    return f"Name one with --tenant: {', '.join(tenants)}." if tenants else "Run `brain registry apply` with the folder of your tenants."


def registry_options(*, acts: bool = True, tenant: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--registry`, `--json` and, where they make sense, `--tenant` and `--as`; passed as `asked`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            actor = given.pop("acts_as", None)
            asked = Asked(
                given.pop("registry_url") or os.environ.get(VARIABLE) or None,
                given.pop("tenant", None),
                Actor(actor) if actor else CONSOLE,
                given.pop("as_json"),
                datetime.now(UTC),
            )
            return function(*args, asked=asked, **given)

        options = [click.option("--registry", "registry_url", metavar="URL", help=f"File or database URL (or {VARIABLE}).")]
        options += [click.option("--tenant", envvar=TENANT, metavar="ID", help=f"Where there are several (or {TENANT}).")] if tenant else []
        options += [click.option("--as", "acts_as", metavar="ACCOUNT", help="Account that acts; it is kept in the audit.")] if acts else []
        decorated: Callable[..., Any] = json_option(call)
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def render_table(heads: list[str], rows: list[list[str]]) -> str:
    """Return rows in columns, or a line that says there are none."""
    if not rows:
        return "None."
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in [heads, *rows]]
    return "\n".join(lines)
