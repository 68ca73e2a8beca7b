"""Signing in with OpenID Connect: away to the service and back (THREATS 37). Routes of `gateway`.

What has to be known when the person comes back is a row of the registry that serves once; the browser holds the other half in a cookie, so
nobody can be made to finish a sign-in that somebody else began. With a host per tenant the way leads over the gateway's own host, and
`login_hosts` hands the person on.
"""

from functools import partial

from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.identities import SignedIn, sign_in
from indexer.registry.ids import hash_secret
from indexer.registry.sessions import drop_expired, store_login, take_login
from indexer.serve.answers import Answer, redirect
from indexer.serve.aside import BusyError
from indexer.serve.context import Gateway, Visit, report_seldom
from indexer.serve.cookies import make_token
from indexer.serve.login_hosts import begin_on_host, continue_on_host
from indexer.serve.notices import make_notice
from indexer.serve.oidc_provider import SignInError
from indexer.serve.rates import find_address
from indexer.serve.sign_in import (
    BUSY,
    FAILED,
    NOBODY,
    SIGNED_IN,
    UNREACHABLE,
    UNVERIFIED,
    begin_session,
    choose_next,
    is_same_browser,
    keep_browser,
    refuse_to_finish,
)

_KIND = "oidc"
_ELSEWHERE = make_notice(
    200, "Sign in", "This server knows people by the proxy in front of it, or by a link that it printed when it started."
)


async def start(request: Request) -> Answer:
    """`GET /-/login`: go to the service, or on, for somebody who is signed in already."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    path = choose_next(gateway, request)
    origin = request.query_params.get("from", "") if not visit.tenant else ""
    if visit.asker.is_person and not origin:
        # Without `next` they come from the page that says that there is nothing: sent back, they would read it again.
        return redirect(path) if path == "/" or "next" in request.query_params else SIGNED_IN
    if gateway.provider is None:
        return _ELSEWHERE
    if not gateway.logins.allows(find_address(request.scope.get("client"), visit.headers)):
        return BUSY
    if visit.tenant:
        return await begin_on_host(gateway, visit, path)
    if visit.asker.session:
        return await continue_on_host(gateway, visit, origin, visit.asker.session.identity)
    return await _depart(gateway, visit, path, origin)


async def _depart(gateway: Gateway, visit: Visit, path: str, origin: str) -> Answer:
    provider = gateway.provider
    if provider is None:
        raise ValueError("BUG: no service to go to")
    browser, nonce, verifier = keep_browser(gateway, visit), make_token(), make_token()
    kept = {"browser": hash_secret(browser), "nonce": nonce, "verifier": verifier, "next": path, "from": origin}

    def operate(connection: Connection) -> str:
        drop_expired(connection, visit.now)
        return store_login(connection, _KIND, kept, visit.now)

    state = await gateway.change(operate)
    try:
        address = await gateway.consulting.run(partial(provider.depart, state, nonce, verifier))
    except (SignInError, BusyError) as error:
        report_seldom(error.message)
        return UNREACHABLE
    return redirect(address, headers=gateway.cookies.set_login(browser))


async def finish(request: Request) -> Answer:
    """`GET /-/callback`: the person is back."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    provider, query = gateway.provider, request.query_params
    if provider is None or visit.tenant:
        return FAILED
    kept = await gateway.change(lambda connection: take_login(connection, _KIND, query.get("state", ""), visit.now))
    if kept is None or not is_same_browser(gateway, visit, kept["browser"]):
        return refuse_to_finish(visit, kept["next"] if kept else "/")
    if query.get("iss", provider.issuer) != provider.issuer or not query.get("code"):
        return FAILED
    try:
        vouched = await gateway.consulting.run(partial(provider.arrive, query["code"], kept["nonce"], kept["verifier"], visit.now))
    except (SignInError, BusyError) as error:
        report_seldom(error.message)
        return FAILED

    def operate(connection: Connection) -> SignedIn:
        return sign_in(connection, provider.issuer, vouched.subject, vouched.email, visit.now)

    person = await gateway.change(operate)
    if not person.accounts:
        return (UNVERIFIED if vouched.withheld else NOBODY).with_headers(*gateway.cookies.drop_login())
    if kept["from"]:
        return await continue_on_host(gateway, visit, kept["from"], person.identity)
    return await begin_session(gateway, visit, person.identity, kept["next"])
