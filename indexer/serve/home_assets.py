"""`/-/assets/…`: styles, fonts and browser code of the gateway's own pages. For everybody: nothing of anybody's is in them. Used by `home`.

A file is found in the list that was built with it, never by joining a path; its name changes with its content, so browsers keep it.
"""

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request

from indexer.errors import PublishError
from indexer.resources import find_resource
from indexer.serve.answers import SANDBOX_POLICY, Answer, make_answer
from indexer.serve.media_types import choose_sending
from indexer.serve.notices import NOT_FOUND

PREFIX = "/-/assets/"
_ENTRIES = ("gatewayStyle", "gateway", "boot", "icon", "font")
_KINDS = ("fonts/", "gateway-", "boot-", "icon-", "icons-")
"""Beginnings of the names of files that the gateway's pages need; the sites bring their own."""


class GatewayAssets(Struct, frozen=True):
    """What `make assets` built for the gateway."""

    addresses: Mapping[str, str]
    """Name of the entry → address."""
    files: Mapping[str, Path]
    """Name below PREFIX → file."""


@lru_cache(maxsize=1)
def load_assets() -> GatewayAssets:
    """Return the assets; PublishError when they were not built."""
    dist = find_resource("site_templates/dist")
    try:
        manifest: dict[str, Any] = json.loads((dist / "manifest.json").read_text("utf-8"))
        addresses = {name: PREFIX + manifest["entries"][name] for name in _ENTRIES}
        return GatewayAssets(addresses, {name: dist / name for name in manifest["files"] if name.startswith(_KINDS)})
    except (OSError, ValueError, KeyError) as error:
        raise PublishError("The browser code of the gateway is not built.", hint="Run: make assets") from error


async def send_asset(request: Request) -> Answer:
    """`GET /-/assets/<name>`."""
    name = str(request.path_params["name"])
    file = load_assets().files.get(name)
    if file is None or request.url.query:
        return NOT_FOUND
    try:
        content = await asyncio.to_thread(file.read_bytes)
    except OSError:
        return NOT_FOUND
    headers = ((b"cache-control", b"public, max-age=31536000, immutable"), (b"content-security-policy", SANDBOX_POLICY))
    return make_answer(200, choose_sending(name, attachment=False).kind, content, headers)
