"""The main job over real folders and repositories: what stays, what goes, what is left alone."""

import json
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from indexer import pipeline
from indexer.errors import BrainpressError, UsageError
from indexer.model.progress import Silent
from indexer.model.result import RepoOutcome
from indexer.pipeline import build_path, has_changed, read_snapshot
from indexer.publish.release import ReleaseWriter
from indexer.publish.state import BuildState, load_state
from indexer.resources import find_resource
from indexer.sources.orders import BuildOptions
from tests.tools.commands import run_brain
from tests.tools.forged import FILE, forge_blob, forge_commit, forge_tree
from tests.tools.repos import GitRepo
from tests.tools.trees import compare_trees, find_bytes, read_states, read_tree
from tests.tools.vaults import Files, write_files

VaultFactory = Callable[..., Path]
RepoFactory = Callable[..., GitRepo]
HERE = BuildOptions(processes=1)
HIDDEN = "---\nprivate: true\n---\n"
TENANT = """\
id: blue
title: Blue
accounts: [{id: ana, name: Ana Sole}]
memberships: [{account: ana, role: admin}]
repos:
  - {id: one, title: One, owner: ana, folder: one}
  - {id: two, title: Two, owner: ana, folder: sources/two.git}
  - {id: three, title: Three, owner: ana, folder: three}
"""


def build(path: Path, out: Path, options: BuildOptions = HERE) -> RepoOutcome:
    (outcome,) = build_path(path, out, options)
    return outcome


def break_objects(git_dir: Path) -> None:
    """Damage everything that a repository holds."""
    for file in (git_dir / "objects").rglob("*"):
        if file.is_file():
            file.chmod(0o644)
            file.write_bytes(b"junk")


def ask(index: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(index), read_only=True) as connection:
        return connection.execute(query).fetchall()


class Counting(Silent):
    """Remembers how many pages each stage was to do."""

    def __init__(self) -> None:
        self.totals: dict[str, int] = {}

    def stage(self, name: str, total: int | None = None) -> None:
        self.totals[name.partition(": ")[2] or name] = total or 0


def parsed(path: Path, out: Path) -> int:
    progress = Counting()
    build_path(path, out, HERE, progress)
    return progress.totals["parse"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Tenant `blue` with two folders and a bare repository."""
    root = write_files(tmp_path / "ws", {"blue/tenant.yml": TENANT, "blue/one/a.md": "# One", "blue/three/c.md": "# Three"})
    repo = GitRepo.create(tmp_path / "work")
    repo.commit({"b.md": "# Two\nyesterday"})
    (root / "blue/sources").mkdir()
    repo.bare(root / "blue/sources/two.git")
    return root


@pytest.mark.req("P01", "P13")
def test_a_corrupt_repo_keeps_its_release_and_rows_while_the_others_are_built(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert [outcome.status for outcome in build_path(workspace, out, HERE)] == ["built"] * 3
    last = read_tree(out / "blue/two")
    break_objects(workspace / "blue/sources/two.git")
    write_files(workspace, {"blue/one/a.md": "# Uno"})
    ran = run_brain("build", workspace, "--out", out, "--jobs", "1")
    assert ran.code == 3
    assert "two: FAILED, and what an earlier build made of it stays." in ran.err
    assert "two could not be built" in ran.out
    assert compare_trees(last, read_tree(out / "blue/two")) == []
    index = out / "blue/index.duckdb"
    assert ask(index, "SELECT repo, title FROM page ORDER BY repo") == [("one", "Uno"), ("three", "Three"), ("two", "Two")]
    assert ask(index, "SELECT name, status FROM repo ORDER BY name") == [("one", "fresh"), ("three", "fresh"), ("two", "failed")]


@pytest.mark.req("P13")
def test_outcomes_stand_in_the_order_of_the_tenant_file(workspace: Path, tmp_path: Path) -> None:
    shutil.rmtree(workspace / "blue/one")
    outcomes = build_path(workspace, tmp_path / "out", HERE)
    assert [(outcome.repo, outcome.status) for outcome in outcomes] == [("one", "failed"), ("two", "built"), ("three", "built")]
    assert [finding.code for finding in outcomes[0].findings] == ["IDX001"]
    assert outcomes[0].error


@pytest.mark.req("P01", "P13")
def test_a_single_repo_that_cannot_be_read_fails_and_leaves_the_last_output_alone(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"a.md": "text"}), tmp_path / "out"
    build(repo.path, out)
    last = read_tree(out)
    break_objects(repo.path / ".git")
    with pytest.raises(BrainpressError):
        build(repo.path, out)
    assert compare_trees(last, read_tree(out)) == []


@pytest.mark.req("P02", "P14")
def test_with_nothing_new_nothing_is_written(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"a.md": "[[b]]", "b.md": "#tag", "c.md": "![[a]]"}), tmp_path / "out"
    assert build(repo.path, out).status == "built"
    before = read_states(out / "site")
    outcome = build(repo.path, out)
    assert (outcome.status, outcome.written) == ("unchanged", 0)
    assert read_states(out / "site") == before
    assert "nothing has changed" in run_brain("build", repo.path, "--out", out).said


@pytest.mark.req("P02")
def test_only_new_bytes_are_parsed(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"a.md": "one", "b.md": "two", "copy.md": "two"}), tmp_path / "out"
    assert parsed(repo.path, out) == 2
    repo.commit(rename=(("a.md", "d/renamed.md"),))
    assert parsed(repo.path, out) == 0
    repo.commit({"b.md": "three"})
    assert parsed(repo.path, out) == 1
    repo.commit({"b.md": "two"})
    assert parsed(repo.path, out) == 0


@pytest.mark.req("P07", "P09", "P10")
def test_a_page_that_was_removed_is_nowhere_any_more(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"a.md": "[[canary]]", "canary.md": "# Canary word\n#canarytag"}), tmp_path / "out"
    build(repo.path, out)
    assert find_bytes(out / "site", "canary word")
    repo.commit({"a.md": "no link"}, remove=("canary.md",))
    build(repo.path, out)
    assert find_bytes(out / "site", "canary") == []
    assert ask(out / "index.duckdb", "SELECT path FROM page") == [("a.md",)]


@pytest.mark.req("P15")
def test_a_renamed_page_leaves_a_redirect_until_another_takes_its_place(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"old name.md": "# Page\n\nLong enough to be known again.\n", "index.md": ""}), tmp_path / "out"
    build(repo.path, out)
    repo.commit(rename=(("old name.md", "d/new.md"),))
    build(repo.path, out)
    redirect = (out / "site/old name/index.html").read_text()
    assert 'href="../d/new/"' in redirect
    assert not (out / "site/old name/index.md").exists()
    assert ask(out / "index.duckdb", "SELECT from_path, from_url, to_url FROM redirect") == [("old name.md", "old%20name/", "d/new/")]
    repo.commit({"old name.md": "# Another"})
    build(repo.path, out)
    assert "Another" in (out / "site/old name/index.html").read_text()


@pytest.mark.req("P19")
def test_a_page_can_be_hidden_and_shown_again_without_a_trace(git_repo: RepoFactory, tmp_path: Path) -> None:
    text = "# Canary\n\n#canarytag ![x](canary.png)\n"
    repo, out = git_repo({"index.md": "text", "qdeepx/canary.md": text, "qdeepx/canary.png": b"canary"}), tmp_path / "out"
    build(repo.path, out)
    shown = read_tree(out / "site")
    repo.commit({"qdeepx/canary.md": HIDDEN + text})
    assert build(repo.path, out).hidden == 1
    assert find_bytes(out / "site", "canary") == []
    assert json.loads((out / "report.json").read_bytes())["hidden"] == ["qdeepx/canary.md"]
    for number in range(3):
        repo.commit({"index.md": f"text {number}"})
        build(repo.path, out)
        assert find_bytes(out / "site", "canary", "qdeepx") == []
    repo.commit({"index.md": "text", "qdeepx/canary.md": text})
    build(repo.path, out)
    again = {name for name, _ in read_tree(out / "site").items()}
    assert again == set(shown)


EDITS: tuple[Files, ...] = (
    {"b.md": "# B\n\n## New part\n"},
    {"a.md": "[[b#New part]] ![[b]] [[c]]", "e.svg": "<svg onload='x'/>"},
    {"b.md": "# B\n\n## Part\n"},
    {"c.md": HIDDEN + "# C", "d/x.md": "![p](../e.svg) #tag"},
    {"e.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>"},
    {"c.md": "# C\n![[a]]", "D/X.md": "", "a.md": "![[c]]"},
)


@pytest.mark.req("P02", "P14")
def test_builds_one_after_the_other_end_with_the_bytes_of_a_fresh_one(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"index.md": "[[a]]", "a.md": "[[b#Part]] ![[b]]", "b.md": "# B\n\n## Part\n", "c.md": "# C"}), tmp_path / "out"
    build(repo.path, out)
    for number, files in enumerate(EDITS):
        repo.commit(files)
        build(repo.path, out)
        fresh = tmp_path / f"fresh{number}"
        build(repo.path, fresh)
        assert compare_trees(read_tree(fresh / "site"), read_tree(out / "site")) == [], number
        reports = [json.loads((each / "report.json").read_bytes()) for each in (fresh, out)]
        assert [len(report.pop("trend")) for report in reports] == [1, number + 2]
        assert reports[0] == reports[1], number


@pytest.mark.req("P14")
def test_a_page_that_was_edited_and_set_back_shows_the_date_of_that(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"a.md": "one", "b.md": "b"}), tmp_path / "out"
    build(repo.path, out)
    repo.commit({"a.md": "two"})
    repo.commit({"a.md": "one"})
    build(repo.path, out)
    fresh = tmp_path / "fresh"
    build(repo.path, fresh)
    assert "2026-01-03" in (out / "site/a/index.html").read_text()
    assert compare_trees(read_tree(fresh / "site"), read_tree(out / "site")) == []


@pytest.mark.req("P02", "P17")
@pytest.mark.parametrize("damage", ["state.msgpack", "pages.sqlite", "spare.of"])
def test_losing_what_a_build_remembers_costs_time_only(git_repo: RepoFactory, tmp_path: Path, damage: str) -> None:
    repo, out = git_repo({"a.md": "[[b]] #tag", "b.md": "![x](p.png)", "p.png": b"x"}), tmp_path / "out"
    build(repo.path, out)
    repo.commit({"a.md": "[[b]]"})
    build(repo.path, out)
    whole = read_tree(out / "site")
    (out / ".brain" / damage).write_bytes(b"junk " * 1000)
    build(repo.path, out)
    assert compare_trees(whole, read_tree(out / "site")) == []


@pytest.mark.req("P13", "P17")
def test_a_stop_after_the_swap_and_before_the_state_costs_time_only(
    git_repo: RepoFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then what stood in the release before comes back: the state must not make the next build believe it is still there."""
    repo, out = git_repo({"a.md": "first", "b.md": "stays"}), tmp_path / "out"
    build(repo.path, out)
    first = read_tree(out / "site")
    swap_in = ReleaseWriter.swap_in

    def stop(writer: ReleaseWriter) -> None:
        swap_in(writer)
        raise KeyboardInterrupt

    repo.commit({"a.md": "second"}, remove=("b.md",))
    monkeypatch.setattr(ReleaseWriter, "swap_in", stop)
    with pytest.raises(KeyboardInterrupt):
        build(repo.path, out)
    monkeypatch.setattr(ReleaseWriter, "swap_in", swap_in)
    build(repo.path, out, BuildOptions(at=repo.commits[0], processes=1))
    assert compare_trees(first, read_tree(out / "site")) == []


@pytest.mark.req("P02")
def test_what_another_version_remembers_is_not_used(git_repo: RepoFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, out = git_repo({"a.md": "[[b]]", "b.md": ""}), tmp_path / "out"
    build(repo.path, out)
    whole = read_tree(out / "site")
    asked: list[str] = []

    def load(folder: Path, version: str) -> BuildState:
        state = load_state(folder, version + " later")
        asked.append(state.known.names)
        return state

    monkeypatch.setattr(pipeline, "load_state", load)
    build(repo.path, out)
    assert asked == [""]
    assert compare_trees(whole, read_tree(out / "site")) == []


@pytest.mark.req("P08")
def test_another_configuration_gives_every_page_another_frame(vault: VaultFactory, tmp_path: Path) -> None:
    folder, out = vault({"a.md": "x", "b.md": "y"}), tmp_path / "out"
    build(folder, out)
    config = tmp_path / "mkdocs.yml"
    text = find_resource("mkdocs.yml").read_text()
    text = text.replace("custom_dir: site_templates/overrides", f"custom_dir: {find_resource('site_templates/overrides')}")
    config.write_text(text.replace("language: en", "language: de"))
    before = read_tree(out / "site")
    outcome = build(folder, out, BuildOptions(processes=1, config_file=config))
    after = read_tree(out / "site")
    assert outcome.status == "built"
    for page in ("a/index.html", "b/index.html"):
        assert b'<html lang="en"' in before[page]
        assert b'<html lang="de"' in after[page]


@pytest.mark.req("P01")
def test_an_output_inside_what_is_read_is_refused(vault: VaultFactory) -> None:
    folder = vault({"a.md": "x"})
    for out in (folder, folder / "site", folder / "deep" / "out"):
        with pytest.raises(UsageError, match="only read"):
            build(folder, out)
    assert [path.name for path in folder.rglob("*.md")] == ["a.md"]


@pytest.mark.threat(19)
def test_an_active_drawing_is_not_published_and_its_finding_is_in_the_report(vault: VaultFactory, tmp_path: Path) -> None:
    folder = vault({"a.md": "![plan](evil.svg)", "evil.svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>canary()</script></svg>"})
    outcome = build(folder, tmp_path / "out")
    assert [finding.code for finding in outcome.findings] == ["MDN006"]
    assert find_bytes(tmp_path / "out/site", "canary()", "evil.svg") == ["a/index.md: evil.svg", "llms-full.txt: evil.svg"]
    assert "brain-dead" in (tmp_path / "out/site/a/index.html").read_text()
    assert "MDN006" in run_brain("check", folder).out


@pytest.mark.req("P10", "P13")
def test_a_commit_of_the_far_future_costs_nothing(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo()
    tree = forge_tree(repo.path, [(FILE, b"a.md", forge_blob(repo.path, b"x"))])
    forge_commit(repo.path, tree, at=9_999_999_999_999)
    assert build(repo.path, tmp_path / "out").status == "built"
    assert build(repo.path, tmp_path / "out").status == "unchanged"
    ET.fromstring((tmp_path / "out/site/feed.xml").read_bytes())


@pytest.mark.req("P18")
def test_a_change_of_content_is_seen_and_another_output_is_not_needed(vault: VaultFactory, tmp_path: Path) -> None:
    folder = vault({"a.md": "x"})
    options = BuildOptions(uncommitted=True)
    first = read_snapshot(folder, options, tmp_path / "out")
    assert not has_changed(first, read_snapshot(folder, options, tmp_path / "out"))
    (folder / "a.md").write_text("other")
    assert has_changed(first, read_snapshot(folder, options, tmp_path / "out"))
