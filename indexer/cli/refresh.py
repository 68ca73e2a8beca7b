"""`brain refresh`: bring the maps of one repo up to date. Wiring only."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from indexer.cli.options import allow_private_option, json_option, quiet_option
from indexer.cli.reading import open_cache_folder
from indexer.cli.refreshing import Target, choose_target, embed_options, find_lock, make_refresh_order, open_branch, open_embedding
from indexer.cli.terminal import count, escape_text, render_json, say
from indexer.errors import BrainpressError, RefusalError, UsageError
from indexer.resources import expand_home
from indexer.sources.branch import read_head
from indexer.sources.orders import BuildOptions
from indexer.sources.pushing import read_push_address
from indexer.writes.content import find_last_refresh, read_content
from indexer.writes.lock import hold_lock
from indexer.writes.map_log import describe_counts
from indexer.writes.refresh import PushTarget, Refreshed, RefreshOrder, plan_refresh, refresh_maps

_STALE = 1


@click.command("refresh")
@click.argument("path")
@click.option("--repo", default="", metavar="ID", help="Repo of the workspace PATH.")
@click.option("--branch", default="", metavar="NAME", help="Branch to refresh. Default: the one that HEAD names; needed for an address.")
@click.option("--push", is_flag=True, help="Push the commit to the branch's remote. An address is always pushed to.")
@click.option("--push-to", metavar="ADDRESS", help="Push it there: an address, or a folder of this machine.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and change nothing.")
@click.option("--status", is_flag=True, help="Say whether the maps are fresh, from git alone; exits 1 when they are not.")
@click.option("--registry", metavar="URL", help="Note there how it went: a file, or a database's URL.")
@allow_private_option
@embed_options
@json_option
@quiet_option
@click.pass_context
def command(ctx: click.Context, /, path: str, repo: str, branch: str, **given: Any) -> None:
    """Bring the maps of PATH up to date: find what belongs together, and commit `.brain/` and the marked block of `index.md`.

    PATH is a git work tree, a folder of one, a bare repository, the address of a repository elsewhere, or a workspace (with --repo). What
    is committed at the head of the branch is read; no page is changed, and nothing is ever forced.
    """
    path = _read_place(path)
    where = Path(path) if Path(path).exists() else Path("/") / path.strip("/")
    with open_cache_folder(where, "refresh") as cache, open_embedding(given["embed"], given["embed_model"], cache) as embed:
        target = choose_target(path, repo, branch, cache)
        if given["status"]:
            ctx.exit(_show_status(target, branch, given))
        _refuse_kept(target, given["registry"])
        order = make_refresh_order(
            target, BuildOptions(allow_private=given["allow_private"]), embed, branch=branch, push=_find_push(target, branch, given)
        )
        if given["dry_run"]:
            _show(target, plan_refresh(order), given)
            return
        done = _refresh(target, order, branch, given["registry"])
        _show(target, done, given)


def _read_place(text: str) -> str:
    """Return PATH as it is meant: a path or an address."""
    if not text.strip():
        raise UsageError("PATH is empty.", hint="The current folder is written as a dot.")
    return expand_home(text)


def _refuse_kept(target: Target, registry: str | None) -> None:
    kept = target.kept
    if registry and target.tenant:
        from indexer.cli.refresh_states import is_kept  # noqa: PLC0415 (only whoever keeps a registry waits for its library)

        kept = is_kept(registry, target.tenant, target.order.repo, kept)
    if kept:
        raise RefusalError(
            f"{target.name} is kept as it is: nothing but asked-for writes may change it, so it has no maps.",
            hint="`brain repo keep --off`, or `kept_as_is: false` in its tenant.yml, lets it be refreshed.",
        )


def _find_push(target: Target, branch: str, given: dict[str, Any]) -> PushTarget | None:
    if given["push_to"]:
        return PushTarget(given["push_to"], allow_local=True, allow_private=True)
    if not given["push"] or target.order.address:
        return None
    remote, address = read_push_address(open_branch(target.order, branch))
    return PushTarget(address, remote, allow_private=True)  # the user's own remote, and --push was said


def _refresh(target: Target, order: RefreshOrder, branch: str, registry: str | None) -> Refreshed:
    try:
        with hold_lock(find_lock(target.order, branch)):
            # Asked again at the last moment, for an owner may have changed it while the pages were read.
            done = refresh_maps(replace(order, check_rights=lambda: _refuse_kept(target, registry)))
    except BrainpressError as error:
        _note(target, registry, error)
        raise
    _note(target, registry, done)
    return done


def _note(target: Target, registry: str | None, ended: Refreshed | BrainpressError) -> None:
    if registry and target.tenant:
        from indexer.cli.refresh_states import note_refresh  # noqa: PLC0415

        note_refresh(registry, target.tenant, target.order.repo, ended, datetime.now(UTC))


def _show_status(target: Target, name: str, given: dict[str, Any]) -> int:
    branch = open_branch(target.order, name, allow_private=given["allow_private"])
    head = read_head(branch)
    content = read_content(branch, head.id)
    last = find_last_refresh(branch, head.id)
    state = "fresh" if content.refreshed else "stale"
    if given["as_json"]:
        click.echo(
            render_json(
                {
                    "repo": target.name,
                    "state": state,
                    "content": content.revision,
                    "waiting": content.waiting,
                    "refreshed": last.revision if last else None,
                }
            )
        )
    else:
        read = f"the last refresh that changed a map read {last.revision[:12]}" if last else "no refresh was ever committed"
        why = {
            "fresh": "nothing but maps has changed since it was read",
            "stale": "relations wait" if content.waiting else "run `brain refresh`",
        }
        click.echo(escape_text(f"{target.name}: {state}. Content of {content.revision[:12]}; {why[state]}. {read[0].upper()}{read[1:]}."))
    return 0 if content.refreshed else _STALE


def _show(target: Target, done: Refreshed, given: dict[str, Any]) -> None:
    if given["as_json"]:
        click.echo(render_json({"repo": target.name, **to_builtins(done)}))
        return
    if given["quiet"]:
        return
    if done.status == "planned" or given["dry_run"]:
        for file in done.files:
            click.echo(escape_text(f"{file.path}  +{file.added:,} -{file.removed:,}"))
    said = describe_counts(done.counts)
    pushed = "; pushed an earlier refresh" if done.pushed else ""
    sentence = {
        "planned": f"would commit {said}; nothing was changed.",
        "refreshed": f"{said}. Committed as {done.head[:12]}{', and pushed' if done.pushed else ''}.",
        "unchanged": f"the maps of {count(done.counts.pages, 'page')} are up to date{pushed}.",
        "fresh": "the newest commit is a refresh; there is nothing to do.",
    }[done.status]
    say(escape_text(f"{target.name}: {sentence}"))
    if done.waiting:
        say(escape_text(f"  Relations wait: {done.waiting}"))
