"""`brain report` as a person and a program see it, on real repositories."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from indexer.analysis.report import make_report
from indexer.cli.report_text import open_console, print_report
from indexer.cli.schema import find_schemas
from tests.tools.commands import run_brain
from tests.tools.judged import FIRM, PAGES, PLAN, TENANT, judge
from tests.tools.repos import GitRepo
from tests.tools.vaults import write_files

RepoFactory = Callable[..., GitRepo]
VaultFactory = Callable[..., Path]


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    return write_files(tmp_path / "plans", {"firm@1.yml": PLAN})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A tenant with a blueprint of its own and two repositories; the second one's brain has its parent in the first one."""
    card = "---\ntitle: Branch\nblueprint: firm@1\nparent: one/firm\n---\n"
    files = {
        "blue/tenant.yml": TENANT,
        "blue/blueprints/firm@1.yml": PLAN,
        **{f"blue/one/{path}": text for path, text in PAGES.items()},
        "blue/sources/two/branch/brain.md": card,
    }
    return write_files(tmp_path / "ws", files)


def show(report: dict[str, object], width: int = 80, encoding: str = "utf-8") -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_report(report, Console(file=stream, width=width, no_color=True, highlight=False, emoji=False, markup=False))
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


@pytest.mark.req("P11", "S06", "S07")
def test_the_report_says_what_to_do_next(git_repo: RepoFactory, plans: Path) -> None:
    ran = run_brain("report", git_repo(PAGES).path, "--blueprints", plans, "--date", "2026-05-01")
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert lines[:3] == [
        "repo",
        "3 documents: 1 filled (1 out of date), 1 declined, 1 missing.",
        "1 brain, 6 pages, as of 2026-05-01",
    ]
    said = "\n".join(lines)
    for part in (
        "  Public Context            ▒▒▒▒▒▒░░░░░░  1 of 2, 1 out of date, 1 missing",
        "Write next (1)",
        "  Price  firm/price.md\n      What does it cost?",
        "Out of date (1)",
        "  Offer  firm/offer.md\n      Out of date since 2026-04-21, 10 days ago; checked 2026-01-10 by Ada;\n      owner: Bo",
        "Declined (1)\n  People  firm/people.md\n      Everybody knows everybody.",
        "Broken links (1)\n  index.md:1  [[gone]] leads to no page",
        "Ambiguous links (1)\n  index.md:1  [[twin]] could be a/twin.md, b/twin.md",
        "Pages that are not published (1)\n  secret.md",
    ):
        assert part in said
    assert said.index("Write next") < said.index("Out of date (1)") < said.index("Declined (1)") < said.index("Broken links")
    assert "\x1b" not in said
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.req("P11")
def test_what_is_due_soon_is_told_with_its_day(git_repo: RepoFactory, plans: Path) -> None:
    ran = run_brain("report", git_repo(PAGES).path, "--blueprints", plans, "--date", "2026-04-01")
    assert "Due in the next 30 days (1)\n  Offer  firm/offer.md  in 20 days, on 2026-04-21" in ran.out


@pytest.mark.req("P11")
def test_without_a_card_it_says_how_to_start_and_reports_the_pages(vault: VaultFactory) -> None:
    ran = run_brain("report", vault({"a.md": "[[gone]]", "b.md": "x"}))
    assert ran.code == 0
    assert "No brain here yet. To start one, give a folder a page called brain.md" in " ".join(ran.out.split())
    assert "Broken links (1)" in ran.out
    assert "Pages that no page links to (2)" in ran.out


@pytest.mark.req("P11")
def test_a_card_that_makes_no_brain_is_told_instead_of_how_to_start(vault: VaultFactory) -> None:
    said = " ".join(run_brain("report", vault({"brain.md": "---\nblueprint: site@1\n---\n"})).out.split())
    assert "No brain here yet" not in said
    assert "Correct in cards and documents (1) brain.md:2 A card in the top folder makes no brain" in said


@pytest.mark.req("P11", "S12")
def test_what_keeps_a_document_from_counting_is_told_once_with_its_line(vault: VaultFactory) -> None:
    files = {
        "a/brain.md": "---\nblueprint: site@1\nparent: [x]\n---\n",
        "a/home.md": "---\nchecked: 2026-01-10\ncheckBy: Ada\n---\nHello.",
        "a/Offer.md": "Buy.",
        "b/brain.md": "---\nblueprint: site@1\nparent: vault/gone\n---\n",
    }
    path = vault(files)
    said = " ".join(run_brain("report", path).out.split())
    assert "Correct in cards and documents (4) a/Offer.md The page counts" in said
    assert "a/home.md:2 `checked` is 2026-01-10, but nobody is named" in said
    assert "a/home.md:3 `checkBy` is no key that says how a document stands; did you mean `checkedBy`? b/brain.md:3 " in said
    assert said.count("it is no id of a brain") == 1
    alone = " ".join(run_brain("report", path, "--brain", "b").out.split())
    assert ("Correct in cards and documents (1) b/brain.md:3 " in alone, "checkBy" in alone) == (True, False)


@pytest.mark.req("P11", "P17")
def test_json_is_the_report_of_the_owner(git_repo: RepoFactory, plans: Path) -> None:
    report = run_brain("report", git_repo(PAGES).path, "--json", "--blueprints", plans, "--date", "2026-05-01").json
    Draft202012Validator(json.loads(find_schemas()["report"].read_text("utf-8"))).validate(report)
    assert (report["hidden"], report["date"], report["totals"]["missing"]) == (["secret.md"], "2026-05-01", 1)


@pytest.mark.req("P11")
def test_csv_is_for_a_spreadsheet(git_repo: RepoFactory, plans: Path) -> None:
    path = git_repo(PAGES).path
    rows = list(csv.DictReader(io.StringIO(run_brain("report", path, "--csv", "--blueprints", plans, "--date", "2026-05-01").out)))
    assert [(row["brain"], row["id"], row["state"]) for row in rows] == [
        ("repo/firm", "offer", "out of date"),
        ("repo/firm", "price", "missing"),
        ("repo/firm", "people", "declined"),
    ]
    assert run_brain("report", path, "--csv", "--json").code == 2


@pytest.mark.req("R09", "P14")
def test_a_commit_of_the_past_gives_the_report_of_the_past(git_repo: RepoFactory, plans: Path) -> None:
    repo = git_repo(PAGES)
    options = ("--json", "--blueprints", plans, "--date", "2026-02-01")
    before = run_brain("report", repo.path, *options).out
    repo.commit({"firm/price.md": "80 an hour.", "gone.md": "Here it is."})
    after = run_brain("report", repo.path, *options)
    assert (after.json["totals"]["missing"], after.json["links"].get("missing", 0)) == (0, 0)
    assert run_brain("report", repo.path, "--at", repo.commits[0], *options).out == before
    assert (
        run_brain("report", repo.bare(repo.path.parent / "other" / "repo.git"), "--at", repo.commits[0], *options).json["brains"]
        == (json.loads(before)["brains"])
    )


def test_uncommitted_changes_count_only_when_asked_for(git_repo: RepoFactory, plans: Path) -> None:
    repo = git_repo(PAGES)
    write_files(repo.path, {"firm/price.md": "80 an hour."})
    options = ("--json", "--blueprints", plans)
    assert run_brain("report", repo.path, *options).json["totals"]["missing"] == 1
    assert run_brain("report", repo.path, "--uncommitted", *options).json["totals"]["missing"] == 0


@pytest.mark.req("S08")
def test_a_workspace_is_reported_repo_by_repo_by_the_blueprints_of_its_tenant(workspace: Path) -> None:
    ran = run_brain("report", workspace)
    assert ran.code == 0
    assert ran.out.index("One  one") < ran.out.index("The firm  firm@1  one/firm") < ran.out.index("Branch  firm@1  two/branch")
    only = run_brain("report", workspace, "--repo", "two", "--json").json
    assert [(brain["id"], brain["parent"]) for brain in only["brains"]] == [("two/branch", None)]
    assert [each["repo"] for each in run_brain("report", workspace, "--json").json["reports"]] == ["one", "two"]
    wrong = run_brain("report", workspace, "--repo", "three")
    assert (wrong.code, "one, two" in wrong.err) == (2, True)


def test_a_folder_of_a_workspace_keeps_its_id_and_blueprints(workspace: Path) -> None:
    report = run_brain("report", workspace / "blue/sources/two", "--json").json
    assert (report["repo"], report["title"], report["brains"][0]["blueprint"]) == ("two", "Two", "firm@1")
    assert report["brains"][0]["warnings"] == []
    write_files(workspace, {"blue/tenant.yml": "id: [\n"})
    assert run_brain("report", workspace / "blue/sources/two", "--json").json["repo"] == "two"


@pytest.mark.req("P13")
def test_a_repo_that_cannot_be_read_leaves_the_reports_of_the_others(workspace: Path) -> None:
    shutil.rmtree(workspace / "blue/sources/two")
    ran = run_brain("report", workspace)
    assert ran.code == 3
    assert "The firm" in ran.out
    assert "two could not be read" in ran.err


def test_one_brain_can_be_asked_for_by_id_or_folder(git_repo: RepoFactory, plans: Path) -> None:
    repo = git_repo({**PAGES, "other/brain.md": "---\ntitle: Other\nblueprint: firm@1\n---\n"})
    for name in ("repo/firm", "firm", "firm/"):
        ran = run_brain("report", repo.path, "--blueprints", plans, "--brain", name)
        assert "The firm" in ran.out
        assert "Other" not in ran.out
        assert "Broken links" not in ran.out
    report = run_brain("report", repo.path, "--blueprints", plans, "--brain", "firm", "--json").json
    assert (len(report["brains"]), report["totals"]["documents"]) == (1, 3)
    wrong = run_brain("report", repo.path, "--brain", "nowhere")
    assert (wrong.code, "repo/firm, repo/other" in wrong.err) == (2, True)


@pytest.mark.req("P11")
def test_the_trend_is_that_of_the_builds(git_repo: RepoFactory, plans: Path, tmp_path: Path) -> None:
    repo, out = git_repo(PAGES), tmp_path / "out"
    for number in range(2):
        repo.commit({"firm/price.md": "80 an hour." if number else "", "note.md": str(number)})
        assert run_brain("build", repo.path, "--out", out, "--blueprints", plans, "--jobs", "1").code == 0
    trend = run_brain("report", repo.path, "--out", out, "--blueprints", plans, "--json").json["trend"]
    assert [point["revision"] for point in trend] == repo.commits[1:]
    assert [(point["documents"]["filled"], point["documents"]["missing"]) for point in trend] == [(1, 1), (2, 0)]
    assert json.loads((out / "report.json").read_bytes())["trend"] == trend
    said = run_brain("report", repo.path, "--out", out, "--blueprints", plans).out
    assert "Trend (2)" in said
    assert "2026-01-02  1 of 3" in said
    assert run_brain("report", repo.path, "--out", plans).code == 3


@pytest.mark.parametrize("given", ["tomorrow", "2026-02-30", "20260201", "2026-W05-1", "2026-1-1", ""])
def test_a_date_is_written_as_in_frontmatter(vault: VaultFactory, given: str) -> None:
    ran = run_brain("report", vault({"a.md": "x"}), "--date", given)
    assert ran.code == 2
    assert "2026-03-31" in ran.err


@pytest.mark.req("P11")
def test_what_is_wrong_with_a_card_is_told_with_its_line_and_what_to_write() -> None:
    report = make_report(judge({"site/brain.md": "---\ntitle: Site\nblueprint: Site@7\n---\n"}))
    said = " ".join(show(report, 200).split())
    assert said.count("site/brain.md:3 The blueprint `Site@7` is no name") == 1
    assert "so no documents are expected. Did you mean `site@7`?" in said


@pytest.mark.threat(16)
def test_no_page_gives_the_terminal_an_order() -> None:
    evil = "\x1b]0;owned\x07\u202e ::error::x"
    files = {
        **FIRM,
        "site/brain.md": f'---\ntitle: "{evil!r}"\nblueprint: site@7\n---\n',
        "firm/people.md": f'---\ndeclined: "{evil!r}"\n---\n',
    }
    report = make_report(judge({path: text.replace("'\\x1b", "\\x1b").replace("x'", "x") for path, text in files.items()}))
    report["brains"][0]["documents"][0]["owner"] = evil
    report["brains"][0]["warnings"] = [evil]
    report["orphans"] = [evil]
    report["title"] = evil
    said = show(report)
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert "\\x1b]0;owned\\x07\\u202e" in said


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_text_is_broken_at_the_width(width: int) -> None:
    report = make_report(judge(FIRM))
    report["brains"][0]["documents"][2]["declined"] = "Everybody knows everybody else, and has for years. " * 5
    lines = show(report, width).splitlines()
    assert max(map(len, lines)) <= max(width, 62)
    assert " ".join(show(report, width).split()).count("Everybody knows everybody else, and has for years.") == 5


def test_a_terminal_without_blocks_gets_plain_characters() -> None:
    said = show(make_report(judge(FIRM)), encoding="ascii")
    assert "  Public Context            ######~~~~~~  2 of 2, 1 out of date" in said


def test_long_lists_are_cut_unless_all_is_asked_for(git_repo: RepoFactory) -> None:
    repo = git_repo({"x/brain.md": "---\nblueprint: business@1\n---\n", **{f"{number}.md": "" for number in range(10)}})
    cut, whole = run_brain("report", repo.path).out, run_brain("report", repo.path, "--all").out
    assert "… and 14 more; --all shows them." in cut
    assert "… and 7 more; --all shows them." in cut
    assert "--all" not in whole
    assert whole.count("x/") == cut.count("x/") + 14  # further documents; a card is no orphan


def test_colours_and_the_width_of_the_window_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for name in ("CI", "NO_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    file, terminal = open_console(io.StringIO()), open_console(Terminal())
    assert (file.no_color, file.width) == (True, 80)
    assert not terminal.no_color
    for columns, width in (("60", 60), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        assert open_console(Terminal()).width == width
