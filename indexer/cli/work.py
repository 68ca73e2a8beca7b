"""`brain work`: keep the maps and websites of all repos of a registry fresh. Wiring only."""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from indexer.analysis.relate import Embed
from indexer.cli.index_states import fetch_in_use
from indexer.cli.leftover_text import describe_leftover
from indexer.cli.options import Amount, allow_private_option, jobs_option
from indexer.cli.paths import TypedPath
from indexer.cli.reading import open_cache_folder
from indexer.cli.refreshing import Target, embed_options, find_lock, make_refresh_order, open_embedding
from indexer.cli.registry_options import VARIABLE
from indexer.cli.terminal import escape_text, say
from indexer.errors import SourceError, UsageError
from indexer.model.result import RepoOutcome
from indexer.pipeline import build_tenant
from indexer.publish.signals import hearing, outlive_hangup
from indexer.registry.blueprint_set import BlueprintSet, load_sets
from indexer.registry.engine import DEFAULT_FILE, Registry, open_registry
from indexer.registry.repos import ListedRepo
from indexer.sources.orders import STATE_FOLDER, BuildOptions, RepoOrder, plan_build
from indexer.worker import Build, Plan, Worker, WorkOrder

_FAILURE = 3


@click.command("work")
@click.option("--workspace", type=TypedPath(exists=True, file_okay=False), required=True, help="Folder with the tenants' folders.")
@click.option("--registry", "registry_url", metavar="URL", help=f"File or database URL of the registry (or {VARIABLE}).")
@click.option("--out", type=TypedPath(), help="Build the websites there, too, as `brain build` does.")
@click.option("--interval", type=Amount(1, 86_400), default=60.0, show_default=True, help="Seconds between two rounds.")
@click.option("--once", is_flag=True, help="Go round once and end: for cron and CI.")
@jobs_option(2)
@allow_private_option
@embed_options
@click.pass_context
def command(ctx: click.Context, /, workspace: Path, out: Path | None, **given: Any) -> None:
    """Keep the maps of the registry's repos fresh: after a push, read, commit the maps, push, and build the website.

    Runs beside `brain serve` until Ctrl-C or SIGTERM, and ends after the repo that it is at. Repos that are kept as they are get no maps. A
    repo that fails is tried again later, and does not stop the others.
    """
    options = BuildOptions(processes=given["jobs"], allow_private=given["allow_private"])
    with ExitStack() as stack:
        cache = stack.enter_context(open_cache_folder(workspace, "work"))
        embed = stack.enter_context(open_embedding(given["embed"], given["embed_model"], cache))
        registry = open_registry(given["registry_url"] or os.environ.get(VARIABLE) or DEFAULT_FILE)
        stack.callback(registry.close)
        plan = _make_plan(workspace, out, cache, options, embed)
        # Round after round, nothing is waited for: what somebody else is at is looked at again in the next one.
        building = replace(options, wait=options.wait if given["once"] else 0)
        build = _make_build(workspace, out, building, registry) if out else None
        worker = Worker(registry, plan, build, lambda line: say(escape_text(line)))
        stack.enter_context(_stopping(worker.stop))
        if given["once"]:
            tally = worker.go_round()
            say(f"{tally.refreshed} refreshed, {tally.failed} failed.")
            ctx.exit(_FAILURE if tally.failed else 0)
        outlive_hangup()
        say(f"Looking after the repos of {escape_text(registry.where)} every {given['interval']:g} s.   (Ctrl-C ends it)")
        worker.run(given["interval"])
        say("Stopped.")


@contextmanager
def _stopping(stop: threading.Event) -> Iterator[None]:
    """Let SIGTERM and Ctrl-C end the work after its step; a second Ctrl-C ends it at once."""

    def ask(number: int, _frame: object) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    with hearing(ask):
        yield


def _make_plan(workspace: Path, out: Path | None, cache: Path, options: BuildOptions, embed: Embed | None) -> Plan:
    """Return what finds a repo of the registry: below the workspace, or in a mirror beside what is built of it."""

    def plan(tenant: str, listed: ListedRepo) -> WorkOrder:
        repo = listed.repo
        state = (out or cache) / tenant / repo.id / STATE_FOLDER
        folder = workspace / tenant
        order = RepoOrder(repo.id, repo.title, state, folder / (repo.folder or repo.id))
        if repo.address:
            order = replace(order, path=state / "mirror.git", address=repo.address, branch=repo.branch or "", folder=repo.folder or "")
        elif order.path.resolve() != folder.resolve() / (repo.folder or repo.id):
            raise SourceError(f"{order.path} leads over a symbolic link.", hint="Put the folder itself in its place.")
        plans = load_sets([folder])[0] if folder.is_dir() else BlueprintSet(None)
        target = Target(order, plans, tenant)
        return WorkOrder(make_refresh_order(target, options, embed), lambda: find_lock(order), state.parent)

    return plan


def _make_build(workspace: Path, out: Path, options: BuildOptions, registry: Registry) -> Build:
    def build(tenant: str) -> Sequence[RepoOutcome]:
        found = next((each for each in plan_build(workspace, out, options) if each.id == tenant), None)
        if found is None:
            raise UsageError(f"{workspace} has no folder of the tenant {tenant}.", hint="`brain registry export --out` writes one.")
        if not found.repos:
            return ()
        built = build_tenant(found, replace(options, in_use=fetch_in_use(registry)))
        for leftover in built.leftovers:
            say(describe_leftover(leftover))
        return built.outcomes

    return build
