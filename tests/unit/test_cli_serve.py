"""`brain serve`: what it refuses to do, what it says, that it starts and stops as told."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from indexer.cli.serve import command
from indexer.errors import BrainpressError, UsageError
from tests.tools.gateways import open_site

RUN = """
import sys
from indexer.cli.edge import run_guarded
from indexer.cli.serve import command

if __name__ == "__main__":
    sys.exit(run_guarded(sys.argv[1:], lambda given: command.main(given, standalone_mode=False) or 0))
"""


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    """Options that serve two small tenants."""
    site = open_site(tmp_path)
    site.world.registry.close()
    return ["--out", str(site.out), "--registry", str(tmp_path / "registry.sqlite"), "--listen", "127.0.0.1:0"]


@contextmanager
def started(arguments: Sequence[str]) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The command in a process of its own; gives it and what it said when it was ready."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        said = ""
        assert process.stderr
        while "Ctrl-C ends it" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        yield process, said
    finally:
        process.kill()
        process.wait()


def fetch(address: str, cookie: str = "") -> http.client.HTTPResponse:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.request("GET", f"{parts.path or '/'}?{parts.query}", headers={"Cookie": cookie} if cookie else {})
    return connection.getresponse()


def test_a_workspace_in_the_place_of_its_build_is_told(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "workspace/acme").mkdir(parents=True)
    (tmp_path / "workspace/acme/tenant.yml").write_text("id: acme\ntitle: Acme\n")
    given = list(options)
    given[given.index("--out") + 1] = str(tmp_path / "workspace")
    with started(given) as (_, said):
        assert "nothing is built yet" in said
        assert "acme is in the registry and not in" in said


@pytest.mark.req("X02")
@pytest.mark.parametrize(("processes", "sent"), [(1, signal.SIGINT), (1, signal.SIGTERM), (2, signal.SIGTERM)])
def test_it_prints_a_link_serves_and_ends_when_told(options: list[str], processes: int, sent: signal.Signals) -> None:
    with started([*options, "--dev-login", "acme/di", "--processes", str(processes)]) as (process, said):
        link = re.search(r"http://127\.0\.0\.1:\d+/-/dev-login\?ticket=\S+", said)
        assert link, said
        assert "acme, other" in said
        answer = fetch(link[0])
        assert answer.status == 303
        cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        if processes == 1:
            process.send_signal(signal.SIGHUP)  # as log rotation does; systemd would take the end for a wanted one
        assert fetch(link[0].partition("/-/")[0] + "/acme/di-home/", cookie).status == 200
        assert fetch(link[0]).status == 400
        process.send_signal(sent)
        assert process.wait(30) == 0


def run(*arguments: str) -> None:
    command.main(list(arguments), standalone_mode=False)


@pytest.mark.threat(35)
@pytest.mark.parametrize(
    "more",
    [
        ["--listen", "0.0.0.0:0"],
        ["--listen", "[::]:0"],
        ["--listen", "192.0.2.1:80", "--url", "http://localhost"],
        ["--listen", "0.0.0.0:0", "--dev-login", "ed"],
        ["--listen", "0.0.0.0:0", "--url", "https://x.example", "--dev-login", "ed"],
        ["--url", "https://x.example", "--dev-login", "ed"],
        ["--url", "http://x.example"],
        ["--url", "https://x.example/path"],
        ["--listen", "unix:/tmp/x.sock"],
        ["--host-per-tenant"],
        ["--oidc-issuer", "https://x.example"],
        ["--oidc-client-id", "x"],
        ["--oidc-issuer", "http://x.example", "--oidc-client-id", "x"],
        ["--proxy-header", "X-User"],
        ["--dev-login", "nobody"],
        ["--dev-login", "ana"],
        ["--dev-login", "acme/left"],
        ["--dev-login", "acme/filer"],
    ],
    ids=" ".join,
)
def test_it_refuses_what_would_let_strangers_in(options: list[str], more: list[str]) -> None:
    with pytest.raises(UsageError):
        run(*options, *more)


def test_a_secret_of_other_bytes_is_refused(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe" * 20)
    with pytest.raises(UsageError, match="no usable secret"):
        run(*options, "--proxy-header", "X-User", "--proxy-secret-file", str(tmp_path / "bytes"))


def test_a_short_secret_of_the_proxy_is_refused(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("short\n")
    with pytest.raises(UsageError, match="no usable secret"):
        run(*options, "--proxy-header", "X-User", "--proxy-secret-file", str(tmp_path / "secret"))


def test_without_a_registry_it_does_not_start(options: list[str], tmp_path: Path) -> None:
    with pytest.raises(BrainpressError, match="no registry"):
        run(*options, "--registry", str(tmp_path / "none.sqlite"))


def test_no_option_shows_a_secret(options: list[str], tmp_path: Path) -> None:
    from indexer.serve.settings import OidcSettings, ProxySettings, Settings

    settings = Settings(
        tmp_path,
        "postgresql://u:S3CRET@h/d",
        "https://x.example",
        oidc=OidcSettings("https://i", "c", "S3CRET"),
        proxy=ProxySettings("h", "S3CRET"),
    )
    assert "S3CRET" not in repr(settings)
