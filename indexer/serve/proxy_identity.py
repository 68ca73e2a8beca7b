"""The identity that a trusted proxy in front vouches for (THREATS 35). Called by `who`, and by `gateway` when somebody is new.

The header counts only beside the shared secret, compared in constant time; anybody else may send it in vain.
"""

import hmac
import re
import time
from datetime import datetime

from sqlalchemy import Connection

from indexer.registry.asking import find_identity
from indexer.registry.identities import sign_in
from indexer.registry.parties import fold_email
from indexer.serve.hosts import Headers
from indexer.serve.settings import PROXY_ISSUER, PROXY_SECRET_HEADER, ProxySettings

SECRET_HEADER = PROXY_SECRET_HEADER.lower().encode()
_SECONDS, _MOST_SEEN = 60.0, 10_000
_SUBJECT = re.compile(r"[^\x00-\x20\x7f,;]{1,255}")


def find_subject(settings: ProxySettings, headers: Headers) -> str | None:
    """Return whom the proxy names; None = the proxy did not prove itself or names nobody; empty = it names somebody in no usable way."""
    secrets = [value for name, value in headers if name == SECRET_HEADER]
    if len(secrets) != 1 or not hmac.compare_digest(secrets[0], settings.secret.encode()):
        return None
    wanted = settings.header.lower().encode()
    given = [value for name, value in headers if name == wanted]
    if not given or given == [b""]:
        return None
    try:
        subject = given[0].decode("utf-8")
    except UnicodeDecodeError:
        return ""
    if len(given) > 1 or not _SUBJECT.fullmatch(subject):
        return ""
    # Directories write one and the same address in capitals one day and without them the next.
    return fold_email(subject) if "@" in subject else subject


class Arrivals:
    """When people were last bound to their accounts, in this process: once a minute is enough to notice a new account.

    No verdict is kept here: which accounts somebody is, is asked on each request.
    """

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def is_due(self, subject: str) -> bool:
        """Return whether somebody is to be bound now, and count it as done."""
        now = time.monotonic()
        if now - self._seen.get(subject, -_SECONDS) < _SECONDS:
            return False
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[subject] = now
        return True


def find_vouched(connection: Connection, subject: str) -> tuple[tuple[str, str], ...]:
    """Return the accounts of somebody who has been here before."""
    known = find_identity(connection, PROXY_ISSUER, subject)
    return known.accounts if known else ()


def bind_vouched(connection: Connection, subject: str, now: datetime) -> None:
    """Bind somebody to the accounts whose declared address the proxy vouches for."""
    sign_in(connection, PROXY_ISSUER, subject, subject if "@" in subject else None, now)
