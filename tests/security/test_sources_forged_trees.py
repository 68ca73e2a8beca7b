"""Trees that git itself would not make: what they hold is refused, and nothing of it leaves the repository."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.model.snapshot import Limits
from indexer.sources import open_source
from tests.tools.forged import FILE, FOLDER, SUBMODULE, SYMLINK, Line, forge_blob, forge_commit, forge_tree
from tests.tools.repos import GitRepo, run_git
from tests.tools.vaults import Link, write_files

RepoFactory = Callable[..., GitRepo]
Opened = tuple[list[str], list[tuple[str, str]]]


def open_forged(repo: GitRepo, lines: list[Line]) -> Opened:
    forge_commit(repo.path, forge_tree(repo.path, lines))
    with open_source(repo.path) as source:
        assert all(content for _, content in source.read(source.snapshot.entries))
        return [entry.path for entry in source.snapshot.entries], [(finding.code, finding.path) for finding in source.snapshot.findings]


@pytest.mark.req("P01")
@pytest.mark.threat(1)
@pytest.mark.threat(6)
@pytest.mark.parametrize(
    "name",
    [
        b"..",
        b".",
        b"",
        b".git",
        b".GIT",
        b"git~1",
        b"GIT~2",
        b"\xe2\x80\x8c.git",
        b".g\xc3\xaft/../x",
        b"../../etc/cron.d/x",
        b"/etc/passwd",
        b"a/b.md",
        b"a\\b.md",
        b"C:\\x.md",
        b"new\nline.md",
        b"bell\x07.md",
        b"\xef\xb7\x90i0\xef\xb7\x91.md",
    ],
)
@pytest.mark.parametrize("mode", [FILE, FOLDER])
def test_a_name_that_leads_elsewhere_is_refused(git_repo: RepoFactory, name: bytes, mode: bytes) -> None:
    repo = git_repo()
    blob = forge_blob(repo.path, b"CANARY")
    identity = blob if mode == FILE else forge_tree(repo.path, [(FILE, b"inside.md", blob)])
    paths, findings = open_forged(repo, [(mode, name, identity), (FILE, b"kept.md", forge_blob(repo.path, b"kept"))])
    assert paths == ["kept.md"]
    assert [code for code, _ in findings] == ["SRC006"]
    assert findings[0][1].isprintable()


@pytest.mark.threat(6)
@pytest.mark.parametrize("second", [FILE, FOLDER, SYMLINK])
def test_a_name_that_stands_twice_counts_once(git_repo: RepoFactory, second: bytes) -> None:
    repo = git_repo()
    blob = forge_blob(repo.path, b"one")
    other = forge_tree(repo.path, [(FILE, b"x.md", blob)]) if second == FOLDER else forge_blob(repo.path, b"two")
    paths, findings = open_forged(repo, [(FILE, b"a.md", blob), (second, b"a.md", other)])
    assert paths == ["a.md"]
    assert findings == [("SRC006", "a.md")]


@pytest.mark.threat(6)
def test_an_unsorted_tree_gives_sorted_entries(git_repo: RepoFactory) -> None:
    repo = git_repo()
    blob = forge_blob(repo.path, b"x")
    assert open_forged(repo, [(FILE, name, blob) for name in (b"z.md", b"a.md", b"m.md")])[0] == ["a.md", "m.md", "z.md"]


@pytest.mark.threat(2)
@pytest.mark.threat(3)
@pytest.mark.parametrize(("mode", "code"), [(SYMLINK, "SRC001"), (SUBMODULE, "SRC002"), (b"60000", "SRC006"), (b"10644", "SRC006")])
def test_only_regular_files_are_read(git_repo: RepoFactory, mode: bytes, code: str) -> None:
    repo = git_repo()
    target = forge_blob(repo.path, b"/etc/hostname")
    paths, findings = open_forged(repo, [(mode, b"link.md", target)])
    assert paths == []
    assert findings == [(code, "link.md")]


@pytest.mark.threat(2)
def test_no_byte_comes_from_behind_a_link(git_repo: RepoFactory, tmp_path: Path) -> None:
    write_files(tmp_path / "outside", {"secret.md": "CANARY-OUTSIDE"})
    repo = git_repo({"a.md": "1", "link.md": Link("../outside/secret.md"), "folder": Link("../outside")})
    for uncommitted in (False, True):
        with open_source(repo.path, uncommitted=uncommitted) as source:
            content = repr([*source.read(source.snapshot.entries), source.snapshot, source.history()])
            assert "CANARY" not in content
            assert "secret" not in content, "not even its name"
            assert [path.path for path in source.snapshot.entries] == ["a.md"]


@pytest.mark.req("P01", "P13")
@pytest.mark.threat(7)
@pytest.mark.parametrize("leaf", [True, False])
def test_a_bomb_of_folders_ends_at_the_cap(git_repo: RepoFactory, leaf: bool) -> None:
    repo = git_repo()
    lines: list[Line] = [(FILE, b"a.md", forge_blob(repo.path, b"x"))] if leaf else []
    tree = forge_tree(repo.path, lines)
    for _ in range(12):
        tree = forge_tree(repo.path, [(FOLDER, b"d%02d" % n, tree) for n in range(20)])
    forge_commit(repo.path, tree)
    started = time.process_time()
    with pytest.raises(SourceError, match="more than 5,000 files and folders"):
        open_source(repo.path, limits=Limits(entries=5000))
    assert time.process_time() - started < 5, "4,096,000,000,000,000 folders were not walked"


@pytest.mark.threat(7)
def test_a_folder_of_a_great_many_hidden_files_ends_at_the_cap(git_repo: RepoFactory) -> None:
    repo = git_repo()
    blob = forge_blob(repo.path, b"x")
    forge_commit(repo.path, forge_tree(repo.path, [(FILE, b".h%06d" % n, blob) for n in range(3000)]))
    with pytest.raises(SourceError, match="more than 2,000"):
        open_source(repo.path, limits=Limits(entries=2000))


@pytest.mark.threat(7)
def test_a_broken_tree_is_one_clear_error(git_repo: RepoFactory) -> None:
    for content in (b"100644 a.md\0short", b"no tree at all", b"99999999999 a\0" + b"x" * 20, b"10x644 a\0" + b"x" * 20):
        repo = git_repo(name=f"repo{len(content)}")
        forge_commit(repo.path, forge_raw_tree(repo.path, content))
        with pytest.raises(SourceError, match="damaged"):
            open_source(repo.path)


def forge_raw_tree(repo: Path, content: bytes) -> str:
    command = ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    return subprocess.run(command, cwd=repo, input=content, capture_output=True, check=True).stdout.decode().strip()


@pytest.mark.threat(7)
@pytest.mark.threat(5)
def test_content_that_does_not_match_its_id_is_never_handed_out(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "mine", "b.md": "made to look like another repository's page"})
    objects = repo.path / ".git" / "objects"
    files = {content: find_object(repo, path) for path, content in (("a.md", "mine"), ("b.md", "forged"))}
    (objects / files["mine"]).unlink()
    (objects / files["mine"]).write_bytes((objects / files["forged"]).read_bytes())
    with open_source(repo.path) as source, pytest.raises(SourceError, match=r"does not match its id|damaged|has 43 bytes"):
        list(source.read(source.snapshot.entries))


def find_object(repo: GitRepo, path: str) -> str:
    identity = run_git(repo.path, "rev-parse", f"HEAD:{path}")
    return f"{identity[:2]}/{identity[2:]}"
