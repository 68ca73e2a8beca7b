"""What `brain tool` and `brain mcp` have in common: who is asking, and the build output that answers. Wiring only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

import click
from msgspec import Struct

from indexer.cli.options import blueprints_option, date_option, read_today, revision_options
from indexer.cli.paths import TypedPath
from indexer.cli.reading import open_cache_folder
from indexer.cli.terminal import escape_text, say
from indexer.errors import UsageError
from indexer.pipeline import build_tenant
from indexer.registry.reach import READ_SCOPE, Reader
from indexer.registry.tenant_file import FILE_NAME, TenantFile
from indexer.serve.access import Gate, OwnGate, TenantGate
from indexer.serve.library import Library
from indexer.serve.tools import Desk
from indexer.sources.orders import BuildOptions, TenantOrder, plan_build
from indexer.sources.workspace import TenantFolder, find_declared, read_workspace

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_SECONDS_OF_SILENCE = 2.0


class DeskOptions(Struct, frozen=True):
    """What the options of `desk_options` say."""

    path: Path
    out: Path | None
    tenant: str | None
    who: str | None
    """Account or agent."""
    account: str | None
    """For whom an agent runs."""
    speaker: str | None
    """Who is speaking to an agent."""
    scopes: str
    date: str | None
    at: str | None
    uncommitted: bool
    blueprints: Path | None

    def read_day(self) -> str:
        """Return the day that states are judged for."""
        return self.date or read_today()


def desk_options(function: Decorated) -> Decorated:
    """All options that say who asks whom; passed on by name as `DeskOptions` takes them."""
    for option in (
        blueprints_option,
        revision_options,
        date_option("Default: today."),
        click.option("--scopes", default=READ_SCOPE, show_default=True, help="What the connection is for, separated by commas."),
        click.option("--speaker", metavar="ACCOUNT", help="Person who is speaking to the agent of --as."),
        click.option("--for", "account", metavar="ACCOUNT", help="Person for whom the agent of --as runs."),
        click.option("--as", "who", metavar="WHO", help="Account or agent that asks; needed for a workspace."),
        click.option("--tenant", metavar="T", help="Tenant of the workspace; needed when it has several."),
        click.option("--out", type=TypedPath(file_okay=False), help="Output of `brain build` that answers, as it is."),
        click.option("--path", type=TypedPath(), default=Path(), help="Folder, repository or workspace. Default: here."),
    ):
        function = option(function)
    return function


@contextmanager
def open_desk(given: DeskOptions) -> Iterator[Desk]:
    """Give the desk that answers; without --out, what there is to read is built into the user's cache folder first."""
    tenants = read_workspace(given.path) if given.path.is_dir() else None
    chosen = _choose_tenant(tenants, given) if tenants else None
    reader = _make_reader(chosen.tenant, given) if chosen else None
    if chosen is None and (given.who or given.account or given.speaker or given.tenant):
        hint = "Leave them out: here, whoever runs the command may read everything."
        raise UsageError(f"{given.path} is no workspace, so --as, --for, --speaker and --tenant mean nothing.", hint=hint)
    with _open_output(given, chosen) as out:
        library = Library(out, single=chosen is None)
        library.open_index()  # said at once, when there is none
        gate: Gate = TenantGate(chosen.folder / FILE_NAME, reader) if chosen and reader else _make_own_gate(library, given)
        yield Desk(library, gate, given.read_day)


def _choose_tenant(tenants: tuple[TenantFolder, ...], given: DeskOptions) -> TenantFolder:
    names = [tenant.folder.name for tenant in tenants]
    if given.tenant is None and len(tenants) == 1:
        return tenants[0]
    if given.tenant not in names:
        message = f"There is no tenant {given.tenant}." if given.tenant else f"{given.path} is a workspace of several tenants."
        raise UsageError(message, hint=f"Choose one with --tenant: {', '.join(names)}.")
    return tenants[names.index(given.tenant)]


def _make_reader(tenant: TenantFile, given: DeskOptions) -> Reader:
    """Return who is asking. That somebody has left the tenant is no mistake of the caller: they reach nothing."""
    accounts, agents = [account.id for account in tenant.accounts], [agent.id for agent in tenant.agents]
    known = f"Accounts: {', '.join(accounts) or 'none'}. Agents: {', '.join(agents) or 'none'}."
    scopes = frozenset(scope.strip() for scope in given.scopes.split(",") if scope.strip())
    if given.who is None:
        raise UsageError(f"Say with --as who is asking: {tenant.id} shows each person and agent something else.", hint=known)
    person = given.speaker or given.account
    for name, among in ((given.who, [*accounts, *agents]), (person, accounts)):
        if name is not None and name not in among:
            raise UsageError(f"{name} is not known in {tenant.id}.", hint=known)
    if given.who not in agents:
        if person is not None:
            raise UsageError("--for and --speaker go with an agent, and --as names a person.", hint=known)
        return Reader(tenant.id, account=given.who, scopes=scopes)
    if given.speaker and given.account:
        raise UsageError("An agent runs for somebody (--for) or is spoken to by somebody (--speaker), not both.")
    return Reader(tenant.id, account=person or "", agent=given.who, speaking=given.speaker is not None, scopes=scopes)


def _make_own_gate(library: Library, given: DeskOptions) -> OwnGate:
    """Return the gate of a folder: everything in it, for whoever runs the command."""
    repos = [repo.name for repo in library.open_index().fetch_repos()]
    declared = find_declared(given.path)
    homes = [declared[1].id] if declared and declared[1].kind == "home" else []
    return OwnGate(repos, homes, may_read=READ_SCOPE in given.scopes.split(","))


@contextmanager
def _open_output(given: DeskOptions, chosen: TenantFolder | None) -> Iterator[Path]:
    """Give the folder with the index of what is asked."""
    if given.out is not None:
        if given.at or given.uncommitted or given.blueprints:
            raise UsageError("--at, --uncommitted and --blueprints say how to build; --out names what was built already.")
        yield given.out / chosen.folder.name if chosen else given.out
        return
    kind = "pinned" if given.at else "files" if given.uncommitted else "built"
    options = BuildOptions(at=given.at, uncommitted=given.uncommitted, blueprints=given.blueprints)
    with open_cache_folder(given.path, kind) as folder:
        orders = plan_build(given.path, folder, options)
        order = next(each for each in orders if chosen is None or each.out.name == chosen.folder.name)
        _build(order, options)
        yield order.out


def _build(order: TenantOrder, options: BuildOptions) -> None:
    """Bring the output up to date, without a word unless it takes long or something cannot be read."""
    timer = Timer(_SECONDS_OF_SILENCE, say, ["Building what is to be read; the next time takes a moment only."])
    timer.daemon = True
    timer.start()
    try:
        built = build_tenant(order, options)
    finally:
        timer.cancel()
    for outcome in built.outcomes:
        if outcome.status == "failed":
            say(escape_text(f"{outcome.repo} could not be read, so its last state answers: {outcome.error}"))
