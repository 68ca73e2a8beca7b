"""What holds for the reach of any reader in any tenant, whatever its file says."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.registry.reach import Access, Reader, is_known, reach
from indexer.registry.tenant_model import TenantFile

PEOPLE = ("ada", "bob", "cyd", "dan")
AGENTS = ("bot", "cli")
ROLES = ("operator", "admin", "staff", "member")

grants = st.fixed_dictionaries(
    {"to": st.sampled_from([*PEOPLE, *AGENTS, "everyone", "stranger"]), "access": st.sampled_from(["read", "write"])}
)
repos = st.fixed_dictionaries(
    {
        "owner": st.sampled_from(PEOPLE),
        "kind": st.sampled_from(["home", "shared"]),
        "status": st.sampled_from(["active", "active", "archived"]),
        "grants": st.lists(grants, max_size=4),
    }
)
memberships = st.fixed_dictionaries(
    {"account": st.sampled_from(PEOPLE), "role": st.sampled_from(ROLES), "status": st.sampled_from(["active", "active", "ended"])}
)
readers = st.builds(
    Reader,
    tenant=st.just("acme"),
    account=st.sampled_from(["", *PEOPLE, "stranger"]),
    agent=st.sampled_from(["", "", *AGENTS, "stranger"]),
    speaking=st.booleans(),
)


@st.composite
def tenants(draw: st.DrawFn) -> TenantFile:
    """Any tenant, also those that its rules would refuse: repeated memberships, grants to strangers, several homes."""
    declared: dict[str, Any] = {
        "id": "acme",
        "title": "Acme",
        "accounts": [{"id": person, "name": person} for person in draw(st.sets(st.sampled_from(PEOPLE), min_size=2))],
        "agents": [{"id": agent, "name": agent} for agent in AGENTS],
        "memberships": draw(st.lists(memberships, max_size=6)),
        "repos": [
            {"id": f"r{number}", "title": "R", "folder": f"r{number}", **repo}
            for number, repo in enumerate(draw(st.lists(repos, max_size=5)))
        ],
    }
    return TenantFile.model_validate(declared)


def is_within(less: Mapping[str, Access], more: Mapping[str, Access]) -> bool:
    """Whether nothing is reached that was not reached before, and nothing is written that was only read."""
    return all(repo in more and (access == "read" or more[repo] == "write") for repo, access in less.items())


@pytest.mark.req("T04", "T09")
@given(tenants(), readers, st.data())
@settings(max_examples=100, deadline=None)
def test_removing_a_grant_never_widens_reach(tenant: TenantFile, reader: Reader, data: st.DataObject) -> None:
    granted = [(at, number) for at, repo in enumerate(tenant.repos) for number in range(len(repo.grants))]
    if not granted:
        return
    at, number = data.draw(st.sampled_from(granted))
    repo = tenant.repos[at]
    fewer = repo.model_copy(update={"grants": repo.grants[:number] + repo.grants[number + 1 :]})
    changed = tenant.model_copy(update={"repos": (*tenant.repos[:at], fewer, *tenant.repos[at + 1 :])})
    assert is_within(reach(changed, reader), reach(tenant, reader))


@pytest.mark.req("T09", "T15")
@given(tenants(), readers, st.sampled_from(PEOPLE))
@settings(max_examples=100, deadline=None)
def test_ending_a_membership_never_widens_reach(tenant: TenantFile, reader: Reader, person: str) -> None:
    ended = [each.model_copy(update={"status": "ended"}) if each.account == person else each for each in tenant.memberships]
    after = reach(tenant.model_copy(update={"memberships": tuple(ended)}), reader)
    assert is_within(after, reach(tenant, reader))
    assert not any(repo.owner == person and repo.id in after for repo in tenant.repos)


@pytest.mark.req("T02", "T09")
@pytest.mark.threat(36)
@given(tenants(), readers, st.sampled_from(["other", "", "acme-2"]))
def test_reach_holds_active_repos_of_the_readers_own_tenant_only(tenant: TenantFile, reader: Reader, elsewhere: str) -> None:
    assert set(reach(tenant, reader)) <= {repo.id for repo in tenant.repos if repo.status == "active"}
    assert reach(tenant.model_copy(update={"id": elsewhere}), reader) == {}


@pytest.mark.req("S14")
@given(tenants(), st.sampled_from(PEOPLE))
def test_no_role_shows_a_home_that_is_neither_owned_nor_granted(tenant: TenantFile, person: str) -> None:
    for repo in tenant.repos:
        if repo.kind == "home" and repo.owner != person and all(grant.to not in {person, "everyone"} for grant in repo.grants):
            assert repo.id not in reach(tenant, Reader("acme", account=person))


@pytest.mark.req("T10")
@given(tenants(), st.sampled_from(PEOPLE), st.sampled_from(AGENTS))
def test_an_agent_for_a_person_reaches_both_and_one_spoken_to_reaches_the_persons(tenant: TenantFile, person: str, agent: str) -> None:
    own = reach(tenant, Reader("acme", account=person))
    alone = reach(tenant, Reader("acme", agent=agent))
    acting = reach(tenant, Reader("acme", account=person, agent=agent))
    assert reach(tenant, Reader("acme", account=person, agent=agent, speaking=True)) == own
    both = {repo: "write" if "write" in (own.get(repo), alone.get(repo)) else "read" for repo in {*own, *alone}}
    assert dict(acting) == (both if is_known(tenant, Reader("acme", account=person)) else {})


@given(tenants(), readers)
def test_the_order_of_repos_and_grants_does_not_matter(tenant: TenantFile, reader: Reader) -> None:
    turned = tuple(repo.model_copy(update={"grants": repo.grants[::-1]}) for repo in tenant.repos[::-1])
    assert reach(tenant.model_copy(update={"repos": turned}), reader) == reach(tenant, reader)
