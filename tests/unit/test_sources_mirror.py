"""Mirrors of repositories elsewhere: whole or not there at all, and never half new."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.model.snapshot import Limits
from indexer.sources import Credential, fetch_mirror, open_source
from indexer.sources.git import GitPipe, redact
from indexer.sources.git import run_git as run_hardened
from tests.tools.forged import FILE, forge_blob, forge_commit, forge_tree
from tests.tools.repos import GitRepo, run_git
from tests.tools.trees import read_tree

RepoFactory = Callable[..., GitRepo]


def mirror(repo: GitRepo, target: Path, branch: str = "main", **options: object) -> Path:
    fetch_mirror(f"file://{repo.path}", target, branch, allow_local=True, **options)  # type: ignore[arg-type]
    return target


@pytest.mark.req("P01")
def test_a_mirror_holds_one_branch_and_can_be_opened(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "branch", "other")
    run_git(repo.path, "tag", "v1")
    target = mirror(repo, tmp_path / "mirrors" / "acme" / "handbook.git")
    assert run_git(target, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", "refs/tags/v1"]
    with open_source(target) as source:
        assert source.snapshot.revision == repo.commits[0]
        assert source.origin.branch == "main"
    assert [path.name for path in target.parent.iterdir()] == ["handbook.git"]


@pytest.mark.req("P01")
def test_fetching_again_brings_what_is_new_even_after_a_rewrite(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    target = mirror(repo, tmp_path / "m.git")
    repo.commit({"a.md": "2"})
    mirror(repo, target)
    assert open_source(target).snapshot.revision == repo.commits[1]
    run_git(repo.path, "reset", "--quiet", "--hard", repo.commits[0])
    repo.commit({"a.md": "3"})
    mirror(repo, target)
    assert open_source(target).snapshot.revision == repo.commits[2]


def test_a_mirror_can_change_to_another_branch(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    target = mirror(repo, tmp_path / "m.git")
    run_git(repo.path, "switch", "--quiet", "--create", "side")
    repo.commit({"a.md": "2"})
    assert open_source(mirror(repo, target, "side")).snapshot.revision == repo.commits[1]


@pytest.mark.req("P01", "P13")
@pytest.mark.parametrize("failure", ["no branch", "gone", "refused objects"])
def test_a_failed_fetch_leaves_the_mirror_as_it_was(git_repo: RepoFactory, tmp_path: Path, failure: str) -> None:
    repo = git_repo({"a.md": "1"})
    target = mirror(repo, tmp_path / "m.git")
    before = read_tree(target)
    branch = "main"
    if failure == "no branch":
        branch = "nope"
    elif failure == "gone":
        repo.path.rename(tmp_path / "away")
    else:
        blob = forge_blob(repo.path, os.urandom(200_000))
        forge_commit(repo.path, forge_tree(repo.path, [(FILE, b".git", blob), (FILE, b"a.md", blob)]))
    with pytest.raises(SourceError, match="could not be fetched") as caught:
        mirror(repo, target, branch)
    assert caught.value.hint
    assert read_tree(target) == before
    assert open_source(target).snapshot.revision == repo.commits[0]


@pytest.mark.req("P01")
def test_a_mirror_may_be_named_from_the_folder_one_is_in(git_repo: RepoFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = git_repo({"a.md": "1"})
    monkeypatch.chdir(tmp_path)
    for _ in ("made", "fetched again"):
        mirror(repo, Path("out/m.git"))
    assert open_source(Path("out/m.git")).snapshot.revision == repo.commits[0]


@pytest.mark.req("P13")
def test_a_first_fetch_that_fails_leaves_nothing(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    with pytest.raises(SourceError, match="couldn't find remote ref") as caught:
        mirror(repo, tmp_path / "mirrors" / "m.git", "nope")
    assert "`nope`" in caught.value.hint
    assert list((tmp_path / "mirrors").iterdir()) == []


@pytest.mark.req("P01")
@pytest.mark.threat(6)
def test_objects_that_git_considers_dangerous_are_not_stored(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    blob = forge_blob(repo.path, b"[core]\n")
    forge_commit(repo.path, forge_tree(repo.path, [(FILE, b".git", blob)]))
    with pytest.raises(SourceError, match="hasDotgit") as caught:
        mirror(repo, tmp_path / "m.git")
    assert "dangerous" in caught.value.hint


@pytest.mark.threat(7)
def test_a_pack_over_the_cap_is_refused(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({f"{n}.bin": os.urandom(100_000) for n in range(10)})
    with pytest.raises(SourceError):
        mirror(repo, tmp_path / "m.git", limits=Limits(total_bytes=100_000))
    assert not (tmp_path / "m.git").exists()
    mirror(repo, tmp_path / "m.git", limits=Limits(total_bytes=1_000_000))


@pytest.mark.threat(3)
def test_submodules_are_not_fetched(git_repo: RepoFactory, tmp_path: Path) -> None:
    inner, repo = git_repo({"secret.md": "CANARY"}, "inner"), git_repo({"a.md": "1"})
    run_git(repo.path, "submodule", "--quiet", "add", str(inner.path), "part")
    repo.commit()
    target = mirror(repo, tmp_path / "m.git")
    assert not (target / "modules").exists()
    assert run_git(target, "rev-list", "--objects", "--all").count("\n") < 10


def test_what_lies_in_the_way_is_left_alone(git_repo: RepoFactory, tmp_path: Path) -> None:
    (tmp_path / "m.git").mkdir()
    (tmp_path / "m.git" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SourceError, match="in the way"):
        mirror(git_repo({"a.md": "1"}), tmp_path / "m.git")
    assert (tmp_path / "m.git" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_a_mirror_has_no_hooks_and_no_configuration_of_the_machine(git_repo: RepoFactory, tmp_path: Path) -> None:
    target = mirror(git_repo({"a.md": "1"}), tmp_path / "m.git")
    assert sorted(path.name for path in target.iterdir() if path.name not in {"objects", "refs"}) == ["HEAD", "config"]


@pytest.mark.threat(38)
def test_a_credential_reaches_git_and_nothing_else(git_repo: RepoFactory, tmp_path: Path) -> None:
    """A server that asks for a password is played by git's own credential machinery: the helper answers from the environment."""
    from indexer.registry.address import parse_address
    from indexer.sources.network import hand_over, make_network_settings
    from indexer.sources.reaching import Pinned

    credential = Credential("ada", "S3CRET")
    assert "S3CRET" not in repr(credential)
    address = parse_address("https://git.example.org/a/b")
    settings = make_network_settings(address, credential, Pinned())
    assert "S3CRET" not in " ".join(settings)
    asked = b"protocol=https\nhost=git.example.org\n\n"
    with GitPipe(tmp_path, ("credential", "fill"), settings=settings, environment=hand_over(credential)) as pipe:
        pipe.feed(asked, last=True)
        answer = pipe.out.read()
    assert b"username=ada\npassword=S3CRET\n" in answer
    with GitPipe(tmp_path, ("credential", "fill"), settings=make_network_settings(address, None, Pinned())) as pipe:
        pipe.feed(asked, last=True)
        assert b"S3CRET" not in pipe.out.read()


@pytest.mark.threat(38)
@pytest.mark.parametrize("credential", [Credential("ada", "S3CRET\nhost=evil"), Credential("a\rb", "S3CRET")])
def test_a_credential_with_a_line_break_is_refused_without_showing_it(
    git_repo: RepoFactory, tmp_path: Path, credential: Credential
) -> None:
    with pytest.raises(SourceError) as caught:
        mirror(git_repo({"a.md": "1"}), tmp_path / "m.git", credential=credential)
    assert "S3CRET" not in caught.value.message + caught.value.hint


@pytest.mark.threat(38)
def test_a_refused_connection_tells_no_secret(tmp_path: Path) -> None:
    secret = Credential("ada", "S3CRET")
    with pytest.raises(SourceError, match="could not be fetched") as caught:
        fetch_mirror("https://127.0.0.1:9/a/b", tmp_path / "m.git", "main", credential=secret, allow_private=True)
    assert "S3CRET" not in caught.value.message + caught.value.hint
    assert caught.value.__cause__ is None


@pytest.mark.threat(38)
def test_what_git_says_is_shown_without_credentials_and_control_characters() -> None:
    said = "fatal: Authentication failed for 'https://ada:S3CRET@git.example.org/a/b'\x1b[2J\r\n"
    assert redact(said) == "fatal: Authentication failed for 'https://git.example.org/a/b'[2J"


@pytest.mark.threat(7)
def test_a_git_process_that_falls_silent_is_ended(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    with GitPipe(repo.path / ".git", ("cat-file", "--batch"), patience=0.3) as pipe:
        assert pipe.out.read(1) == b""
        assert "no sign of life" in pipe.failure().message
        process = pipe._process.pid
    assert subprocess.run(["ps", "-p", str(process)], capture_output=True, check=False).returncode != 0


@pytest.mark.threat(7)
def test_output_without_end_is_cut_off(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "x" * 5000})
    with pytest.raises(SourceError, match="more than 1,000 bytes"):
        run_hardened(repo.path / ".git", ("cat-file", "-p", "HEAD:a.md"), most=1000)


@pytest.mark.req("P01", "T28")
def test_a_lock_that_a_killed_git_left_blocks_for_an_hour_and_no_longer(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    target = mirror(repo, tmp_path / "m.git")
    repo.commit({"a.md": "2"})
    lock = target / "refs" / "heads" / "main.lock"
    lock.touch()
    with pytest.raises(SourceError, match="could not be fetched"):
        mirror(repo, target)
    os.utime(lock, (0, 0))
    mirror(repo, target)
    assert open_source(target).snapshot.revision == repo.commits[1]


@pytest.mark.req("P01", "P13")
@pytest.mark.parametrize("kind", ["tag", "branch"])
@pytest.mark.parametrize(("first", "then"), [("docs", "docs/v2"), ("docs/v2", "docs")])
def test_a_name_that_has_become_a_folder_of_names_does_not_stop_the_mirror(
    git_repo: RepoFactory, tmp_path: Path, kind: str, first: str, then: str
) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, kind, first)
    target = mirror(repo, tmp_path / "m.git", first if kind == "branch" else "main")
    run_git(repo.path, kind, "-d", first)
    newest = repo.commit({"a.md": "2"})
    run_git(repo.path, kind, then)
    assert open_source(mirror(repo, target, then if kind == "branch" else "main")).snapshot.revision == newest
    names = run_git(target, "for-each-ref", "--format=%(refname:lstrip=2)").split()
    assert then in names
    assert first not in names


@pytest.mark.req("P08")
def test_a_mirror_of_a_repository_that_has_moved_names_its_new_place(git_repo: RepoFactory, tmp_path: Path) -> None:
    target = mirror(git_repo({"a.md": "1"}, name="old"), tmp_path / "m.git")
    moved = git_repo({"a.md": "1"}, name="new")
    mirror(moved, target)
    assert run_git(target, "config", "--get-all", "remote.origin.url") == f"file://{moved.path}"
