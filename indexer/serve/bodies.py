"""The body of a request, read up to a limit of size and time (THREATS 11, 48). Called by routes that take one; no other is ever read."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request

LONGEST_FORM = 64 * 1024
_SECONDS = 15.0


async def read_body(request: Request, limit: int = LONGEST_FORM) -> bytes:
    """Return the body; HTTPException 413 when it is longer than `limit` bytes, 408 when it takes too long."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or len(declared) > 12 or int(declared) > limit:
        raise HTTPException(413)
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise HTTPException(413)
    except TimeoutError as error:
        raise HTTPException(408) from error
    return bytes(body)
