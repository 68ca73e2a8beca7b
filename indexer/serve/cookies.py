"""The gateway's two cookies: the session, and the browser's half of a sign-in under way. Called by `who` and the sign-in.

`__Host-` binds a cookie to this very host over TLS. On a plain loopback address browsers refuse that name, so there it is another.
"""

import re
import secrets
from collections.abc import Sequence

from indexer.serve.answers import RawHeaders
from indexer.serve.hosts import Headers

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_LOGIN_SECONDS = 600


class MalformedCookieError(ValueError):
    """The cookie is there, and is none of ours."""


class Cookies:
    """Names and attributes of the cookies, as the origin allows."""

    def __init__(self, *, secure: bool) -> None:
        self._prefix, self._secure = ("__Host-", " Secure;") if secure else ("", "")
        self.session = f"{self._prefix}brain"
        self.login = f"{self._prefix}brain-login"

    def set_session(self, token: str) -> RawHeaders:
        """Return the header that gives the session to the browser, until it is closed or the session ends."""
        return self._set(self.session, token, "")

    def drop_session(self) -> RawHeaders:
        """Return the header that takes it away."""
        return self._set(self.session, "", " Max-Age=0;")

    def set_login(self, token: str) -> RawHeaders:
        """Return the header that binds a sign-in to this browser."""
        return self._set(self.login, token, f" Max-Age={_LOGIN_SECONDS};")

    def drop_login(self) -> RawHeaders:
        """Return the header that takes it away."""
        return self._set(self.login, "", " Max-Age=0;")

    def _set(self, name: str, value: str, age: str) -> RawHeaders:
        return ((b"set-cookie", f"{name}={value}; Path=/;{age}{self._secure} HttpOnly; SameSite=Lax".encode("ascii")),)


def read_cookie(headers: Headers, name: str) -> str | None:
    """Return the token in a cookie, None when there is no such cookie; MalformedCookieError for two of them or no token."""
    return find_token([line for header, line in headers if header == b"cookie"], name)


def find_token(lines: Sequence[bytes], name: str) -> str | None:
    """Return the same from the values of all `Cookie` headers."""
    wanted, found = name.encode("ascii"), None
    for line in lines:
        for part in line.split(b";"):
            key, _, value = part.partition(b"=")
            if key.strip(b" \t") == wanted:
                text = value.strip(b" \t").decode("latin-1")
                if found is not None or not TOKEN.fullmatch(text):
                    raise MalformedCookieError
                found = text
    return found


def make_token() -> str:
    """Return a new random token of the form that cookies hold."""
    return secrets.token_urlsafe(32)
