"""Who reaches which repo, worked out from what a tenant.yml declares (SPEC T02–T05, T09, T10, T15, S14): deny unless a rule allows.

Called by every door that shows content, anew for each request. Pure: it reads nothing, keeps nothing and knows no clock. The rules are
written here in plain Python so that what is decided in another way, such as in SQL, can be held against them.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from indexer.registry.tenant_model import EVERYONE, Repo, TenantFile

Access = Literal["read", "write"]
"""Write includes read."""

READ_SCOPE = "knowledge:read"
SEES_SHARED = frozenset({"admin", "staff"})
"""Roles that read every active shared repo (S14)."""
_NOTHING: Mapping[str, Access] = {}


class Reader(Struct, frozen=True):
    """Who is asking. Exactly one of these: an account; an agent; an agent for an account; an agent to which an account is speaking."""

    tenant: str
    """Id of the tenant that the credential belongs to."""
    account: str = ""
    """The person who asks, for whom the agent runs, or who is speaking to it; empty = an agent by itself."""
    agent: str = ""
    """The program that asks; empty = the person."""
    speaking: bool = False
    """True when the account is speaking to the agent now; False when the agent runs for the account."""
    scopes: frozenset[str] = frozenset({READ_SCOPE})
    """What the credential is for; without `knowledge:read` nothing is reached."""

    @property
    def may_read(self) -> bool:
        """Whether the credential is for reading at all."""
        return READ_SCOPE in self.scopes


def reach(tenant: TenantFile, reader: Reader) -> Mapping[str, Access]:
    """Return repo id → access for every repo that the reader reaches; whoever is unknown, or of another tenant, reaches nothing."""
    if not is_known(tenant, reader):
        return _NOTHING
    people = _list_members(tenant)
    reached: dict[str, Access] = {}
    for repo in tenant.repos:
        # The repos of somebody who left are archived (T15).
        if repo.status == "active" and repo.owner in people and (access := _strongest(_list_rights(tenant, reader, repo, people))):
            reached[repo.id] = access
    return reached


def is_known(tenant: TenantFile, reader: Reader) -> bool:
    """Whether the reader belongs to the tenant now and may read at all: each of those it consists of is there, and has not left."""
    if reader.tenant != tenant.id or not reader.may_read or not (reader.account or reader.agent):
        return False
    if reader.agent and all(agent.id != reader.agent for agent in tenant.agents):
        return False
    return not reader.account or reader.account in _list_members(tenant)


def _list_members(tenant: TenantFile) -> dict[str, str]:
    """Return account → role of the people who belong to the tenant now; one with contradicting records does not."""
    ended = {membership.account for membership in tenant.memberships if membership.status != "active"}
    current = {account.id for account in tenant.accounts} - ended
    roles: dict[str, set[str]] = {}
    for membership in tenant.memberships:
        roles.setdefault(membership.account, set()).add(membership.role)
    return {account: next(iter(role)) for account, role in roles.items() if len(role) == 1 and account in current}


def _list_rights(tenant: TenantFile, reader: Reader, repo: Repo, people: Mapping[str, str]) -> Iterator[Access]:
    """Yield every right that the reader has on an active repo."""
    if reader.account:
        yield from _list_rights_of_account(tenant, repo, reader.account, people[reader.account])
    if reader.agent and not reader.speaking:
        # `everyone` means people: an agent is named or it reaches nothing.
        yield from (grant.access for grant in repo.grants if grant.to == reader.agent and tenant.find_grantee_kind(grant) == "agent")


def _list_rights_of_account(tenant: TenantFile, repo: Repo, account: str, role: str) -> Iterator[Access]:
    if repo.owner == account:
        yield "write"
    if repo.kind == "shared" and role in SEES_SHARED:
        yield "read"
    for grant in repo.grants:
        if grant.to == EVERYONE or (grant.to == account and tenant.find_grantee_kind(grant) == "account"):
            yield grant.access


def _strongest(rights: Iterator[Access]) -> Access | None:
    found = set(rights)
    return "write" if "write" in found else "read" if found else None
