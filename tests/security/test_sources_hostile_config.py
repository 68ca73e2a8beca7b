"""Repositories whose configuration, hooks and attributes try to run something: reading one runs nothing of it.

Each trap is sprung once by an ordinary git command first, so that a trap that could not work is noticed.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.sources import open_source
from indexer.sources.git import build_environment, find_git
from tests.tools.repos import FIRST_COMMIT, GitRepo, run_git
from tests.tools.trees import read_states, read_tree
from tests.tools.vaults import write_files

RepoFactory = Callable[..., GitRepo]

HOOKS = (
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "reference-transaction",
    "fsmonitor-watchman",
    "post-update",
    "proc-receive",
    "pre-receive",
    "update",
)


PROGRAMS = {
    "core": ("fsmonitor", "pager", "sshCommand", "gitProxy", "editor", "askPass", "alternateRefsCommand"),
    "pager": ("log", "config", "ls-files", "cat-file"),
    "diff": ("external", "trap.command", "trap.textconv"),
    "filter": ("trap.clean", "trap.smudge", "trap.process"),
    "gpg": ("program", "ssh.program", "x509.program"),
    "remote": ("origin.uploadpack", "origin.vcs"),
    "merge": ("trap.driver",),
    "uploadpack": ("packObjectsHook",),
    "sequence": ("editor",),
    "interactive": ("diffFilter",),
    "submodule": ("parts.update",),
}
"""Settings that name a program."""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A script that leaves a mark beside it."""
    script = tmp_path / "trap.sh"
    script.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/sprung\nexit 0\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def is_sprung(trap: Path) -> bool:
    mark = trap.parent / "sprung"
    sprung = mark.exists()
    mark.unlink(missing_ok=True)
    return sprung


def configure(repo: GitRepo, **settings: str) -> None:
    for name, value in settings.items():
        run_git(repo.path, "config", name.replace("__", "."), value)


def set_every_trap(repo: GitRepo, trap: Path) -> None:
    """Point every setting that names a program to the trap."""
    script = str(trap)
    for section, names in PROGRAMS.items():
        for name in names:
            run_git(repo.path, "config", f"{section}.{name}", script)
    for name in ("alias.log", "alias.cat-file", "alias.ls-files", "alias.config", "credential.helper"):
        run_git(repo.path, "config", name, f"!{script}")
    run_git(repo.path, "config", "log.showSignature", "true")
    run_git(repo.path, "config", "protocol.allow", "always")
    run_git(repo.path, "config", "protocol.ext.allow", "always")
    run_git(repo.path, "config", "remote.origin.url", f"ext::{script}")
    run_git(repo.path, "config", "core.hooksPath", str(repo.path / ".git" / "hooks"))
    run_git(repo.path, "config", "core.worktree", str(trap.parent))
    included = repo.path / ".git" / "included"
    included.write_text(f"[core]\n\tfsmonitor = {script}\n\tpager = {script}\n", encoding="utf-8")
    run_git(repo.path, "config", "include.path", str(included))
    for hook in HOOKS:
        file = repo.path / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
        file.chmod(0o755)


def sign(repo: GitRepo) -> str:
    """Put a commit with a signature on top, so that showing signatures would start the gpg program."""
    tree = run_git(repo.path, "rev-parse", "HEAD^{tree}")
    person = f"Ada Fields <ada@example.org> {FIRST_COMMIT + 90_000} +0000"
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    content = f"tree {tree}\nparent {repo.commits[-1]}\nauthor {person}\ncommitter {person}\n{signature}\n\nSigned\n"
    command = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    commit = subprocess.run(command, cwd=repo.path, input=content.encode(), capture_output=True, check=True).stdout.decode().strip()
    run_git(repo.path, "update-ref", "HEAD", commit)
    return commit


@pytest.mark.req("P01")
@pytest.mark.threat(5)
@pytest.mark.threat(22)
@pytest.mark.parametrize("uncommitted", [False, True])
def test_reading_a_repository_full_of_traps_springs_none(git_repo: RepoFactory, trap: Path, uncommitted: bool) -> None:
    repo = git_repo({"docs/a.md": "one", ".gitattributes": "*.md diff=trap filter=trap merge=trap\n", ".gitmodules": "[submodule]\n"})
    repo.commit({"docs/a.md": "one and more"}, rename=())
    repo.commit(rename=(("docs/a.md", "docs/b.md"),))
    first = repo.commits[0]
    sign(repo)
    set_every_trap(repo, trap)
    (repo.path / ".git" / "info" / "attributes").write_text("*.md diff=trap filter=trap\n", encoding="utf-8")
    is_sprung(trap)
    before = read_tree(repo.path), read_states(repo.path)
    for root in (repo.path, repo.path / "docs"):
        with open_source(root, uncommitted=uncommitted) as source:
            assert [content for _, content in source.read(source.snapshot.entries)] == [b"one and more"]
            known = source.history()
            source.history(known, first)
    if not uncommitted:
        assert open_source(repo.path, at=first).snapshot.revision == first
        with pytest.raises(SourceError):
            open_source(repo.path, at="nowhere")
    assert not is_sprung(trap)
    assert (read_tree(repo.path), read_states(repo.path)) == before


@pytest.mark.threat(5)
def test_the_traps_do_work_for_plain_git(git_repo: RepoFactory, trap: Path) -> None:
    repo = git_repo({"a.md": "1"})
    configure(repo, core__fsmonitor=str(trap))
    run_git(repo.path, "status")
    assert is_sprung(trap), "fsmonitor"
    run_git(repo.path, "config", "--unset", "core.fsmonitor")
    sign(repo)
    configure(repo, gpg__program=str(trap), log__showSignature="true")
    subprocess.run(["git", "log"], cwd=repo.path, capture_output=True, check=False)
    assert is_sprung(trap), "signature"


def lose_a_blob(repo: GitRepo, trap: Path, way: str) -> None:
    """Make it a partial clone that lacks a file, with a remote that runs the trap when git wants to fetch the file."""
    identity = run_git(repo.path, "rev-parse", "HEAD:a.md")
    (repo.path / ".git" / "objects" / identity[:2] / identity[2:]).unlink()
    address = {"ext": f"ext::{trap}", "ssh": "ssh://host.invalid/x", "file": f"file://{trap.parent}/repo"}[way]
    configure(repo, core__repositoryformatversion="1", extensions__partialClone="origin", remote__origin__promisor="true")
    configure(repo, remote__origin__partialclonefilter="blob:none", remote__origin__url=address, core__sshCommand=str(trap))
    configure(repo, remote__origin__uploadpack=str(trap), protocol__allow="always")
    run_git(repo.path, "config", f"protocol.{way}.allow", "always")


@pytest.mark.req("P01")
@pytest.mark.threat(3)
@pytest.mark.threat(5)
@pytest.mark.parametrize("way", ["ext", "ssh", "file"])
def test_a_missing_object_makes_nobody_fetch_it(git_repo: RepoFactory, trap: Path, way: str) -> None:
    repo = git_repo({"a.md": "1"})
    lose_a_blob(repo, trap, way)
    with pytest.raises(SourceError):
        open_source(repo.path)
    assert not is_sprung(trap)
    subprocess.run(["git", "cat-file", "-p", "HEAD:a.md"], cwd=repo.path, capture_output=True, check=False)
    assert is_sprung(trap), "plain git would have run it"


@pytest.mark.threat(5)
def test_variables_of_our_own_environment_do_not_reach_git(
    git_repo: RepoFactory, trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, other = git_repo({"a.md": "1"}), git_repo({"b.md": "2"}, "other")
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "PAGER", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_EDITOR"):
        monkeypatch.setenv(name, str(trap))
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git" / "objects"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor={trap}'")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_NAMESPACE", "x")
    for uncommitted in (False, True):
        with open_source(repo.path, uncommitted=uncommitted) as source:
            assert [entry.path for entry in source.snapshot.entries] == ["a.md"]
            source.history()
    assert not is_sprung(trap)
    assert not (tmp_path / "trace").exists()
    assert not {name for name in build_environment(repo.path) if name.startswith("GIT_CONFIG_") and name.endswith(("COUNT", "PARAMETERS"))}


@pytest.mark.threat(5)
def test_a_git_program_in_the_repository_is_never_taken(git_repo: RepoFactory, trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = git_repo({"a.md": "1"})
    write_files(repo.path, {"git": trap.read_text(encoding="utf-8")})
    (repo.path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.pathsep}.{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(repo.path)
    find_git.cache_clear()
    assert Path(find_git()).is_absolute()
    assert len(open_source(Path()).snapshot.entries) == 1
    assert not is_sprung(trap)
    assert not any(part in {"", "."} for part in build_environment(repo.path)["PATH"].split(os.pathsep))


@pytest.mark.req("P01")
@pytest.mark.threat(5)
def test_replaced_objects_and_grafts_change_nothing(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "one"})
    repo.commit({"a.md": "two"})
    run_git(repo.path, "replace", run_git(repo.path, "rev-parse", "HEAD:a.md"), run_git(repo.path, "rev-parse", "HEAD~1:a.md"))
    (repo.path / ".git" / "info" / "grafts").write_text(f"{repo.commits[1]}\n", encoding="utf-8")
    with open_source(repo.path) as source:
        assert [content for _, content in source.read(source.snapshot.entries)] == [b"two"]
        assert source.history().last["a.md"].revision == repo.commits[1]


@pytest.mark.threat(4)
@pytest.mark.parametrize(
    "at",
    [
        "--output=/tmp/x",
        "-h",
        "",
        "main..side",
        "main...side",
        "^main",
        "main:a.md",
        ":/First",
        "@{u}",
        "main@{1}",
        "ma in",
        "a\nb",
        "a*",
        "HEAD^{/x}",
        "\udce9",
        "x" * 300,
    ],
)
def test_a_revision_that_is_an_option_a_range_or_a_search_is_refused(git_repo: RepoFactory, at: str) -> None:
    with pytest.raises(SourceError, match="is not the name of a revision") as caught:
        open_source(git_repo({"a.md": "1"}).path, at=at)
    assert caught.value.message.isprintable()


@pytest.mark.threat(1)
@pytest.mark.parametrize("folder", ["..", "a/../..", "../other", "a//b", ".", "a\\b", "x\0y"])
def test_a_folder_that_leads_elsewhere_is_refused(git_repo: RepoFactory, tmp_path: Path, folder: str) -> None:
    git_repo({"secret.md": "CANARY"}, "other")
    repo = git_repo({"a.md": "1"})
    for root in (repo.path, repo.bare(tmp_path / "bare.git")):
        with pytest.raises(SourceError):
            open_source(root, folder=folder)


@pytest.mark.threat(2)
def test_a_folder_behind_a_link_out_of_the_path_is_refused(git_repo: RepoFactory) -> None:
    other = git_repo({"secret.md": "CANARY"}, "other")
    repo = git_repo({"a.md": "1"})
    (repo.path / "docs").symlink_to(other.path)
    with pytest.raises(SourceError, match="symbolic link"):
        open_source(repo.path, folder="docs")
