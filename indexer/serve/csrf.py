"""Forms that only the gateway's own pages can send (THREATS 37). Called by every route that changes something for a person in a browser.

Two proofs, both needed: the browser says that the form stands on a page of this origin, and the form holds a token that only pages of this
asker hold. Programs with a key are not asked for them: no browser sends a key by itself.
"""

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from indexer.serve.bodies import LONGEST_FORM, read_body
from indexer.serve.context import Gateway, Visit
from indexer.serve.who import Asker, derive_token

FIELD = "csrf"
_MOST_FIELDS = 200


def csrf_token(gateway: Gateway, asker: Asker) -> str:
    """Return the token for the forms of somebody who is signed in; it goes into the hidden field FIELD."""
    return derive_token(gateway.settings, asker, "csrf")


def comes_from_here(gateway: Gateway, visit: Visit) -> bool:
    """Whether the browser says that the request was made by a page of this origin. A browser that says nothing is refused."""
    said = {name: value for name, value in visit.headers if name in {b"origin", b"sec-fetch-site"}}
    origin, site = said.get(b"origin"), said.get(b"sec-fetch-site")
    own = gateway.origin_of(visit.tenant).encode()
    if site is not None:
        # Pages that send no referrer send the origin `null` with their forms.
        return site == b"same-origin" and origin in {None, b"null", own}
    return origin == own


def check_csrf(gateway: Gateway, visit: Visit, given: str) -> bool:
    """Return whether a change may be made: asked for by somebody signed in, from here, with their token."""
    if not visit.asker.is_person or not comes_from_here(gateway, visit):
        return False
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), csrf_token(gateway, visit.asker).encode())


async def read_form(gateway: Gateway, request: Request) -> Mapping[str, str]:
    """Return the fields of a form that passed; HTTPException 403, 413 or 415 otherwise. A field given twice has its last value."""
    visit: Visit = request.state.visit
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise HTTPException(415)
    if not visit.asker.is_person or not comes_from_here(gateway, visit):
        raise HTTPException(403)
    body = await read_body(request, LONGEST_FORM)
    try:
        fields = dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"))
    except ValueError as error:
        raise HTTPException(400) from error
    if not check_csrf(gateway, visit, fields.pop(FIELD, "")):
        raise HTTPException(403)
    return fields
