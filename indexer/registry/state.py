"""What the registry holds about a tenant, as the value that a tenant.yml is read into; and that value as text again.

Called by `apply`, by `brain registry export` and `check`, and by tests, which ask the plain rules of `reach` about it. Agents that were
removed are left out, for a file cannot say so; everything that has ended or is archived is there.
"""

from collections import defaultdict

import yaml
from pydantic import ValidationError
from sqlalchemy import Connection, select

from indexer.errors import RegistryError
from indexer.registry.lookup import require_tenant
from indexer.registry.repos import as_repo
from indexer.registry.tables import GRANT, MEMBERSHIP, PRINCIPAL, REPO, TENANT
from indexer.registry.tenant_model import Account, Agent, Grant, Membership, Repo, TenantFile


def list_tenants(connection: Connection) -> list[str]:
    """Return the ids of all tenants, sorted."""
    return sorted(connection.execute(select(TENANT.c.name)).scalars())


def load_tenant(connection: Connection, tenant: str) -> TenantFile:
    """Return a tenant as it is now, every list sorted by id; RefusalError when there is none of that id.

    Takes several statements: the connection is that of a transaction or a snapshot.
    """
    try:
        return _load(connection, tenant, require_tenant(connection, tenant))
    except ValidationError as invalid:
        sentence = f"The registry holds something about {tenant} that this program does not accept."
        raise RegistryError(sentence, hint=str(invalid.errors(include_url=False)[0]["msg"])) from invalid


def _load(connection: Connection, tenant: str, tenant_id: str) -> TenantFile:
    about = connection.execute(select(TENANT).where(TENANT.c.id == tenant_id)).one()
    parties = connection.execute(select(PRINCIPAL).where(PRINCIPAL.c.tenant_id == tenant_id)).all()
    names: dict[str, str] = {row.id: row.name for row in parties}
    members = connection.execute(select(MEMBERSHIP).where(MEMBERSHIP.c.tenant_id == tenant_id)).all()
    agents = [Agent(id=row.name, name=row.title) for row in parties if row.kind == "agent" and row.status == "active"]
    accounts = [Account(id=row.name, name=row.title, email=row.email) for row in parties if row.kind == "account"]
    memberships = [Membership(account=names[row.account_id], role=row.role, status=row.status) for row in members]
    return TenantFile(
        id=tenant,
        title=about.title,
        url=about.url,
        accounts=tuple(sorted(accounts, key=lambda account: account.id)),
        agents=tuple(sorted(agents, key=lambda agent: agent.id)),
        memberships=tuple(sorted(memberships, key=lambda membership: membership.account)),
        repos=_load_repos(connection, tenant_id, names),
    )


def _load_repos(connection: Connection, tenant_id: str, names: dict[str, str]) -> tuple[Repo, ...]:
    grants: dict[str, list[Grant]] = defaultdict(list)
    for row in connection.execute(select(GRANT).where(GRANT.c.tenant_id == tenant_id)):
        grants[row.repo_id].append(Grant(to=names[row.grantee_id], access=row.access))
    rows = connection.execute(select(REPO).where(REPO.c.tenant_id == tenant_id)).all()
    repos = [as_repo(row, names[row.owner_id], tuple(sorted(grants[row.id], key=lambda grant: grant.to))) for row in rows]
    return tuple(sorted(repos, key=lambda repo: repo.id))


class _Plain(yaml.SafeDumper):
    """Writes every value out: tenant.yml knows no anchors."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 (yaml gives it)
        return True


_HEADING = """\
# Written by `brain registry export` from what the registry holds. Comments of an earlier file are not kept there, and so are lost here.
# Keys, sessions and the audit are in the registry only.
"""


def render_tenant(tenant: TenantFile) -> str:
    """Return the text of a tenant.yml that declares exactly this."""
    plain = tenant.model_dump(mode="json", exclude_none=True)
    text: str = yaml.dump(plain, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=1000, default_flow_style=False)
    return _HEADING + text
