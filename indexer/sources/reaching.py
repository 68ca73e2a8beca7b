"""Where git may connect: not into our own network, unless the operator says so (THREATS 43). `mirror` and `pushing` ask before they do.

A registered address is somebody's text. Its host is resolved here, once; every answer has to be a public address, and git is then told to
connect to just these, so that a name that resolves to something else a moment later leads nowhere (DNS rebinding).
"""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field

from indexer.errors import SourceError
from indexer.registry.address import Address

ALLOW_VARIABLE = "BRAIN_ALLOW_PRIVATE"
"""Environment variable that does the same as `--allow-private` when it is `1`."""
_NAT64 = IPv6Network("64:ff9b::/96")
_PORTS = {"https": 443, "ssh": 22}
_ANSWER = 20.0
"""Seconds that a server may take for its first answer."""
_HINT = "If it is meant to be inside your own network, say so with --allow-private."
Resolve = Callable[[str, int], Sequence[str]]


class Pinned(Struct, frozen=True):
    """What git is told so that it connects to the addresses that were checked."""

    settings: tuple[str, ...] = ()
    ssh: tuple[str, ...] = field(default=())
    """Options of the ssh program."""
    hosts: tuple[str, ...] = ()
    """The addresses themselves; empty = the name of the host is good enough."""


def pin_address(
    address: Address, *, allow_private: bool, resolve: Resolve | None = None, environment: Mapping[str, str] = os.environ
) -> Pinned:
    """Check where an address leads and return how git is kept to it; SourceError when that is not in public.

    With `allow_private` anything goes, also what only the machine's own configuration of ssh knows. Behind a proxy for https, which
    resolves names by itself, only an address that is written as a number can be checked.
    """
    if allow_private or environment.get(ALLOW_VARIABLE) == "1" or address.scheme not in _PORTS:
        return Pinned()
    host, port = _split(address)
    proxied = _is_proxied(address, environment)
    if proxied and not _is_number(host):
        return Pinned()
    found = (resolve or _resolve)(host, port)
    if not all(is_public(each) for each in found):
        raise SourceError(f"{address.text} leads into a private network, so git does not connect to it.", hint=_HINT)
    if proxied:
        return Pinned()
    return _pin_ssh(host, port, found[0]) if address.scheme == "ssh" else _pin_https(host, port, found)


def await_answer(address: Address, pinned: Pinned, environment: Mapping[str, str] = os.environ) -> None:
    """Return when a server over https answers; SourceError when it keeps silent. What else may be wrong is for git to say.

    By itself git would wait five minutes for it, and all other repositories with it. ssh knows such a bound, see `network`.
    """
    if address.scheme != "https" or _is_proxied(address, environment):
        return
    import ssl  # noqa: PLC0415 (most runs reach nobody)

    host, port = _split(address)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is said here; git checks whom it speaks with
    for place in pinned.hosts or (host,):
        try:
            with socket.create_connection((place, port), _ANSWER) as plain, context.wrap_socket(plain, server_hostname=host):
                return
        except TimeoutError:
            continue
        except (OSError, ValueError):
            return
    raise SourceError(f"{address.text} did not answer within {_ANSWER:g} seconds.", hint=f"See whether {host} is up.")


def _is_proxied(address: Address, environment: Mapping[str, str]) -> bool:
    return address.scheme == "https" and any(environment.get(name) for name in ("https_proxy", "HTTPS_PROXY"))


def is_public(text: str) -> bool:
    """Whether an address is one of the internet at large, also where it stands inside another one."""
    try:
        address: IPv4Address | IPv6Address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None)
        if inner is not None:
            return is_public(str(inner))
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _split(address: Address) -> tuple[str, int]:
    if "://" in address.text:
        parts = urlsplit(address.text)
        return parts.hostname or "", parts.port or _PORTS[address.scheme]
    host = address.text.rpartition("@")[2] if "@" in address.text.partition(":")[0] else address.text
    inside = host.startswith("[")
    return (host[1:].partition("]")[0] if inside else host.partition(":")[0]), _PORTS["ssh"]


def _is_number(host: str) -> bool:
    """Whether a host is an address in any of the ways in which programs read numbers, such as `127.1` and `0x7f000001`."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return False
    return True


def _resolve(host: str, port: int) -> Sequence[str]:
    try:
        found: list[Any] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceError(f"The host {host} cannot be found.", hint="Check its spelling, and the network.") from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def _pin_https(host: str, port: int, found: Sequence[str]) -> Pinned:
    """Known to git since 2.37; an older one resolves once more by itself."""
    shown = ",".join(f"[{each}]" if ":" in each else each for each in found)
    name = f"[{host}]" if ":" in host else host
    return Pinned(settings=(f"http.curloptResolve={name}:{port}:{shown}",), hosts=tuple(found))


def _pin_ssh(host: str, port: int, found: str) -> Pinned:
    """The key of the host is still looked up under its name."""
    known = host if port == _PORTS["ssh"] else f"[{host}]:{port}"
    return Pinned(ssh=(f"-oHostName={found}", f"-oHostKeyAlias={known}", "-oCheckHostIP=no", "-oCanonicalizeHostname=no"))
