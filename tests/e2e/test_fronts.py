"""Caddy and nginx in front, as `brain serve --print-config` sets them up: the gateway decides every request, and nothing gets round it.

Both run for real, over a Unix socket and over loopback, nginx also sending the files itself (SPEC X02; THREATS 28, 34, 35, 48).
"""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.serve.listening import Listen
from indexer.serve.settings import ProxySettings
from tests.tools.commands import run_brain
from tests.tools.fronts import MISSING, PROGRAMS, free_port, print_config, run_front
from tests.tools.gateways import SECRETS, Line, Reply, Site, make_files, open_site, publish, running

pytestmark = pytest.mark.req("X02")

FRONTS = ["caddy over a socket", "caddy over loopback", "nginx over a socket", "nginx over loopback", "nginx sending files"]
SECRET = "a-long-secret-of-the-proxy"
NOT_OURS = {"date", "x-request-id", "server", "connection", "keep-alive"}
"""What a server in front says of itself."""
SOUND = bytes(range(256)) * 4
TRAVERSALS = [
    "/acme/handbook/../plans/",
    "/acme/handbook/%2e%2e/plans/",
    "/acme/handbook/..%2fplans/",
    "/acme/handbook/%252e%252e/plans/",
    "/acme/handbook//index.html",
    "//acme/plans/",
    "/acme/handbook/..%5cplans/",
    "/acme/handbook/.brain/state.msgpack",
    "/acme/handbook/index.html%00",
    "/acme/plans/index.html;a.css",
    "/acme/plans/x.css",
    "/acme%2fplans/",
    "/-internal/acme/plans/site/index.html",
    "/-internal/",
    "/-internal",
    "/x/../-internal/acme/plans/site/index.html",
    "/%2dinternal/acme/plans/site/index.html",
    "//-internal/acme/plans/site/index.html",
    "/-internal/../-internal/acme/plans/site/index.html",
    "/-internal/%2e%2e/%2e%2e/etc/passwd",
]


@contextmanager
def open_front(name: str, folder: Path) -> Iterator[Site]:
    """A gateway behind one of the fronts; `Site.ask` goes through it."""
    kind = name.split(maxsplit=1)[0]
    if PROGRAMS[kind] is None:
        pytest.skip(MISSING.format(kind))
    port, inner = free_port(), free_port()
    url = f"http://127.0.0.1:{port}"
    sends = name.endswith("sending files")
    site = open_site(folder, url=url, sendfile="nginx" if sends else "", proxy=ProxySettings("X-Person", SECRET))
    publish(site.out / "acme" / "plans", make_files(SECRETS["plans"]), {"files/sound.mp3": SOUND, "files/drawing.svg": b"<svg/>"})
    listen = Listen("127.0.0.1", inner) if name.endswith("loopback") else Listen(path=folder / "gateway.sock")
    text = f"127.0.0.1:{inner}" if listen.host else f"unix:{listen.path}"
    (folder / "proxy-secret").write_text(SECRET)
    options = [
        "--proxy-header",
        "X-Person",
        "--proxy-secret-file",
        str(folder / "proxy-secret"),
        *(["--sendfile", "nginx"] if sends else []),
    ]
    config = print_config(kind, site.out, text, url, *options)
    with running(site, listen), run_front(kind, folder / "front", config, port):
        site.address = ("127.0.0.1", port)
        yield site


@pytest.fixture(scope="module", params=FRONTS)
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Each of them; no test here changes anything."""
    with open_front(request.param, tmp_path_factory.mktemp("front")) as opened:
        yield opened


def bare(reply: Reply) -> tuple[int, list[tuple[str, str]], bytes]:
    """An answer without what differs between any two, and without what the server in front says of itself."""
    return reply.status, sorted(pair for pair in reply.headers if pair[0] not in NOT_OURS), reply.body


@pytest.mark.req("S11", "X01")
@pytest.mark.threat(28)
def test_hidden_and_missing_are_the_same_bytes_through_a_front(front: Site) -> None:
    for headers in ({}, front.cookie("ana@acme.example"), front.bearer("filer"), front.cookie("ana@other.example")):
        line = front.open()
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"):
            missing = bare(line.request(method, "/acme/never-existed/", headers))
            assert missing[0] == 404
            for repo in ("plans", "di-home", "old"):
                for tail in ("", "/", "/index.html", "/index.md", "/images/pic.png", "/_/assets/style-OY3EKPKS.css", "/guides", "/?x"):
                    reply = line.request(method, f"/acme/{repo}{tail}", {**headers, "Range": "bytes=0-1", "If-None-Match": "*"})
                    assert bare(reply) == missing, (method, repo, tail)


@pytest.mark.req("T09")
def test_a_reader_gets_the_same_through_a_front_as_from_the_gateway(front: Site) -> None:
    cookie = front.cookie("ed@acme.example")
    files = make_files(SECRETS["plans"])
    for path, body in {"": files["index.html"], "index.md": files["index.md"], "%C3%BCn%C3%AF/": files["ünï/index.html"]}.items():
        reply = front.ask("GET", f"/acme/plans/{path}", cookie)
        assert (reply.status, reply.body) == (200, body)
        assert reply.get("cache-control") == "private, no-store"
        assert (reply.get("content-security-policy") or "").startswith("default-src 'none'")
        assert "sandbox" not in (reply.get("content-security-policy") or "") or path.endswith(".md")
        assert reply.get("vary") == "Cookie, Authorization"
        assert len(reply.get("x-request-id") or "") == 16
        for name in ("x-content-type-options", "x-frame-options", "referrer-policy", "cross-origin-resource-policy", "permissions-policy"):
            assert reply.get(name), name
        for name in ("etag", "last-modified", "x-accel-redirect", "content-encoding", "expires"):
            assert reply.get(name) is None, name
    asset = front.ask("GET", "/acme/plans/_/assets/style-OY3EKPKS.css", cookie)
    assert asset.get("cache-control") == "private, max-age=31536000, immutable"
    drawing = front.ask("GET", "/acme/plans/files/drawing.svg", cookie)
    assert drawing.get("content-type") == "image/svg+xml"
    assert "; sandbox" in (drawing.get("content-security-policy") or "")


@pytest.mark.threat(28)
def test_head_says_what_get_says(front: Site) -> None:
    cookie = front.cookie("ed@acme.example")
    for path in ("/acme/plans/", "/acme/plans/files/sound.mp3", "/acme/plans/nothing", "/"):
        got, asked = front.ask("GET", path, cookie), front.ask("HEAD", path, cookie)
        assert asked.body == b""
        assert bare(asked)[:2] == bare(got)[:2], path


@pytest.mark.threat(48)
def test_one_part_of_a_file_and_never_many(front: Site) -> None:
    cookie = front.cookie("ed@acme.example")
    reply = front.ask("GET", "/acme/plans/files/sound.mp3", {**cookie, "Range": "bytes=10-19"})
    assert (reply.status, reply.body, reply.get("content-range")) == (206, SOUND[10:20], "bytes 10-19/1024")
    many = front.ask("GET", "/acme/plans/files/sound.mp3", {**cookie, "Range": "bytes=" + ",".join(f"{at}-{at}" for at in range(500))})
    assert len(many.body) <= len(SOUND)
    refused = front.ask("GET", "/acme/plans/", {**cookie, "If-None-Match": "*", "If-Modified-Since": "Mon, 30 Nov 2037 10:00:00 GMT"})
    assert refused.status == 200


@pytest.mark.threat(35)
def test_nobody_names_themselves_through_a_front(front: Site) -> None:
    """Even with the right secret: what the front is told to drop does not arrive."""
    inside = front.out.parent / "gateway.sock"
    if inside.exists():
        line = Line(str(inside))
        assert line.request("GET", "/acme/plans/", {"X-Person": "ed@acme.example", "X-Brain-Proxy-Secret": SECRET}).status == 200
        line.close()
    missing = bare(front.ask("GET", "/acme/never-existed/"))
    for person in ("X-Person", "x-person", "X_Person", "X-PERSON"):
        for secret in ("X-Brain-Proxy-Secret", "X_Brain_Proxy_Secret", "x-brain_proxy-secret"):
            reply = front.ask("GET", "/acme/plans/", {person: "ed@acme.example", secret: SECRET})
            assert bare(reply) == missing, (person, secret)


@pytest.mark.threat(1, 34)
@pytest.mark.parametrize("target", TRAVERSALS)
def test_no_odd_path_gets_round_the_decision(front: Site, target: str) -> None:
    for headers in ({}, front.cookie("ana@acme.example")):
        reply = front.ask("GET", target, headers)
        assert reply.status in {400, 404}
        assert not any(word.encode() in reply.body for word in SECRETS.values() if word != SECRETS["handbook"])
        if "internal" in target:
            assert b"canary" not in reply.body


@pytest.mark.threat(34)
def test_the_place_of_files_is_as_good_as_missing(front: Site) -> None:
    cookie = front.cookie("ed@acme.example")
    missing = bare(front.ask("GET", "/acme/never-existed/", cookie))
    for path in ("/-internal/acme/plans/site/index.html", "/-internal/acme/nothing/site/index.html", "/-internal/"):
        reply = front.ask("GET", path, cookie)
        assert (reply.status, reply.body) == (404, missing[2])
        assert bare(reply)[1] == missing[1]


@pytest.mark.threat(33)
def test_what_is_revoked_is_gone_with_the_next_request_through_a_front(tmp_path: Path) -> None:
    from indexer.registry.grants import revoke_grant
    from tests.tools.registries import act

    for name in FRONTS[::2]:
        with open_front(name, tmp_path / name.replace(" ", "-")) as site:
            cookie, line = site.cookie("ed@acme.example"), site.open()
            assert line.request("GET", "/acme/plans/", cookie).status == 200
            with site.world.writing() as connection:
                revoke_grant(connection, "acme", "plans", "ed", act("di"), site.world.now)
            assert bare(line.request("GET", "/acme/plans/", cookie)) == bare(line.request("GET", "/acme/never-existed/", cookie))


@pytest.mark.threat(48)
def test_too_much_is_refused_through_a_front(front: Site) -> None:
    """By whichever of the two hears of it first: Caddy passes a body on while it arrives."""
    form = {**front.bearer("filer"), "Content-Type": "application/json"}
    assert front.ask("POST", "/api/v1/tools/listBrains", form, b"{}").status == 503  # arrives; these releases have no index
    with suppress(ConnectionError):  # hung up before the rest was sent: refused as well, and the answer may be lost on the way
        assert front.ask("POST", "/api/v1/tools/listBrains", form, b"{" + b" " * 600_000 + b"}").status in {413, 502}
    assert front.ask("GET", "/", {"X-Long": "a" * 100_000}).status in {400, 431, 494}
    assert front.ask("GET", "/healthz").status == 200


@pytest.mark.threat(34)
def test_another_name_is_not_answered_to(front: Site) -> None:
    reply = front.ask("GET", "/acme/plans/", {**front.cookie("ed@acme.example"), "Host": "evil.example"})
    assert reply.status in {200, 421}  # Caddy answers a name that it does not know with nothing at all
    assert b"canary" not in reply.body
    assert b"evil" not in reply.body


# ---------------------------------------------------------------- what arrives at the gateway


@contextmanager
def echo(port: int) -> Iterator[list[bytes]]:
    """A gateway's stand-in that writes down the head of each request."""
    heads: list[bytes] = []
    opened = socket.create_server(("127.0.0.1", port))

    def serve() -> None:
        while True:
            try:
                connection, _ = opened.accept()
            except OSError:
                return
            with connection:
                heads.append(connection.recv(65536))
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\nx-accel-redirect: /-internal/x\r\n\r\nok")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield heads
    finally:
        opened.shutdown(socket.SHUT_RDWR)
        opened.close()
        thread.join(10)


@pytest.mark.threat(35)
@pytest.mark.parametrize("kind", ["caddy", "nginx"])
def test_no_header_that_speaks_for_a_proxy_arrives(kind: str, tmp_path: Path) -> None:
    if PROGRAMS[kind] is None:
        pytest.skip(MISSING.format(kind))
    port, inner = free_port(), free_port()
    (tmp_path / "proxy-secret").write_text(SECRET)
    options = ("--proxy-header", "Remote-User", "--proxy-secret-file", str(tmp_path / "proxy-secret"))
    printed = print_config(kind, tmp_path, f"127.0.0.1:{inner}", f"http://127.0.0.1:{port}", *options)
    config = printed
    for name, value in (("Remote-User", "ed@acme.example"), ("X-Brain-Proxy-Secret", "told-here")):  # as the printed text says
        config = config.replace(f'header_up {name} ""', f'header_up {name} "{value}"')
        config = config.replace(f"#     proxy_set_header {name} …;", f"proxy_set_header {name} {value};")
    assert config != printed
    with echo(inner) as heads, run_front(kind, tmp_path / "front", config, port):
        sent = [
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Forwarded-Proto",
            "X-Forwarded-Email",
            "Forwarded",
            "X-Original-URL",
            "Remote-User",
        ]
        sent += [
            "X-Brain-Client",
            "X_Brain_Client",
            "X-Brain-Proxy-Secret",
            "X_Forwarded_Email",
            "Remote_User",
            "X_Brain_Proxy_Secret",
            "X-Remote-User",
            "X-Rewrite-URL",
        ]
        line = Line(("127.0.0.1", port))
        reply = line.request("GET", "/a%2Fb//c?d=%2e", {**dict.fromkeys(sent, "spoofed"), "Cookie": "brain=x", "Authorization": "Bearer y"})
        line.close()
    assert (reply.status, reply.body) == (200, b"ok"), "a header of an answer sends nobody to another file"
    head = heads[0].lower()
    assert b"spoofed" not in head
    assert head.startswith(b"get /a%2fb//c?d=%2e http/1.1\r\n"), "the path arrives as it was sent"
    for kept in (b"host: 127.0.0.1", b"cookie: brain=x", b"authorization: bearer y"):
        assert kept in head
    assert head.count(b"remote-user: ") == head.count(b"x-brain-proxy-secret: ") == 1
    assert b"remote-user: ed@acme.example\r\n" in head
    assert b"x-brain-proxy-secret: told-here\r\n" in head
    assert b"x-brain-client: 127.0.0.1\r\n" in head, "whose request it is, for the limit on how often"
    for made in (b"x-forwarded-", b"forwarded:", b"upgrade:"):
        assert made not in head


def open_tls(port: int, root: Path) -> Line:
    """Return a connection once Caddy has made its certificate, which it does after it has begun to listen."""
    end = time.monotonic() + 60
    while True:
        line = Line(("127.0.0.1", port))
        try:
            line.socket = ssl.create_default_context(cafile=str(root)).wrap_socket(line.socket, server_hostname="localhost")
        except (ssl.SSLError, FileNotFoundError):
            line.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        else:
            return line


@pytest.mark.threat(37)
def test_caddy_speaks_tls_by_itself(tmp_path: Path) -> None:
    if PROGRAMS["caddy"] is None:
        pytest.skip(MISSING.format("caddy"))
    port = free_port()
    site = open_site(tmp_path)
    site.settings = replace(site.settings, url=f"https://localhost:{port}", dev_login=True)
    listen = Listen(path=tmp_path / "gateway.sock")
    config = print_config("caddy", site.out, f"unix:{listen.path}", site.settings.url)
    with running(site, listen), run_front("caddy", tmp_path / "front", config, port):
        root = tmp_path / "front" / "data" / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        line = open_tls(port, root)
        own = {"Host": f"localhost:{port}", "Cookie": f"__Host-brain={site.session('ed@acme.example')}"}
        reply = line.request("GET", "/acme/plans/", own)
        assert (reply.status, reply.get("strict-transport-security")) == (200, "max-age=31536000")
        assert line.request("GET", "/acme/di-home/", own).status == 404
        line.close()


def test_the_configuration_of_nginx_with_tls_is_sound(tmp_path: Path) -> None:
    """With certificates of its own and other ports; all else as printed."""
    import subprocess

    if PROGRAMS["nginx"] is None:
        pytest.skip(MISSING.format("nginx"))
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*make, "-keyout", str(key), "-out", str(certificate), "-days", "2"], check=True, capture_output=True, timeout=60)
    port = free_port()
    site = open_site(tmp_path, url=f"https://localhost:{port}", sendfile="nginx")
    listen = Listen(path=tmp_path / "gateway.sock")
    config = print_config("nginx", site.out, f"unix:{listen.path}", site.settings.url, "--sendfile", "nginx")
    config = config.replace("/etc/letsencrypt/live/localhost", str(tmp_path)).replace(f"listen [::]:{port} ssl http2;", "")
    with running(site, listen), run_front("nginx", tmp_path / "front", config, port):
        line = Line(("127.0.0.1", port))
        line.socket = ssl.create_default_context(cafile=str(certificate)).wrap_socket(line.socket, server_hostname="localhost")
        own = {"Host": f"localhost:{port}", "Cookie": f"__Host-brain={site.session('ed@acme.example')}"}
        for path, status in (("/acme/plans/", 200), ("/acme/di-home/", 404)):
            reply = line.request("GET", path, own)
            assert (reply.status, reply.get("strict-transport-security")) == (status, "max-age=31536000")
        line.close()


# ---------------------------------------------------------------- what is printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Say which address people open"),
        (["--url", "http://127.0.0.1:8080"], "need a port each"),
        (["--url", "https://brain.example.org", "--listen", "unix:/run/a;b.sock"], "cannot be written"),
        (["--url", "https://brain.example.org", "--host", "a b"], "cannot be written"),
        (["--url", "https://brain.example.org", "--host", "a;} location / {"], "cannot be written"),
        (["--url", "https://brain.example.org", "--sendfile", "nginx"], "Only nginx sends"),
    ],
)
def test_what_cannot_be_printed_is_refused(options: list[str], said: str, tmp_path: Path) -> None:
    ran = run_brain("serve", "--out", tmp_path, "--print-config", "caddy", *options)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


def test_a_configuration_names_every_host(tmp_path: Path) -> None:
    options = ["--host", "old.example.org", "--host-per-tenant"]
    names = ("brain.example.org", "old.example.org", "*.brain.example.org")
    for kind in ("caddy", "nginx"):
        text = print_config(kind, tmp_path, "unix:/run/brain/brain.sock", "https://brain.example.org", *options)
        assert all(name in text for name in names)
        assert "takes the DNS challenge" in text
