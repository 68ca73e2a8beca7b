"""`brain grant`: the owner of a repo lets somebody reach it. Wiring only."""

import click

from indexer.cli.registry_options import Asked, registry_options
from indexer.registry.grants import give_grant
from indexer.registry.reach import Access


@click.command("grant")
@click.argument("repo")
@click.option("--to", required=True, metavar="WHO", help="Account, agent, or `everyone` in the tenant, now and later.")
@click.option("--read", "access", flag_value="read", help="Let them read.")
@click.option("--write", "access", flag_value="write", help="Let them read and write.")
@registry_options()
def command(repo: str, to: str, access: Access | None, asked: Asked) -> None:
    """Let WHO reach REPO. Only its owner may: name that account with --as."""
    if access is None:
        raise click.UsageError("Say how much: --read or --write.")
    with asked.writing() as (connection, tenant):
        changed = give_grant(connection, tenant, repo, to, access, asked.actor, asked.now)
    sentence = f"{to} may now {access} {repo} of {tenant}." if changed else f"{to} may {access} {repo} of {tenant} already."
    asked.tell(sentence, {"tenant": tenant, "repo": repo, "to": to, "access": access, "changed": changed})
