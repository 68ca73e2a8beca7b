"""A refresh of a repository whose configuration, hooks and attributes try to run something: it commits, and runs nothing of it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.sources.branch import find_branch
from indexer.sources.pushing import read_push_address
from indexer.writes.refresh import PushTarget, refresh_maps
from tests.security.test_sources_hostile_config import HOOKS, PROGRAMS, is_sprung, trap
from tests.tools.refreshing import MARKED, list_files, order
from tests.tools.repos import GitRepo, run_git

__all__ = ["trap"]
RepoFactory = Callable[..., GitRepo]
PAGES = {"index.md": MARKED, "notes/a.md": "A", ".gitattributes": "* filter=trap merge=trap diff=trap ident eol=crlf\n"}


def set_every_trap(repo: GitRepo, trap: Path) -> None:
    """Point every setting that names a program, and every hook that a commit, a ref or a push runs, to the trap."""
    script = str(trap)
    for section, names in PROGRAMS.items():
        for name in names:
            run_git(repo.path, "config", f"{section}.{name}", script)
    settings = {
        "commit.gpgSign": "true",
        "push.gpgSign": "true",
        "tag.gpgSign": "true",
        "gpg.format": "ssh",
        "commit.template": str(trap),
        "user.name": "Somebody Else",
        "user.signingKey": "x",
        "core.autocrlf": "true",
        "core.eol": "crlf",
        "core.splitIndex": "true",
        "core.fsmonitor": script,
        "index.sparse": "true",
        "filter.trap.required": "true",
        "credential.helper": f"!{script}",
        "remote.origin.receivepack": script,
        "push.recurseSubmodules": "on-demand",
        "trace2.eventTarget": str(trap.parent / "trace"),
        "core.hooksPath": str(repo.path / ".git" / "hooks"),
        "i18n.commitEncoding": "latin1",
    }
    for name, value in settings.items():
        run_git(repo.path, "config", name, value)
    included = repo.path / ".git" / "included"
    included.write_text(f"[core]\n\tpager = {script}\n[alias]\n\tcommit-tree = !{script}\n\tupdate-ref = !{script}\n", encoding="utf-8")
    run_git(repo.path, "config", "include.path", str(included))
    for hook in (*HOOKS, "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "pre-push", "post-rewrite", "post-index-change"):
        file = repo.path / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
        file.chmod(0o755)


@pytest.mark.req("T37")
@pytest.mark.threat(5)
@pytest.mark.threat(42)
def test_a_refresh_of_a_repository_full_of_traps_springs_none(git_repo: RepoFactory, trap: Path, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    plain = repo.bare(tmp_path / "plain.git")
    remote = repo.bare(tmp_path / "remote.git")
    set_every_trap(repo, trap)
    subprocess.run(["git", "commit", "--allow-empty", "-m", "x"], cwd=repo.path, capture_output=True, check=False)
    assert is_sprung(trap), "plain git would have run it"
    done = refresh_maps(replace(order(repo.path), push=PushTarget(f"file://{remote}", "origin", allow_local=True)))
    assert not is_sprung(trap)
    assert not (tmp_path / "trace").exists()
    assert done.head == refresh_maps(order(plain)).head, "the same commit as without"
    assert b"\r" not in (repo.path / ".brain" / "index.md").read_bytes()
    assert run_git(repo.path, "log", "-1", "--format=%an %GK %e").strip() == "Brainpress"
    shown = list_files(repo.path)
    for path in (".brain/index.md", ".brain/log.md"):
        assert (repo.path / path).read_bytes() == subprocess.run(
            ["git", "cat-file", "blob", shown[path]], cwd=repo.path, capture_output=True, check=True
        ).stdout


@pytest.mark.threat(5)
def test_a_remote_in_a_configuration_is_an_address_and_no_program(git_repo: RepoFactory, trap: Path) -> None:
    repo = git_repo(PAGES)
    for address in (f"ext::{trap}", str(trap.parent / "repo")):
        run_git(repo.path, "config", "remote.origin.url", address)
        name, found = read_push_address(find_branch(repo.path))
        with pytest.raises(Exception, match="Nothing can be pushed there"):
            refresh_maps(replace(order(repo.path), push=PushTarget(found, name)))
    run_git(repo.path, "config", "remote.origin.url", "ssh://host.invalid/x")
    run_git(repo.path, "config", f"url.ext::{trap} .insteadOf", "ssh://host.invalid/")
    run_git(repo.path, "config", "core.sshCommand", str(trap))
    name, found = read_push_address(find_branch(repo.path))
    with pytest.raises(Exception, match="did not take the commit"):
        refresh_maps(replace(order(repo.path), push=PushTarget(found, name, allow_private=True)))  # or git would not even be asked
    assert not is_sprung(trap)
