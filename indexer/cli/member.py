"""`brain member`: who belongs to a tenant and as what. Wiring only."""

import click
from msgspec.structs import asdict

from indexer.cli.registry_options import Asked, registry_options, render_table
from indexer.registry.members import add_member, change_role, end_membership, restore_membership
from indexer.registry.parties import list_parties

_ROLES = click.Choice(["operator", "admin", "staff", "member"])


@click.group("member")
def command() -> None:
    """List, add, end and restore memberships."""


@command.command("list")
@registry_options(acts=False)
def list_all(asked: Asked) -> None:
    """List the members of a tenant, those that left as well."""
    with asked.reading() as (connection, tenant):
        listed = [each for each in list_parties(connection, tenant) if each.role is not None]
    rows = [[each.id, each.name, each.role or "", each.status] for each in listed]
    asked.tell(render_table(["id", "name", "role", "status"], rows), [asdict(each) for each in listed])


@command.command("add")
@click.argument("account")
@click.option("--role", type=_ROLES, default="member", show_default=True)
@registry_options()
def add(account: str, role: str, asked: Asked) -> None:
    """Make ACCOUNT a member of its tenant."""
    with asked.writing() as (connection, tenant):
        add_member(connection, tenant, account, role, asked.actor, asked.now)
    asked.tell(f"{account} is now {role} of {tenant}.", {"tenant": tenant, "account": account, "role": role, "status": "active"})


@command.command("role")
@click.argument("account")
@click.argument("role", type=_ROLES)
@registry_options()
def change(account: str, role: str, asked: Asked) -> None:
    """Give ACCOUNT the role ROLE."""
    with asked.writing() as (connection, tenant):
        change_role(connection, tenant, account, role, asked.actor, asked.now)
    asked.tell(f"{account} is now {role} of {tenant}.", {"tenant": tenant, "account": account, "role": role})


@command.command("end")
@click.argument("account")
@registry_options()
def end(account: str, asked: Asked) -> None:
    """End the membership of ACCOUNT at once: nothing is reached any more, keys are revoked, repos archived."""
    with asked.writing() as (connection, tenant):
        archived = end_membership(connection, tenant, account, asked.actor, asked.now)
    value = {"tenant": tenant, "account": account, "status": "ended", "archived": archived}
    asked.tell(f"{account} is no member of {tenant} any more. Archived: {', '.join(archived) or 'nothing'}.", value)


@command.command("restore")
@click.argument("account")
@registry_options()
def restore(account: str, asked: Asked) -> None:
    """Let ACCOUNT come back in the role it had; its repos are restored, its keys are not."""
    with asked.writing() as (connection, tenant):
        restored = restore_membership(connection, tenant, account, asked.actor, asked.now)
    value = {"tenant": tenant, "account": account, "status": "active", "restored": restored}
    asked.tell(f"{account} is a member of {tenant} again. Restored: {', '.join(restored) or 'nothing'}.", value)
