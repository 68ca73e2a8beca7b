"""Who reaches what in two small tenants, row by row, on both engines and in both ways of asking."""

import pytest

from indexer.registry.decide import decide, reach
from indexer.registry.reach import Reader
from tests.tools.registries import ACME, World, act

READ_ALL = {"handbook": "read", "plans": "read"}


@pytest.mark.req("T03", "T09", "T10", "S14")
@pytest.mark.threat(36, 39)
@pytest.mark.parametrize(
    ("reader", "reached"),
    [
        (Reader("acme", "ana"), {"handbook": "write"}),
        (Reader("acme", "bo"), READ_ALL),
        (Reader("acme", "cy"), READ_ALL),
        (Reader("acme", "di"), {"handbook": "read", "plans": "write", "di-home": "write"}),
        (Reader("acme", "ed"), {"handbook": "read", "plans": "write"}),
        (Reader("acme", "left"), {}),
        (Reader("acme", "nobody"), {}),
        (Reader("acme"), {}),
        (Reader("acme", "everyone"), {}),
        (Reader("acme", agent="everyone"), {}),
        (Reader("acme", agent="filer"), {"handbook": "write"}),
        (Reader("acme", agent="pager"), {"plans": "read"}),
        (Reader("acme", agent="ana"), {}),
        (Reader("acme", "filer"), {}),
        (Reader("acme", "ed", "pager"), {"handbook": "read", "plans": "write"}),
        (Reader("acme", "ana", "pager"), {"handbook": "write", "plans": "read"}),
        (Reader("acme", "ana", "pager", speaking=True), {"handbook": "write"}),
        (Reader("acme", "left", "filer"), {}),
        (Reader("acme", "ana", "nobody"), {}),
        (Reader("other", "ana"), {"ledger": "read"}),
        (Reader("other", "zoe"), {"ledger": "write"}),
        (Reader("other", "di"), {}),
        (Reader("other", agent="filer"), {}),
        (Reader("nowhere", "ana"), {}),
        (Reader("acme", "ana", scopes=frozenset()), {}),
        (Reader("acme", "ana", scopes=frozenset({"records:read"})), {}),
    ],
    ids=str,
)
def test_a_reader_reaches_exactly(read_only: World, reader: Reader, reached: dict[str, str]) -> None:
    assert read_only.reach(reader) == reached


@pytest.mark.req("T09")
@pytest.mark.threat(28)
@pytest.mark.parametrize(
    "name", ["", "handbook\0", "hand book", "HANDBOOK", "handbook/", "../handbook", "\ud800", "x" * 10_000, "'; --", "%", "_"]
)
def test_names_that_cannot_be_are_denied_like_missing_ones(read_only: World, name: str) -> None:
    with read_only.registry.reading() as connection:
        assert not decide(connection, Reader("acme", "ana"), "read", name)
        assert not decide(connection, Reader(name, "ana"), "read", "handbook")
        assert not decide(connection, Reader("acme", "ana", name or "?"), "read", "handbook")
        assert not reach(connection, Reader("acme", name))


@pytest.mark.req("T09")
def test_an_unknown_action_is_denied_even_to_the_owner(read_only: World) -> None:
    with read_only.registry.reading() as connection:
        assert not decide(connection, Reader("acme", "ana"), "delete", "handbook")  # type: ignore[arg-type]


@pytest.mark.threat(39)
def test_everyone_means_whoever_is_a_member_at_that_moment(world: World) -> None:
    newcomer = {**ACME, "accounts": [*ACME["accounts"], {"id": "fay", "name": "Fay"}]}
    world.apply(newcomer)
    assert world.reach(Reader("acme", "fay")) == {}
    joined = {**newcomer, "memberships": [*ACME["memberships"], {"account": "fay"}]}
    world.apply(joined)
    assert world.reach(Reader("acme", "fay")) == {"handbook": "read"}
    world.apply(newcomer)
    assert world.reach(Reader("acme", "fay")) == {}


@pytest.mark.req("T09")
def test_a_decision_inside_a_transaction_sees_that_transaction(world: World) -> None:
    from indexer.registry.grants import revoke_grant

    with world.writing() as connection:
        assert decide(connection, Reader("acme", "ed"), "write", "plans")
        revoke_grant(connection, "acme", "plans", "ed", act("di"), world.now)
        assert not decide(connection, Reader("acme", "ed"), "write", "plans")
