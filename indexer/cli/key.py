"""`brain key`: keys of programs. Wiring only."""

from datetime import timedelta

import click
from msgspec.structs import asdict

from indexer.cli.registry_options import Asked, registry_options, render_table
from indexer.registry.key_list import ListedKey, list_keys
from indexer.registry.keys import SCOPES, create_key, revoke_key
from indexer.registry.reach import READ_SCOPE


@click.group("key")
def command() -> None:
    """List, make and revoke keys."""


@command.command("list")
@click.option("--for", "holder", metavar="WHO", help="Only those of this account or agent.")
@registry_options(acts=False)
def list_all(holder: str | None, asked: Asked) -> None:
    """List the keys of a tenant; none is shown in full."""
    with asked.reading() as (connection, tenant):
        listed = list_keys(connection, tenant, holder)
    rows = [
        [
            each.id,
            each.shown,
            _name(each.holder, each.person),
            " ".join(each.scopes),
            each.brain,
            each.used or "never",
            _describe(each),
            " ".join(each.label.split()),
        ]
        for each in listed
    ]
    asked.tell(render_table(["id", "key", "for", "scopes", "brain", "used", "state", "label"], rows), [asdict(each) for each in listed])


@command.command("add")
@click.option("--for", "holder", required=True, metavar="WHO", help="Account or agent that the key stands for.")
@click.option("--agent", metavar="AGENT", help="Agent that holds the key and runs for the account of --for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    metavar="SCOPE",
    help=f"What it is for; may be repeated. Without: {READ_SCOPE}.",
)
@click.option("--brain", default="", metavar="ID", help="The one brain that it is for.")
@click.option("--days", type=click.IntRange(1, 3650), help="Days after which it expires. Without: it does not.")
@click.option("--env", "environment", default="live", show_default=True, help="Part of the key: live, test, …")
@click.option("--label", default="", help="What you will know it by.")
@registry_options()
def add(
    holder: str, agent: str | None, scopes: tuple[str, ...], brain: str, days: int | None, environment: str, label: str, asked: Asked
) -> None:
    """Make a key and print it. It is shown this once: the registry keeps only its hash."""
    holder, person = (agent, holder) if agent else (holder, "")
    expires = None if days is None else asked.now + timedelta(days=days)
    with asked.writing() as (connection, tenant):
        identity, key = create_key(
            connection,
            tenant,
            holder,
            scopes or (READ_SCOPE,),
            asked.actor,
            asked.now,
            environment=environment,
            brain=brain,
            expires=expires,
            label=label,
            person=person,
        )
    sentence = f"Key {identity} for {_name(holder, person)} of {tenant}. It is shown only now:\n\n    {key}\n"
    asked.tell(sentence, {"tenant": tenant, "id": identity, "holder": holder, "person": person, "key": key})


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@registry_options()
def revoke(key_id: str, asked: Asked) -> None:
    """Revoke the key ID (see `brain key list`) for good; it is refused from the next request on."""
    with asked.writing() as (connection, tenant):
        revoke_key(connection, tenant, key_id, asked.actor, asked.now)
    asked.tell(f"Key {key_id} of {tenant} is revoked.", {"tenant": tenant, "id": key_id, "revoked": True})


def _name(holder: str, person: str) -> str:
    return f"{holder} for {person}" if person else holder


def _describe(key: ListedKey) -> str:
    if key.revoked:
        return f"revoked {key.revoked}"
    return f"until {key.expires}" if key.expires else "good"
