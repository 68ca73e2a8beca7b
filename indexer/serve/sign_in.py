"""What all ways to sign in have in common: where to go afterwards, the new session, signing out (THREATS 37). Called by the login routes.

A sign-in always makes a new session and ends the one the browser came with, so a planted cookie is worth nothing afterwards.
"""

import hmac
import re
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.identities import end_sessions_of
from indexer.registry.ids import hash_secret
from indexer.registry.sessions import create_session, drop_expired, end_session
from indexer.serve.answers import Answer, redirect
from indexer.serve.context import Gateway, Visit
from indexer.serve.cookies import MalformedCookieError, make_token, read_cookie
from indexer.serve.csrf import comes_from_here, read_form
from indexer.serve.notices import HOME, SIGN_IN, make_notice

SIGNED_OUT = "/-/signed-out"
_LONGEST_NEXT = 2000
_NEXT = re.compile(r"/(?![/\\])[!-\[\]-~]*")
_OWN = ("/-/log", "/-/signed-out", "/-/callback", "/-/enter", "/-/dev-login", "/api/", "/mcp")
NOBODY = make_notice(
    403,
    "No account",
    "You signed in, but nobody has given you an account here. Ask whoever runs this server to add your e-mail address.",
    (SIGNED_OUT, "Sign in as somebody else"),
)
UNVERIFIED = make_notice(
    403,
    "Address not confirmed",
    "You signed in, but the service that you sign in with does not say that your e-mail address is yours, and here people are known by "
    "theirs. Confirm it there, or ask whoever runs this server.",
    (SIGNED_OUT, "Sign in as somebody else"),
)
SIGNED_IN = make_notice(
    200,
    "You are signed in",
    "There is nothing at the address that you come from, or it is not shared with you: ask whoever gave it to you, or the owner. "
    "If you signed in only a moment ago, go back and load it again.",
    HOME,
)
FAILED = make_notice(400, "That did not work", "The sign-in was not completed, or took too long. Please try again.", SIGN_IN)
UNREACHABLE = make_notice(502, "That did not work", "The service that signs people in cannot be reached now. Try again later.", SIGN_IN)
BUSY = make_notice(
    429, "Too many sign-ins", "Many sign-ins are being started just now. Try again in a minute.", headers=((b"retry-after", b"30"),)
)


def choose_next(gateway: Gateway, request: Request) -> str:
    """Return where to go after the sign-in: a path of this host that the request names, or the page that its link stood on."""
    visit: Visit = request.state.visit
    asked = request.query_params.get("next")
    if asked is None:
        referrer = request.headers.get("referer", "")
        origin = gateway.origin_of(visit.tenant)
        asked = referrer[len(origin) :] if referrer.startswith(f"{origin}/") else "/"
    return keep_local(asked)


def keep_local(path: str) -> str:
    """Return a path that leads nowhere but to this host, or `/`. Also for what was kept: it is checked where it is used."""
    local = len(path) <= _LONGEST_NEXT and _NEXT.fullmatch(path) is not None and not path.startswith(_OWN)
    try:
        parts = urlsplit(path)
    except ValueError:
        return "/"
    return path if local and not parts.scheme and not parts.netloc else "/"


def keep_browser(gateway: Gateway, visit: Visit) -> str:
    """Return what a sign-in that begins leaves with the browser: what another one left, so that each of several windows may finish."""
    try:
        return read_cookie(visit.headers, gateway.cookies.login) or make_token()
    except MalformedCookieError:
        return make_token()


def refuse_to_finish(visit: Visit, path: str = "/") -> Answer:
    """Return the answer to what cannot be finished, or not again; whoever is signed in, by another window or before going back, goes on."""
    return redirect(keep_local(path)) if visit.asker.session else FAILED


def is_same_browser(gateway: Gateway, visit: Visit, kept: Any) -> bool:
    """Whether the browser that comes back is the one that left."""
    try:
        token = read_cookie(visit.headers, gateway.cookies.login)
    except MalformedCookieError:
        return False
    return token is not None and isinstance(kept, str) and hmac.compare_digest(hash_secret(token), kept)


async def begin_session(gateway: Gateway, visit: Visit, identity: str, path: str) -> Answer:
    """Sign an identity in on this host, and go on to a path of it."""

    def operate(connection: Connection) -> str:
        if visit.asker.token:
            end_session(connection, visit.asker.token, visit.now)
        drop_expired(connection, visit.now)
        return create_session(connection, identity, visit.now)

    token = await gateway.change(operate)
    return redirect(keep_local(path), headers=gateway.cookies.set_session(token) + gateway.cookies.drop_login())


async def sign_out(request: Request) -> Answer:
    """End the session; with a host per tenant, those on the other hosts as well, or the next click would sign in again."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    asker = visit.asker
    if not asker.is_person and asker.key is None and comes_from_here(gateway, visit):
        return redirect("/", headers=gateway.cookies.drop_session())  # in another window, or the session has ended
    await read_form(gateway, request)

    def operate(connection: Connection) -> None:
        end_session(connection, asker.token, visit.now)
        for tenant, account in asker.accounts if gateway.settings.host_per_tenant else ():
            end_sessions_of(connection, tenant, account, visit.now)

    if asker.session:
        await gateway.change(operate)
    known_there = asker.session is not None and gateway.provider is not None and asker.session.issuer == gateway.provider.issuer
    return redirect(SIGNED_OUT if known_there else "/", headers=gateway.cookies.drop_session())
