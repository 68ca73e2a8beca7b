"""Who asks: exactly one source per request, and anonymous when there is none or it is no good (THREATS 35, 36). Called by `gateway`.

The order: a key in `Authorization`, a proxy that proves itself, the cookie of a session. Whoever sends a key is judged by it alone. What
the asker reaches is not said here: `decide` says it, for each thing anew.
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from indexer.registry.decide import decide
from indexer.registry.keys import KeyHolder, find_key
from indexer.registry.reach import Access, Reader
from indexer.registry.sessions import Session, find_session
from indexer.serve.cookies import Cookies, MalformedCookieError, read_cookie
from indexer.serve.hosts import Headers
from indexer.serve.proxy_identity import find_subject, find_vouched
from indexer.serve.settings import Settings

_BEARER = b"bearer "
_LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Asker:
    """Whoever sent a request."""

    accounts: tuple[tuple[str, str], ...] = ()
    """(tenant, account) of a person; on a tenant's host that tenant's alone."""
    session: Session | None = None
    token: str = field(default="", repr=False)
    """What the session's cookie holds."""
    key: KeyHolder | None = None
    subject: str = ""
    """Whom the proxy vouches for."""
    rejected: bool = False
    """True = credentials came that are no good: anonymous on sites, 401 where programs ask."""

    def narrow(self, host_tenant: str) -> "Asker":
        """Return an asker as on a tenant's host, where a person is that tenant's account alone; empty = the gateway's own."""
        if not host_tenant:
            return self
        if self.key:
            return self if self.key.reader.tenant == host_tenant else REJECTED
        accounts = tuple(pair for pair in self.accounts if pair[0] == host_tenant)
        return Asker(accounts, self.session, self.token, None, self.subject, self.rejected)

    @property
    def is_person(self) -> bool:
        """Whether somebody is signed in, in a browser."""
        return self.session is not None or bool(self.subject)

    @property
    def label(self) -> str:
        """Who that is, for the log; no secret."""
        if self.key:
            reader = self.key.reader
            return f"key:{self.key.key_id} {reader.tenant}/{reader.account or reader.agent}"
        if self.session:
            return f"session:{self.session.id} {','.join(map('/'.join, self.accounts))}".rstrip()
        return f"proxy {','.join(map('/'.join, self.accounts))}".rstrip() if self.subject else "-"

    def reader_in(self, tenant: str) -> Reader | None:
        """Return who this is in a tenant; None = nobody there."""
        if self.key:
            return self.key.reader if self.key.reader.tenant == tenant else None
        account = next((account for name, account in self.accounts if name == tenant), None)
        return None if account is None else Reader(tenant, account=account)

    def may(self, connection: Connection, action: Access, tenant: str, repo: str) -> bool:
        """Decide, now, about a whole repo; a key that is for one brain below the root of a repo is not for the repo."""
        reader = self.reader_in(tenant)
        if reader is None or (self.key and not self.key.covers_all_of(repo)):
            return False
        return decide(connection, reader, action, repo)


ANONYMOUS, REJECTED = Asker(), Asker(rejected=True)


def find_asker(connection: Connection, settings: Settings, cookies: Cookies, headers: Headers, host_tenant: str, now: datetime) -> Asker:
    """Return who asks; nothing in the request can choose a tenant for them."""
    return _find(connection, settings, cookies, headers, now).narrow(host_tenant)


def _find(connection: Connection, settings: Settings, cookies: Cookies, headers: Headers, now: datetime) -> Asker:
    subject = find_subject(settings.proxy, headers) if settings.proxy else None
    given = [value for name, value in headers if name == b"authorization"]
    if given and (subject is None or given[0].lower().startswith(_BEARER)):
        return _find_by_key(connection, given, now)
    if subject is not None:
        return Asker(find_vouched(connection, subject), subject=subject) if subject else REJECTED
    return _find_by_session(connection, settings, cookies, headers, now)


def _find_by_key(connection: Connection, given: list[bytes], now: datetime) -> Asker:
    if len(given) > 1 or not given[0].lower().startswith(_BEARER) or len(given[0]) > _LONGEST_KEY:
        return REJECTED
    holder = find_key(connection, given[0][len(_BEARER) :].strip(b" ").decode("latin-1"), now)
    return REJECTED if holder is None else Asker(key=holder)


def _find_by_session(connection: Connection, settings: Settings, cookies: Cookies, headers: Headers, now: datetime) -> Asker:
    try:
        token = read_cookie(headers, cookies.session)
    except MalformedCookieError:
        return REJECTED
    if token is None:
        return ANONYMOUS
    session = find_session(connection, token, now)
    # A session that began in a way of signing in that is no longer offered does not go on here.
    if session is None or session.issuer not in settings.issuers:
        return REJECTED
    return Asker(session.accounts, session, token)


def derive_token(settings: Settings, asker: Asker, purpose: str) -> str:
    """Return a token that only this asker's browser gets to see: nothing to keep, and it ends with the session."""
    secret = asker.token or (f"{settings.proxy.secret}\0{asker.subject}" if settings.proxy and asker.subject else "")
    if not secret:
        raise ValueError("BUG: a token for nobody")
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()
