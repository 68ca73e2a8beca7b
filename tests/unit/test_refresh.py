"""`refresh_maps`: commits the maps of what is committed, and nothing else (SPEC T28, T29, T31, T37)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.errors import SourceError
from indexer.sources.branch import find_branch, read_head
from indexer.writes.content import find_last_refresh, name_mark, read_content
from indexer.writes.map_plan import Drawn
from indexer.writes.refresh import plan_refresh, refresh_maps
from tests.tools.refreshing import MARKED, is_clean, list_files, order, read_log
from tests.tools.repos import GitRepo, run_git
from tests.tools.trees import read_states, read_tree

RepoFactory = Callable[..., GitRepo]
PAGES = {"index.md": MARKED, "notes/a.md": "A", "notes/b.md": "B", "c.txt": "no page"}


def show(repo: Path, path: str) -> str:
    return run_git(repo, "show", f"HEAD:{path}")


@pytest.mark.req("T29", "T31", "T37")
def test_a_refresh_is_one_commit_of_maps_alone_that_says_what_it_read(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    done = refresh_maps(order(repo.path))
    assert (done.status, done.revision) == ("refreshed", repo.commits[0])
    assert read_log(repo.path) == ["Refresh the maps", "First pages"]
    changed = run_git(repo.path, "diff", "--name-only", "HEAD~1").splitlines()
    assert changed == [".brain/hubs/notes.md", ".brain/index.md", ".brain/log.md", "index.md"]
    assert show(repo.path, ".brain/hubs/notes.md") == "- notes/a.md\n- notes/b.md"
    assert show(repo.path, "index.md") == MARKED.replace("index -->\n<", "index -->\n- notes/a.md\n- notes/b.md\n<").rstrip()
    assert run_git(repo.path, "log", "-1", "--format=%an <%ae>|%cn <%ce>|%(trailers:key=Brain-Refresh,valueonly)").strip() == (
        "Brainpress <brainpress@noreply.invalid>|Brainpress <brainpress@noreply.invalid>|" + repo.commits[0]
    )
    assert (
        show(repo.path, ".brain/log.md").splitlines()[-1] == f"- 2026-01-01: maps of 3 pages; 2 new, 1 changed; read {repo.commits[0][:12]}"
    )
    assert is_clean(repo.path)
    assert (repo.path / ".brain" / "index.md").read_text("utf-8") == "# Index\n\n- notes/a.md\n- notes/b.md\n"
    run_git(repo.path, "fsck", "--strict")


@pytest.mark.req("T29")
def test_a_second_refresh_commits_nothing_and_its_own_commit_triggers_none(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    head = refresh_maps(order(repo.path)).head
    again = refresh_maps(order(repo.path))
    assert (again.status, again.head, again.revision) == ("unchanged", head, repo.commits[0])
    assert refresh_maps(order(repo.path, only_stale=True)).status == "fresh"
    assert run_git(repo.path, "rev-parse", "HEAD") == head


@pytest.mark.req("T29")
def test_commits_of_maps_alone_never_trigger_whoever_makes_them(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    refresh_maps(order(repo.path))
    run_git(repo.path, "update-ref", "-d", name_mark(find_branch(repo.path)))
    repo.commit({".brain/index.md": "by hand"})
    repo.commit({"index.md": MARKED.replace("index -->\n<", "index -->\nby hand\n<")})
    assert refresh_maps(order(repo.path, only_stale=True)).status == "fresh"
    repaired = refresh_maps(order(repo.path))
    assert (repaired.status, repaired.revision) == ("refreshed", repo.commits[0]), "asked for by hand, it repairs them"
    repo.commit({"index.md": MARKED.replace("Bye", "Good-bye")})
    branch = find_branch(repo.path)
    assert read_content(branch, read_head(branch).id).revision == repo.commits[-1]
    assert refresh_maps(order(repo.path, only_stale=True)).status == "refreshed"


@pytest.mark.req("T29")
def test_a_page_that_changes_no_map_leaves_no_commit_and_is_remembered_as_read(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    refresh_maps(order(repo.path))
    repo.commit({"notes/a.md": "A, said better"})
    done = refresh_maps(order(repo.path, only_stale=True))
    assert (done.status, done.revision, done.head) == ("unchanged", repo.commits[1], repo.commits[1])
    assert refresh_maps(order(repo.path, only_stale=True)).status == "fresh"
    branch = find_branch(repo.path)
    last = find_last_refresh(branch, read_head(branch).id)
    assert last is not None
    assert last.revision == repo.commits[0]


@pytest.mark.req("T29", "T31")
def test_maps_of_what_is_gone_go_and_what_others_keep_there_stays(git_repo: RepoFactory) -> None:
    repo = git_repo({**PAGES, ".brain/integration.json": "{}", "other/d.md": "D"})
    refresh_maps(order(repo.path))
    assert ".brain/hubs/other.md" in list_files(repo.path)
    repo.commit(remove=("other/d.md",))
    refresh_maps(order(repo.path))
    files = list_files(repo.path)
    assert ".brain/hubs/other.md" not in files
    assert ".brain/integration.json" in files
    assert not (repo.path / ".brain/hubs/other.md").exists()
    assert is_clean(repo.path)
    lines = show(repo.path, ".brain/log.md").splitlines()
    assert [line.partition("; read")[0] for line in lines[-2:]] == [
        "- 2026-01-01: maps of 4 pages; 3 new, 1 changed",
        "- 2026-01-02: maps of 3 pages; 2 changed, 1 gone",
    ]


@pytest.mark.req("T37")
@pytest.mark.parametrize("path", ["notes/a.md", "index.md", ".brain/log.md", "../x.md", ".github/workflows/x.yml"])
def test_maps_that_would_write_a_page_are_a_mistake_that_nothing_comes_of(git_repo: RepoFactory, path: str) -> None:
    repo = git_repo(PAGES)
    wrong = replace(order(repo.path), draw=lambda _revision, _now: Drawn({path: b"other"}, 1))
    before = read_tree(repo.path)
    with pytest.raises(AssertionError, match="may not write"):
        refresh_maps(wrong)
    assert read_tree(repo.path) == before


@pytest.mark.req("T28", "P14")
def test_the_same_commit_refreshed_in_two_places_gives_the_same_commit(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PAGES)
    other = repo.bare(tmp_path / "bare.git")
    assert refresh_maps(order(repo.path)).head == refresh_maps(order(other)).head


def test_a_dry_run_says_what_would_change_and_changes_nothing(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    before = read_tree(repo.path), read_states(repo.path)
    planned = plan_refresh(order(repo.path))
    assert planned.status == "planned"
    assert [(each.path, each.added, each.removed) for each in planned.files if "hubs" in each.path] == [(".brain/hubs/notes.md", 2, 0)]
    assert (read_tree(repo.path), read_states(repo.path)) == before


@pytest.mark.req("T29")
def test_a_folder_of_a_repository_is_refreshed_by_itself(git_repo: RepoFactory) -> None:
    repo = git_repo({"one/a.md": "A", "two/b.md": "B", "index.md": "# Top\n"})
    refresh_maps(order(repo.path / "one"))
    assert refresh_maps(order(repo.path / "two", only_stale=True)).status == "refreshed"
    assert sorted(path for path in list_files(repo.path) if ".brain" in path) == [
        "one/.brain/index.md",
        "one/.brain/log.md",
        "two/.brain/index.md",
        "two/.brain/log.md",
    ]
    for part in ("one", "two"):
        assert refresh_maps(order(repo.path / part, only_stale=True)).status == "fresh"
    repo.commit({"two/b.md": "B2"})
    assert refresh_maps(order(repo.path / "one", only_stale=True)).status == "fresh"
    assert refresh_maps(order(repo.path / "two", only_stale=True)).status == "unchanged"
    assert is_clean(repo.path)


@pytest.mark.req("T28")
def test_relations_that_wait_leave_the_repo_unrefreshed_until_they_come(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    given = order(repo.path, only_stale=True)
    waits = replace(given, draw=lambda revision, now: replace(given.draw(revision, now), waiting="the server is down"))
    assert refresh_maps(waits).waiting == "the server is down"
    assert "Brain-Relations: waiting" in run_git(repo.path, "log", "-1", "--format=%B")
    assert "relations wait" in show(repo.path, ".brain/log.md")
    assert refresh_maps(waits).status == "unchanged"
    assert refresh_maps(given).status == "unchanged", "drawn again, and this time whole"
    assert refresh_maps(given).status == "fresh"


def test_a_branch_that_moves_while_it_is_read_is_read_again(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    given = order(repo.path)
    moves = iter([{"notes/d.md": "D"}, {"notes/e.md": "E"}])

    def draw_slowly(revision: str, now: dict[str, bytes]) -> Drawn:
        drawn = given.draw(revision, now)
        for files in moves:
            repo.commit(files)
            break
        return drawn

    done = refresh_maps(replace(given, draw=draw_slowly))
    assert done.revision == repo.commits[2]
    assert show(repo.path, ".brain/hubs/notes.md").count("\n") == 3
    assert len(read_log(repo.path)) == 4
    assert is_clean(repo.path)


def test_a_branch_that_never_rests_is_given_up_with_the_reason(git_repo: RepoFactory) -> None:
    repo = git_repo(PAGES)
    given = order(repo.path)

    def draw_slowly(revision: str, now: dict[str, bytes]) -> Drawn:
        repo.commit({f"{len(repo.commits)}.md": "new"})
        return given.draw(revision, now)

    with pytest.raises(SourceError, match="5 times") as caught:
        refresh_maps(replace(given, draw=draw_slowly))
    assert "moved by somebody else" in caught.value.message
    assert read_log(repo.path)[0] == "Change pages"
    assert not (repo.path / ".brain").exists()
