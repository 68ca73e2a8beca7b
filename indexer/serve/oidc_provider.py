"""The OpenID Connect service that signs people in: its documents, the way to it, and what it says of a person (THREATS 37).

Called by `login_oidc`, in a thread: everything here waits for another server. Code flow with PKCE; the ID token's signature, issuer,
audience, times and nonce are checked. Whom the person is here is not said here.
"""

import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.common.urls import add_params_to_uri
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry
from msgspec import Struct

from indexer.errors import BrainpressError
from indexer.serve.settings import LOOPBACK, OidcSettings

_SECONDS = 10.0
_KEPT_SECONDS = 3600.0
_KEYS_KEPT_SECONDS = 30.0
"""Keys are fetched again for a token signed with one that is not among them, but not more often."""
_FAILURES_KEPT_SECONDS = 5.0
"""While the service does not answer, people are told so at once, and not one after the other when each has waited."""
_LEEWAY = 60
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
"""Signatures with a key of the service alone; never `none`, never one with the shared secret."""
_LOGOUT, _LOGOUT_SECONDS = "http://schemas.openid.net/event/backchannel-logout", 120
_ODD = (AuthlibBaseError, JoseError, httpx2.HTTPError, ValueError, KeyError, TypeError, AttributeError)
"""What the libraries raise when the service says something of another form than it should."""
_PRINTABLE = re.compile("[!-~]+")
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class SignInError(BrainpressError):
    """The service cannot be reached, or says what cannot be believed. For the log; the person hears that it did not work."""


class Vouched(Struct, frozen=True):
    """A person as the service names them."""

    subject: str
    email: str | None
    """Only an address for which the service vouches."""
    withheld: bool = False
    """Whether it names one and does not vouch for it."""


class OidcProvider:
    """The service. May be used from several threads."""

    def __init__(self, settings: OidcSettings, callback: str) -> None:
        self.issuer = settings.issuer
        self._settings = settings
        self._callback = callback
        self._lock = threading.Lock()
        self._documents: dict[str, tuple[float, dict[str, Any]]] = {}
        self._failures: dict[str, tuple[float, str]] = {}

    def depart(self, state: str, nonce: str, verifier: str) -> str:
        """Return the address of the service for one sign-in; the three are tokens that nobody can guess."""
        address = self._describe()["authorization_endpoint"]
        with self._client() as client:
            url, _ = client.create_authorization_url(address, state=state, nonce=nonce, code_verifier=verifier)
        return str(url)

    def arrive(self, code: str, nonce: str, verifier: str, now: datetime) -> Vouched:
        """Return who came back with a code; SignInError when the service does not say so properly."""
        described = self._describe()
        try:
            with self._client() as client:
                token = client.fetch_token(described["token_endpoint"], code=code, code_verifier=verifier)
                claims = self._read_id_token(str(token.get("id_token") or ""), str(token.get("access_token") or ""), nonce, now)
                if "email" not in claims and described.get("userinfo_endpoint"):
                    claims = self._add_userinfo(claims, client.get(described["userinfo_endpoint"]))
        except _ODD as error:
            raise SignInError(f"{self.issuer} did not complete a sign-in: {type(error).__name__} {str(error)[:200]!r}.") from error
        verified = claims.get("email_verified") in (True, "true") or self._settings.trusts_email
        email = claims.get("email")
        named = isinstance(email, str) and email.isprintable() and email != ""
        return Vouched(str(claims["sub"]), email if verified and named else None, withheld=named and not verified)

    def part(self, state: str, back: str) -> str:
        """Return the address at which somebody signs out of the service and comes back to `back`; empty when it offers none."""
        endpoint = str(self._describe().get("end_session_endpoint") or "")
        if not endpoint:
            return ""
        self._require_safe(endpoint)
        query = {"client_id": self._settings.client_id, "post_logout_redirect_uri": back, "state": state}
        return add_params_to_uri(endpoint, list(query.items()))

    def hear_logout(self, text: str, now: datetime) -> str:
        """Return the subject that a logout token of the service names (OpenID Connect Back-Channel Logout); SignInError for all others."""
        try:
            decoded = self._decode(text)
            claims, at = decoded.claims, int(now.timestamp())
            options: Any = {name: {"essential": True} for name in ("iss", "aud", "iat", "jti", "sub", "events")}
            options["iss"]["value"], options["aud"]["value"] = self.issuer, self._settings.client_id
            JWTClaimsRegistry(now=at, leeway=_LEEWAY, **options).validate(claims)
            events = claims["events"]
            fresh = abs(at - int(claims["iat"])) <= _LOGOUT_SECONDS
            if not fresh or "nonce" in claims or not isinstance(events, dict) or not isinstance(events.get(_LOGOUT), dict):
                raise ValueError("no logout token")
            _check_subject(claims["sub"])
        except _ODD as error:
            raise SignInError(f"What came as a logout of {self.issuer} is none: {type(error).__name__} {str(error)[:200]!r}.") from error
        return str(claims["sub"])

    def _client(self) -> Any:
        settings = self._settings
        return OAuth2Client(
            settings.client_id,
            settings.client_secret or None,
            token_endpoint_auth_method=self._choose_method() if settings.client_secret else "none",
            scope="openid email",
            redirect_uri=self._callback,
            code_challenge_method="S256",
            timeout=_SECONDS,
            follow_redirects=False,
            trust_env=False,
        )

    def _choose_method(self) -> str:
        """`client_secret_basic` is what a service without a list takes."""
        offered = self._describe().get("token_endpoint_auth_methods_supported")
        basic = not offered or not isinstance(offered, list) or "client_secret_basic" in offered
        return "client_secret_basic" if basic else "client_secret_post"

    def _read_id_token(self, text: str, access_token: str, nonce: str, now: datetime) -> Mapping[str, Any]:
        decoded = self._decode(text)
        options = {"iss": {"essential": True, "value": self.issuer}, "aud": {"essential": True, "value": self._settings.client_id}}
        params = {"nonce": nonce, "client_id": self._settings.client_id, "access_token": access_token}
        claims = CodeIDToken(decoded.claims, decoded.header, options, params)
        claims.validate(now=int(now.timestamp()), leeway=_LEEWAY)
        _check_subject(claims["sub"])
        return dict(claims)

    def _decode(self, text: str) -> Any:
        """Return a token that the service signed."""
        try:
            return jwt.decode(text, self._load_keys(_KEPT_SECONDS), algorithms=_ALGORITHMS)
        except (JoseError, ValueError):
            # The service may have changed its keys since they were fetched.
            return jwt.decode(text, self._load_keys(_KEYS_KEPT_SECONDS), algorithms=_ALGORITHMS)

    def _add_userinfo(self, claims: Mapping[str, Any], response: Any) -> Mapping[str, Any]:
        """What it says there counts only when it says it of the same person."""
        response.raise_for_status()
        said = response.json()
        if not isinstance(said, dict) or said.get("sub") != claims["sub"]:
            raise ValueError("sub")
        return {**claims, "email": said.get("email"), "email_verified": said.get("email_verified")}

    def _load_keys(self, age: float) -> KeySet:
        """Return the service's keys for signatures. Those of kinds that nobody knows here are passed over (RFC 7517, section 5)."""
        listed = self._fetch(self._describe()["jwks_uri"], age).get("keys")
        keys = []
        for key in listed if isinstance(listed, list) else ():
            with suppress(*_ODD):
                if key.get("use", "sig") == "sig":
                    keys += KeySet.import_key_set({"keys": [key]}).keys
        return KeySet(keys)

    def _describe(self) -> dict[str, Any]:
        """Return what the service says of itself; SignInError when it is another one, or would have us speak in the clear."""
        described = self._fetch(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration", _KEPT_SECONDS)
        if described.get("issuer") != self.issuer:
            raise SignInError(f"The sign-in service calls itself {described.get('issuer')!r}.", hint="Give --oidc-issuer exactly so.")
        for name in _ENDPOINTS:
            self._require_safe(str(described.get(name) or ""))
        return described

    def _require_safe(self, address: str) -> None:
        try:
            parts = urlsplit(address if _PRINTABLE.fullmatch(address) else "")
        except ValueError:
            parts = urlsplit("")
        near = parts.hostname in LOOPBACK and urlsplit(self.issuer).hostname in LOOPBACK
        if parts.scheme != "https" and not (parts.scheme == "http" and near):
            raise SignInError(f"The sign-in service names an address without TLS: {address[:200]!r}.")

    def _fetch(self, address: str, age: float) -> dict[str, Any]:
        with self._lock:
            kept = self._documents.get(address)
            if kept is not None and time.monotonic() - kept[0] < age:
                return kept[1]
            self._require_safe(address)
            failed = self._failures.get(address)
            if failed is not None and time.monotonic() - failed[0] < _FAILURES_KEPT_SECONDS:
                raise SignInError(failed[1])
            try:
                response = httpx2.get(address, timeout=_SECONDS, follow_redirects=False, trust_env=False)
                response.raise_for_status()
                document = response.json()
            except (httpx2.HTTPError, ValueError) as error:
                self._failures[address] = time.monotonic(), f"{address} cannot be read: {type(error).__name__}."
                raise SignInError(self._failures[address][1]) from error
            if not isinstance(document, dict):
                raise SignInError(f"{address} does not hold what it should.")
            self._documents[address] = time.monotonic(), document
            return document


def _check_subject(subject: Any) -> None:
    """Raise ValueError for what names nobody, or could not be kept."""
    if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
        raise ValueError("sub")
