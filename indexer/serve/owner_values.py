"""Who reaches a repo and why, in words for its owner (SPEC T33). Called by `owner`; pure."""

from collections.abc import Sequence

from msgspec import Struct

from indexer.registry.rights import Entitled, Reason

_ACCESS = {"read": "Read", "write": "Read and write"}


class RightRow(Struct, frozen=True):
    """Somebody who reaches the repo."""

    id: str
    name: str
    kind: str
    """`Person`, `Agent`, or empty for everyone."""
    access: str
    why: str
    """A sentence without its full stop."""
    revocable: bool
    """True when a grant of the owner's is among the reasons."""
    counts: bool


def make_rows(entitled: Sequence[Entitled], tenant: str, reader: str) -> tuple[RightRow, ...]:
    """Return the rows; `tenant` is the tenant's title, `reader` the account of the owner."""
    everyone = f"everyone in {tenant}"
    return tuple(
        RightRow(
            id=each.id,
            name=_capital(everyone) if each.kind == "everyone" else "You" if each.id == reader else each.name,
            kind={"account": "Person", "agent": "Agent"}.get(each.kind, ""),
            access=_ACCESS[each.access] if each.counts else "Nothing now",
            why="You own it"
            if each.id == reader
            else _capital("; ".join(say_reason(reason, each.kind, everyone) for reason in each.reasons)),
            revocable=each.granted is not None,
            counts=each.counts,
        )
        for each in entitled
    )


def say_reason(reason: Reason, kind: str, everyone: str) -> str:
    """Return one reason as a part of a sentence."""
    verb = "reads" if reason.access == "read" else "reads and writes"
    if reason.why == "owner":
        return "owns it"
    if reason.why == "role":
        return f"{verb}, because the role {reason.role} reads every shared repo"
    if reason.why == "everyone":
        return f"{verb}, because {everyone} may"
    return f"{verb}, now and later, because you granted it" if kind == "everyone" else f"{verb}, because you granted it"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
