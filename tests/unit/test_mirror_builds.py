"""What a build reads of a repository that it mirrors: the branch that tenant.yml names, whatever else has that name."""

from functools import partial
from pathlib import Path

import pytest

from indexer import pipeline
from indexer.pipeline import read_repo
from indexer.sources import fetch_mirror
from indexer.sources.orders import BuildOptions, RepoOrder
from tests.conftest import RepoFactory
from tests.tools.repos import run_git


@pytest.mark.req("P01")
def test_a_tag_with_the_name_of_the_branch_is_not_read_in_its_place(
    git_repo: RepoFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "fetch_mirror", partial(fetch_mirror, allow_local=True))
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "tag", "main")
    newest = repo.commit({"a.md": "2"})
    order = RepoOrder("one", "One", tmp_path / "out", tmp_path / "m.git", address=f"file://{repo.path}", branch="main")
    with read_repo(order, BuildOptions()) as source:
        assert (source.snapshot.revision, source.origin.branch) == (newest, "main")
    with read_repo(order, BuildOptions(at="tags/main")) as source:
        assert source.snapshot.revision == repo.commits[0]
