"""What programs get instead of an answer: one shape of error, with a code that they can branch on (SPEC S11).

Used by the doors for programs, and by `gateway` for what it refuses before them. Messages are ours and hold nothing of the request.
"""

import json
from typing import Literal, get_args

from indexer.errors import BrainpressError
from indexer.publish.visible import clean_line
from indexer.serve.answers import Answer, RawHeaders, json_answer
from indexer.serve.context import Gateway, Visit

Code = Literal[
    "bad_request",
    "unauthorized",
    "insufficient_scope",
    "cross_origin",
    "not_found",
    "method_not_allowed",
    "too_slow",
    "too_large",
    "wrong_type",
    "wrong_host",
    "too_many_requests",
    "broken",
    "unavailable",
]
CODES: tuple[str, ...] = get_args(Code)

UNAUTHORIZED = "A key is needed that is known here, has not expired and was not revoked."
NO_SUCH = "There is nothing at this address, or it is not shared with you."
UNDECIDED = "Who may read what cannot be decided now, so nothing is shown. Try again later."
BY_STATUS: dict[int, tuple[Code, str]] = {
    400: ("bad_request", "The request makes no sense here."),
    401: ("unauthorized", UNAUTHORIZED),
    403: ("cross_origin", "This may not be asked for from another site's page."),
    404: ("not_found", NO_SUCH),
    405: ("method_not_allowed", "This address does not take that method."),
    408: ("too_slow", "The request took too long to arrive."),
    413: ("too_large", "The request is too large."),
    415: ("wrong_type", "The body has to be JSON: `Content-Type: application/json`, not compressed."),
    421: ("wrong_host", "This server does not answer to the name that was asked for."),
    429: ("too_many_requests", "Too many requests. Try again in a minute."),
    500: ("broken", "This is a mistake in the program. The request id of this answer is in its log."),
    503: ("unavailable", UNDECIDED),
}
_METADATA = b"/.well-known/oauth-protected-resource"
_RETRY: RawHeaders = ((b"retry-after", b"10"),)
_SENT_ALONG = {b"allow", b"retry-after", b"connection"}


class ApiError(BrainpressError):
    """A request that is refused; the message is safe to show to whoever sent it."""

    def __init__(self, status: int, message: str = "", code: Code | None = None, headers: RawHeaders = ()) -> None:
        known, usual = BY_STATUS[status]
        super().__init__(message or usual)
        self.status = status
        self.code: Code = code or known
        self.headers = headers or (_RETRY if status == 503 else ())


def render_error(visit: Visit, error: ApiError) -> Answer:
    """Return the answer."""
    shown = {"error": {"code": error.code, "message": clean_line(error.message, 500), "request_id": visit.id}}
    return json_answer(error.status, json.dumps(shown, ensure_ascii=False).encode() + b"\n", error.headers)


def make_unauthorized(gateway: Gateway, visit: Visit) -> ApiError:
    """Return the error for whoever brings no key, or one that is no good for whatever reason: the same for all of those (RFC 6750)."""
    # Only who brought something is told that it is no good, as the RFC asks for.
    given = visit.asker.rejected or visit.asker.key is not None
    challenge = _challenge(gateway, visit) + (', error="invalid_token"' if given else "")
    return ApiError(401, headers=((b"www-authenticate", challenge.encode("ascii")),))


def make_insufficient(gateway: Gateway, visit: Visit, scope: str, purpose: str = "reading") -> ApiError:
    """Return the error for a good key that is for something else."""
    challenge = f'{_challenge(gateway, visit)}, error="insufficient_scope", scope="{scope}"'
    message = f"This key is not for {purpose}: it lacks the scope {scope}."
    return ApiError(403, message, "insufficient_scope", ((b"www-authenticate", challenge.encode("ascii")),))


def _challenge(gateway: Gateway, visit: Visit) -> str:
    """Name the metadata of what was asked for (RFC 9728)."""
    path = "/mcp" if visit.path == b"/mcp" else ""
    return f'Bearer resource_metadata="{gateway.origin_of(visit.tenant)}{_METADATA.decode()}{path}"'


def is_for_programs(path: bytes) -> bool:
    """Whether a path is one where programs ask."""
    return path.startswith((b"/api/", b"/mcp/", _METADATA)) or path in {b"/api", b"/mcp"}


def speak_to_programs(visit: Visit, answer: Answer) -> Answer:
    """Return one of the gateway's own short answers in the form that the path asks for; called by `gateway` for all of them."""
    if not is_for_programs(visit.path) or answer.status not in BY_STATUS:
        return answer
    headers = tuple(pair for pair in answer.headers if pair[0] in _SENT_ALONG)
    return render_error(visit, ApiError(answer.status, headers=headers))
