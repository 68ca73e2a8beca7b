"""Registered addresses that lead into our own network are not fetched, whatever their names say a moment later (THREATS 43)."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.registry.address import parse_address
from indexer.sources import fetch_mirror, mirror, reaching
from indexer.sources.mirror import ask_tip
from indexer.sources.reaching import Pinned, is_public, pin_address

PUBLIC = "93.184.215.14"
NOWHERE: dict[str, str] = {}


@pytest.mark.threat(43)
@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.5.5", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "192.0.2.1",
        "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:0a00:0001::1", "ff02::1",
        "2001:db8::1", "", "nonsense",
    ],
)  # fmt: skip
def test_what_is_not_of_the_internet_at_large_is_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.threat(43)
@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"])
def test_what_is_public_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.threat(43)
@pytest.mark.parametrize(
    "text",
    [
        "https://127.0.0.1/a/b", "https://127.1/a/b", "https://2130706433/a/b", "https://0x7f000001/a/b", "https://0177.0.0.1/a/b",
        "https://[::1]/a/b", "https://[::ffff:127.0.0.1]/a/b", "https://localhost/a/b", "https://LOCALHOST:8443/a/b",
        "ssh://git@127.0.0.1/a", "ssh://git@[::1]:2222/a", "git@localhost:a/b", "git@127.0.0.1:a/b", "localhost:a/b",
    ],
)  # fmt: skip
def test_an_address_that_leads_inside_is_refused_before_git_hears_of_it(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "GitPipe", None)
    for proxy in ("", "http://proxy.example:3128"):
        monkeypatch.setenv("https_proxy", proxy)
        if proxy and "localhost" in text.lower():
            continue  # the proxy resolves names
        with pytest.raises(SourceError, match="private network"):
            fetch_mirror(text, tmp_path / "m.git", "main")
        with pytest.raises(SourceError, match="private network"):
            ask_tip(text, "main")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.threat(43)
def test_one_private_answer_among_public_ones_is_enough_to_refuse() -> None:
    address = parse_address("https://git.example.org/a/b")
    with pytest.raises(SourceError):
        pin_address(address, allow_private=False, resolve=lambda *_: [PUBLIC, "10.0.0.1"], environment=NOWHERE)


@pytest.mark.threat(43)
def test_git_is_kept_to_what_was_checked() -> None:
    def pin(text: str, *found: str) -> Pinned:
        asked: list[str] = []

        def resolve(host: str, port: int) -> list[str]:
            asked.append(f"{host} {port}")
            return list(found)

        pinned = pin_address(parse_address(text), allow_private=False, resolve=resolve, environment=NOWHERE)
        assert len(asked) == 1, "resolved once"
        return pinned

    assert pin("https://git.example.org/a", PUBLIC, "2606:4700::1").settings == (
        f"http.curloptResolve=git.example.org:443:{PUBLIC},[2606:4700::1]",
    )
    assert pin("https://git.example.org:8443/a", PUBLIC).settings == (f"http.curloptResolve=git.example.org:8443:{PUBLIC}",)
    assert pin("git@git.example.org:a", PUBLIC).ssh[:2] == (f"-oHostName={PUBLIC}", "-oHostKeyAlias=git.example.org")
    assert pin("ssh://git@git.example.org:2222/a", PUBLIC).ssh[1] == "-oHostKeyAlias=[git.example.org]:2222"


@pytest.fixture
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A port that keeps the first bytes that come in."""
    heads: list[bytes] = []
    opened = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        try:
            while True:
                connection, _ = opened.accept()
                with connection:
                    heads.append(connection.recv(4096))
        except OSError:
            return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield opened.getsockname()[1], heads
    opened.shutdown(socket.SHUT_RDWR)
    opened.close()
    thread.join(10)


@pytest.mark.threat(43)
def test_a_name_that_resolves_elsewhere_a_moment_later_leads_where_it_was_checked(
    listening: tuple[int, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name does not exist for anybody but the one who checked it; git connects all the same, and only there."""
    port, heads = listening
    monkeypatch.setattr(reaching, "_resolve", lambda *_: ["127.0.0.1"])
    monkeypatch.setattr(reaching, "is_public", lambda _: True)
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SourceError):
        ask_tip(f"https://git.invalid:{port}/a/b", "main")
    assert heads
    assert b"git.invalid" in heads[0], "the name is still the one that the certificate has to be for"


@pytest.mark.req("T28")
def test_a_server_that_takes_a_connection_and_keeps_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = parse_address(f"https://git.invalid:{silent.getsockname()[1]}/a/b")
        monkeypatch.setattr(reaching, "_ANSWER", 0.1)
        with pytest.raises(SourceError, match=r"did not answer within 0\.1 seconds"):
            reaching.await_answer(address, reaching.Pinned(hosts=("127.0.0.1",)), environment={})
        reaching.await_answer(address, reaching.Pinned(), environment={"https_proxy": "http://proxy"})
    reaching.await_answer(address, reaching.Pinned(hosts=("127.0.0.1",)), environment={})  # refused: git says it better


@pytest.mark.threat(43)
def test_ssh_is_kept_to_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/said\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(reaching, "_resolve", lambda *_: [PUBLIC])
    with pytest.raises(SourceError):
        ask_tip("git@git.invalid:a/b", "main")
    said = (tmp_path / "said").read_text().splitlines()
    assert {f"-oHostName={PUBLIC}", "-oHostKeyAlias=git.invalid", "-oBatchMode=yes", "-oConnectTimeout=30"} <= set(said)


@pytest.mark.threat(43)
def test_the_operator_may_allow_it(listening: tuple[int, list[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    port, heads = listening
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SourceError) as refused:
        ask_tip(f"https://127.0.0.1:{port}/a/b", "main")
    assert "--allow-private" in refused.value.hint
    assert not heads
    with pytest.raises(SourceError, match="could not be fetched"):
        ask_tip(f"https://127.0.0.1:{port}/a/b", "main", allow_private=True)
    assert heads
    monkeypatch.setenv("BRAIN_ALLOW_PRIVATE", "1")
    with pytest.raises(SourceError, match="could not be fetched"):
        ask_tip(f"https://127.0.0.1:{port}/a/b", "main")
