"""What a request to the JSON doors holds: its parameters, its body, and who asks in which tenant. Strict: what is not known is refused.

Called by `api`, before anything of a tenant is looked at.
"""

import json
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request

from indexer.serve.api_errors import ApiError, make_insufficient, make_unauthorized
from indexer.serve.bodies import read_body
from indexer.serve.context import Gateway, Visit
from indexer.serve.csrf import comes_from_here
from indexer.serve.tenant_desks import Asking
from indexer.serve.tool_arguments import Arguments, parse_arguments
from indexer.serve.tool_error import ToolError

LONGEST_BODY = 64 * 1024
_MOST_PARAMETERS = 20
Model = TypeVar("Model", bound=Arguments)


def read_query(request: Request, model: type[Model]) -> Model:
    """Return the parameters; ApiError 400 for unknown ones, any given twice, and wrong values."""
    raw: bytes = request.scope["query_string"]
    try:
        # What is not ASCII was not encoded, and nobody knows what was meant.
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, strict_parsing=bool(raw), max_num_fields=_MOST_PARAMETERS, errors="strict"
        )
    except ValueError as error:
        raise ApiError(400, "The query of this address is malformed.") from error
    given = dict(pairs)
    if len(given) < len(pairs):
        raise ApiError(400, "A parameter is given twice.")
    try:
        return parse_arguments(model, given)
    except ToolError as error:
        raise ApiError(400, error.message.replace("argument", "parameter")) from error


async def read_json_object(request: Request, limit: int = LONGEST_BODY) -> dict[str, Any]:
    """Return the body, which has to be one JSON object without a key given twice; ApiError otherwise."""
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"} or "content-encoding" in request.headers:
        raise ApiError(415)
    try:
        body = await read_body(request, limit)
    except HTTPException as error:
        raise ApiError(error.status_code) from error
    try:
        # What is large is not read while all other requests wait.
        read = _read_json(body) if len(body) <= LONGEST_BODY else await anyio.to_thread.run_sync(_read_json, body)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "The body is not JSON.") from error
    if not isinstance(read, dict):
        raise ApiError(400, "The body has to be a JSON object.")
    return read


def _read_json(body: bytes) -> Any:
    return json.loads(body.decode("utf-8"), object_pairs_hook=_join_once, parse_constant=_refuse_constant)


def _join_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    joined = dict(pairs)
    if len(joined) < len(pairs):
        raise ValueError("a key is given twice")
    return joined


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def find_asking(gateway: Gateway, visit: Visit, tenant: str | None) -> Asking:
    """Return who asks, in which tenant; ApiError 401 for nobody. A key is of one tenant, whatever the request says (THREATS 36)."""
    asker = visit.asker
    if asker.key:
        if tenant not in {None, asker.key.reader.tenant}:
            raise make_unauthorized(gateway, visit)
        return Asking(asker.key.reader, asker.key.brain)
    if not asker.is_person:
        raise make_unauthorized(gateway, visit)
    if visit.method not in {"GET", "HEAD"} and not comes_from_here(gateway, visit):
        raise ApiError(403)
    names = [name for name, _ in asker.accounts]
    if tenant is None and len(names) > 1:
        raise ApiError(400, f"Say in which tenant: add `?tenant=` with one of: {', '.join(names)}.")
    reader = asker.reader_in("".join(names) if tenant is None else tenant)
    if reader is None:
        raise ApiError(404)
    return Asking(reader)


def require_reading(gateway: Gateway, visit: Visit, asking: Asking) -> None:
    """Do nothing when the credential is for reading; ApiError 403 otherwise."""
    if not asking.reader.may_read:
        raise make_insufficient(gateway, visit, "knowledge:read")
