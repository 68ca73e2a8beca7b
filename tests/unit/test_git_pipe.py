"""Pipes to git and the processes that a build forks while it reads: neither may make the other wait. And a git that is too old."""

import multiprocessing
import time
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.sources import open_source
from indexer.sources.git import GitPipe
from tests.conftest import RepoFactory


@pytest.mark.req("P13", "P17")
def test_git_hears_the_end_of_its_input_though_another_process_was_forked_meanwhile(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "one\n"})
    with GitPipe(repo.path / ".git", ("cat-file", "--batch-check", "--buffer"), patience=10) as pipe:
        forked = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
        forked.start()
        try:
            pipe.feed(b"HEAD\n", last=True)
            assert b" commit " in pipe.out.readline()
            assert pipe.finish() == 0
        finally:
            forked.kill()
            forked.join()


@pytest.mark.req("P13")
def test_a_git_that_is_too_old_is_not_taken_for_a_damaged_repository(
    git_repo: RepoFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = git_repo({"a.md": "one\n"})
    old = tmp_path / "git"
    old.write_text("#!/bin/sh\necho unknown option: --end-of-options >&2\nexit 129\n")
    old.chmod(0o755)
    monkeypatch.setattr("indexer.sources.git.find_git", lambda: str(old))
    with pytest.raises(SourceError, match="does not know what it was asked: unknown option: --end-of-options") as caught:
        open_source(repo.path)
    assert "git 2.32 or later" in caught.value.hint
