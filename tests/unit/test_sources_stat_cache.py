"""Reading a plain folder again without reading the files that have not changed."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.sources import open_source
from indexer.sources.folder import RACY_NS
from indexer.sources.folder_walk import FolderWalk, Remembered
from tests.tools.vaults import Files, write_files

VaultFactory = Callable[..., Path]

PAGES: Files = {"a.md": "one", "b/c.md": "two", "d.md": "three"}


@pytest.fixture
def old_folder(vault: VaultFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages that count as old: the clock is a minute further on."""
    root = vault(PAGES)
    now = time.time_ns()
    monkeypatch.setattr("indexer.sources.folder.time.time_ns", lambda: now + 60_000_000_000)
    return root


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files whose bytes were read."""
    seen: list[str] = []
    real = FolderWalk._read

    def watch(walk: FolderWalk, folder: int, path: bytes, name: str) -> Remembered | None:
        seen.append(name)
        return real(walk, folder, path, name)

    monkeypatch.setattr(FolderWalk, "_read", watch)
    return seen


def ids(root: Path, cache: Path) -> dict[str, str]:
    return {entry.path: entry.blob for entry in open_source(root, stat_cache=cache).snapshot.entries}


@pytest.mark.req("P02", "P18")
def test_unchanged_files_are_not_read_again(old_folder: Path, tmp_path: Path, reads: list[str]) -> None:
    first = ids(old_folder, tmp_path / "cache" / "stats")
    assert sorted(reads) == ["a.md", "c.md", "d.md"]
    reads.clear()
    assert ids(old_folder, tmp_path / "cache" / "stats") == first
    assert reads == []


@pytest.mark.req("P02", "P18")
def test_a_changed_file_is_read_again_and_no_other(old_folder: Path, tmp_path: Path, reads: list[str]) -> None:
    cache = tmp_path / "stats"
    first = ids(old_folder, cache)
    write_files(old_folder, {"d.md": "THREE"})
    os.utime(old_folder / "d.md", ns=(1, 1))
    reads.clear()
    second = ids(old_folder, cache)
    assert reads == ["d.md"]
    assert {path for path in first if first[path] != second[path]} == {"d.md"}


def test_a_change_that_keeps_size_and_time_is_noticed(old_folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "stats"
    before = (old_folder / "a.md").stat()
    first = ids(old_folder, cache)
    write_files(old_folder, {"a.md": "ONE"})
    os.utime(old_folder / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ids(old_folder, cache)["a.md"] != first["a.md"]


def test_a_file_changed_a_moment_ago_is_read_again(vault: VaultFactory, tmp_path: Path, reads: list[str]) -> None:
    root, cache = vault(PAGES), tmp_path / "stats"
    assert RACY_NS == 2_000_000_000
    ids(root, cache)
    reads.clear()
    ids(root, cache)
    assert sorted(reads) == ["a.md", "c.md", "d.md"], "within two seconds its time says nothing"


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x93\x01\xa1x\x80", b"\x93\x63\xa1x\x80", b"\x93\x01\xa1x\x81\xc4\x01a\x91\x01"])
def test_a_cache_that_cannot_be_read_counts_as_empty(old_folder: Path, tmp_path: Path, reads: list[str], content: bytes) -> None:
    cache = tmp_path / "stats"
    cache.write_bytes(content)
    assert len(ids(old_folder, cache)) == 3
    assert len(reads) == 3
    reads.clear()
    ids(old_folder, cache)
    assert reads == [], "it was written anew"


def test_the_cache_of_another_folder_is_not_believed(old_folder: Path, vault: VaultFactory, tmp_path: Path, reads: list[str]) -> None:
    cache = tmp_path / "stats"
    ids(old_folder, cache)
    (old_folder).rename(tmp_path / "moved")
    reads.clear()
    ids(tmp_path / "moved", cache)
    assert len(reads) == 3


def test_a_cache_that_cannot_be_written_is_no_failure(old_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert len(ids(old_folder, tmp_path / "file" / "stats")) == 3
    (tmp_path / "folder").mkdir()
    assert len(ids(old_folder, tmp_path / "folder")) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "vault"], "nothing half-written stays"


def test_caps_and_findings_are_the_same_from_the_cache(old_folder: Path, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d7a2146" * 8 + "\nsize 12345\n"
    write_files(old_folder, {"big.png": pointer})
    cache = tmp_path / "stats"
    first, second = (open_source(old_folder, stat_cache=cache).snapshot for _ in range(2))
    assert first == second
    assert [finding.code for finding in second.findings] == ["SRC003"]
