"""Pipes to git and the processes that a build forks while it reads: neither may make the other wait."""

import multiprocessing
import time

import pytest

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
