"""The last change of each page, and where renamed pages are now."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from indexer.model.snapshot import Change, History, Limits
from indexer.sources import open_source
from indexer.sources.history import LoggedCommit, Move, fold_commits
from tests.tools.forged import forge_commit
from tests.tools.repos import DAY, FIRST_COMMIT, GitRepo, run_git

RepoFactory = Callable[..., GitRepo]

LONG = "".join(f"line {n} of a page that is long enough to be recognised\n" for n in range(20))


def read_history(root: Path, **options: object) -> History:
    with open_source(root) as source:
        return source.history(**options)  # type: ignore[arg-type]


def changed(root: Path) -> dict[str, str]:
    return {path: change.revision for path, change in read_history(root).last.items()}


@pytest.mark.req("P08", "P01")
def test_the_last_change_is_the_commit_that_touched_the_page(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1", "b.md": "1"})
    second = repo.commit({"a.md": "2"})
    repo.commit({"c.txt": "1"}, at=FIRST_COMMIT + 5 * DAY)
    last = read_history(repo.path).last
    assert last == {
        "a.md": Change(second, FIRST_COMMIT + DAY),
        "b.md": Change(repo.commits[0], FIRST_COMMIT),
        "c.txt": Change(repo.commits[2], FIRST_COMMIT + 5 * DAY),
    }


def test_only_paths_of_the_snapshot_are_told(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1", "gone.md": "1", ".hidden.md": "1"})
    repo.commit(remove=("gone.md",))
    assert set(read_history(repo.path).last) == {"a.md"}


def test_a_content_root_has_the_history_of_its_folder(git_repo: RepoFactory) -> None:
    repo = git_repo({"docs/a.md": LONG, "top.md": "1"})
    repo.commit({"docs2/x.md": "not below docs"})
    repo.commit(rename=(("docs/a.md", "docs/b.md"),))
    repo.commit({"top.md": "2"})
    history = read_history(repo.path / "docs")
    assert {path: change.revision for path, change in history.last.items()} == {"b.md": repo.commits[2]}
    assert history.renames == {"a.md": "b.md"}


@pytest.mark.req("P15")
def test_renames_are_followed_to_where_the_page_is_now(git_repo: RepoFactory) -> None:
    repo = git_repo({"one.md": LONG})
    repo.commit(rename=(("one.md", "two.md"),))
    repo.commit({"two.md": LONG + "edited\n"})
    repo.commit({"deep/three.md": LONG + "edited, moved\n"}, remove=("two.md",))
    assert read_history(repo.path).renames == {"one.md": "deep/three.md", "two.md": "deep/three.md"}


@pytest.mark.req("P15")
def test_a_former_path_that_exists_again_is_not_redirected(git_repo: RepoFactory) -> None:
    repo = git_repo({"zero.md": LONG})
    repo.commit(rename=(("zero.md", "one.md"),))
    repo.commit(rename=(("one.md", "two.md"),))
    repo.commit({"one.md": "something else\n"})
    assert read_history(repo.path).renames == {"zero.md": "two.md"}


@pytest.mark.req("P15")
def test_a_page_that_was_deleted_after_its_rename_has_no_redirect(git_repo: RepoFactory) -> None:
    repo = git_repo({"one.md": LONG, "other.md": "1"})
    repo.commit(rename=(("one.md", "two.md"),))
    repo.commit(remove=("two.md",))
    assert read_history(repo.path).renames == {}


@pytest.mark.req("P15")
def test_a_path_used_by_two_pages_leads_to_the_later_one(git_repo: RepoFactory) -> None:
    other = "".join(f"another page, line {n}\n" for n in range(20))
    repo = git_repo({"x.md": LONG})
    repo.commit(rename=(("x.md", "y.md"),))
    repo.commit({"x.md": other})
    repo.commit(rename=(("x.md", "z.md"),))
    assert read_history(repo.path).renames == {"x.md": "z.md"}


@pytest.mark.req("P15")
def test_a_renamed_folder_redirects_every_page_of_it(git_repo: RepoFactory) -> None:
    pages = {f"old/{n}.md": f"{LONG}{n}\n" for n in range(30)}
    repo = git_repo(pages)
    repo.commit(rename=tuple((name, name.replace("old/", "new name/é/")) for name in pages))
    assert read_history(repo.path).renames == {name: name.replace("old/", "new name/é/") for name in pages}


@pytest.mark.req("P15", "P19")
def test_a_page_moved_out_of_a_hidden_folder_leaves_no_trace_of_it(git_repo: RepoFactory) -> None:
    repo = git_repo({".trash/secret.md": LONG, "a.md": "1"})
    repo.commit(rename=((".trash/secret.md", "back.md"),))
    assert read_history(repo.path).renames == {}


def test_names_with_odd_characters_come_through(git_repo: RepoFactory) -> None:
    names = ["a b.md", "ü\u0308.md", "R100", "A", "\u65e5.md", 'quote".md', "D.md"]
    repo = git_repo(dict.fromkeys(names, "x"))
    assert set(read_history(repo.path).last) == set(names)


def merge(repo: GitRepo, branch: str, *options: str) -> str:
    moment = f"{FIRST_COMMIT + DAY * len(repo.commits)} +0000"
    env = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in {"NAME": "A", "EMAIL": "a@b.c", "DATE": moment}.items()
    }
    run_git(repo.path, "merge", "--quiet", "--no-ff", "--message=Merge", *options, branch, env=env)
    repo.commits.append(run_git(repo.path, "rev-parse", "HEAD"))
    return repo.commits[-1]


@pytest.mark.req("P08")
def test_a_change_belongs_to_the_commit_on_the_branch_and_not_to_the_merge(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1", "b.md": "1"})
    run_git(repo.path, "switch", "--quiet", "--create", "side")
    on_side = repo.commit({"a.md": "2", "moved.md": LONG})
    run_git(repo.path, "switch", "--quiet", "main")
    on_main = repo.commit({"b.md": "2"})
    merge(repo, "side")
    assert changed(repo.path) == {"a.md": on_side, "b.md": on_main, "moved.md": on_side}


@pytest.mark.req("P08")
def test_a_page_put_together_in_a_merge_belongs_to_the_merge(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": LONG})
    run_git(repo.path, "switch", "--quiet", "--create", "side")
    repo.commit({"a.md": LONG + "at the end\n"})
    run_git(repo.path, "switch", "--quiet", "main")
    repo.commit({"a.md": "at the top\n" + LONG})
    assert changed(repo.path) != {}
    assert merge(repo, "side") == changed(repo.path)["a.md"]


@pytest.mark.req("P15")
def test_a_rename_on_a_merged_branch_is_found(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": LONG, "b.md": "1"})
    run_git(repo.path, "switch", "--quiet", "--create", "side")
    repo.commit(rename=(("a.md", "c.md"),))
    run_git(repo.path, "switch", "--quiet", "main")
    repo.commit({"a.md": LONG + "edited on main\n"})
    merge(repo, "side")
    assert read_history(repo.path).renames == {"a.md": "c.md"}


def make_past(repo: GitRepo, **parts: Any) -> History:
    """Return a made-up history that a source takes for one of its own."""
    return replace(read_history(repo.path), **{"last": {}, "renames": {}, **parts})


def grow(repo: GitRepo, chance: random.Random, commits: int, *, branches: bool) -> None:
    """Add commits that write, edit, rename, delete and bring back pages."""
    for number in range(commits):
        pages = sorted(path.name for path in repo.path.glob("*.md"))
        deed = chance.choice(["write", "edit", "rename", "delete", "again"] + ["branch"] * branches)
        if deed == "write" or len(pages) < 4:
            repo.commit({f"p{chance.randrange(12)}.md": f"{LONG}{chance.random()}\n"})
        elif deed == "rename":
            new = f"p{chance.randrange(12)}.md"
            page = chance.choice(pages)
            repo.commit(**({"rename": ((page, new),)} if new not in pages else {"files": {page: f"{LONG}{chance.random()}\n"}}))
        elif deed == "delete":
            repo.commit(remove=(chance.choice(pages),))
        elif deed == "branch":
            run_git(repo.path, "switch", "--quiet", "--create", f"side{number}-{len(repo.commits)}")
            page, other = chance.sample(pages, 2)
            repo.commit({page: f"{LONG}{chance.random()}\n"})
            side = run_git(repo.path, "branch", "--show-current")
            run_git(repo.path, "switch", "--quiet", "main")
            repo.commit({other: f"{LONG}{chance.random()}\n"})
            merge(repo, side)
        else:
            repo.commit({chance.choice(pages): f"{LONG}{chance.random()}\n"})


@pytest.mark.req("P14")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("branches", [False, True])
def test_reading_only_new_commits_gives_the_same_as_reading_all(git_repo: RepoFactory, seed: int, branches: bool) -> None:
    repo, chance = git_repo({"p0.md": LONG}), random.Random(seed)
    grow(repo, chance, 8, branches=branches)
    since, known = run_git(repo.path, "rev-parse", "HEAD"), read_history(repo.path)
    for _ in range(3):
        grow(repo, chance, 4, branches=branches)
        known, since = read_history(repo.path, known=known, since=since), run_git(repo.path, "rev-parse", "HEAD")
        assert known == read_history(repo.path)
        assert set(known.last) == {path.name for path in repo.path.glob("*.md")}


@pytest.mark.parametrize("seed", range(3))
def test_the_last_change_is_the_one_that_git_names_for_each_page(git_repo: RepoFactory, seed: int) -> None:
    repo = git_repo({"p0.md": LONG})
    grow(repo, random.Random(seed), 14, branches=True)
    expected = {path.name: run_git(repo.path, "log", "-1", "--format=%H", "--", path.name) for path in repo.path.glob("*.md")}
    assert changed(repo.path) == expected


def test_a_branch_that_began_before_what_is_known_is_read_as_a_whole(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1", "b.md": "1"})
    run_git(repo.path, "switch", "--quiet", "--create", "side")
    repo.commit({"a.md": "2"})
    run_git(repo.path, "switch", "--quiet", "main")
    since = repo.commit({"b.md": "2"})
    known = make_past(repo, last=dict.fromkeys(("a.md", "b.md"), Change("f" * 40, 1)))
    merge(repo, "side")
    assert read_history(repo.path, known=known, since=since) == read_history(repo.path)


def test_new_commits_alone_are_read_on_top_of_what_is_known(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1", "b.md": "1"})
    made_up = {"b.md": Change("f" * 40, 1), "gone.md": Change("e" * 40, 1)}
    known = make_past(repo, last=made_up, renames={"old.md": "b.md", "lost.md": "gone.md"})
    second = repo.commit({"a.md": "2"})
    history = read_history(repo.path, known=known, since=repo.commits[0])
    assert history.last == {"a.md": Change(second, FIRST_COMMIT + DAY), "b.md": Change("f" * 40, 1)}, "the made-up past was believed"
    assert history.renames == {"old.md": "b.md"}
    assert read_history(repo.path, known=known, since=second).last == {"b.md": Change("f" * 40, 1)}


@pytest.mark.parametrize("since", ["0" * 40, "main", "--all", "not a commit"])
def test_an_unknown_starting_point_means_reading_all(git_repo: RepoFactory, since: str) -> None:
    repo = git_repo({"a.md": "1"})
    known = make_past(repo, last={"a.md": Change("f" * 40, 1)})
    assert read_history(repo.path, known=known, since=since) == read_history(repo.path)


def test_a_history_of_another_folder_is_not_taken_over(git_repo: RepoFactory) -> None:
    repo = git_repo({"one/index.md": "1"})
    since = repo.commit({"two/index.md": "2"})
    known = read_history(repo.path / "one")
    assert read_history(repo.path / "two", known=known, since=since).last == {"index.md": Change(since, FIRST_COMMIT + DAY)}


def test_history_that_was_fetched_later_is_read_though_no_commit_is_new(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": LONG})
    since = repo.commit({"z.md": "z"}, rename=(("a.md", "b.md"),))
    run_git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repo.path}", "clone")
    known = read_history(tmp_path / "clone")
    assert known.last == {}
    run_git(tmp_path / "clone", "fetch", "--quiet", "--unshallow")
    history = read_history(tmp_path / "clone", known=known, since=since)
    assert (set(history.last), history.renames) == ({"b.md", "z.md"}, {"a.md": "b.md"})
    assert history == read_history(tmp_path / "clone")


def test_a_page_that_a_cap_left_out_has_its_last_change_once_the_cap_is_raised(git_repo: RepoFactory) -> None:
    repo = git_repo({"big.md": "x" * 2000, "a.md": "1"})
    with open_source(repo.path, limits=Limits(blob_bytes=1000)) as source:
        known = source.history()
    assert set(known.last) == {"a.md"}
    assert read_history(repo.path, known=known, since=repo.commits[-1]) == read_history(repo.path)


def test_rewritten_history_is_read_as_a_whole(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    dropped = repo.commit({"a.md": "2"})
    known = read_history(repo.path)
    run_git(repo.path, "reset", "--quiet", "--hard", repo.commits[0])
    repo.commit({"b.md": "1"})
    assert read_history(repo.path, known=known, since=dropped) == read_history(repo.path)


def test_clocks_that_go_wrong_do_not_change_the_order(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "1"})
    repo.commit({"a.md": "2"}, at=FIRST_COMMIT + 500 * DAY)
    third = repo.commit({"a.md": "3"}, at=FIRST_COMMIT - 500 * DAY)
    assert changed(repo.path) == {"a.md": third}


@pytest.mark.req("P01")
@pytest.mark.parametrize(
    ("person", "at"),
    [
        ("Ada <a@example.org> -1000000 +0000", 0),
        ("Ada <a@example.org> 99999999999999999999 +0000", 0),
        ("Ada <a@example.org>", 0),
        ("", 0),
        ("Ada <a@example.org> 1500000000 +051800", 1_500_000_000),
        ("Ada <a <b>> 1500000000 +0000", 1_500_000_000),
    ],
)
def test_a_commit_whose_date_is_unreadable_costs_its_date_alone(git_repo: RepoFactory, person: str, at: int) -> None:
    repo = git_repo({"a.md": "1"})
    (repo.path / "b.md").write_text("1")
    run_git(repo.path, "add", "--all")
    forged = forge_commit(repo.path, run_git(repo.path, "write-tree"), person=person, parents=repo.commits)
    with open_source(repo.path) as source:
        assert source.snapshot.committed_at == at
        assert source.history().last == {"a.md": Change(repo.commits[0], FIRST_COMMIT), "b.md": Change(forged, at)}
    run_git(repo.path, "reset", "--quiet", "--hard")
    last = repo.commit({"a.md": "2"})
    assert changed(repo.path) == {"a.md": last, "b.md": forged}


@pytest.mark.req("P14")
def test_the_order_of_the_result_does_not_depend_on_the_order_of_history(git_repo: RepoFactory) -> None:
    repo = git_repo({"z.md": "1"})
    repo.commit({"a.md": "1", "m.md": LONG})
    repo.commit({"b.md": "1"}, rename=(("m.md", "k.md"),))
    history = read_history(repo.path)
    assert list(history.last) == sorted(history.last)
    assert list(history.renames) == sorted(history.renames)


def commit(number: int, *moves: Move) -> LoggedCommit:
    return LoggedCommit(Change(f"{number:040x}", number), moves)


@pytest.mark.req("P15")
def test_two_renames_in_one_commit_that_share_a_path_are_kept_apart() -> None:
    log = [commit(2, Move("R", "b.md", "a.md"), Move("R", "c.md", "b.md")), commit(1, Move("A", "a.md"), Move("A", "b.md"))]
    assert fold_commits(log, frozenset({"b.md", "c.md"})).renames == {"a.md": "b.md"}


@pytest.mark.req("P15")
def test_pages_renamed_in_a_circle_end() -> None:
    log = [commit(3, Move("R", "c.md", "b.md")), commit(2, Move("R", "b.md", "c.md")), commit(1, Move("R", "c.md", "b.md"))]
    assert fold_commits(log, frozenset({"c.md"})).renames == {"b.md": "c.md"}


HIDDEN = "---\ndraft: true\n---\n"


def _conceals(data: bytes) -> bool:
    return data.startswith(b"---\ndraft")


@pytest.mark.req("P15", "P19")
def test_former_paths_of_a_page_that_was_hidden_are_concealed(git_repo: RepoFactory) -> None:
    repo = git_repo({"public.md": LONG, "draft.md": HIDDEN + LONG[::-1], "dir/two.md": HIDDEN + LONG.title()})
    repo.commit(rename=(("public.md", "a.md"), ("draft.md", "working.md"), ("dir/two.md", "dir/three.md")))
    since, known = run_git(repo.path, "rev-parse", "HEAD"), read_history(repo.path, conceals=_conceals)
    assert known.concealed == {"draft.md", "dir/two.md"}
    repo.commit(rename=(("working.md", "b.md"),))
    repo.commit({"b.md": LONG[::-1], "dir/three.md": LONG.title()})
    repo.commit(rename=(("b.md", "c.md"),))
    history = read_history(repo.path, conceals=_conceals)
    assert set(history.renames) - history.concealed == {"public.md", "b.md"}
    assert history == read_history(repo.path, conceals=_conceals, known=known, since=since)
    assert read_history(repo.path / "dir", conceals=_conceals).concealed == {"two.md"}


@pytest.mark.req("P15", "P19")
def test_in_a_partial_clone_every_former_path_is_concealed(git_repo: RepoFactory) -> None:
    repo = git_repo({"public.md": LONG})
    repo.commit(rename=(("public.md", "a.md"),))
    packs = repo.path / ".git" / "objects" / "pack"
    packs.mkdir(exist_ok=True)
    (packs / "pack-0.promisor").touch()
    history = read_history(repo.path, conceals=_conceals)
    assert history.renames == {"public.md": "a.md"}
    assert history.concealed == {"public.md"}
