"""A first look on one's own machine: a link that signs in once, printed by `brain serve --dev-login`. Only on loopback addresses.

The link stands for whatever a real sign-in would: it is bound to the account by its e-mail address, and its session is a row like others.
"""

from datetime import datetime
from ipaddress import ip_address

from sqlalchemy import Connection
from starlette.requests import Request

from indexer.errors import UsageError
from indexer.registry.identities import sign_in
from indexer.registry.parties import list_parties
from indexer.registry.sessions import store_login, take_login
from indexer.registry.state import list_tenants
from indexer.serve.answers import Answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.notices import NOT_FOUND
from indexer.serve.settings import DEV_ISSUER
from indexer.serve.sign_in import NOBODY, begin_session, refuse_to_finish

_KIND = "dev"


def make_link(connection: Connection, url: str, account: str, now: datetime) -> str:
    """Return a link that signs in as `<account>` or `<tenant>/<account>`; UsageError when there is no such member."""
    tenant, _, name = account.rpartition("/")
    found = [
        party.email
        for each in ([tenant] if tenant else list_tenants(connection))
        for party in list_parties(connection, each)
        if party.id == name and party.kind == "account" and party.status == "active"
    ]
    if len(found) > 1:
        raise UsageError(f"Several tenants have an account {name}.", hint="Write --dev-login TENANT/ACCOUNT.")
    if not found:
        raise UsageError(f"There is no member {account}.", hint="`brain member list` shows who there is.")
    if not found[0]:
        raise UsageError(f"The account {account} has no e-mail address to sign in with.", hint="Declare one in tenant.yml and apply it.")
    ticket = store_login(connection, _KIND, {"email": found[0]}, now)
    return f"{url}/-/dev-login?ticket={ticket}"


async def follow_link(request: Request) -> Answer:
    """`GET /-/dev-login`: the link was opened, on this machine."""
    gateway: Gateway = request.state.gateway
    visit: Visit = request.state.visit
    if not gateway.settings.dev_login or not _is_near(request):
        return NOT_FOUND

    def operate(connection: Connection) -> tuple[str, bool] | None:
        kept = take_login(connection, _KIND, request.query_params.get("ticket", ""), visit.now)
        if kept is None:
            return None
        person = sign_in(connection, DEV_ISSUER, kept["email"], kept["email"], visit.now)
        return person.identity, bool(person.accounts)

    found = await gateway.change(operate)
    if found is None:
        return refuse_to_finish(visit)
    return await begin_session(gateway, visit, found[0], "/") if found[1] else NOBODY


def _is_near(request: Request) -> bool:
    client = request.scope.get("client")
    return client is not None and ip_address(client[0]).is_loopback
