"""Where commands that publish nothing keep what they have read: in the user's cache, or nowhere for long."""

import errno
import tempfile
from pathlib import Path

import pytest

from indexer.cli.reading import open_cache_folder


def open_for(path: Path) -> tuple[Path, bool]:
    """The folder, and whether it is still there afterwards."""
    with open_cache_folder(path) as folder:
        assert folder.is_dir()
        (folder / "kept").write_bytes(b"x")
    return folder, folder.exists()


@pytest.fixture(autouse=True)
def no_cache_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.req("P13")
def test_it_is_in_the_home_or_where_its_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    vault = tmp_path / "vault"
    folder, kept = open_for(vault)
    assert (folder.parent, kept) == (tmp_path / "home" / ".cache" / "brainpress", True)
    assert [each.name for each in folder.iterdir()] == ["kept"], "the look at whether there is room leaves nothing"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert open_for(vault)[0].parent == tmp_path / "cache" / "brainpress"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert open_for(vault)[0] == folder
    assert not (tmp_path / "relative").exists()


@pytest.mark.req("P13")
@pytest.mark.parametrize("home", ["~", "", "relative"])
def test_a_user_without_a_home_has_none_for_long(home: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("HOME", home)
    if not home:
        monkeypatch.setattr(Path, "home", refuse)
    assert open_for(tmp_path)[1] is False
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("P13")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_full_home_is_no_reason_to_fail(number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(**_: object) -> None:
        raise OSError(number, "full")

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert open_for(tmp_path)[1] is False
