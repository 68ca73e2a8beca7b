"""The one decision on who may do what (SPEC T02–T05, T09, T10, S14): deny unless a rule allows, read anew each time, nothing kept.

Called by every door, inside the request, before anything of a repo is looked at. The rules are those of `reach`, which says them in
plain Python; tests hold both against each other. Each call is one statement, so it sees one moment, and it is the same statement
with the same work whether a repo is hidden or missing (THREATS 29).
"""

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    false,
    func,
    literal_column,
    not_,
    or_,
    select,
    union_all,
)

from indexer.registry.question import Question
from indexer.registry.reach import SEES_SHARED, Access, Reader
from indexer.registry.tables import GRANT, MEMBERSHIP, PRINCIPAL, REPO, TENANT
from indexer.registry.tenant_model import ID_PATTERN

_Kind = tuple[bool, bool, bool]
"""What a reader consists of: an account, an agent, and whether the account is speaking to the agent."""
_NONE: Mapping[str, Access] = {}
_ACTIONS = ("read", "write")
_ID = ID_PATTERN.strip("^$")
_NAMES = re.compile(rf"{_ID} (?:{_ID})? (?:{_ID})? (?:{_ID})?")


def decide(connection: Connection, reader: Reader, action: Access, repo: str) -> bool:
    """Return whether a reader may read or write a repo (by its id in tenant.yml) now. RegistryError = the caller refuses."""
    if not _is_sound(reader, repo) or action not in _ACTIONS:
        return False
    values = {"tenant": reader.tenant, "account": reader.account, "agent": reader.agent, "repo": repo, "write": action == "write"}
    rows = _DECIDE[_find_kind(reader)].ask(connection, values)
    return bool(rows) and rows[0][0] > 0


def reach(connection: Connection, reader: Reader) -> Mapping[str, Access]:
    """Return repo id → access for everything that a reader reaches now, by id. RegistryError = the caller refuses."""
    if not _is_sound(reader):
        return _NONE
    rows = _REACH[_find_kind(reader)].ask(connection, {"tenant": reader.tenant, "account": reader.account, "agent": reader.agent})
    return {name: "write" if writes else "read" for name, writes in sorted(rows)}


def _is_sound(reader: Reader, repo: str = "") -> bool:
    """False for nobody, a credential for something else, and names that no registry holds and some databases choke on."""
    if not reader.may_read or not (reader.account or reader.agent):
        return False
    return _NAMES.fullmatch(f"{reader.tenant} {reader.account} {reader.agent} {repo}") is not None


def _find_kind(reader: Reader) -> _Kind:
    return bool(reader.account), bool(reader.agent), reader.speaking


# ---------------------------------------------------------------- the statements


def _word(text: str) -> ColumnElement[Any]:
    """A constant that the database sees as such."""
    return literal_column(f"'{text}'")


_OWNER = MEMBERSHIP.alias("owner")
_OWNS = and_(_OWNER.c.tenant_id == REPO.c.tenant_id, _OWNER.c.account_id == REPO.c.owner_id)
_ACTIVE = and_(REPO.c.status == _word("active"), _OWNER.c.status == _word("active"))
"""The repos of somebody whose membership has ended are archived by that alone (T15)."""
_SEES_SHARED = [_word(role) for role in sorted(SEES_SHARED)]
_YES: ColumnElement[int] = literal_column("1")
_NO: ColumnElement[int] = literal_column("0")


class Asker(Struct, frozen=True):
    """Who is asking, as part of a statement."""

    row: FromClause
    """With `tenant_id`; no row, or an empty one, when the tenant, the account or the agent is unknown or no longer there."""
    grantees: tuple[ColumnElement[Any], ...]
    """Columns of it: whose grants count."""
    person: bool
    """Whether it has `account_id` and `role`."""


def _find_asker(kind: _Kind) -> Asker:
    has_account, has_agent, speaking = kind
    person, agent = PRINCIPAL.alias("person"), PRINCIPAL.alias("agent")
    found: Any = TENANT
    columns: list[ColumnElement[Any]] = [TENANT.c.id.label("tenant_id")]
    if has_account:
        known = and_(_named(person, "account"), person.c.kind == _word("account"))
        member = and_(MEMBERSHIP.c.tenant_id == TENANT.c.id, MEMBERSHIP.c.account_id == person.c.id, MEMBERSHIP.c.status == _word("active"))
        found = found.join(person, known).join(MEMBERSHIP, member)
        columns += [MEMBERSHIP.c.account_id, MEMBERSHIP.c.role]
    if has_agent:
        known = and_(_named(agent, "agent"), agent.c.kind == _word("agent"), agent.c.status == _word("active"))
        found = found.join(agent, known)
        columns += [agent.c.id.label("agent_id")]
    named = TENANT.c.name == bindparam("tenant", type_=TENANT.c.name.type)
    row = select(*columns).select_from(found).where(named).cte("asker")
    grantees: list[ColumnElement[Any]] = []
    if has_account:
        # The id of a tenant stands for everyone in it: people who belong to it at this moment, never an agent, never somebody who left.
        grantees += [row.c.account_id, row.c.tenant_id]
    if has_agent and not speaking:
        # With a person speaking an agent has that person's rights and none of its own (T10).
        grantees += [row.c.agent_id]
    return Asker(row, tuple(grantees), has_account)


def _named(party: Any, name: str) -> ColumnElement[bool]:
    return and_(party.c.tenant_id == TENANT.c.id, party.c.name == bindparam(name, type_=PRINCIPAL.c.name.type))


def build_decide(kind: _Kind) -> Select[Any]:
    """Return the statement of `decide` for one kind of reader: a number above 0 = yes; 0, or no row = no.

    Every condition is a number and every table is asked, whatever the others say, so that a repo that is missing takes as many steps in
    the database as a hidden one; a join or an `and` would end with the first that does not hold (THREATS 29).
    """
    asker = _find_asker(kind)
    wanted = and_(REPO.c.tenant_id == asker.row.c.tenant_id, REPO.c.name == bindparam("repo", type_=REPO.c.name.type))
    return select(weigh_rights(asker, bindparam("write", type_=Boolean()))).select_from(asker.row.outerjoin(REPO, wanted))


def weigh_rights(asker: Asker, writes: ColumnElement[bool]) -> Any:
    """Return what `build_decide` selects, for an asker whose row is joined with REPO: the one there is, or an empty one.

    `writes` = whether they want to write.
    """
    repo_id, owner_id = (func.coalesce(column, _word("")) for column in (REPO.c.id, REPO.c.owner_id))
    owner = and_(_OWNER.c.tenant_id == asker.row.c.tenant_id, _OWNER.c.account_id == owner_id, _OWNER.c.status == _word("active"))
    enough = or_(not_(writes), GRANT.c.access == _word("write"))
    rights = [_count_rows(asker, GRANT, and_(GRANT.c.repo_id == repo_id, GRANT.c.grantee_id == each, enough)) for each in asker.grantees]
    if asker.person:
        sees_shared = _count(not_(writes)) * _count(REPO.c.kind == _word("shared")) * _count(asker.row.c.role.in_(_SEES_SHARED))
        rights += [_count(REPO.c.owner_id == asker.row.c.account_id), sees_shared]
    active = _count(REPO.c.status == _word("active")) * _count_rows(asker, _OWNER, owner)
    return active * sum(rights, start=_NO)


def _count_rows(asker: Asker, table: Any, condition: ColumnElement[bool]) -> Any:
    """How many rows of a table fit the asker and the repo: at most one, for the conditions name a primary key."""
    return select(func.count()).select_from(table).where(condition).correlate(asker.row, REPO).scalar_subquery()


def _count(condition: ColumnElement[bool]) -> Any:
    """1 when it holds, else 0, also when it asks about what is not there."""
    return case((condition, _YES), else_=_NO)


def build_reach(kind: _Kind) -> Select[Any]:
    """Return the statement of `reach` for one kind of reader: rows of a repo's name and whether it may be written (1 or 0)."""
    asker = _find_asker(kind)
    in_tenant = REPO.c.tenant_id == asker.row.c.tenant_id
    yes, no = _YES.label("writes"), _NO.label("writes")
    writes = _count(GRANT.c.access == _word("write")).label("writes")
    rights = [select(GRANT.c.repo_id.label("id"), writes).where(GRANT.c.grantee_id == grantee) for grantee in asker.grantees]
    if asker.person:
        rights += [
            select(REPO.c.id, yes).where(in_tenant, REPO.c.owner_id == asker.row.c.account_id),
            select(REPO.c.id, no).where(in_tenant, REPO.c.kind == _word("shared"), asker.row.c.role.in_(_SEES_SHARED)),
        ]
    reached = union_all(*(rights or [select(REPO.c.id, no).where(false())])).cte("reached")
    return (
        select(REPO.c.name, func.max(reached.c.writes))
        .select_from(reached.join(REPO, REPO.c.id == reached.c.id).join(_OWNER, _OWNS))
        .where(_ACTIVE)
        .group_by(REPO.c.name)
    )


_BOTH = (True, False)
_KINDS: list[_Kind] = [kind for kind in product(_BOTH, _BOTH, _BOTH) if kind[0] or kind[1]]
_DECIDE = {kind: Question(build_decide(kind)) for kind in _KINDS}
_REACH = {kind: Question(build_reach(kind)) for kind in _KINDS}
