"""`/healthz`: whether the gateway can decide, for whoever watches it; nothing else, for anybody may ask. Called by `gateway`."""

import asyncio

from indexer.errors import RegistryError
from indexer.serve.answers import Answer, json_answer
from indexer.serve.context import Gateway
from indexer.serve.notices import NOT_FOUND

_WELL = json_answer(200, b'{"status":"ok"}\n')
_ILL = json_answer(503, b'{"status":"failing","reason":"the registry cannot be asked"}\n')


async def answer_health(gateway: Gateway, method: str) -> Answer:
    """Ask the registry, and its tables, whether they are there."""
    if method not in {"GET", "HEAD"}:
        return NOT_FOUND
    try:
        await gateway.ask(lambda _: None)
        await asyncio.to_thread(gateway.asking.check)
    except RegistryError:
        return _ILL
    return _WELL
