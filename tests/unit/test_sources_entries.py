"""Which files are content, which are passed over, and which are refused with a finding; the same in git and outside it."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.model.snapshot import Limits
from indexer.sources import Source, open_source
from tests.tools.forged import EXECUTABLE, FILE, FOLDER, SYMLINK, forge_blob, forge_commit, forge_tree
from tests.tools.repos import GitRepo, run_git
from tests.tools.vaults import Files, Link

RepoFactory = Callable[..., GitRepo]
VaultFactory = Callable[..., Path]
Opener = Callable[..., Source]

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a2146" * 8 + b"\nsize 12345\n"


@pytest.fixture(params=["committed", "plain"])
def opened(request: pytest.FixtureRequest, git_repo: RepoFactory, vault: VaultFactory) -> Opener:
    """`opened(files, limits=…)` opens these files as a commit, and as a plain folder."""

    def make(files: Files, **options: Limits) -> Source:
        root = git_repo(files).path if request.param == "committed" else vault(files)
        return open_source(root, **options)  # type: ignore[arg-type]

    return make


def paths(source: Source) -> list[str]:
    return [entry.path for entry in source.snapshot.entries]


def found(source: Source) -> list[tuple[str, str]]:
    return [(finding.code, finding.path) for finding in source.snapshot.findings]


@pytest.mark.req("P01")
def test_hidden_and_foreign_folders_are_passed_over_in_silence(opened: Opener) -> None:
    source = opened(
        {
            "a.md": "1",
            ".env": "SECRET",
            ".github/workflows/x.yml": "2",
            ".obsidian/app.json": "{}",
            ".trash/old.md": "3",
            "docs/.hidden.md": "4",
            "node_modules/x/readme.md": "5",
            "docs/__pycache__/x.pyc": "6",
            "venv/pyvenv.cfg": "home = /usr",
            "venv/lib/readme.md": "7",
            "Thumbs.db": "8",
            "docs/.DS_Store": "9",
        }
    )
    assert paths(source) == ["a.md"]
    assert found(source) == []


@pytest.mark.req("P01")
def test_a_folder_called_venv_without_python_in_it_is_content(opened: Opener) -> None:
    assert paths(opened({"venv/notes.md": "1"})) == ["venv/notes.md"]


@pytest.mark.req("P01", "P15")
def test_unusual_but_harmless_names_are_kept_as_they_are(opened: Opener) -> None:
    names = [
        "a" * 252 + ".md",
        "e\u0301.md",
        "\u00e9.md",
        "trailing. ",
        "dots...",
        "C: drive.md",
        "c++.md",
        "100%.md",
        "知" * 84 + ".md",
        "~x",
        "-rf",
    ]
    source = opened(dict.fromkeys(names, "x"))
    assert sorted(paths(source)) == sorted(names)
    assert found(source) == []


@pytest.mark.req("P01")
@pytest.mark.threat(2)
def test_links_are_skipped_and_only_a_harmless_target_is_named(opened: Opener) -> None:
    targets = {
        "docs/near.md": "real.md",
        "docs/up.md": "../top.md",
        "out.md": "../outside/secret.md",
        "abs.md": "/etc/hostname",
        "dangling.md": "nowhere.md",
        "tricky.md": "docs/../../x",
        "control.md": "a\x1b[31m.md",
        "hidden.md": ".git/config",
        "folder": "docs",
        "loop": ".",
    }
    source = opened({"top.md": "1", "docs/real.md": "2", **{name: Link(target) for name, target in targets.items()}})
    assert paths(source) == ["docs/real.md", "top.md"]
    assert dict.fromkeys(path for _, path in found(source)) == dict.fromkeys(sorted(targets, key=str.encode))
    assert {code for code, _ in found(source)} == {"SRC001"}
    named = {finding.path: finding.message for finding in source.snapshot.findings}
    assert "`docs/real.md`" in named["docs/near.md"]
    assert "`top.md`" in named["docs/up.md"]
    assert "`nowhere.md`" in named["dangling.md"]
    for path in ("out.md", "abs.md", "tricky.md", "control.md", "hidden.md", "loop"):
        assert named[path] == "A symbolic link was skipped; it leads out of the content.", path


@pytest.mark.req("P01")
def test_lfs_pointers_are_skipped(opened: Opener) -> None:
    source = opened(
        {"picture.png": POINTER, "notes.md": POINTER, "about.md": "See version https://git-lfs.github.com/spec/v1\n" + "x" * 80}
    )
    assert paths(source) == ["about.md"]
    assert found(source) == [("SRC003", "notes.md"), ("SRC003", "picture.png")]


@pytest.mark.req("P01")
@pytest.mark.threat(7)
def test_a_file_over_the_cap_costs_that_file(opened: Opener) -> None:
    source = opened({"big.md": "x" * 1001, "fits.md": "x" * 1000}, limits=Limits(blob_bytes=1000))
    assert paths(source) == ["fits.md"]
    assert found(source) == [("SRC004", "big.md")]
    assert "1,001 bytes" in source.snapshot.findings[0].message


@pytest.mark.req("P01")
@pytest.mark.threat(7)
def test_folders_below_the_cap_on_depth_are_skipped(opened: Opener) -> None:
    source = opened({"a/b/kept.md": "1", "a/b/c/lost.md": "2", "a/b/d/lost.md": "3"}, limits=Limits(depth=2))
    assert paths(source) == ["a/b/kept.md"]
    assert found(source) == [("SRC005", "a/b/c"), ("SRC005", "a/b/d")]


@pytest.mark.req("P01", "P13")
@pytest.mark.threat(7)
def test_too_many_files_or_bytes_are_an_error_that_names_the_cap(opened: Opener) -> None:
    files = {f"d{n}/{n}.md": "x" * 100 for n in range(10)}
    with pytest.raises(SourceError, match="more than 19 files and folders") as caught:
        opened(files, limits=Limits(entries=19))
    assert "`brain build --max-files`" in caught.value.hint


@pytest.mark.req("P01")
@pytest.mark.threat(7)
def test_the_caps_are_exact(opened: Opener) -> None:
    files = {f"d{n}/{n}.md": "x" * 100 for n in range(10)}
    assert len(opened(files, limits=Limits(entries=20, total_bytes=1000, depth=1, blob_bytes=100)).snapshot.entries) == 10


@pytest.mark.req("P01", "P13")
@pytest.mark.threat(7)
def test_too_many_bytes_in_all_are_an_error_that_names_the_cap(opened: Opener) -> None:
    with pytest.raises(SourceError, match="more than 999 bytes in all") as caught:
        opened({f"{n}.md": "x" * 100 for n in range(10)}, limits=Limits(total_bytes=999))
    assert "`brain build --max-total-mb`" in caught.value.hint


@pytest.mark.req("P01")
def test_executable_files_are_content(git_repo: RepoFactory) -> None:
    repo = git_repo()
    forge_commit(repo.path, forge_tree(repo.path, [(EXECUTABLE, b"a.md", forge_blob(repo.path, b"1"))]))
    assert paths(open_source(repo.path)) == ["a.md"]


@pytest.mark.req("P01")
@pytest.mark.threat(3)
def test_a_submodule_is_skipped_in_a_commit_and_in_its_files(git_repo: RepoFactory) -> None:
    inner = git_repo({"inner.md": "inner"}, "inner")
    outer = git_repo({"outer.md": "outer"}, "outer")
    run_git(outer.path, "submodule", "--quiet", "add", str(inner.path), "parts/inner")
    outer.commit()
    for uncommitted in (False, True):
        source = open_source(outer.path, uncommitted=uncommitted)
        assert paths(source) == ["outer.md"]
        assert found(source) == [("SRC002", "parts/inner")]
    assert paths(open_source(outer.path / "parts" / "inner")) == ["inner.md"], "by itself it is a repository like any other"


@pytest.mark.req("P01")
@pytest.mark.threat(1)
def test_names_that_are_no_text_are_skipped(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    Path(os.fsdecode(os.fsencode(repo.path) + b"/caf\xe9.md")).write_bytes(b"2")
    plain = open_source(repo.path, uncommitted=True)
    repo.commit()
    for source in (plain, open_source(repo.path)):
        assert paths(source) == ["a.md"]
        assert found(source) == [("SRC007", "caf\\xe9.md")]


@pytest.mark.threat(1)
@pytest.mark.parametrize(
    "name", ["a\nb.md", "a\x1b[31mb.md", "a\\b.md", "tab\t.md", "del\x7f.md", "\ufdd0o1\ufdd1.md", "ls\u2028.md", "\u200c.git"]
)
def test_names_that_could_fool_somebody_are_refused(opened: Opener, name: str) -> None:
    source = opened({"a.md": "1", name: "2"})
    assert paths(source) == ["a.md"]
    ((code, shown),) = found(source)
    assert code == "SRC006"
    assert shown.isprintable()


def test_pipes_and_sockets_are_never_opened(vault: VaultFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    root = vault({"a.md": "1"})
    monkeypatch.chdir(root)
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as opened_socket:
        opened_socket.bind("socket.md")
        source = open_source(root)
    assert paths(source) == ["a.md"]
    assert found(source) == [("SRC006", "pipe.md"), ("SRC006", "socket.md")]


@pytest.mark.threat(7)
def test_a_folder_as_deep_as_the_system_allows_ends_at_the_cap(git_repo: RepoFactory) -> None:
    repo = git_repo()
    tree = forge_tree(repo.path, [(FILE, b"a.md", forge_blob(repo.path, b"1"))])
    for _ in range(300):
        tree = forge_tree(repo.path, [(FOLDER, b"d", tree)])
    forge_commit(repo.path, tree)
    source = open_source(repo.path)
    assert paths(source) == []
    assert found(source) == [("SRC005", "/".join("d" * 33))]


def test_a_link_of_absurd_length_is_not_read(git_repo: RepoFactory) -> None:
    repo = git_repo()
    forge_commit(repo.path, forge_tree(repo.path, [(SYMLINK, b"long", forge_blob(repo.path, b"x/" * 50_000))]))
    assert found(open_source(repo.path)) == [("SRC001", "long")]
