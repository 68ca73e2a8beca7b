"""Files of sites for people who are signed in, answered within the call that brought the request: most requests are for these.

It decides as `sites` does, and whatever is out of the ordinary it hands back to that: other credentials, a header that comes twice, a
release that is not open. Nothing that comes before the decision is remembered, not even how an address was taken apart: it would tell by
its time what others read (THREATS 29). Called by `gateway`.
"""

from typing import NamedTuple

from indexer.registry.visitor import find_visitor
from indexer.serve.addresses import Address, is_own, parse_address
from indexer.serve.answers import Written, write_answer
from indexer.serve.context import Gateway, Visit
from indexer.serve.cookies import MalformedCookieError, find_token
from indexer.serve.hosts import Headers
from indexer.serve.notices import NOT_FOUND
from indexer.serve.proxy_identity import SECRET_HEADER
from indexer.serve.releases import Release
from indexer.serve.sites import FileAnswer, answer_from
from indexer.serve.who import REJECTED, Asker

_NOTHING = write_answer(NOT_FOUND)


class Wanted(NamedTuple):
    """What is asked for, and the token of the session that asks."""

    tenant: str
    """That of the host."""
    address: Address
    token: str


def read_wanted(gateway: Gateway, path: bytes, headers: Headers) -> Wanted | None:
    """Return what a GET or HEAD is for, by its path and headers alone; None = that is not for here."""
    given = dict(headers)
    cookie, host = given.get(b"cookie"), given.get(b"host")
    if cookie is None or host is None or len(given) != len(headers) or b"authorization" in given or SECRET_HEADER in given:
        return None
    tenant = gateway.hosts.find_tenant_named(host)
    if tenant is None or is_own(path, tenant) or (gateway.settings.host_per_tenant and not tenant):
        return None
    address = parse_address(path, tenant)
    try:
        token = find_token((cookie,), gateway.cookies.session) if address is not None and address.repo else None
    except MalformedCookieError:
        return None
    return Wanted(tenant, address, token) if address is not None and token is not None else None


def answer_wanted(gateway: Gateway, visit: Visit, wanted: Wanted) -> Written | None:
    """Decide, look, and return the answer; None = it has to be waited for. RegistryError = nothing can be decided."""
    address, token = wanted.address, wanted.token
    visit.route = "site"
    session, allowed = gateway.ask_now(lambda connection: find_visitor(connection, token, address.tenant, address.repo, visit.now))
    if session is None or session.issuer not in gateway.issuers:
        visit.asker = REJECTED
        return _NOTHING
    visit.asker = Asker(session.accounts, session, token).narrow(wanted.tenant)
    if not allowed:
        return _NOTHING
    release = gateway.releases.peek(address.tenant, address.repo)
    if release is None:
        return None
    return gateway.kept.find(address, release.stamp) or _keep(gateway, visit, address, release)


def _keep(gateway: Gateway, visit: Visit, address: Address, release: Release) -> Written | None:
    """Answer from the release, and keep the answer unless it is large or may be asked for in parts."""
    answer = answer_from(gateway, visit, address, release)
    whole = answer.read_whole() if isinstance(answer, FileAnswer) else answer
    if whole is None:
        return None
    written = write_answer(whole)
    if written.status == 200:
        gateway.kept.keep(address, release.stamp, written)
    return written
