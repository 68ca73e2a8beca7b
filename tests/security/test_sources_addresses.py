"""Addresses and branches of repositories elsewhere that try to be something else."""

from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.registry.address import parse_address, parse_branch, parse_folder
from indexer.sources import fetch_mirror

REFUSED = [
    "",
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=touch",
    "ext::sh -c touch% /tmp/x",
    "EXT::sh",
    "fd::17",
    "file:///etc",
    "FILE:///etc",
    "/srv/git/other",
    "../other",
    "http://git.example.org/a/b",
    "git://git.example.org/a/b",
    "ftp://git.example.org/a/b",
    "https://user@git.example.org/a/b",
    "https://user:S3CRET@git.example.org/a/b",
    "https://git.example.org/a/b?token=S3CRET",
    "https://git.example.org/a/b#x",
    "https://git.example.org",
    "https://git.example.org/../x",
    "https:///a/b",
    "https://git.example.org:0/a",
    "https://git.example.org:99999/a",
    "https://git.example.org/a\nb",
    "https://git.example.org\\@evil.example/a",
    "https://-oProxyCommand=x/a",
    "ssh://-oProxyCommand=touch/a",
    "ssh://git:S3CRET@git.example.org/a",
    "ssh://-x@git.example.org/a",
    "-x@git.example.org:a",
    "git@-oProxyCommand=x:a",
    "git@git.example.org:-oProxyCommand=x",
    "git@git.example.org:../../x",
    "ssh://git@git.example.org/-x",
    "https://git.example.org/a b",
    "https://gitexample..org/a",
]


@pytest.mark.req("P01")
@pytest.mark.threat(3)
@pytest.mark.threat(4)
@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_no_repository_elsewhere_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\w") as refused:
        parse_address(address)
    assert "S3CRET" not in str(refused.value)
    with pytest.raises(SourceError, match="cannot be fetched") as caught:
        fetch_mirror(address, tmp_path / "m.git", "main")
    assert "S3CRET" not in caught.value.message + caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("P01")
@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("https://git.example.org/a/b.git", "https"),
        ("https://git.example.org:8443/a", "https"),
        ("https://[2001:db8::1]/a", "https"),
        ("ssh://git@git.example.org:2222/a/b", "ssh"),
        ("ssh://git.example.org/~ada/notes", "ssh"),
        ("git@git.example.org:a/b.git", "ssh"),
        ("forge:a/b", "ssh"),
    ],
)
def test_https_and_ssh_addresses_are_taken(address: str, scheme: str) -> None:
    assert parse_address(address).scheme == scheme


@pytest.mark.threat(4)
@pytest.mark.parametrize(
    "branch",
    [
        "",
        "-x",
        "--upload-pack=x",
        "a..b",
        "a b",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[",
        "a\\b",
        "@",
        "@{u}",
        "a@{1}",
        "a.lock",
        "a/.b",
        "/a",
        "a/",
        "a.",
        "a//b",
        "refs/heads/a",
        "a\nb",
        "x" * 300,
    ],
)
def test_a_branch_that_is_an_option_or_an_expression_is_refused(branch: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="branch name"):
        parse_branch(branch)
    with pytest.raises(SourceError, match="cannot be fetched"):
        fetch_mirror("https://git.example.org/a/b", tmp_path / "m.git", branch)


@pytest.mark.parametrize("branch", ["main", "feature/x", "v1.0", "ümlaut", "a@b", "release-2026"])
def test_ordinary_branches_are_taken(branch: str) -> None:
    assert parse_branch(branch) == branch


@pytest.mark.threat(1)
@pytest.mark.parametrize(
    "folder", ["", "..", ".", "a/../b", "/etc", "~root", "a\\b", "C:/x", "a//b", "./a", ".git", "a/.git/x", "a\0b", "a\nb", "/"]
)
def test_a_folder_that_leads_elsewhere_is_refused(folder: str) -> None:
    with pytest.raises(ValueError, match="folder"):
        parse_folder(folder)


@pytest.mark.parametrize("folder", ["docs", "docs/", "docs/my notes", "知识/库", "a.b/c-d_e"])
def test_a_folder_inside_is_taken(folder: str) -> None:
    assert parse_folder(folder) == folder.rstrip("/")
