"""Where a repository's files can be seen and edited."""

from collections.abc import Callable

import pytest

from indexer.model.snapshot import Origin
from indexer.sources import find_web_address, open_source
from indexer.sources.origin import find_kind
from tests.tools.repos import GitRepo, run_git

RepoFactory = Callable[..., GitRepo]


@pytest.mark.req("P08")
@pytest.mark.parametrize(
    ("address", "web"),
    [
        ("https://github.com/acme/handbook.git", "https://github.com/acme/handbook"),
        ("https://github.com/acme/handbook/", "https://github.com/acme/handbook"),
        ("git@github.com:acme/handbook.git", "https://github.com/acme/handbook"),
        ("ssh://git@github.com/acme/handbook", "https://github.com/acme/handbook"),
        ("ssh://git@ssh.github.com:443/acme/handbook.git", "https://github.com/acme/handbook"),
        ("ssh://git@code.example.org:2222/acme/handbook.git", "https://code.example.org/acme/handbook"),
        ("https://code.example.org:8443/git/acme/handbook", "https://code.example.org:8443/git/acme/handbook"),
        ("http://gitea.lan:3000/acme/handbook", "http://gitea.lan:3000/acme/handbook"),
        ("https://gitlab.com/group/sub/team/handbook.git", "https://gitlab.com/group/sub/team/handbook"),
        ("git://git.example.org/handbook.git", "https://git.example.org/handbook"),
        ("gitlab.example.org:group/handbook", "https://gitlab.example.org/group/handbook"),
        ("https://Code.Example.org/Acme/Hand%20book", "https://code.example.org/Acme/Hand%20book"),
        ("https://git.sr.ht/~ada/notes", "https://git.sr.ht/~ada/notes"),
    ],
)
def test_a_remote_has_a_web_address(address: str, web: str) -> None:
    assert find_web_address(address) == web


@pytest.mark.req("P08")
@pytest.mark.threat(38)
@pytest.mark.parametrize(
    "address",
    [
        "https://SECRET@github.com/acme/handbook.git",
        "https://user:SECRET@github.com/acme/handbook.git",
        "https://user:SECRET@github.com:443/acme/handbook.git?token=SECRET#SECRET",
        "ssh://SECRET:SECRET@github.com/acme/handbook",
        "SECRET@github.com:acme/handbook",
    ],
)
def test_no_credential_of_a_remote_is_ever_shown(address: str, git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "remote", "add", "origin", address)
    origin = open_source(repo.path).origin
    assert origin.web.replace(":443", "") == "https://github.com/acme/handbook"
    assert "SECRET" not in repr(origin)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/srv/git/handbook.git",
        "../handbook",
        "file:///srv/git/handbook",
        "C:/git/handbook",
        "ext::sh -c x",
        "javascript:alert(1)",
        "https://",
        "https:///acme/handbook",
        "https://host:port/acme/handbook",
        "https://ho st/acme/handbook",
        'https://host"onload=/acme/handbook',
        "https://github.com/../../x",
        "https://github.com/",
        "https://github.com/a//b",
    ],
)
def test_what_names_no_host_and_path_is_unknown(address: str) -> None:
    assert find_web_address(address) == ""


@pytest.mark.threat(18)
def test_a_path_cannot_leave_its_place_in_an_address() -> None:
    assert find_web_address("https://github.com/acme/<script>'\"") == "https://github.com/acme/%3Cscript%3E%27%22"
    assert find_web_address("https://github.com/acme/%3Cscript%3E") == "https://github.com/acme/%3Cscript%3E"


@pytest.mark.req("P08")
@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("github.com", "github"),
        ("github.acme.example", "github"),
        ("gitlab.com", "gitlab"),
        ("gitlab.gnome.org", "gitlab"),
        ("codeberg.org", "gitea"),
        ("gitea.example.org", "gitea"),
        ("forgejo.example.org", "gitea"),
        ("pagure.io", "pagure"),
        ("src.fedoraproject.org", "pagure"),
        ("code.example.org", ""),
        ("notgithub.com", ""),
        ("mygitlab.com", ""),
    ],
)
def test_the_kind_of_forge_is_told_by_the_host(host: str, kind: str) -> None:
    assert find_kind(f"https://{host}/acme/handbook") == kind


@pytest.mark.req("P08")
def test_origin_comes_before_upstream_and_a_single_other_remote(git_repo: RepoFactory) -> None:
    repo = git_repo({"docs/a.md": "1"})
    assert open_source(repo.path).origin == Origin(branch="main")
    run_git(repo.path, "remote", "add", "elsewhere", "https://gitlab.com/a/elsewhere")
    assert open_source(repo.path).origin.web == "https://gitlab.com/a/elsewhere"
    run_git(repo.path, "remote", "add", "upstream", "https://gitlab.com/a/upstream")
    assert open_source(repo.path).origin.web == "https://gitlab.com/a/upstream"
    run_git(repo.path, "remote", "add", "origin", "git@codeberg.org:a/b.git")
    assert open_source(repo.path / "docs").origin == Origin(web="https://codeberg.org/a/b", branch="main", folder="docs", kind="gitea")


@pytest.mark.req("P08")
def test_edits_go_to_the_branch_that_is_read(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "branch", "side")
    run_git(repo.path, "tag", "v1")
    assert open_source(repo.path, at="side").origin.branch == "side"
    assert open_source(repo.path, at="v1").origin.branch == ""
    run_git(repo.path, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    run_git(repo.path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert open_source(repo.path, at="v1").origin.branch == "trunk"
    run_git(repo.path, "checkout", "--quiet", "--detach")
    assert open_source(repo.path).origin.branch == "trunk"
    assert open_source(repo.path, uncommitted=True).origin.branch == "trunk"
