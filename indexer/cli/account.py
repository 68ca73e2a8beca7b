"""`brain account`: the people and programs of a tenant. Wiring only."""

import click
from msgspec.structs import asdict

from indexer.cli.registry_options import Asked, registry_options, render_table
from indexer.registry.parties import add_account, add_agent, list_parties


@click.group("account")
def command() -> None:
    """List and add accounts (people) and agents (programs)."""


@command.command("list")
@registry_options(acts=False)
def list_all(asked: Asked) -> None:
    """List the accounts and agents of a tenant."""
    with asked.reading() as (connection, tenant):
        listed = list_parties(connection, tenant)
    rows = [[each.kind, each.id, each.name, each.email or "", each.role or "", each.status] for each in listed]
    asked.tell(render_table(["kind", "id", "name", "e-mail", "role", "status"], rows), [asdict(each) for each in listed])


@command.command("add")
@click.argument("account")
@click.option("--name", required=True, help="Shown to others.")
@click.option("--email", help="By which the sign-in knows the person.")
@click.option("--agent", "is_agent", is_flag=True, help="A program instead of a person.")
@registry_options()
def add(account: str, name: str, email: str | None, is_agent: bool, asked: Asked) -> None:
    """Add the account ACCOUNT. A person becomes a member with `brain member add`; an agent reaches what it is granted."""
    if is_agent and email:
        raise click.UsageError("An agent has no e-mail address.")
    with asked.writing() as (connection, tenant):
        if is_agent:
            add_agent(connection, tenant, account, name, asked.actor, asked.now)
        else:
            add_account(connection, tenant, account, name, email, asked.actor, asked.now)
    kind = "agent" if is_agent else "account"
    asked.tell(f"Added the {kind} {account} to {tenant}.", {"tenant": tenant, "kind": kind, "id": account})
