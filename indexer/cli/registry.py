"""`brain registry`: bring tenant.yml files in, write them out, check, migrate, show who changed what. Wiring only."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from msgspec.structs import asdict
from sqlalchemy import Connection

from indexer.cli.options import COUNT
from indexer.cli.paths import TypedPath
from indexer.cli.registry_options import Asked, registry_options, render_table
from indexer.cli.terminal import count, escape_text, say
from indexer.errors import SourceError
from indexer.registry.apply import Applied, apply_tenants
from indexer.registry.audit import fetch_audit
from indexer.registry.checks import check_registry
from indexer.registry.engine import NoRegistryError, Registry, open_registry
from indexer.registry.plan import Change, plan_changes
from indexer.registry.repo_list import import_repositories, load_repository_list
from indexer.registry.state import list_tenants, load_tenant, render_tenant
from indexer.registry.tenant_file import FILE_NAME
from indexer.registry.tenant_model import TenantFile
from indexer.sources.workspace import read_workspace

_EMPTIED = "If it held one before, with keys, sessions and what owners granted, put its last backup in its place."


class _UndoneError(Exception):
    """Ends a transaction that must not stay."""


@click.group("registry")
def command() -> None:
    """Bring tenants into the registry and look after it."""


@command.command("apply")
@click.argument("path", type=TypedPath())
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--exact", is_flag=True, help="Undo also what was changed since in the registry alone, such as grants of owners.")
@registry_options(tenant=False)
def apply(path: Path, dry_run: bool, exact: bool, asked: Asked) -> None:
    """Bring the registry to what the tenant.yml files of the workspace PATH declare.

    Changed is what somebody changed in a file since it was applied last. Nothing is deleted: memberships end, repos are archived.
    """
    declared = _read_declared(path)
    done: list[Applied] = []
    with _opened_to_apply(asked, path, dry_run) as (registry, where):
        try:
            with registry.writing() as connection:
                done = apply_tenants(connection, declared, asked.now, by=asked.actor, exact=exact)
                if dry_run:
                    raise _UndoneError
        except _UndoneError:
            pass
    asked.tell(_describe_applied(done, where, dry_run), [{"tenant": each.tenant, "changes": _show(each.changes)} for each in done])


@command.command("export")
@click.option("--out", type=TypedPath(), help="Write OUT/<tenant>/tenant.yml instead of printing.")
@registry_options(acts=False)
def export(out: Path | None, asked: Asked) -> None:
    """Write what the registry holds as tenant.yml; applying that changes nothing. Comments of earlier files are lost."""
    with asked.opened() as registry, registry.snapshot() as connection:
        if out is None:
            tenant = load_tenant(connection, asked.choose_tenant(connection))
            asked.tell(render_tenant(tenant).rstrip("\n"), tenant.model_dump(mode="json"))
            return
        names = [asked.choose_tenant(connection)] if asked.tenant else list_tenants(connection)
        texts = {name: render_tenant(load_tenant(connection, name)) for name in names}
    from indexer.publish.release import translate_errors, write_beside  # noqa: PLC0415 (takes a while, and only this needs it)

    files = []
    for name, text in texts.items():
        file = out / name / FILE_NAME
        with translate_errors(file.parent):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_beside(file, text.encode())
        files.append(str(file))
    asked.tell("\n".join(f"Wrote {file}." for file in files), files)


@command.command("check")
@click.argument("path", type=TypedPath(), required=False)
@registry_options(acts=False, tenant=False)
@click.pass_context
def check(ctx: click.Context, path: Path | None, asked: Asked) -> None:
    """Check that the registry is sound and, with PATH, in what it differs from the files of that workspace. Exits 1 on either."""
    with asked.opened(beside=path) as registry, registry.snapshot() as connection:
        problems = check_registry(registry, connection)
        differences = {} if path is None else _find_differences(connection, _read_declared(path))
        where = registry.where
    lines = [f"{where}: {'; '.join(problems) if problems else 'sound'}."]
    lines += [f"{tenant}: the file would {_describe(change)}" for tenant, changes in differences.items() for change in changes]
    shown = {"problems": problems, "differences": {tenant: _show(changes) for tenant, changes in differences.items()}}
    asked.tell("\n".join(lines), shown)
    ctx.exit(1 if problems or any(differences.values()) else 0)


@command.command("import")
@click.argument("file", type=TypedPath())
@click.option("--owner", required=True, metavar="ACCOUNT", help="Operator or admin who will own the repos.")
@click.option("--agent", "agents", multiple=True, metavar="AGENT", help="Agent that files into them; may be repeated.")
@registry_options()
def import_list(file: Path, owner: str, agents: tuple[str, ...], asked: Asked) -> None:
    """Register the repositories of the list FILE: everyone in the tenant reads them, the agents write those that are not read-only."""
    repos = load_repository_list(file)
    with asked.writing() as (connection, tenant):
        done = import_repositories(connection, tenant, repos, owner, agents, asked.actor, asked.now)
    known = len(repos) - len(done)
    sentence = f"Registered {count(len(done), 'repo')} in {tenant}" + (f", {known} were there already" if known else "")
    asked.tell("\n".join([f"{sentence}.", *(f"  {repo}" for repo in done)]), {"tenant": tenant, "registered": done, "known": known})


@command.command("audit")
@click.option("--of", "subject", metavar="SUBJECT", help="Only lines about this, such as `repo:handbook`.")
@click.option("--limit", type=COUNT, default=50, show_default=True)
@registry_options(acts=False)
def audit(subject: str | None, limit: int, asked: Asked) -> None:
    """Show who changed what in a tenant, newest first."""
    with asked.reading() as (connection, tenant):
        lines = fetch_audit(connection, tenant, subject=subject, limit=limit)
    rows = [[line.at, line.actor, line.action, line.subject, _show_facts(line.after or line.before)] for line in lines]
    asked.tell(render_table(["when", "who", "did", "to", "what"], rows), [asdict(line) for line in lines])


@contextmanager
def _opened_to_apply(asked: Asked, path: Path, dry_run: bool) -> Iterator[tuple[Registry, str]]:
    """Give the registry, made when there is none, and its name; for a dry run one that is thrown away is made in place of it."""
    with ExitStack() as stack:
        try:
            registry = stack.enter_context(asked.opened(create=not dry_run, beside=path))
            where = registry.where
            if registry.was_emptied:
                say(escape_text(f"{where} was an empty file, so a new registry begins in it. {_EMPTIED}"))
        except NoRegistryError:
            if not dry_run:
                raise
            scratch = Path(stack.enter_context(TemporaryDirectory(prefix="brainpress-"))) / "registry.sqlite"
            registry = stack.enter_context(closing(open_registry(str(scratch), create=True)))
            where = "a new registry"
        yield registry, where


def _read_declared(path: Path) -> list[TenantFile]:
    if not path.exists():
        raise SourceError(f"There is no {path}.", hint="Check the spelling.")
    folders = read_workspace(path)
    if not folders:
        raise SourceError(
            f"{path} is no workspace: none of its folders holds a {FILE_NAME}.", hint="Name the folder above those of the tenants."
        )
    return [folder.tenant for folder in folders]


def _find_differences(connection: Connection, declared: list[TenantFile]) -> dict[str, tuple[Change, ...]]:
    known = list_tenants(connection)
    return {
        tenant.id: plan_changes(load_tenant(connection, tenant.id) if tenant.id in known else None, tenant, None, exact=True)
        for tenant in declared
    }


def _describe_applied(done: list[Applied], where: str, dry_run: bool) -> str:
    lines = []
    for each in done:
        lines += [f"{each.tenant}: {_describe(change)}" for change in each.changes]
    number = sum(len(each.changes) for each in done)
    if not number:
        return f"{where} holds all that the files declare; nothing to change."
    return "\n".join([*lines, f"{count(number, 'change')} {'would be made' if dry_run else 'made'} in {where}."])


def _describe(change: Change) -> str:
    if change.after is None:
        verb = {"membership": "end", "repo": "archive", "grant": "revoke"}.get(change.kind, "remove")
        return f"{verb} {change.subject}"
    if change.before is None:
        return f"add {change.subject}: {_show_facts(change.after)}"
    changed = {key: value for key, value in change.after.items() if change.before.get(key) != value}
    return f"change {change.subject}: {_show_facts(changed)}"


def _show_facts(facts: Any) -> str:
    if not isinstance(facts, dict):
        return ""
    return ", ".join(f"{key} {value}" for key, value in facts.items() if value not in (None, [], ""))


def _show(changes: tuple[Change, ...]) -> list[dict[str, Any]]:
    return [{"key": list(change.key), "before": change.before, "after": change.after} for change in changes]
