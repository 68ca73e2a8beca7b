"""`brain reach`: what a turn reaches, decided now. Wiring only."""

import os
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Connection

from indexer.cli.paths import TypedPath
from indexer.cli.registry_options import Asked, registry_options, render_table
from indexer.cli.terminal import escape_text, say
from indexer.errors import RefusalError, SourceError, UsageError
from indexer.registry.keys import find_key
from indexer.registry.reach import Reader
from indexer.registry.tenant_model import Repo
from indexer.registry.turn import Reached, list_reached, make_reader
from indexer.sources.tip import find_remote_tip, find_tip
from indexer.sources.workspace import TenantFolder, read_workspace

KEY, WHO = "BRAIN_KEY", "BRAIN_AS"
"""What the environment of a turn holds; with either, `brain` alone is this command."""
_WORDS = {"read": "read-only", "write": "writable"}


@click.command("reach")
@click.option("--as", "who", envvar=WHO, metavar="WHO", help=f"Account or agent that asks (or {WHO}; or its key in {KEY}).")
@click.option("--for", "account", envvar="BRAIN_FOR", metavar="ACCOUNT", help="Person for whom the agent of --as runs (or BRAIN_FOR).")
@click.option(
    "--speaker", envvar="BRAIN_SPEAKER", metavar="ACCOUNT", help="Person who is speaking to the agent of --as (or BRAIN_SPEAKER)."
)
@click.option(
    "--path",
    type=TypedPath(exists=True, file_okay=False),
    help="Workspace: say for each repo what is pushed now, not only what was read last.",
)
@registry_options(acts=False)
def command(who: str | None, account: str | None, speaker: str | None, path: Path | None, asked: Asked) -> None:
    """List the repos that somebody reaches at this moment, each read-only or writable.

    What an agent reaches depends on the turn: with a person speaking, what that person reaches; in a run for a person, that and what is
    granted to the agent; by itself, what is granted to the agent. In the environment of a turn `brain` alone does the same.
    """
    key = os.environ.get(KEY, "") if who is None else ""
    if not key and who is None:
        raise UsageError("Say who is asking: --as WHO.", hint=f"Or put the key of the turn into {KEY}.")
    if key and (account or speaker):
        raise UsageError("The key says for whom an agent runs, so --for and --speaker go with --as only.")
    with asked.opened() as registry, registry.reading() as connection:
        reader, brain = _read_key(connection, key, asked) if key else _name_reader(connection, asked, who or "", account, speaker)
        reached = list_reached(connection, reader, brain)
    tips = _find_tips(path, reader.tenant, reached) if path else {}
    asked.tell(_show(reached, tips, with_tips=path is not None), _to_json(reader, reached, tips))


def _name_reader(connection: Connection, asked: Asked, who: str, account: str | None, speaker: str | None) -> tuple[Reader, str]:
    return make_reader(connection, asked.choose_tenant(connection), who, account or "", speaker or ""), ""


def _read_key(connection: Connection, key: str, asked: Asked) -> tuple[Reader, str]:
    holder = find_key(connection, key.strip(), asked.now)
    if holder is None or asked.tenant not in {None, holder.reader.tenant}:
        raise RefusalError(f"The key in {KEY} is not known here, has expired or was revoked.", hint="`brain key add` makes another.")
    return holder.reader, holder.brain


def _find_tips(path: Path, tenant: str, reached: list[Reached]) -> dict[str, str]:
    """Return repo → the commit that is pushed now; without those for which it cannot be told, which is said."""
    folder = next((each for each in read_workspace(path) or () if each.folder.name == tenant), None)
    found = {}
    for each in reached:
        repo = each.listed.repo
        try:
            tip = _find_tip(folder, repo)
        except SourceError as error:
            say(escape_text(f"{repo.id}: {error.message}"))
        else:
            if tip:
                found[repo.id] = tip
    return found


def _find_tip(folder: TenantFolder | None, repo: Repo) -> str | None:
    if repo.address and repo.branch:
        return find_remote_tip(repo.address, repo.branch)
    inside = folder.find_folder(repo) if folder else None
    return find_tip(inside) if inside and inside.is_dir() else None


def _show(reached: list[Reached], tips: dict[str, str], *, with_tips: bool) -> str:
    heads = ["id", "title", "access", "index", "revision", "read at", *(["pushed"] if with_tips else [])]
    rows = []
    for each in reached:
        listed = each.listed
        cells = [listed.repo.id, listed.repo.title, _WORDS[each.access], listed.state or "never read"]
        cells += [(listed.revision or "")[:12], listed.refreshed or "", *([tips.get(listed.repo.id, "")[:12]] if with_tips else [])]
        rows.append(cells)
    return render_table(heads, rows)


def _to_json(reader: Reader, reached: list[Reached], tips: dict[str, str]) -> dict[str, Any]:
    return {
        "tenant": reader.tenant,
        "account": reader.account or None,
        "agent": reader.agent or None,
        "speaking": reader.speaking,
        "repos": [
            {
                "id": each.listed.repo.id,
                "title": each.listed.repo.title,
                "kind": each.listed.repo.kind,
                "owner": each.listed.repo.owner,
                "access": each.access,
                "kept_as_is": each.listed.repo.kept_as_is,
                "state": each.listed.state or None,
                "revision": each.listed.revision,
                "refreshed": each.listed.refreshed,
                "pushed": tips.get(each.listed.repo.id),
            }
            for each in reached
        ],
    }
