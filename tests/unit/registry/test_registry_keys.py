"""Keys, identities, sessions and sign-ins: shown once, kept hashed, gone at once."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from indexer.errors import RefusalError
from indexer.registry.audit import CONSOLE, Actor, fetch_audit
from indexer.registry.grants import revoke_grant
from indexer.registry.identities import end_sessions_of, sign_in
from indexer.registry.key_list import list_keys
from indexer.registry.keys import KEY_PATTERN, create_key, find_key, note_key_use, revoke_key
from indexer.registry.members import end_membership, restore_membership
from indexer.registry.question import Question
from indexer.registry.reach import Reader
from indexer.registry.repos import archive_repo
from indexer.registry.sessions import (
    create_session,
    drop_expired,
    end_session,
    find_session,
    needs_note,
    note_seen,
    store_login,
    take_login,
)
from tests.tools.registries import ACME, World, act

READ = ["knowledge:read"]
ISSUER = "https://login.example.org"


# ---------------------------------------------------------------- keys


@pytest.mark.req("M12")
@pytest.mark.threat(36, 38)
def test_a_key_stands_for_its_holder_with_its_scopes_and_is_shown_once(world: World) -> None:
    with world.writing() as connection:
        identity, key = create_key(
            connection, "acme", "filer", ["records:write", *READ], act("bo"), world.now, environment="test", label="CI"
        )
        create_key(connection, "other", "ana", READ, CONSOLE, world.now)
    assert KEY_PATTERN.fullmatch(key)
    assert key.startswith("sk_test_acme_")
    with world.registry.reading() as connection:
        holder = find_key(connection, key, world.now)
        listed = list_keys(connection, "acme")
        lines = fetch_audit(connection, "acme", limit=1)
    assert holder is not None
    assert holder.reader == Reader("acme", agent="filer", scopes=frozenset({"records:write", "knowledge:read"}))
    assert (holder.environment, holder.brain, holder.key_id) == ("test", "", identity)
    assert [(each.id, each.shown, each.holder, each.label, each.used) for each in listed] == [
        (identity, f"sk_test_acme_…{key[-4:]}", "filer", "CI", None)
    ]
    assert key not in f"{listed} {lines}"
    assert key[-8:] not in f"{listed} {lines}"


@pytest.mark.req("M12")
@pytest.mark.threat(33)
def test_a_revoked_key_is_refused_from_the_next_request_on(world: World) -> None:
    with world.writing() as connection:
        identity, key = create_key(connection, "acme", "ed", READ, act("ed"), world.now)
    with world.registry.reading() as held:
        assert find_key(held, key, world.now) is not None
        for by in (act("di"), act("filer"), act("zoe")):
            with pytest.raises(RefusalError), world.writing() as connection:
                revoke_key(connection, "acme", identity, by, world.now)
        with pytest.raises(RefusalError), world.writing() as connection:
            revoke_key(connection, "other", identity, CONSOLE, world.now)
        with world.writing() as connection:
            revoke_key(connection, "acme", identity, act("ed"), world.now)
        assert find_key(held, key, world.now) is None


@pytest.mark.req("M12")
def test_an_expired_key_is_refused_from_that_millisecond_on(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "ed", READ, act("ed"), world.now, expires=world.now + timedelta(days=1))
        made = world.now
    with world.registry.reading() as connection:
        assert find_key(connection, key, made + timedelta(days=1) - timedelta(milliseconds=1)) is not None
        assert find_key(connection, key, made + timedelta(days=1)) is None
    with pytest.raises(RefusalError), world.writing() as connection:
        create_key(connection, "acme", "ed", READ, act("ed"), world.now, expires=world.now)


@pytest.mark.req("M12")
@pytest.mark.threat(28, 29)
@pytest.mark.parametrize(
    "text", ["", "sk_live_acme_", "sk_live_acme_" + "a" * 40, "sk_live_other_" + "a" * 40, "Bearer x", "\0", "\ud800", "x" * 99_999]
)
def test_an_unknown_key_costs_the_same_one_statement(world: World, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    event.listen(world.registry.engine, "before_cursor_execute", lambda *given: asked.append(str(given[2])))
    on_driver: list[Question] = []
    ask = Question.ask

    def count(question: Question, *given: Any) -> Any:
        on_driver.append(question)
        return ask(question, *given)

    monkeypatch.setattr(Question, "ask", count)
    with world.registry.reading() as connection:
        assert find_key(connection, text, world.now) is None
        assert len(on_driver) == 1
        assert not [one for one in asked if "api_key" in one]


@pytest.mark.req("M12")
@pytest.mark.threat(36)
def test_a_key_cannot_be_moved_to_another_tenant_or_environment(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "ana", READ, CONSOLE, world.now)
    with world.registry.reading() as connection:
        for forged in (key.replace("_acme_", "_other_"), key.replace("_live_", "_test_"), key + " ", key.upper()):
            assert find_key(connection, forged, world.now) is None


@pytest.mark.req("M12")
@pytest.mark.threat(30, 36)
def test_a_key_bound_to_a_brain_needs_a_holder_who_reaches_it(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "pager", READ, act("bo"), world.now, brain="plans/deep/part")
    with world.registry.reading() as connection:
        holder = find_key(connection, key, world.now)
    assert holder is not None
    assert holder.brain == "plans/deep/part"
    assert not any(map(holder.covers_all_of, ("plans", "plans/deep", "handbook", "")))
    sayings = set()
    for brain in ("di-home", "missing", "old", "ledger"):
        with pytest.raises(RefusalError) as refused, world.writing() as connection:
            create_key(connection, "acme", "ed", READ, act("ed"), world.now, brain=brain)
        sayings.add(str(refused.value).replace(brain, "…"))
    assert len(sayings) == 1
    with world.writing() as connection:
        archive_repo(connection, "acme", "plans", act("di"), world.now)
    with world.registry.reading() as connection:
        assert find_key(connection, key, world.now) is None


@pytest.mark.req("M12")
@pytest.mark.threat(36)
@pytest.mark.parametrize(
    ("by", "holder", "allowed"),
    [
        (act("ed"), "ed", True),
        (act("ed"), "di", False),
        (act("ed"), "filer", False),
        (act("bo"), "filer", True),
        (act("bo"), "ed", False),
        (act("ana"), "ed", True),
        (CONSOLE, "ed", True),
        (CONSOLE, "everyone", False),
        (CONSOLE, "left", False),
        (CONSOLE, "zoe", False),
        (act("left"), "left", False),
        (act("filer"), "filer", False),
    ],
)
def test_who_makes_keys_for_whom(world: World, by: Actor, holder: str, allowed: bool) -> None:
    def make() -> None:
        with world.writing() as connection:
            create_key(connection, "acme", holder, READ, by, world.now)

    if allowed:
        make()
        return
    with pytest.raises(RefusalError):
        make()


@pytest.mark.req("M12")
@pytest.mark.parametrize(("scopes", "environment"), [([], "live"), (["everything"], "live"), (READ, "LIVE"), (READ, "a_b"), (READ, "")])
def test_keys_with_unknown_scopes_or_shapes_are_not_made(world: World, scopes: list[str], environment: str) -> None:
    with pytest.raises(RefusalError), world.writing() as connection:
        create_key(connection, "acme", "ed", scopes, act("ed"), world.now, environment=environment)


@pytest.mark.req("M12")
@pytest.mark.threat(38)
def test_when_a_key_was_last_used_is_kept_to_the_minute(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "ed", READ, act("ed"), world.now)
    seen = []
    for wait in (0, 30, 31):
        world.wait(timedelta(seconds=wait))
        with world.registry.writing() as connection:
            holder = find_key(connection, key, world.now)
            assert holder is not None
            note_key_use(connection, holder, world.now)
            seen.append(list_keys(connection, "acme", "ed")[0].used)
    assert seen == ["2026-03-01T09:00:02Z", "2026-03-01T09:00:02Z", "2026-03-01T09:01:03Z"]


# ---------------------------------------------------------------- identities and sessions


def enter(world: World, subject: str, email: str | None) -> tuple[tuple[str, str], ...]:
    with world.writing() as connection:
        return sign_in(connection, ISSUER, subject, email, world.now).accounts


def begin(world: World, subject: str = "7", email: str = "di@acme.example") -> str:
    with world.writing() as connection:
        return create_session(connection, sign_in(connection, ISSUER, subject, email, world.now).identity, world.now)


@pytest.mark.threat(36, 37)
def test_a_person_is_every_account_with_the_verified_address_and_later_the_subject_counts(world: World) -> None:
    assert enter(world, "7", None) == ()
    assert enter(world, "7", "DI@ACME.example") == (("acme", "di"), ("other", "zoe"))
    assert enter(world, "7", None) == (("acme", "di"), ("other", "zoe"))
    assert enter(world, "8", "di@acme.example") == (), "whoever gets the address later is somebody else"
    assert enter(world, "9", "stranger@acme.example") == ()
    with world.registry.reading() as connection:
        assert connection.exec_driver_sql("select subject from identity").scalars().all() == ["7"], "nothing is kept of strangers"


@pytest.mark.threat(36)
@pytest.mark.parametrize(
    "email", ["dı@acme.example", "DÍ@acme.example", "di@acme.example\u200b", "di@acme.example.", " di@acme.example", ""]
)
def test_an_address_that_only_looks_alike_is_another(world: World, email: str) -> None:
    assert enter(world, "7", email) == ()


@pytest.mark.threat(36)
def test_a_new_address_of_an_account_ends_what_the_old_one_was_bound_to(world: World) -> None:
    token = begin(world)
    world.apply({**ACME, "accounts": [{**each, "email": "di2@acme.example"} if each["id"] == "di" else each for each in ACME["accounts"]]})
    assert enter(world, "7", None) == (("other", "zoe"),)
    with world.registry.reading() as connection:
        session = find_session(connection, token, world.now)
    assert session is not None
    assert session.accounts == (("other", "zoe"),)
    assert enter(world, "70", "di2@acme.example") == (("acme", "di"),)


@pytest.mark.threat(33)
def test_an_ended_membership_leaves_an_open_session_at_once_and_is_not_in_it_after_a_return(world: World) -> None:
    token = begin(world)
    with world.registry.reading() as held:

        def see() -> tuple[tuple[str, str], ...] | None:
            session = find_session(held, token, world.now)
            return None if session is None else session.accounts

        assert see() == (("acme", "di"), ("other", "zoe"))
        with world.writing() as connection:
            end_membership(connection, "acme", "di", CONSOLE, world.now)
        assert see() == (("other", "zoe"),)
        with world.writing() as connection:
            restore_membership(connection, "acme", "di", CONSOLE, world.now)
        assert see() == (("other", "zoe"),)
    again = begin(world)
    with world.registry.reading() as connection:
        session = find_session(connection, again, world.now)
    assert session is not None
    assert session.accounts == (("acme", "di"), ("other", "zoe"))


@pytest.mark.threat(38)
@pytest.mark.parametrize(("wait", "holds"), [(timedelta(hours=12) - timedelta(milliseconds=1), True), (timedelta(hours=12), False)])
def test_a_session_that_nobody_uses_expires(world: World, wait: timedelta, holds: bool) -> None:
    token = begin(world)
    world.wait(wait)
    with world.registry.reading() as connection:
        assert (find_session(connection, token, world.now) is not None) is holds


@pytest.mark.threat(38)
def test_a_session_in_use_ends_after_a_week(world: World) -> None:
    token = begin(world)
    for _ in range(7 * 4 - 1):
        world.wait(timedelta(hours=6) - timedelta(seconds=1))
        with world.writing() as connection:
            session = find_session(connection, token, world.now)
            assert session is not None
            assert needs_note(session, world.now)
            note_seen(connection, session, world.now)
    world.wait(timedelta(hours=6))
    with world.registry.reading() as connection:
        assert find_session(connection, token, world.now) is None


@pytest.mark.threat(37)
def test_a_session_ends_when_it_is_ended_alone_or_with_all_of_that_person(world: World) -> None:
    tokens = [begin(world) for _ in range(3)]
    bo = begin(world, "bo", "bo@acme.example")
    with world.writing() as connection:
        end_session(connection, tokens[0], world.now)
        end_session(connection, "unknown", world.now)
        assert find_session(connection, tokens[0], world.now) is None
        assert find_session(connection, tokens[1], world.now) is not None
        assert end_sessions_of(connection, "acme", "di", world.now) == 2
        assert [find_session(connection, token, world.now) for token in tokens] == [None, None, None]
        assert find_session(connection, bo, world.now) is not None


@pytest.mark.threat(37)
def test_the_state_of_a_sign_in_serves_once_for_its_kind_and_not_for_long(world: World) -> None:
    with world.writing() as connection:
        token = store_login(connection, "oidc", {"next": "/acme/", "nonce": "n"}, world.now)
        assert take_login(connection, "oidc", "unknown", world.now) is None
        assert take_login(connection, "dev", token, world.now) is None
        assert take_login(connection, "oidc", token, world.now) == {"next": "/acme/", "nonce": "n"}
        assert take_login(connection, "oidc", token, world.now) is None
        late = store_login(connection, "oidc", {}, world.now)
        assert take_login(connection, "oidc", late, world.now + timedelta(minutes=10)) is None


def test_what_is_long_over_is_forgotten_and_what_holds_is_not(world: World) -> None:
    token, ended = begin(world), begin(world)
    with world.writing() as connection:
        end_session(connection, ended, world.now)
        login = store_login(connection, "oidc", {}, world.now)
        drop_expired(connection, world.now)
        assert find_session(connection, token, world.now) is not None
        assert take_login(connection, "oidc", login, world.now) == {}
        store_login(connection, "oidc", {}, world.now)
        drop_expired(connection, world.now + timedelta(days=38))
        for table in ("session", "login"):
            assert connection.exec_driver_sql(f"select count(*) from {table}").scalar() == 0


@pytest.mark.req("T09")
def test_a_key_does_not_outlive_the_right_behind_it(world: World) -> None:
    with world.writing() as connection:
        _, key = create_key(connection, "acme", "ed", READ, act("ed"), world.now)
        holder = find_key(connection, key, world.now)
        revoke_grant(connection, "acme", "plans", "ed", act("di"), world.now)
    assert holder is not None
    assert world.reach(holder.reader) == {"handbook": "read"}
