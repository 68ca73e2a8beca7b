"""The preview: files of the site to this machine only, and a page that reloads itself after a rebuild."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.errors import BrainpressError
from indexer.serve.preview import Preview, open_preview
from tests.tools.vaults import write_files


@pytest.fixture
def preview(tmp_path: Path) -> Iterator[Preview]:
    write_files(tmp_path / "outside", {"secret.txt": "canary"})
    site = {"index.html": "<body>front</body>", "a b/index.html": "<body>page</body>", "x.svg": "<svg/>", "empty/x.txt": "x"}
    with open_preview(write_files(tmp_path / "site", site), 0) as running:
        yield running


def ask(preview: Preview, path: str, host: str = "127.0.0.1", method: str = "GET") -> str:
    """Send one raw request and return the whole answer."""
    port = int(preview.address.rstrip("/").rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(f"{method} {path} HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer.decode("utf-8", "replace")


def status(answer: str) -> int:
    return int(answer.split()[1])


@pytest.mark.req("P18")
def test_pages_are_served_and_reload_themselves(preview: Preview) -> None:
    assert "page<script src=" in ask(preview, "/a%20b/")
    assert "front<script src=" in ask(preview, "/")
    assert "<svg/>" in ask(preview, "/x.svg")
    before = ask(preview, "/_/preview/state").rsplit("\r\n", 1)[1]
    preview.announce()
    assert ask(preview, "/_/preview/state").rsplit("\r\n", 1)[1] != before
    assert "location.reload" in ask(preview, "/_/preview/reload.js")


@pytest.mark.threat(35)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example"])
@pytest.mark.parametrize("path", ["/", "/x.svg", "/_/preview/state", "/nothing"])
def test_a_name_of_somebody_else_gets_nothing(preview: Preview, host: str, path: str) -> None:
    for method in ("GET", "HEAD"):
        answer = ask(preview, path, host, method)
        assert status(answer) == 403
        assert "front" not in answer


@pytest.mark.threat(1)
@pytest.mark.parametrize("path", [f"/{up}outside/secret.txt" for up in ("../", "%2e%2e/", "..%2f", "/", "..%5c")])
def test_nothing_outside_the_site_is_served(preview: Preview, path: str) -> None:
    answer = ask(preview, path)
    assert status(answer) == 404
    assert "canary" not in answer


@pytest.mark.req("P18")
@pytest.mark.threat(17)
def test_answers_carry_a_policy_and_folders_are_not_listed(preview: Preview) -> None:
    for path in ("/", "/x.svg", "/nothing"):
        answer = ask(preview, path)
        assert "Content-Security-Policy: default-src 'none'" in answer
        assert "X-Content-Type-Options: nosniff" in answer
    assert status(ask(preview, "/empty/")) == 404
    assert status(ask(preview, "/", method="POST")) == 501


@pytest.mark.req("P13", "P18")
def test_a_port_that_is_taken_is_one_clear_sentence(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(BrainpressError, match="cannot be used"),
        open_preview(tmp_path, taken.getsockname()[1]),
    ):
        pass
