"""Handing a person on from the gateway's own host to a tenant's (`--host-per-tenant`; THREATS 37). Called by `login_oidc`.

Only the gateway's own host is known to the sign-in service, so no tenant's host ever sees a code of it. A tenant's host sends the person
there with a token that serves once and comes back as a ticket that serves once, for the browser that left and for this host alone.
"""

from sqlalchemy import Connection
from starlette.requests import Request

from indexer.registry.ids import hash_secret
from indexer.registry.sessions import drop_expired, store_login, take_login
from indexer.serve.answers import Answer, redirect
from indexer.serve.context import Gateway, Visit
from indexer.serve.sign_in import FAILED, begin_session, is_same_browser, keep_browser, refuse_to_finish

_LEAVING, _TICKET = "host", "ticket"


async def begin_on_host(gateway: Gateway, visit: Visit, path: str) -> Answer:
    """Leave a tenant's host for the gateway's own."""
    browser = keep_browser(gateway, visit)
    kept = {"tenant": visit.tenant, "next": path, "browser": hash_secret(browser)}

    def operate(connection: Connection) -> str:
        drop_expired(connection, visit.now)
        return store_login(connection, _LEAVING, kept, visit.now)

    token = await gateway.change(operate)
    return redirect(f"{gateway.settings.url}/-/login?from={token}", headers=gateway.cookies.set_login(browser))


async def continue_on_host(gateway: Gateway, visit: Visit, token: str, identity: str) -> Answer:
    """Send somebody whom the gateway's own host knows back to the tenant's host that they left."""

    def operate(connection: Connection) -> tuple[str, str] | None:
        kept = take_login(connection, _LEAVING, token, visit.now)
        if kept is None:
            return None
        return str(kept["tenant"]), store_login(connection, _TICKET, {**kept, "identity": identity}, visit.now)

    found = await gateway.change(operate)
    if found is None:
        return FAILED
    tenant, ticket = found
    return redirect(f"{gateway.origin_of(tenant)}/-/enter?ticket={ticket}", headers=gateway.cookies.drop_login())


async def enter(request: Request) -> Answer:
    """`GET /-/enter` on a tenant's host: the person is back."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    ticket = request.query_params.get("ticket", "")
    kept = await gateway.change(lambda connection: take_login(connection, _TICKET, ticket, visit.now)) if visit.tenant else None
    if kept is None or kept["tenant"] != visit.tenant or not is_same_browser(gateway, visit, kept["browser"]):
        return refuse_to_finish(visit, kept["next"] if kept else "/")
    return await begin_session(gateway, visit, kept["identity"], kept["next"])
