"""ID tokens that a sign-in service would not have written (THREATS 37). The service here says whatever the test wants."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

from indexer.serve.oidc_provider import OidcProvider, SignInError
from indexer.serve.settings import OidcSettings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AT = int(NOW.timestamp())
KEY, STRANGE_KEY = RSAKey.generate_key(2048, {"kid": "one"}), RSAKey.generate_key(2048, {"kid": "one"})
SECRET = "a-secret-that-both-sides-know-0123456789"


@contextmanager
def saying(documents: dict[str, Any]) -> Iterator[str]:
    """A server that answers with these documents; gives its address. `{}` in a text is that address."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = documents.get(self.path)
            body = json.dumps(found).replace("{}", address).encode()
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()


def make_documents(token: str, **described: Any) -> dict[str, Any]:
    configuration = {
        "issuer": "{}",
        "authorization_endpoint": "{}/authorize",
        "token_endpoint": "{}/token",
        "jwks_uri": "{}/keys",
        "userinfo_endpoint": "{}/userinfo",
        **described,
    }
    return {
        "/.well-known/openid-configuration": configuration,
        "/keys": KeySet([KEY]).as_dict(),
        "/token": {"access_token": "a", "token_type": "Bearer", "id_token": token},
    }


def make_token(issuer: str, *, key: Any = KEY, algorithm: str = "RS256", **claims: Any) -> str:
    sound = {
        "iss": issuer,
        "sub": "s",
        "aud": "brain",
        "exp": AT + 300,
        "iat": AT,
        "nonce": "n",
        "email": "e@x.example",
        "email_verified": True,
    }
    stated = {name: value for name, value in {**sound, **claims}.items() if value is not ...}
    return jwt.encode({"alg": algorithm, "kid": "one"}, stated, key, algorithms=[algorithm])


def arrive(make: Any, **described: Any) -> Any:
    """Sign in with the token that `make(issuer)` returns."""
    documents: dict[str, Any] = {}
    with saying(documents) as address:
        documents.update(make_documents(make(address), **described))
        return OidcProvider(OidcSettings(address, "brain", SECRET), "http://127.0.0.1:1/-/callback").arrive("code", "n", "v", NOW)


def test_a_sound_token_names_the_person() -> None:
    vouched = arrive(make_token)
    assert (vouched.subject, vouched.email) == ("s", "e@x.example")
    assert arrive(lambda issuer: make_token(issuer, aud=["brain", "b"], azp="brain")).subject == "s"


@pytest.mark.threat(37)
@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": ...},
        {"aud": "another"},
        {"aud": ...},
        {"aud": ["another"]},
        {"aud": ["brain", "another"]},
        {"aud": ["brain", "another"], "azp": "another"},
        {"exp": AT - 120},
        {"exp": ...},
        {"iat": AT + 3600},
        {"iat": ...},
        {"nbf": AT + 3600},
        {"nonce": "another"},
        {"nonce": ...},
        {"sub": ...},
        {"sub": ""},
        {"sub": 5},
        {"sub": "x" * 300},
        {"sub": "a\u0000b"},
    ],
    ids=repr,
)
def test_a_token_with_a_wrong_claim_is_refused(claims: dict[str, Any]) -> None:
    with pytest.raises(SignInError):
        arrive(lambda issuer: make_token(issuer, **claims))


@pytest.mark.threat(37)
def test_a_token_with_a_wrong_signature_is_refused() -> None:
    shared = OctKey.import_key(SECRET)

    def sign_with_public(issuer: str) -> str:
        """The classic: the service's public key, known to all, taken for a shared secret."""
        claims = make_token(issuer).split(".")[1]
        head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"one"}').rstrip(b"=").decode()
        made = hmac.new(KEY.as_pem(private=False), f"{head}.{claims}".encode(), hashlib.sha256).digest()
        return f"{head}.{claims}.{base64.urlsafe_b64encode(made).rstrip(b'=').decode()}"

    def unsigned(issuer: str) -> str:
        head, body, _ = make_token(issuer).split(".")
        none = "eyJhbGciOiJub25lIn0"
        return f"{none if head else ''}.{body}."

    def cut(issuer: str) -> str:
        return make_token(issuer).rpartition(".")[0] + "."

    forgeries: list[Any] = [
        lambda issuer: make_token(issuer, key=STRANGE_KEY),
        lambda issuer: make_token(issuer, key=shared, algorithm="HS256"),
        sign_with_public,
        unsigned,
        cut,
        lambda _: "",
        lambda _: "a.b.c",
        lambda _: "\u0000",
    ]
    for forge in forgeries:
        with pytest.raises(SignInError):
            arrive(forge)


@pytest.mark.threat(43)
@pytest.mark.parametrize("endpoint", ["token_endpoint", "jwks_uri", "authorization_endpoint"])
@pytest.mark.parametrize(
    "address",
    ["http://evil.example/x", "file:///etc/passwd", "", "ftp://127.0.0.1/x", "https://[", "https://x/\r\nA: b", "https://\u00fc/"],
)
def test_an_endpoint_in_the_clear_or_of_another_kind_is_not_asked(endpoint: str, address: str) -> None:
    with pytest.raises(SignInError, match="without TLS"):
        arrive(make_token, **{endpoint: address})


@pytest.mark.threat(37)
def test_what_is_said_of_somebody_else_does_not_count() -> None:
    documents: dict[str, Any] = {}
    with saying(documents) as address:
        provider = OidcProvider(OidcSettings(address, "brain", SECRET), "http://127.0.0.1:1/-/callback")
        documents.update(make_documents(make_token(address, email=..., email_verified=...)))
        documents["/userinfo"] = {"sub": "s", "email": "e@x.example", "email_verified": True}
        assert provider.arrive("code", "n", "v", NOW).email == "e@x.example"
        documents["/userinfo"] = {"sub": "t", "email": "e@x.example", "email_verified": True}
        with pytest.raises(SignInError):
            provider.arrive("code", "n", "v", NOW)


@pytest.mark.parametrize("said", [[], "x", None, {"access_token": 5, "id_token": {}}, {"error": ["x"]}], ids=str)
def test_an_answer_of_another_form_is_a_sign_in_that_did_not_work(said: Any) -> None:
    documents: dict[str, Any] = {}
    with saying(documents) as address:
        documents.update(make_documents(""), **{"/token": said})
        with pytest.raises(SignInError):
            OidcProvider(OidcSettings(address, "brain", SECRET), "http://127.0.0.1:1/-/callback").arrive("code", "n", "v", NOW)


@pytest.mark.parametrize("said", [["true"], {}, 2], ids=str)
def test_an_address_counts_only_when_the_service_says_plainly_that_it_does(said: Any) -> None:
    vouched = arrive(lambda issuer: make_token(issuer, email_verified=said), token_endpoint_auth_methods_supported=5)
    assert (vouched.email, vouched.withheld) == (None, True)


# ---------------------------------------------------------------- logout tokens

EVENT = "http://schemas.openid.net/event/backchannel-logout"


def make_logout(issuer: str, **claims: Any) -> str:
    return make_token(issuer, **{"nonce": ..., "email": ..., "jti": "j", "events": {EVENT: {}}, **claims})


def hear(make: Any) -> str:
    documents: dict[str, Any] = {}
    with saying(documents) as address:
        documents.update(make_documents(""))
        return OidcProvider(OidcSettings(address, "brain", SECRET), "http://127.0.0.1:1/-/callback").hear_logout(make(address), NOW)


def test_a_sound_logout_token_names_who_left() -> None:
    assert hear(make_logout) == "s"
    assert hear(lambda issuer: make_logout(issuer, aud=["other", "brain"], exp=...)) == "s"


@pytest.mark.threat(37)
@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ...},
        {"sub": ...},
        {"sub": 7},
        {"sub": "a\u0000b"},
        {"jti": ...},
        {"iat": ...},
        {"iat": AT - 600},
        {"iat": AT + 600},
        {"exp": AT - 600},
        {"events": ...},
        {"events": {}},
        {"events": [EVENT]},
        {"events": {EVENT: "yes"}},
        {"nonce": "n"},
        {"key": STRANGE_KEY},
        {"key": OctKey.import_key(SECRET), "algorithm": "HS256"},
    ],
)
def test_what_is_no_logout_token_ends_nothing(claims: dict[str, Any]) -> None:
    with pytest.raises(SignInError):
        hear(lambda issuer: make_logout(issuer, **claims))


@pytest.mark.threat(37)
@pytest.mark.parametrize("text", ["", "a.b.c", "." * 1000, "\xff", "eyJhbGciOiJub25lIn0.e30."])
def test_what_is_no_token_at_all_ends_nothing(text: str) -> None:
    with pytest.raises(SignInError):
        hear(lambda _: text)


@pytest.mark.threat(37)
def test_an_id_token_signs_nobody_out() -> None:
    with pytest.raises(SignInError):
        hear(make_token)


@pytest.mark.parametrize(
    "odd",
    [
        {"kty": "AKP", "alg": "ML-DSA-65", "kid": "pq", "pub": "AAAA"},
        {"kty": "OKP", "crv": "X999", "kid": "new", "x": "AAAA"},
        {"kty": "EC", "crv": "brainpoolP256r1", "kid": "new", "x": "AAAA", "y": "AAAA"},
        {"kty": "RSA", "kid": "broken"},
        "no key",
    ],
)
def test_a_key_of_a_kind_that_is_not_known_here_keeps_nobody_from_signing_in(odd: Any) -> None:
    documents: dict[str, Any] = {}
    with saying(documents) as address:
        documents.update(make_documents(make_token(address)))
        documents["/keys"] = {"keys": [odd, *documents["/keys"]["keys"]]}
        provider = OidcProvider(OidcSettings(address, "brain", SECRET), "http://127.0.0.1:1/-/callback")
        assert provider.arrive("code", "n", "v", NOW).subject == "s"


@pytest.mark.threat(37)
def test_a_key_for_secrecy_signs_nobody_in() -> None:
    documents: dict[str, Any] = {}
    with saying(documents) as address:
        documents.update(make_documents(make_token(address)))
        documents["/keys"]["keys"][0]["use"] = "enc"
        with pytest.raises(SignInError):
            OidcProvider(OidcSettings(address, "brain", SECRET), "http://127.0.0.1:1/-/callback").arrive("c", "n", "v", NOW)
