"""Row ids, times and secrets of the registry: where they come from and how they are kept.

Ids say nothing about who owns what and are never given twice, not even after a row has ended (THREATS 30, 39). No clock is read here:
callers pass `now` down from the edge.
"""

import hashlib
import secrets
from datetime import UTC, datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80


def make_id(now: datetime) -> str:
    """Return a new ULID: 26 letters and digits, the first ten of them the time, the rest random."""
    number = to_ms(now) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -5, -5))


def to_ms(moment: datetime) -> int:
    """Return a moment as milliseconds since 1970 in UTC, the form in which all times are kept; ValueError without a time zone."""
    if moment.tzinfo is None:
        raise ValueError("BUG: a time without its zone")
    return int(moment.timestamp() * 1000)


def from_ms(kept: int) -> datetime:
    """Return a kept time as a moment in UTC."""
    return datetime.fromtimestamp(kept / 1000, UTC)


def show_time(kept: int | None) -> str | None:
    """Return a kept time as people and programs read it: `2026-11-30T08:00:00Z`."""
    return None if kept is None else show_moment(from_ms(kept))


def show_moment(moment: datetime) -> str:
    """Return a moment in UTC in the same form."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def hash_secret(secret: str) -> str:
    """Return what is kept of a key, or of the token in a cookie or a link: its SHA-256. They are random, so it needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
