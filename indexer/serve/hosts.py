"""Which host a request is for: the gateway's own, a tenant's, or one that it does not answer to (THREATS 34). Called by `gateway`.

The name is only compared with what the operator gave; no answer ever repeats it.
"""

import re

from indexer.registry.tenant_model import ID_PATTERN
from indexer.serve.settings import LOOPBACK, Settings

_HOST = re.compile(rb"(\[[0-9a-fA-F:.]{2,45}\]|[a-zA-Z0-9._-]{1,253}?)\.?(?::[0-9]{1,5})?")
_LABEL = re.compile(ID_PATTERN)
Headers = list[tuple[bytes, bytes]]


class Hosts:
    """The names that the gateway answers to."""

    def __init__(self, settings: Settings) -> None:
        self._own = {settings.host, *settings.hosts} | (LOOPBACK if settings.host in LOOPBACK else set())
        self._suffix = f".{settings.host}" if settings.host_per_tenant else ""

    def find_tenant(self, headers: Headers) -> str | None:
        """Return the tenant whose host was asked, empty for the gateway's own; None = not ours.

        A tenant's name is taken as it stands: whether there is such a tenant is not asked here.
        """
        given = [value for name, value in headers if name == b"host"]
        return self.find_tenant_named(given[0]) if len(given) == 1 else None

    def find_tenant_named(self, given: bytes) -> str | None:
        """Return the same from the value of the one `Host` header."""
        found = _HOST.fullmatch(given)
        if found is None:
            return None
        host = found[1].decode("ascii").lower().strip("[]")
        if host in self._own:
            return ""
        label = host.removesuffix(self._suffix) if self._suffix and host.endswith(self._suffix) else ""
        return label if _LABEL.match(label) else None
