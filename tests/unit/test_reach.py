"""Who reaches which repo: every rule of `reach` on a small tenant, as a table that can be read without the code."""

from typing import Any

import pytest

from indexer.registry.reach import Reader, is_known, reach
from indexer.registry.tenant_model import TenantFile

ACCOUNTS = {"olga": "operator", "ada": "admin", "stan": "staff", "max": "member", "mia": "member"}


def make_tenant(**changes: Any) -> TenantFile:
    """Return a tenant with five people, two agents, the homes of two members and four shared repos."""
    repos: list[dict[str, Any]] = [
        {"id": "max-home", "owner": "max", "kind": "home"},
        {"id": "ada-home", "owner": "ada", "kind": "home"},
        {"id": "rules", "owner": "ada", "grants": [{"to": "everyone", "access": "read"}]},
        {"id": "sales", "owner": "stan", "grants": [{"to": "mia", "access": "write"}, {"to": "bot", "access": "read"}]},
        {"id": "books", "owner": "olga"},
        {"id": "old", "owner": "ada", "status": "archived", "grants": [{"to": "everyone", "access": "write"}]},
    ]
    declared: dict[str, Any] = {
        "id": "acme",
        "title": "Acme",
        "accounts": [{"id": account, "name": account.title()} for account in ACCOUNTS],
        "agents": [{"id": "bot", "name": "Bot"}, {"id": "idle", "name": "Idle"}],
        "memberships": [{"account": account, "role": role} for account, role in ACCOUNTS.items()],
        "repos": [{"title": repo["id"], "folder": repo["id"], **repo} for repo in repos],
    }
    return TenantFile.model_validate({**declared, **changes})


def leave(tenant: TenantFile, account: str) -> TenantFile:
    """Return the tenant after somebody's membership ended."""
    ended = [each.model_copy(update={"status": "ended"}) if each.account == account else each for each in tenant.memberships]
    return tenant.model_copy(update={"memberships": tuple(ended)})


@pytest.mark.req("T03", "T04", "T05", "S14")
@pytest.mark.parametrize(
    ("account", "expected"),
    [
        ("mia", {"rules": "read", "sales": "write"}),
        ("max", {"rules": "read", "max-home": "write"}),
        ("stan", {"rules": "read", "sales": "write", "books": "read"}),
        ("ada", {"rules": "write", "sales": "read", "books": "read", "ada-home": "write"}),
        ("olga", {"rules": "read", "books": "write"}),
    ],
)
def test_each_role_reaches_what_is_its_own_what_is_granted_and_what_the_role_shows(account: str, expected: dict[str, str]) -> None:
    assert dict(reach(make_tenant(), Reader("acme", account=account))) == expected


@pytest.mark.req("T10")
@pytest.mark.threat(39)
@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (Reader("acme", agent="bot"), {"sales": "read"}),
        (Reader("acme", agent="idle"), {}),
        (Reader("acme", agent="bot", account="max"), {"sales": "read", "rules": "read", "max-home": "write"}),
        (Reader("acme", agent="bot", account="mia"), {"sales": "write", "rules": "read"}),
        (Reader("acme", agent="bot", account="max", speaking=True), {"rules": "read", "max-home": "write"}),
        (Reader("acme", agent="idle", account="max", speaking=True), {"rules": "read", "max-home": "write"}),
    ],
    ids=["by itself", "without a grant", "for a person", "for a person with more", "spoken to", "spoken to, without a grant"],
)
def test_an_agent_reaches_by_itself_for_and_with_a_person(reader: Reader, expected: dict[str, str]) -> None:
    """`everyone` is people: no agent reaches the rules by itself."""
    assert dict(reach(make_tenant(), reader)) == expected


@pytest.mark.threat(36)
@pytest.mark.parametrize(
    "reader",
    [
        Reader("acme", account="nobody"),
        Reader("acme", agent="nobody"),
        Reader("acme", agent="bot", account="nobody"),
        Reader("acme", agent="nobody", account="max", speaking=True),
        Reader("acme", account="bot"),
        Reader("acme", agent="max"),
        Reader("acme", account="everyone"),
        Reader("acme"),
        Reader("other", account="ada"),
        Reader("acme", account="ada", scopes=frozenset()),
        Reader("acme", account="ada", scopes=frozenset({"knowledge:write"})),
    ],
)
def test_whoever_is_unknown_of_another_tenant_or_without_the_scope_reaches_nothing(reader: Reader) -> None:
    assert reach(make_tenant(), reader) == {}
    assert not is_known(make_tenant(), reader)


@pytest.mark.req("T09", "T15")
def test_who_left_reaches_nothing_and_what_they_own_is_reached_by_nobody() -> None:
    tenant = leave(make_tenant(), "stan")
    assert reach(tenant, Reader("acme", account="stan")) == {}
    assert reach(tenant, Reader("acme", agent="bot", account="stan")) == {}
    assert dict(reach(tenant, Reader("acme", account="mia"))) == {"rules": "read"}
    assert reach(tenant, Reader("acme", agent="bot")) == {}


@pytest.mark.req("T04")
@pytest.mark.threat(39)
def test_everyone_is_who_belongs_to_the_tenant_now_and_not_who_left() -> None:
    tenant = make_tenant()
    assert "rules" in reach(tenant, Reader("acme", account="mia"))
    assert "rules" not in reach(leave(tenant, "mia"), Reader("acme", account="mia"))


@pytest.mark.req("T02")
@pytest.mark.threat(36)
def test_a_grant_to_somebody_outside_the_tenant_gives_nothing() -> None:
    """Such a file is refused as a whole; should one get this far, its grant is worth nothing."""
    tenant = make_tenant(
        repos=[{"id": "x", "title": "X", "folder": "x", "owner": "ada", "grants": [{"to": "stranger", "access": "write"}]}]
    )
    assert reach(tenant, Reader("acme", account="stranger")) == {}


@pytest.mark.req("T03")
def test_a_home_is_reached_by_nobody_else_until_its_owner_grants_it() -> None:
    tenant = make_tenant()
    for account in ACCOUNTS.keys() - {"max"}:
        assert "max-home" not in reach(tenant, Reader("acme", account=account))
    granted = make_tenant(
        repos=[
            {"id": "max-home", "title": "Max", "folder": "m", "owner": "max", "kind": "home", "grants": [{"to": "mia", "access": "read"}]}
        ]
    )
    assert dict(reach(granted, Reader("acme", account="mia"))) == {"max-home": "read"}
    assert reach(granted, Reader("acme", account="ada")) == {}


def test_records_that_contradict_each_other_give_nothing() -> None:
    twice = [{"account": "ada", "role": "member", "status": "ended"}, {"account": "ada", "role": "admin"}]
    assert reach(make_tenant(memberships=twice), Reader("acme", account="ada")) == {}
    roles = [{"account": "ada", "role": "member"}, {"account": "ada", "role": "admin"}]
    assert reach(make_tenant(memberships=roles), Reader("acme", account="ada")) == {}


def test_a_membership_without_an_account_gives_nothing() -> None:
    tenant = make_tenant(memberships=[{"account": "ghost", "role": "admin"}])
    assert reach(tenant, Reader("acme", account="ghost")) == {}
