"""`brain revoke`: the owner of a repo takes a grant back. Wiring only."""

import click

from indexer.cli.registry_options import Asked, registry_options
from indexer.registry.grants import revoke_grant


@click.command("revoke")
@click.argument("repo")
@click.option("--from", "to", required=True, metavar="WHO", help="Account, agent, or `everyone`.")
@registry_options()
def command(repo: str, to: str, asked: Asked) -> None:
    """Take back what WHO was granted on REPO; it counts no more for the next request. Only its owner may: name that account with --as."""
    with asked.writing() as (connection, tenant):
        revoke_grant(connection, tenant, repo, to, asked.actor, asked.now)
    asked.tell(f"{to} has no grant to {repo} of {tenant} any more.", {"tenant": tenant, "repo": repo, "from": to})
