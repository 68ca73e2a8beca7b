"""Relations of small brains in the build: in the report for everybody, kept between builds, and nothing of hidden pages."""

import io
import json
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from indexer.analysis.report import make_report
from indexer.cli.report_text import open_console, print_report
from indexer.model.relations import Mention, Relations
from indexer.pipeline import build_path
from indexer.publish import found_relations, small_relations
from indexer.sources.orders import BuildOptions
from indexer.store.page_cache import PageCache
from tests.tools.commands import run_brain
from tests.tools.repos import GitRepo, run_git
from tests.tools.results import make_jobs, make_result
from tests.tools.vaults import Files

TEXT = "This house stands by the water and grinds rye for the bakers of the valley."
FILES: Files = {
    "index.md": "# Start\n\nSee [[mill]].\n",
    "mill.md": f"# The old mill\n\n{TEXT}\n",
    "copy/mill.md": f"# The old mill again\n\n{TEXT}\n",
    "river.md": "# Green river\n\nWater.\n",
    "walk.md": "# A walk\n\nFirst.\n\nAlong the green river\nto the town.\n",
    "s.md": "---\nprivate: true\n---\n# Swordfish\n\nThe green river. Along the green river. " + TEXT,
}


def commit(root: Path, files: Files) -> GitRepo:
    repo = GitRepo.create(root)
    repo.commit(files)
    return repo


def build(path: Path, out: Path, processes: int = 1) -> dict[str, Any]:
    build_path(path, out, BuildOptions(processes=processes))
    report: dict[str, Any] = json.loads((out / "report.json").read_bytes())
    return report


@pytest.mark.req("T30", "P11")
def test_mentions_and_near_copies_are_on_the_report_page_in_both_reports_and_in_the_terminal(tmp_path: Path) -> None:
    repo = commit(tmp_path / "repo", FILES)
    report = build(repo.path, tmp_path / "out")
    relations = report["relations"]
    assert relations["mentions"] == [{"path": "walk.md", "line": 5, "words": "green river", "target": "river.md", "times": 1}]
    assert [(group["path"], [each["path"] for each in group["others"]]) for group in relations["copies"]] == [("copy/mill.md", ["mill.md"])]
    assert relations["waiting"] == ""
    site = tmp_path / "out" / "site"
    assert json.loads((site / "report.json").read_bytes())["relations"] == relations
    page = (site / "_/report/index.html").read_text("utf-8")
    assert '<h2 id="mentions">Mentioned here, not linked <span class="brain-count">1</span>' in page
    assert "<bdi>green river</bdi>" in page
    assert '<h2 id="near-copies">Near-copies <span class="brain-count">1</span>' in page
    assert [finding["path"] for finding in report["findings"] if finding["code"] == "REL001"] == ["mill.md"]
    said = run_brain("report", repo.path).out
    assert "walk.md:5  “green river” means river.md" in said
    assert "mill.md  90% of the words of copy/mill.md" in said
    assert "REL001" in run_brain("check", repo.path, "--json").out


@pytest.mark.req("T30", "P19", "X01")
@pytest.mark.threat(32)
def test_a_repo_with_hidden_pages_has_the_relations_of_the_repo_without_them(tmp_path: Path) -> None:
    shown = {path: text for path, text in FILES.items() if path != "s.md"}
    reports = [
        build(commit(tmp_path / name / "repo", files).path, tmp_path / f"out-{name}") for name, files in (("all", FILES), ("shown", shown))
    ]
    assert reports[0]["relations"] == reports[1]["relations"]
    pages = [(tmp_path / f"out-{name}" / "site/_/report/index.html").read_text("utf-8") for name in ("all", "shown")]
    assert pages[0] == pages[1]


@pytest.mark.req("T30", "P09")
@pytest.mark.parametrize(
    "edit",
    [
        {"walk.md": "# A walk\n\nNothing.\n"},
        {"walk.md": "# A walk\n\nAlong the [green river](river.md).\n"},
        {"river.md": "# Another name\n\nWater.\n"},
        {"new.md": "---\naliases: [the town]\n---\n# New\n"},
        {"copy/mill.md": "# Other\n\nText of its own.\n"},
        {"river.md": "---\nprivate: true\n---\n# Green river\n"},
    ],
)
def test_after_an_edit_the_report_is_that_of_a_fresh_build(edit: Files, tmp_path: Path) -> None:
    repo = commit(tmp_path / "repo", FILES)
    build(repo.path, tmp_path / "out")
    repo.commit(edit)
    after, fresh = build(repo.path, tmp_path / "out"), build(repo.path, tmp_path / "fresh", processes=2)
    assert after["relations"] == fresh["relations"]
    assert after["findings"] == fresh["findings"]
    pages = [(tmp_path / name / "site/_/report/index.html").read_bytes() for name in ("out", "fresh")]
    assert pages[0] == pages[1]


@pytest.mark.req("T30", "P09")
def test_with_the_same_pages_nothing_is_found_anew_and_a_damaged_memory_costs_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = commit(tmp_path / "repo", FILES)
    out = tmp_path / "out"
    first = build(repo.path, out)["relations"]
    kept = (out / ".brain/relations.msgpack").read_bytes()
    (out / ".brain/relations.msgpack").write_bytes(kept[:50])
    assert build(repo.path, out)["relations"] == first
    monkeypatch.setattr(found_relations, "pair_pages", None)
    assert build(repo.path, out)["relations"] == first
    assert (out / ".brain/relations.msgpack").read_bytes() == kept


@pytest.mark.req("T30", "T32")
def test_a_large_brain_says_that_refresh_finds_its_relations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = commit(tmp_path / "repo", FILES)
    monkeypatch.setattr(small_relations, "MOST_PAGES", 4)
    report = build(repo.path, tmp_path / "out")
    assert report["relations"] is None
    page = (tmp_path / "out" / "site/_/report/index.html").read_text("utf-8")
    assert "are found by <code>brain refresh</code>" in page
    assert "Near-copies <span" not in page


@pytest.mark.req("T30", "T32")
@pytest.mark.parametrize(
    "recorded", [Relations(waiting="The <server> is down."), Relations(mentions=(Mention("walk.md", 5, "x", "river.md", 1),))]
)
def test_a_large_brain_shows_what_is_recorded_and_why_relations_wait(recorded: Relations, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_relations, "MOST_PAGES", 4)
    result = small_relations.relate_small(replace(make_result(FILES), relations=recorded), cast(PageCache, None))
    assert result.relations == recorded
    page = make_jobs(result)["_/report/index.html"].view.content
    assert ("The &lt;server&gt; is down." in page) == bool(recorded.waiting)
    assert ('<h2 id="mentions">' in page) == bool(recorded.mentions)
    report = make_report(result)
    assert report["relations"]["waiting"] == recorded.waiting
    printed = io.StringIO()
    print_report(report, open_console(printed))
    assert (f"wait. {recorded.waiting}" in printed.getvalue()) == bool(recorded.waiting)


@pytest.mark.req("T30", "P13")
@pytest.mark.parametrize(
    "files",
    [
        {"a.md": "alone"},
        {f"o{number}.md": f"orphan w{number}" for number in range(12)},
        {f"e{number}.md": "" for number in range(5)},
        {"a.md": "# !!!\n\n???", "b.md": "# ???\n\n!!!", "🎻.md": "🎻 🎻", "…/—.md": "—"},
        {
            "de.md": "# Geigenbau\n\nFichte und Ahorn.",
            "fr.md": "# Lutherie\n\nGeigenbau, dit-on.",
            "ru.md": "# Скрипка\n\nИз ели.",
            "zh.md": "# 小提琴\n\nСкрипка 由云杉制成",
            "ar.md": "# الكمان\n\n小提琴",
            "hi.md": "# वायलिन\n\nالكمان",
        },
        {f"p{number}.md": f"# P{number}\n\n" + " ".join(f"[[p{other}]]" for other in range(40)) for number in range(40)},
    ],
    ids=["one page", "orphans", "no text", "symbols", "six languages", "clique"],
)
def test_brains_of_odd_shapes_are_built(files: Files, tmp_path: Path) -> None:
    report = build(commit(tmp_path / "repo", files).path, tmp_path / "out")
    assert report["pages"] == len(files)
    mentions = [(each["path"], each["target"]) for each in report["relations"]["mentions"]]
    wanted = [("ar.md", "zh.md"), ("fr.md", "de.md"), ("hi.md", "ar.md"), ("zh.md", "ru.md")] if "hi.md" in files else []
    assert mentions == wanted


@pytest.mark.req("T30", "T34")
def test_what_refresh_has_recorded_is_shown_and_not_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = commit(tmp_path / "repo", FILES)
    found = build(repo.path, tmp_path / "found")["relations"]
    assert run_brain("refresh", repo.path).code == 0
    monkeypatch.setattr(found_relations, "pair_pages", None)
    recorded = build(repo.path, tmp_path / "out")["relations"]
    assert recorded["mentions"] == found["mentions"]
    assert [group["path"] for group in recorded["copies"]] == [group["path"] for group in found["copies"]]
    assert (tmp_path / "out/site/_/graph/related.json").exists() == (tmp_path / "found/site/_/graph/related.json").exists()
    run_git(repo.path, "reset", "--hard", "--quiet")  # the files of the maps, for whoever reads the folder and not the commit
    build_path(repo.path, tmp_path / "files", BuildOptions(uncommitted=True))
    assert json.loads((tmp_path / "files/report.json").read_bytes())["relations"] == recorded


@pytest.mark.req("T30")
def test_a_small_brain_that_has_changed_since_the_refresh_finds_its_relations_anew(tmp_path: Path) -> None:
    repo = commit(tmp_path / "repo", FILES)
    assert run_brain("refresh", repo.path).code == 0
    repo.commit({"walk.md": "# A walk\n\nOne line more.\n\nFirst.\n\nAlong the green river\nto the town.\n"})
    assert [each["line"] for each in build(repo.path, tmp_path / "out")["relations"]["mentions"]] == [7]


@pytest.mark.req("T30", "X01")
@pytest.mark.threat(32)
def test_a_large_brain_shows_what_is_recorded_as_far_as_it_still_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = commit(tmp_path / "repo", FILES)
    assert run_brain("refresh", repo.path).code == 0
    monkeypatch.setattr(small_relations, "MOST_PAGES", 4)
    assert [each["target"] for each in build(repo.path, tmp_path / "out")["relations"]["mentions"]] == ["river.md"]
    repo.commit({"river.md": "---\nprivate: true\n---\n# Green river\n"})
    assert build(repo.path, tmp_path / "out")["relations"]["mentions"] == []


@pytest.mark.req("T30")
@pytest.mark.threat(7)
@pytest.mark.parametrize("kind", ["damaged", "merged", "link to a file", "link to a folder", "folder", "too large"])
def test_a_record_that_is_none_is_as_good_as_missing(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = commit(tmp_path / "repo", FILES)
    found = build(repo.path, tmp_path / "found")["relations"]
    assert run_brain("refresh", repo.path).code == 0
    run_git(repo.path, "reset", "--hard", "--quiet")
    graph, elsewhere = repo.path / ".brain/graph.json", tmp_path / "elsewhere"
    made = graph.read_bytes().replace(b"river.md", b"mill.md")
    elsewhere.mkdir()
    (elsewhere / "graph.json").write_bytes(made)
    shutil.rmtree(repo.path / ".brain")
    if kind == "link to a folder":
        (repo.path / ".brain").symlink_to(elsewhere)
    else:
        (repo.path / ".brain").mkdir()
    if kind == "link to a file":
        graph.symlink_to(elsewhere / "graph.json")
    elif kind == "folder":
        graph.mkdir()
        (graph / "keep").write_text("")
    elif kind == "damaged":
        graph.write_bytes(made[: len(made) // 2])
    elif kind == "merged":
        graph.write_bytes(made.replace(b"\n", b'\n,{"from":["other"],"content":"0"}\n', 1))
    elif kind == "too large":
        graph.write_bytes(made)
        monkeypatch.setattr(small_relations, "_LARGEST", 100)
    repo.commit({})
    assert build(repo.path, tmp_path / "out")["relations"] == found
    build_path(repo.path, tmp_path / "files", BuildOptions(uncommitted=True))
    assert json.loads((tmp_path / "files/report.json").read_bytes())["relations"] == found
