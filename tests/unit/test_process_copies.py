"""Work beside a build, in copies of its process: the same bytes as without, and the same failures."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import PublishError
from indexer.pipeline import build_path
from indexer.publish import release, workers
from indexer.publish.release import ReleaseWriter
from indexer.publish.workers import open_workers
from indexer.sources.orders import BuildOptions
from tests.tools.repos import GitRepo
from tests.tools.trees import compare_trees, read_tree

RepoFactory = Callable[..., GitRepo]
TWO = BuildOptions(processes=2)


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small brains be built as large ones are."""
    monkeypatch.setattr(workers, "_WORTH_A_COPY", 0)
    monkeypatch.setattr(release, "_LINKED", 3)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is forked, and the task runs here and now")
def test_a_copy_has_what_the_process_has_in_memory_and_cannot_be_sent() -> None:
    numbers = iter([1, 2])

    def where() -> tuple[int, int]:
        return next(numbers), os.getpid()

    with open_workers(2) as opened:
        first, second = (opened.start_copy(where, pages=1).result() for _ in range(2))
    assert (first[0], second[0], next(numbers)) == (1, 1, 1)
    assert len({first[1], second[1], os.getpid()}) == 3
    assert workers._inherited == {}


def test_what_a_copy_raises_arrives() -> None:
    def fail() -> None:
        raise PublishError("The disk is full.", hint="Free some space.")

    with open_workers(2) as opened, pytest.raises(PublishError) as error:
        opened.start_copy(fail, pages=1).result()
    assert (error.value.message, error.value.hint) == ("The disk is full.", "Free some space.")


def test_one_process_or_busy_ones_make_no_copy() -> None:
    with open_workers(1) as alone:
        assert alone.start_copy(os.getpid, pages=1).result() == os.getpid()
    with open_workers(2) as busy:
        assert list(busy.map(abs, [-1, 2])) == [1, 2]
        assert busy.start_copy(os.getpid, pages=1).result() == os.getpid()


@pytest.mark.req("P02", "P14")
def test_an_edit_with_copies_ends_with_the_bytes_of_a_fresh_build(git_repo: RepoFactory, tmp_path: Path) -> None:
    pages = {f"f{number % 3}/n{number}.md": f"# N{number}\n\n[[n{number + 1}]] #t{number}\n" for number in range(9)}
    repo, out = git_repo({"index.md": "[[n1]]", **pages}), tmp_path / "out"
    build_path(repo.path, out, TWO)
    for number, files in enumerate([{"f0/n0.md": "# Other\n"}, {"new.md": "[[n3]]"}, {"f1/n1.md": "---\ndraft: true\n---\n"}]):
        repo.commit(files)
        build_path(repo.path, out, TWO)
        fresh = tmp_path / f"fresh{number}"
        build_path(repo.path, fresh, BuildOptions(processes=1))
        assert compare_trees(read_tree(fresh / "site"), read_tree(out / "site")) == [], number


@pytest.mark.req("P17")
def test_a_failure_of_a_copy_leaves_the_last_output(git_repo: RepoFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, out = git_repo({"a.md": "# A\n", "b.md": "# B\n"}), tmp_path / "out"
    build_path(repo.path, out, TWO)
    before = {name: content for name, content in read_tree(out).items() if not name.startswith(".brain/")}
    repo.commit({"a.md": "# Another\n"})
    update = ReleaseWriter.update

    def refuse(writer: ReleaseWriter, file: str, content: bytes) -> None:
        if file == "llms.txt":
            raise PublishError("The disk is full.", hint="Free some space.")
        update(writer, file, content)

    monkeypatch.setattr(ReleaseWriter, "update", refuse)
    with pytest.raises(PublishError, match="The disk is full"):
        build_path(repo.path, out, TWO)
    after = {name: content for name, content in read_tree(out).items() if not name.startswith(".brain/")}
    assert compare_trees(after, before) == []
