"""Releases: built beside, swapped in whole, repaired after a stop at any point; the state that goes with them."""

import shutil
from pathlib import Path

import pytest

from indexer.errors import PublishError
from indexer.pipeline import build_path
from indexer.publish.release import STATE_FILE, ReleaseWriter, check_output, open_release, prepare_output
from indexer.publish.state import BuildState, drop_state, encode_state, load_state
from indexer.sources.orders import STATE_FOLDER, BuildOptions
from tests.conftest import RepoFactory
from tests.tools.trees import read_tree


def release(out: Path, number: int, files: dict[str, str], last: dict[str, str] | None = None, delta: set[str] | None = None) -> set[str]:
    """Write release `number` with `files`, as the pipeline does; return what it changed."""
    prepare_output(out)
    last = last or {}
    with open_release(out) as writer:
        writer.begin(last.keys(), delta or set(), number - 1)
        for name, text in files.items():
            writer.update(name, text.encode())
        writer.remove(last.keys() - files.keys())
        writer.swap_in()
        return writer.changed


def texts(folder: Path) -> dict[str, str]:
    return {name: data.decode() for name, data in read_tree(folder).items()}


@pytest.mark.req("P14")
def test_the_two_trees_take_turns_and_always_hold_what_was_written(tmp_path: Path) -> None:
    out, last, delta = tmp_path / "out", {}, set()  # type: ignore[var-annotated]
    versions = [{"a": "1", "d/b": "1"}, {"a": "2", "d/b": "1"}, {"a": "2", "e/c": "1"}, {"a": "2", "d/b": "3"}, {"a": "5"}]
    for number, files in enumerate(versions, 1):
        delta = release(out, number, files, last, delta)
        last = files
        assert texts(out / "site") == files
        assert {path.name for path in (out / "site").iterdir()} == {name.split("/")[0] for name in files}


@pytest.mark.req("P19")
@pytest.mark.threat(32)
def test_no_empty_folder_keeps_the_name_of_a_page_that_is_gone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first, second = {"a": "1", "secret/deep/b": "1"}, {"a": "1"}
    delta = release(out, 1, first)
    delta = release(out, 2, second, first, delta)
    for number in (3, 4):
        delta = release(out, number, {"a": str(number)}, second, delta)
        assert [path.name for path in (out / "site").rglob("*")] == ["a"]


@pytest.mark.req("P14")
def test_only_what_changed_is_written_and_the_rest_are_the_same_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, 1, {"a": "1", "b": "1"})
    kept = (out / "site" / "b").stat().st_ino
    assert release(out, 2, {"a": "2", "b": "1"}, {"a": "1", "b": "1"}, {"a", "b"}) == {"a"}
    assert (out / "site" / "b").stat().st_ino == kept


@pytest.mark.req("P07")
def test_a_hard_link_of_the_last_release_is_never_written_through(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, 1, {"a": "old"})
    prepare_output(out)
    source = tmp_path / "source"
    source.write_text("copied")
    with open_release(out) as writer:
        writer.begin({"a"}, set(), 1)
        assert (writer.folder / "a").samefile(out / "site" / "a")
        writer.write("a", b"new")
        assert (out / "site" / "a").read_text() == "old"
        writer.copy("a", str(source))
        assert (out / "site" / "a").read_text() == "old"
    assert texts(out / "site") == {"a": "old"}
    assert not writer.folder.exists()


@pytest.mark.req("P17")
def test_a_stop_between_the_two_renames_brings_the_last_release_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, 1, {"a": "1"})
    (out / "site").rename(out / STATE_FOLDER / "site.spare")
    (out / STATE_FOLDER / "site.next").mkdir()
    prepare_output(out)
    assert texts(out / "site") == {"a": "1"}
    assert not (out / STATE_FOLDER / "site.next").exists()


@pytest.mark.req("P02", "P19")
@pytest.mark.threat(32)
def test_a_website_that_somebody_removed_is_built_again_as_it_is_now(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"index.md": "# Old", "a.md": "# A"}), tmp_path / "out"
    build_path(repo.path, out, BuildOptions(processes=1))
    repo.commit({"index.md": "# New", "a.md": "---\nprivate: true\n---\n# A"})
    for _ in range(2):
        build_path(repo.path, out, BuildOptions(processes=1))
        assert "New" in (out / "site/index.md").read_text("utf-8")
        assert not (out / "site/a").exists()
        shutil.rmtree(out / "site")


@pytest.mark.req("P17", "P19")
def test_without_a_state_nothing_of_older_releases_comes_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    delta = release(out, 1, {"a": "1", "secret": "1"})
    release(out, 2, {"a": "1"}, {"a": "1", "secret": "1"}, delta)
    release(out, 1, {"a": "1"})
    assert texts(out / "site") == {"a": "1"}


@pytest.mark.req("P13")
@pytest.mark.req("P14", "P19")
@pytest.mark.threat(32)
@pytest.mark.parametrize("generation", [0, 2])
def test_what_was_removed_while_there_was_no_state_does_not_come_back_later(tmp_path: Path, generation: int) -> None:
    """A run that was killed or of another version leaves no state, one that misses files throws it away and keeps counting."""
    out = tmp_path / "out"
    delta = release(out, 1, {"a": "1", "secret": "1"})
    release(out, 2, {"a": "2", "secret": "1"}, {"a": "1", "secret": "1"}, delta)
    last: dict[str, str] = {}
    delta = set()
    for number in range(generation + 1, generation + 5):
        files = {"a": f"later {number}"}
        delta = release(out, number, files, last, delta)
        last = files
        assert texts(out / "site") == files


def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "precious").write_text("x")
    with pytest.raises(PublishError, match="was not made by brain"):
        prepare_output(tmp_path)
    assert (tmp_path / "site" / "precious").read_text() == "x"
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(PublishError, match="is a file"):
        prepare_output(file)


@pytest.mark.parametrize("link", ["out", "out/site"])
def test_an_output_that_is_a_link_to_nowhere_or_a_site_that_is_a_link_is_refused(tmp_path: Path, link: str) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / link).parent.joinpath(STATE_FOLDER).mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / ("served" if link == "out/site" else "gone"))
    with pytest.raises(PublishError, match="symbolic link"):
        check_output(tmp_path / "out")
    assert list((tmp_path / "served").iterdir()) == []


def test_an_output_that_is_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    release(tmp_path / "out", 1, {"a": "1"})
    assert texts(tmp_path / "real/site") == {"a": "1"}


def test_removing_a_file_removes_folders_that_are_empty_then(tmp_path: Path) -> None:
    prepare_output(tmp_path)
    writer = ReleaseWriter(tmp_path)
    writer.begin((), (), 0)
    writer.write("a/b/c", b"")
    writer.write("a/d", b"")
    writer.remove(["a/b/c", "never/was"])
    assert sorted(path.name for path in writer.folder.rglob("*")) == ["a", "d"]
    writer.write("a/b/c", b"")
    assert (writer.folder / "a/b/c").exists()


@pytest.mark.req("P02", "P17")
@pytest.mark.parametrize("content", [b"", b"junk", b"\x81", b"\xff" * 100, b"\x91" * 100_000, b"\x81\xa7version\xa3\xff\xfe\xfd"])
def test_a_state_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state.msgpack").write_bytes(content)
    assert load_state(tmp_path, "1") == BuildState()


@pytest.mark.req("P02", "P19")
def test_a_state_comes_back_as_it_was_unless_it_is_of_another_version(tmp_path: Path) -> None:
    """Even its number is forgotten then: the spare tree of another version may hold pages that are hidden now."""
    state = BuildState(version="1", generation=4, fingerprints={"a": "b"}, manifest=frozenset({"a"}))
    (tmp_path / STATE_FILE).write_bytes(encode_state(state))
    assert load_state(tmp_path, "1") == state
    assert load_state(tmp_path, "2") == BuildState()
    drop_state(tmp_path)
    drop_state(tmp_path)
    assert load_state(tmp_path, "1") == BuildState()
