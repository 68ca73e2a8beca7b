"""tenant.yml and registry: applied, applied again, changed on both sides, written out."""

from pathlib import Path
from typing import Any

import pytest

from indexer.errors import ConfigError
from indexer.registry.apply import apply_tenants
from indexer.registry.audit import fetch_audit
from indexer.registry.engine import open_registry
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.keys import create_key, find_key
from indexer.registry.members import end_membership
from indexer.registry.reach import Reader
from indexer.registry.repos import archive_repo, create_repo
from indexer.registry.state import render_tenant
from indexer.registry.tenant_file import load_tenant_file
from indexer.registry.tenant_model import TenantFile
from tests.tools.registries import ACME, OTHER, World, act


def without(key: str, **fields: Any) -> dict[str, Any]:
    """ACME without the elements of a list that have these fields."""
    return {**ACME, key: [each for each in ACME[key] if any(each.get(name) != value for name, value in fields.items())]}


def with_repo(name: str, **fields: Any) -> dict[str, Any]:
    """ACME with fields of one repo changed."""
    return {**ACME, "repos": [{**repo, **fields} if repo["id"] == name else repo for repo in ACME["repos"]]}


@pytest.mark.req("T01")
def test_applying_again_changes_nothing_and_writes_nothing_into_the_audit(world: World) -> None:
    with world.registry.reading() as connection:
        lines = fetch_audit(connection, "acme", limit=1000)
    assert len(lines) == 1 + 6 + 2 + 6 + 5 + 7
    assert world.apply(ACME, OTHER) == 0
    with world.registry.reading() as connection:
        assert fetch_audit(connection, "acme", limit=1000) == lines


@pytest.mark.req("T01")
def test_what_is_exported_applies_to_the_same_state(world: World, tmp_path: Path) -> None:
    with world.writing() as connection:
        create_repo(connection, "acme", "sketches", '2026: `yes` & "no" #1', act("ed"), world.now)
        end_membership(connection, "acme", "di", act("ana"), world.now)
    exported = world.load()
    text = render_tenant(exported)
    assert "Comments of an earlier file are not kept" in text
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "tenant.yml").write_text(text, encoding="utf-8")
    read = load_tenant_file(tmp_path / "acme" / "tenant.yml")
    assert read == exported
    assert render_tenant(read) == text
    assert world.apply(read.model_dump(mode="json"), exact=True) == 0
    fresh = World(open_registry(str(tmp_path / "fresh.sqlite"), create=True))
    fresh.apply(read.model_dump(mode="json"))
    assert fresh.load() == exported
    fresh.registry.close()


@pytest.mark.req("T01")
def test_a_changed_file_changes_that_and_nothing_else(world: World) -> None:
    assert world.apply(with_repo("plans", title="Great plans", kept_as_is=True)) == 1
    plans = next(repo for repo in world.load().repos if repo.id == "plans")
    assert (plans.title, plans.kept_as_is, len(plans.grants)) == ("Great plans", True, 2)


@pytest.mark.req("T01")
def test_what_is_taken_out_of_the_file_ends_and_is_not_deleted(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "pager", ["knowledge:read"], act("ana"), world.now)
    world.apply(
        {**without("repos", id="handbook"), "agents": [{"id": "filer", "name": "Filer"}]}
        | {
            "repos": [
                {**repo, "grants": [g for g in repo.get("grants", []) if g["to"] != "pager"]}
                for repo in without("repos", id="handbook")["repos"]
            ]
        }
    )
    state = world.load()
    assert next(repo for repo in state.repos if repo.id == "handbook").status == "archived"
    assert [agent.id for agent in state.agents] == ["filer"]
    assert world.reach(Reader("acme", agent="pager")) == {}
    with world.registry.reading() as connection:
        assert find_key(connection, key, world.now) is None
    world.apply(ACME)
    with world.registry.reading() as connection:
        assert find_key(connection, key, world.now) is None, "an agent that comes back has none of its old keys"


@pytest.mark.req("T01", "T15")
def test_an_account_taken_out_of_the_file_is_no_member_and_cannot_sign_in(world: World) -> None:
    gone = {
        **ACME,
        "accounts": [each for each in ACME["accounts"] if each["id"] != "di"],
        "memberships": [each for each in ACME["memberships"] if each["account"] != "di"],
        "repos": [each for each in ACME["repos"] if each["owner"] != "di"],
    }
    world.apply(gone)
    state = world.load()
    assert next(member for member in state.memberships if member.account == "di").status == "ended"
    assert next(account for account in state.accounts if account.id == "di").email is None
    assert world.reach(Reader("acme", "ed")) == {"handbook": "read"}
    assert world.apply(gone) == 0
    world.apply(ACME)
    assert world.reach(Reader("acme", "di")) == {"handbook": "read", "plans": "write", "di-home": "write"}


@pytest.mark.req("T04")
@pytest.mark.threat(33)
def test_a_grant_that_its_owner_revoked_stays_revoked_when_the_old_file_is_applied_again(world: World) -> None:
    with world.writing() as connection:
        revoke_grant(connection, "acme", "plans", "ed", act("di"), world.now)
        archive_repo(connection, "acme", "handbook", act("ana"), world.now)
        end_membership(connection, "acme", "cy", act("ana"), world.now)
    assert world.apply(ACME) == 0
    assert world.apply(with_repo("handbook", title="New title")) == 1
    assert world.reach(Reader("acme", "ed")) == {}
    assert world.reach(Reader("acme", "cy")) == {}
    assert world.apply(ACME, exact=True) == 3
    assert world.reach(Reader("acme", "ed")) == {"handbook": "read", "plans": "write"}


@pytest.mark.req("T04", "T08")
def test_what_members_made_in_the_registry_stays_when_the_file_is_applied_again(world: World) -> None:
    with world.writing() as connection:
        create_repo(connection, "acme", "sketches", "Sketches", act("ed"), world.now)
        give_grant(connection, "acme", "sketches", "di", "read", act("ed"), world.now)
        give_grant(connection, "acme", "plans", "bo", "write", act("di"), world.now)
    assert world.apply(ACME) == 0
    assert world.reach(Reader("acme", "di"))["sketches"] == "read"
    assert world.reach(Reader("acme", "bo"))["plans"] == "write"


@pytest.mark.req("T01")
def test_a_file_that_contradicts_the_registry_changes_nothing_at_all(world: World) -> None:
    with world.writing() as connection:
        create_repo(connection, "acme", "sketches", "Sketches", act("ed"), world.now)
    before = world.load()
    overlapping = {
        **ACME,
        "title": "Other title",
        "repos": [*ACME["repos"], {"id": "new", "title": "N", "owner": "bo", "folder": "sketches/deep"}],
    }
    with pytest.raises(ConfigError, match="two repos must not overlap"):
        world.apply(overlapping)
    assert world.load() == before


@pytest.mark.threat(39)
def test_an_id_is_not_used_again_for_something_or_somebody_else(world: World) -> None:
    world.apply({**ACME, "agents": [{"id": "filer", "name": "Filer"}]} | {"repos": [{**r, "grants": []} for r in ACME["repos"]]})
    with pytest.raises(ConfigError, match="is or was an agent"):
        world.apply({**ACME, "agents": ACME["agents"][:1], "accounts": [*ACME["accounts"], {"id": "pager", "name": "Pa Ger"}], "repos": []})
    stranger = [{**each, "email": "stranger@acme.example"} if each["id"] == "left" else each for each in ACME["accounts"]]
    back = [{"account": "left"} if each["account"] == "left" else each for each in ACME["memberships"]]
    with pytest.raises(ConfigError, match="somebody with another e-mail address"):
        world.apply({**ACME, "accounts": stranger, "memberships": back})
    assert world.reach(Reader("acme", "left")) == {}


@pytest.mark.threat(39)
def test_an_agent_that_comes_back_has_none_of_the_grants_that_owners_gave_it_before(world: World) -> None:
    with world.writing() as connection:
        create_repo(connection, "acme", "sketches", "Sketches", act("ed"), world.now)
        give_grant(connection, "acme", "sketches", "filer", "write", act("ed"), world.now)
    repos = [{**repo, "grants": [grant for grant in repo.get("grants", []) if grant["to"] != "filer"]} for repo in ACME["repos"]]
    world.apply({**ACME, "agents": ACME["agents"][1:], "repos": repos})
    assert world.reach(Reader("acme", agent="filer")) == {}
    world.apply({**ACME, "repos": repos})
    assert world.reach(Reader("acme", agent="filer")) == {}


@pytest.mark.threat(36)
def test_two_accounts_of_a_tenant_cannot_share_an_address_whatever_its_case(world: World) -> None:
    doubled = [*ACME["accounts"], {"id": "fay", "name": "Fay", "email": "DI@acme.EXAMPLE"}]
    with pytest.raises(ConfigError, match="is that of `di` already"):
        world.apply({**ACME, "accounts": doubled})


@pytest.mark.threat(36)
@pytest.mark.parametrize("by", ["bo", "di", "left", "zoe", "filer"])
def test_an_account_that_is_no_operator_there_applies_nothing(world: World, by: str) -> None:
    declared = TenantFile.model_validate({**ACME, "title": "Taken over"})
    with pytest.raises(ConfigError, match="may not do that"), world.writing() as connection:
        apply_tenants(connection, [declared], world.now, by=act(by))
    new = TenantFile.model_validate({**OTHER, "id": "third"})
    with pytest.raises(ConfigError, match="no tenant"), world.writing() as connection:
        apply_tenants(connection, [new], world.now, by=act("ana"))
    with world.writing() as connection:
        apply_tenants(connection, [declared], world.now, by=act("ana"))
    assert world.load().title == "Taken over"


@pytest.mark.req("T01")
def test_a_problem_in_one_tenant_stops_all(world: World) -> None:
    with pytest.raises(ConfigError):
        world.apply(
            {**OTHER, "title": "Renamed"}, {**ACME, "accounts": [*ACME["accounts"], {"id": "fay", "name": "F", "email": "di@acme.example"}]}
        )
    assert world.load("other").title == "Other"
