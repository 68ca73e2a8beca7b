"""Signing out at the sign-in service too: the page that leads there, and its word that somebody has left (THREATS 37). Routes of `gateway`.

Being signed out here never waits for the service. The way there is a link and not a redirect: a browser follows no form to another origin
from our pages.
"""

from functools import partial
from urllib.parse import parse_qsl

from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.identities import end_sessions_of_identity
from indexer.serve.answers import Answer, make_answer
from indexer.serve.aside import BusyError
from indexer.serve.bodies import LONGEST_FORM, read_body
from indexer.serve.context import Gateway, Visit, report_seldom
from indexer.serve.cookies import make_token
from indexer.serve.notices import HOME, make_notice
from indexer.serve.oidc_provider import SignInError
from indexer.serve.rates import find_address
from indexer.serve.sign_in import BUSY

_DONE = make_answer(200, b"text/plain; charset=utf-8", b"")
_REFUSED = make_answer(400, b"text/plain; charset=utf-8", b"This is no logout token of the sign-in service.\n")
_MOST_FIELDS = 20


async def show_signed_out(request: Request) -> Answer:
    """`GET /-/signed-out`: that it is done, and the way out of the service where it offers one."""
    gateway: Gateway = request.state.gateway
    address = ""
    if gateway.provider is not None:
        try:
            address = await gateway.consulting.run(partial(gateway.provider.part, make_token(), f"{gateway.settings.url}/"))
        except (SignInError, BusyError) as error:
            report_seldom(error.message)
    if not address:
        return make_notice(200, "Signed out", "You are signed out here.", HOME)
    text = "You are signed out here. The service that you sign in with still knows you, so that the next sign-in may ask you nothing."
    return make_notice(200, "Signed out", text, (address, "Sign out there too"))


async def end_from_outside(request: Request) -> Answer:
    """`POST /-/backchannel-logout`: the service says that somebody has left it; all their sessions here end."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    provider = gateway.provider
    if provider is None or visit.tenant:
        return _REFUSED
    if not gateway.departures.allows(find_address(request.scope.get("client"), visit.headers)):
        return BUSY
    body = await read_body(request, LONGEST_FORM)
    try:
        tokens = [value for name, value in parse_qsl(body.decode("latin-1"), max_num_fields=_MOST_FIELDS) if name == "logout_token"]
    except ValueError:
        return _REFUSED
    if len(tokens) != 1:
        return _REFUSED
    try:
        subject = await gateway.consulting.run(partial(provider.hear_logout, tokens[0], visit.now))
    except BusyError:
        return BUSY
    except SignInError as error:
        report_seldom(error.message)
        return _REFUSED

    def operate(connection: Connection) -> None:
        end_sessions_of_identity(connection, provider.issuer, subject, visit.now)

    await gateway.change(operate)
    return _DONE
