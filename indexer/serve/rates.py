"""How often each asker may ask: token buckets in this process's memory (THREATS 29, 48). Used by `rate_door`.

Nothing here says who somebody is. A credential counts for itself only after it was found good once. Until then, and whenever it is no good,
it counts for the address it came from, so that trying keys costs the one who tries: apart from requests without a key, so that a program
that goes on with a key that was revoked keeps nobody beside it from signing in.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from ipaddress import IPv6Address, ip_address

from msgspec import Struct

from indexer.serve.hosts import Headers
from indexer.serve.settings import LOOPBACK

CLIENT_HEADER = "X-Brain-Client"
"""In which the server in front on the same machine says whose request it passes on."""
SECONDS_OF_BURST = 10
MOST_KEPT = 50_000
COST_OF_FAILURE = 20
"""What a credential or a link that is no good costs, in requests."""
_UNKNOWN, _SHARE_OF_UNKNOWN = "", 10
_SHARED = frozenset({f"address {_UNKNOWN}", f"tries {_UNKNOWN}"})
_CLIENT = CLIENT_HEADER.lower().encode()
_LONGEST_ADDRESS = 45


class _Bucket(Struct):
    left: float
    at: float


class Rates:
    """The buckets of one process, for one event loop."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst = per_second, per_second * SECONDS_OF_BURST
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._known: OrderedDict[bytes, str] = OrderedDict()

    def choose(self, credential: bytes, address: str, *, tries: bool) -> str:
        """Return for whom a request counts: a credential that was good when it was last used, else the address; `tries` = with a key."""
        return self._known.get(credential, "") or f"{'tries' if tries else 'address'} {address}"

    def find_known(self, credential: bytes) -> str:
        """Return for whom a credential counts that was good when it was last used; empty for every other."""
        return self._known.get(credential, "")

    def has_left(self, name: str) -> bool:
        """Whether one more request may pass now."""
        return self._find(name)[1].left >= 1

    def take(self, name: str) -> int:
        """Count a request; return 0 when it may pass, else the seconds until one may."""
        share, bucket = self._find(name)
        if bucket.left < 1:
            return max(1, math.ceil((1 - bucket.left) / (self._rate * share)))
        bucket.left -= 1
        return 0

    def charge(self, name: str) -> None:
        """Count what was no good; a debt is no larger than a burst."""
        _, bucket = self._find(name)
        bucket.left = max(-self._burst, bucket.left - COST_OF_FAILURE)

    def learn(self, credential: bytes, name: str) -> None:
        """Keep for whom a good credential counts; an empty name forgets it."""
        self._known.pop(credential, None)
        if name:
            self._known[credential] = name
            if len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)

    def _find(self, name: str) -> tuple[int, _Bucket]:
        """Whoever comes from an unknown address shares a larger bucket with all others of that kind."""
        share = _SHARE_OF_UNKNOWN if name in _SHARED else 1
        now, bucket = self._clock(), self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = _Bucket(self._burst * share, now)
            if len(self._buckets) > MOST_KEPT:
                self._buckets.popitem(last=False)
            return share, bucket
        self._buckets.move_to_end(name)
        bucket.left = min(self._burst * share, bucket.left + (now - bucket.at) * self._rate * share)
        bucket.at = now
        return share, bucket


def find_address(client: tuple[str, int] | None, headers: Headers) -> str:
    """Return whose address a request came from; empty = unknown: the server in front does not say, or speaks nonsense.

    What a header says counts only on connections from this machine, where the server in front is, and that overwrites what clients send.
    """
    host = client[0] if client else ""
    if host and host not in LOOPBACK:
        return shorten_address(host)
    given = [value for name, value in headers if name == _CLIENT]
    if not given:
        return _UNKNOWN
    return shorten_address(given[0].decode("latin-1")) if len(given) == 1 and len(given[0]) <= _LONGEST_ADDRESS else _UNKNOWN


def shorten_address(text: str) -> str:
    """Return an IPv4 address, or the network of an IPv6 one that one customer gets (/64); empty for anything else."""
    try:
        address = ip_address(text)
    except ValueError:
        return _UNKNOWN
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped else str(IPv6Address(int(address) >> 64 << 64))
    return str(address)


def find_credential(headers: Headers, vouching: frozenset[bytes]) -> tuple[bytes, bool]:
    """Return a digest of what a request proves itself with, empty for nothing, and whether that is a key.

    `vouching` are the headers in which a proxy names a person and proves itself: only both together are a credential.
    """
    keys = [value for name, value in headers if name == b"authorization"]
    sent = keys or [value for name, value in headers if name == b"cookie" or name in vouching]
    return (sha256(b"\0".join(sent)).digest() if sent else b""), bool(keys)
