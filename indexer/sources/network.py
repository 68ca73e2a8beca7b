"""How git may reach another repository: over https and ssh only, never by a helper that an address or a configuration names.

Used by `mirror` and `pushing`, the two modules that do; `reaching` says to which hosts. A credential travels in the environment of the
one process and occurs in no argument, file, or message.
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indexer.errors import SourceError
from indexer.registry.address import Address
from indexer.sources.reaching import Pinned

PATIENCE = 1800.0
"""Seconds that a transfer may take; it prints nothing while it works."""
HELPER_VARIABLE = "BRAINPRESS_CREDENTIAL_HELPER"
"""Environment variable with a git credential helper (`store --file=…`, `cache`), which knows by itself which host gets which secret."""

_SSH_PATIENCE = ("-oConnectTimeout=30", "-oServerAliveInterval=15", "-oServerAliveCountMax=4")
"""A server that does not answer, or not any more, is given up after a minute at most: other repositories wait meanwhile."""
_PASSED_ON = (
    "HOME",
    "SSH_AUTH_SOCK",
    "https_proxy",
    "HTTPS_PROXY",
    "no_proxy",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
)
_FROM_ENVIRONMENT = '!f() { test "$1" = get && echo "username=$BRAINPRESS_GIT_USER" && echo "password=$BRAINPRESS_GIT_SECRET"; }; f'


@dataclass(frozen=True, slots=True)
class Credential:
    """What one repository asks for; given for the host of its address and for no other."""

    user: str
    secret: str = field(repr=False)


def build_network_environment(address: Address, credential: Credential | None, pinned: Pinned) -> dict[str, str]:
    """Return what a git process that speaks with an address finds in its environment, beside what every one does."""
    return {**_pass_on(os.environ, pinned), "GIT_ALLOW_PROTOCOL": address.scheme, **hand_over(credential)}


def hide_secret(said: str, credential: Credential | None) -> str:
    """Return what git said without the secret."""
    return said.replace(credential.secret, "…") if credential is not None and credential.secret else said


def _pass_on(environment: Mapping[str, str], pinned: Pinned) -> dict[str, str]:
    return {
        **{name: environment[name] for name in _PASSED_ON if name in environment},
        "GIT_OPTIONAL_LOCKS": "1",
        "GIT_ASKPASS": "/bin/false",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_SSH_COMMAND": shlex.join(
            ("ssh", "-oBatchMode=yes", *_SSH_PATIENCE, "-oClearAllForwardings=yes", "-oPermitLocalCommand=no", *pinned.ssh)
        ),
    }


def hand_over(credential: Credential | None) -> dict[str, str]:
    """Return a credential as variables of the one process that needs it."""
    if credential is None:
        return {}
    if any(char in text for text in (credential.user, credential.secret) for char in "\r\n\0"):
        raise SourceError("The credential holds a line break, so it was not used.", hint="Register it again without one.")
    return {"BRAINPRESS_GIT_USER": credential.user, "BRAINPRESS_GIT_SECRET": credential.secret}


def make_network_settings(address: Address, credential: Credential | None, pinned: Pinned) -> Sequence[str]:
    """Return the settings under which git speaks with one address and nothing else."""
    helper = os.environ.get(HELPER_VARIABLE, "")
    return (
        f"protocol.{address.scheme}.allow=always",
        "transfer.fsckObjects=true",
        "fetch.fsckObjects=true",
        # A redirect could lead to a host inside our own network.
        "http.followRedirects=false",
        "http.lowSpeedLimit=1000",
        "http.lowSpeedTime=60",
        *([f"credential.helper={_FROM_ENVIRONMENT}"] if credential else [f"credential.helper={helper}"] if helper else []),
        *pinned.settings,
    )
