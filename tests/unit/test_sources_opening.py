"""What a path may be, and which of its contents is read: a commit, or the files as they lie there."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import SourceError, UsageError
from indexer.model.snapshot import History
from indexer.sources import Source, open_source
from tests.tools.repos import FIRST_COMMIT, GitRepo, run_git
from tests.tools.trees import read_states, read_tree
from tests.tools.unreadable import open_to_all, without_power
from tests.tools.vaults import Files, Link, write_files

RepoFactory = Callable[..., GitRepo]
VaultFactory = Callable[..., Path]

PAGES: Files = {"index.md": "# Start\n", "docs/plan.md": "# Plan\n", "docs/deep/é.md": "# É\n"}


def read_all(source: Source) -> dict[str, bytes]:
    return {entry.path: content for entry, content in source.read(source.snapshot.entries)}


def paths(source: Source) -> list[str]:
    return [entry.path for entry in source.snapshot.entries]


@pytest.mark.req("P01")
def test_a_bare_repository_is_read_at_its_head(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    with open_source(repo.bare(tmp_path / "bare.git")) as source:
        assert source.snapshot.revision == repo.commits[0]
        assert source.snapshot.committed_at == FIRST_COMMIT
        assert read_all(source) == {"index.md": b"# Start\n", "docs/plan.md": b"# Plan\n", "docs/deep/é.md": "# É\n".encode()}


@pytest.mark.req("P01")
def test_a_work_tree_is_read_as_committed_not_as_it_lies_there(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    write_files(repo.path, {"index.md": "# Changed since\n", "new.md": "# Not committed\n"})
    with open_source(repo.path) as source:
        assert read_all(source)["index.md"] == b"# Start\n"
        assert "new.md" not in paths(source)


@pytest.mark.req("P01", "P18")
def test_uncommitted_files_are_read_when_asked_for(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    write_files(repo.path, {"index.md": "# Changed since\n"})
    with open_source(repo.path, uncommitted=True) as source:
        assert read_all(source)["index.md"] == b"# Changed since\n"
        assert source.snapshot.revision is None
        assert source.snapshot.committed_at is None


def test_uncommitted_content_leaves_out_what_git_ignores(git_repo: RepoFactory) -> None:
    repo = git_repo({**PAGES, ".gitignore": "private/\n*.log\n"})
    write_files(repo.path, {"docs/private/diary.md": "secret", "docs/run.log": "noise", "new.md": "# New\n"})
    with open_source(repo.path, uncommitted=True) as source:
        assert paths(source) == ["docs/deep/é.md", "docs/plan.md", "index.md", "new.md"]
    with open_source(repo.path / "docs", uncommitted=True) as source:
        assert paths(source) == ["deep/é.md", "plan.md"]


@pytest.mark.req("P13", "P18")
def test_a_sparse_checkout_says_what_it_leaves_out_where_files_are_read_as_they_lie_there(git_repo: RepoFactory) -> None:
    repo = git_repo({**PAGES, "far/a.md": "", "far/b.md": ""})
    run_git(repo.path, "sparse-checkout", "set", "--cone", "docs")
    with open_source(repo.path, uncommitted=True) as source:
        (finding,) = source.snapshot.findings
        assert (finding.code, finding.path) == ("SRC008", "")
        assert finding.message.startswith("The checkout is sparse: 2 committed files are not in the work tree")
        assert "far/a.md" not in paths(source)
    for folder, uncommitted in (("", False), ("docs", True)):
        with open_source(repo.path, folder=folder, uncommitted=uncommitted) as source:
            assert source.snapshot.findings == (), folder
    run_git(repo.path, "sparse-checkout", "disable")
    with open_source(repo.path, uncommitted=True) as source:
        assert (len(paths(source)), source.snapshot.findings) == (5, ())


@pytest.mark.req("P18")
@pytest.mark.parametrize("folder", ["out", "out/sub"])
def test_a_folder_that_git_ignores_is_read_as_a_plain_folder(git_repo: RepoFactory, folder: str) -> None:
    repo = git_repo({**PAGES, ".gitignore": "out/\n"})
    write_files(repo.path, {"out/sub/a.md": "# A\n"})
    with open_source(repo.path / folder) as source:
        assert source.snapshot.revision is None
        assert [Path(path).name for path in paths(source)] == ["a.md"]


@pytest.mark.req("P01")
def test_a_folder_of_a_work_tree_is_a_content_root(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    with open_source(repo.path / "docs") as source:
        assert paths(source) == ["deep/é.md", "plan.md"]
        assert source.origin.folder == "docs"
        assert source.snapshot.revision == repo.commits[0]


@pytest.mark.req("P01")
def test_a_folder_of_a_bare_repository_is_a_content_root(git_repo: RepoFactory, tmp_path: Path) -> None:
    bare = git_repo(PAGES).bare(tmp_path / "bare.git")
    with open_source(bare, folder="docs/deep/") as source:
        assert read_all(source) == {"é.md": "# É\n".encode()}
    with pytest.raises(SourceError, match="no folder `docs/shallow`"):
        open_source(bare, folder="docs/shallow")


def test_a_plain_folder_is_read_as_it_lies_there(vault: VaultFactory) -> None:
    with open_source(vault(PAGES)) as source:
        assert paths(source) == ["docs/deep/é.md", "docs/plan.md", "index.md"]
        assert source.snapshot.revision is None
        assert source.origin.web == ""
        assert source.history() == History()


def test_the_same_content_has_the_same_ids_in_and_outside_git(git_repo: RepoFactory, vault: VaultFactory) -> None:
    committed, plain = open_source(git_repo(PAGES).path), open_source(vault(PAGES))
    assert committed.snapshot.entries == plain.snapshot.entries


def test_a_repository_without_a_commit_is_read_as_a_plain_folder(git_repo: RepoFactory) -> None:
    repo = git_repo()
    write_files(repo.path, PAGES)
    with open_source(repo.path) as source:
        assert source.snapshot.revision is None
        assert len(source.snapshot.entries) == 3


@pytest.mark.req("P01")
@pytest.mark.parametrize("at", ["main", "refs/heads/main", "v1", "short", "HEAD~1", "later", "origin/later"])
def test_a_revision_is_a_branch_a_tag_or_a_commit(git_repo: RepoFactory, tmp_path: Path, at: str) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "-c", "user.name=x", "-c", "user.email=x@example.org", "tag", "--annotate", "--message=One", "v1")
    repo.commit({"a.md": "2"})
    run_git(repo.path, "branch", "later")
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "--quiet", str(repo.path), str(clone))
    name = repo.commits[0][:9] if at == "short" else at
    expected = repo.commits[0] if at in {"v1", "short", "HEAD~1"} else repo.commits[1]
    with open_source(clone, at=name) as source:
        assert source.snapshot.revision == expected


@pytest.mark.req("P13")
def test_an_unknown_revision_names_the_branches_there(git_repo: RepoFactory) -> None:
    with pytest.raises(SourceError, match="no revision `nope`") as caught:
        open_source(git_repo(PAGES).path, at="nope")
    assert "main" in caught.value.hint


def test_a_revision_that_is_no_commit_is_refused(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    run_git(repo.path, "tag", "a-page", run_git(repo.path, "rev-parse", "HEAD:index.md"))
    with pytest.raises(SourceError, match="names a blob, not a commit"):
        open_source(repo.path, at="a-page")


def test_a_plain_folder_has_no_revisions(vault: VaultFactory, git_repo: RepoFactory) -> None:
    with pytest.raises(SourceError, match="has no revisions"):
        open_source(vault(PAGES), at="main")
    with pytest.raises(UsageError):
        open_source(git_repo(PAGES).path, at="main", uncommitted=True)


def test_a_revision_without_the_folder_is_refused(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    repo.commit({"docs/b.md": "2"})
    with pytest.raises(SourceError, match="no folder `docs`"):
        open_source(repo.path / "docs", at=repo.commits[0])


@pytest.mark.req("P13")
def test_a_missing_path_and_a_file_are_told_apart(vault: VaultFactory) -> None:
    folder = vault(PAGES)
    with pytest.raises(SourceError, match="There is no folder"):
        open_source(folder / "nowhere")
    with pytest.raises(SourceError, match="is a file, not a folder") as caught:
        open_source(folder / "index.md")
    assert str(folder) in caught.value.hint


def test_an_empty_bare_repository_is_refused(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet", "--bare", "empty.git")
    with pytest.raises(SourceError, match="has no commit yet"):
        open_source(tmp_path / "empty.git")
    with pytest.raises(UsageError, match="bare"):
        open_source(tmp_path / "empty.git", uncommitted=True)


@pytest.mark.req("P13")
def test_a_head_that_names_no_branch_lists_the_branches(git_repo: RepoFactory, tmp_path: Path) -> None:
    bare = git_repo(PAGES).bare(tmp_path / "bare.git")
    run_git(bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
    with pytest.raises(SourceError, match="`trunk`, which does not exist") as caught:
        open_source(bare)
    assert "main" in caught.value.hint
    assert len(open_source(bare, at="main").snapshot.entries) == 3


@pytest.mark.req("P13")
@pytest.mark.parametrize("broken", ["commit", "tree", "blob"])
@pytest.mark.parametrize("damage", ["missing", "garbage", "forged"])
def test_a_damaged_repository_is_one_clear_error(git_repo: RepoFactory, broken: str, damage: str) -> None:
    repo = git_repo(PAGES)
    name = {"commit": "HEAD", "tree": "HEAD^{tree}", "blob": "HEAD:docs/plan.md"}[broken]
    identity = run_git(repo.path, "rev-parse", name)
    file = repo.path / ".git" / "objects" / identity[:2] / identity[2:]
    other = run_git(repo.path, "rev-parse", {"commit": "HEAD", "tree": "HEAD:docs", "blob": "HEAD:index.md"}[broken])
    if damage == "forged" and broken == "commit":
        repo.commit({"index.md": "other"})
        run_git(repo.path, "reset", "--quiet", "--hard", identity)
        other = repo.commits[1]
    replacement = (repo.path / ".git" / "objects" / other[:2] / other[2:]).read_bytes()
    file.unlink()
    if damage != "missing":
        file.write_bytes(b"no object" if damage == "garbage" else replacement)
    with pytest.raises(SourceError, match=r"missing from|damaged|changed") as caught, open_source(repo.path) as source:
        read_all(source)
    assert "fsck" in caught.value.hint


@pytest.mark.req("P13")
def test_a_repository_without_objects_is_refused_for_its_files_were_never_all_committed(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    shutil.rmtree(repo.path / ".git" / "objects")
    with pytest.raises(SourceError, match="has no objects"):
        open_source(repo.path)


@pytest.mark.req("P13")
def test_a_repository_without_head_is_refused_and_readable_as_files(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    (repo.path / ".git" / "HEAD").unlink()
    with pytest.raises(SourceError, match="has no HEAD"):
        open_source(repo.path)
    assert len(open_source(repo.path, uncommitted=True).snapshot.entries) == 3


def test_a_linked_work_tree_reads_its_own_commit(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    repo.commit({"a.md": "2"})
    with open_source(tmp_path / "side") as source:
        assert read_all(source) == {"a.md": b"1"}
        assert source.origin.branch == "side"
    run_git(repo.path, "worktree", "list")
    (repo.path / ".git" / "worktrees" / "side" / "HEAD").unlink()
    with pytest.raises(SourceError, match="what it names is not there"):
        open_source(tmp_path / "side")


def test_an_empty_git_folder_is_no_repository(vault: VaultFactory) -> None:
    folder = vault(PAGES)
    (folder / ".git").mkdir()
    assert len(open_source(folder).snapshot.entries) == 3


def test_a_repository_of_another_object_format_is_refused(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "new")
    write_files(tmp_path / "new", PAGES)
    run_git(tmp_path / "new", "add", "--all")
    run_git(tmp_path / "new", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "--message=One")
    with pytest.raises(SourceError, match="SHA-256"):
        open_source(tmp_path / "new")


@pytest.mark.req("P01")
def test_a_shallow_clone_is_read_with_a_finding(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    repo.commit({"b.md": "2"})
    run_git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repo.path}", "shallow")
    with open_source(tmp_path / "shallow") as source:
        assert [finding.code for finding in source.snapshot.findings] == ["SRC008"]
        assert read_all(source) == {"a.md": b"1", "b.md": b"2"}
        assert source.history().last == {}, "to the only commit there, every page looks new"


@pytest.mark.req("P13")
def test_a_partial_clone_says_so_and_fetches_nothing(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "1"})
    run_git(repo.path, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repo.path}", "partial.git")
    with pytest.raises(SourceError, match="partial clone") as caught:
        open_source(tmp_path / "partial.git")
    assert "--filter" in caught.value.hint


@pytest.mark.req("P01", "P14")
def test_entries_are_sorted_by_the_bytes_of_their_paths(git_repo: RepoFactory, vault: VaultFactory) -> None:
    files: Files = {"b.md": "1", "a/z.md": "2", "a.md": "3", "a-b.md": "4", "Z.md": "5", "é.md": "6", "e\u0301.md": "7"}
    expected = sorted(files, key=str.encode)
    assert paths(open_source(git_repo(files).path)) == expected
    assert paths(open_source(vault(files))) == expected


def test_bytes_come_in_the_order_they_were_asked_for(git_repo: RepoFactory, vault: VaultFactory) -> None:
    for root in (git_repo(PAGES).path, vault(PAGES)):
        with open_source(root) as source:
            wanted = [*reversed(source.snapshot.entries), source.snapshot.entries[0]]
            assert [entry for entry, _ in source.read(wanted)] == wanted
            assert list(source.read([])) == []


def test_two_loops_over_one_source_do_not_disturb_each_other(git_repo: RepoFactory) -> None:
    with open_source(git_repo({f"{n}.md": str(n) for n in range(50)}).path) as source:
        for (_, left), (_, right) in zip(source.read(source.snapshot.entries), source.read(source.snapshot.entries), strict=True):
            assert left == right


def test_closing_a_source_ends_a_loop_that_was_left_open(git_repo: RepoFactory) -> None:
    source = open_source(git_repo({f"{n}.md": "x" * 9000 for n in range(200)}).path)
    loop = source.read(source.snapshot.entries)
    next(loop)
    source.close()
    with pytest.raises(ValueError, match="closed"):
        list(loop)


@pytest.mark.req("P01")
def test_reading_changes_nothing_below_the_path(git_repo: RepoFactory, vault: VaultFactory) -> None:
    repo = git_repo(PAGES)
    repo.commit({"index.md": "# Two\n"})
    (repo.path / "index.md").touch()
    for root in (repo.path, vault(PAGES)):
        before = read_tree(root), read_states(root)
        for uncommitted in (False, True):
            with open_source(root, uncommitted=uncommitted) as source:
                read_all(source)
                source.history()
        assert (read_tree(root), read_states(root)) == before


def test_a_file_changed_while_reading_is_noticed(vault: VaultFactory) -> None:
    root = vault(PAGES)
    source = open_source(root)
    write_files(root, {"index.md": "# Other\n"})
    with pytest.raises(SourceError, match=r"index\.md changed"):
        read_all(source)
    (root / "index.md").unlink()
    with pytest.raises(SourceError, match=r"index\.md changed"):
        read_all(source)


@pytest.mark.threat(2)
def test_a_file_exchanged_for_a_link_while_reading_is_not_followed(vault: VaultFactory, tmp_path: Path) -> None:
    root = vault(PAGES)
    (tmp_path / "outside.md").write_bytes(b"# Start\n")
    source = open_source(root)
    write_files(root, {"index.md": Link("../outside.md")})
    with pytest.raises(SourceError, match=r"index\.md changed"):
        read_all(source)


@pytest.mark.req("P13")
def test_an_unreadable_file_costs_a_finding_and_an_unreadable_folder_is_an_error(vault: VaultFactory) -> None:
    root = vault({**PAGES, "locked/a.md": "1", "b.md": "2"})
    open_to_all(root)
    with without_power(root / "locked", root / "b.md"):
        source = open_source(root)
    assert [(finding.code, finding.path) for finding in source.snapshot.findings] == [("SRC009", "b.md"), ("SRC009", "locked")]
    assert paths(source) == ["docs/deep/é.md", "docs/plan.md", "index.md"]
    with without_power(root), pytest.raises(SourceError, match=r"[Pp]ermission denied"):
        open_source(root)


@pytest.mark.req("P13")
def test_an_unreadable_repository_is_an_error(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    open_to_all(repo.path)
    with without_power(repo.path / ".git"), pytest.raises(SourceError, match=r"[Pp]ermission denied"):
        open_source(repo.path)


@pytest.mark.req("P01")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_repository_of_another_user_is_read(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    for path in (repo.path, *repo.path.rglob("*")):
        os.chown(path, 12345, 12345, follow_symlinks=False)
    with pytest.raises(AssertionError, match="dubious ownership"):
        run_git(repo.path, "log")
    with open_source(repo.path) as source:
        assert len(read_all(source)) == 3
        assert len(source.history().last) == 3
    assert len(open_source(repo.path, uncommitted=True).snapshot.entries) == 3
