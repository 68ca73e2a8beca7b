"""What `brain check --base` writes: for a terminal, for GitHub, for programs. Other people's text gives no orders and becomes nothing."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from indexer.cli.check_github import MOST_OF_A_KIND, render_new_annotations, render_outputs
from indexer.cli.check_markdown import MOST_BYTES, escape_markdown, make_marker, render_summary
from indexer.cli.check_reading import Comparison
from indexer.cli.check_text import print_comparison
from indexer.model.changes import BrainChange, Changes, DocumentChange, FindingChange, LinkChange, PageChange, Side
from indexer.model.finding import Finding, Severity
from tests.conftest import RepoFactory
from tests.tools.commands import run_brain
from tests.tools.repos import GitRepo

SIDE = Side("a" * 40, "2026-01-01", 3, 0, 0, 0, 0, {"brains": 0, "documents": 0, "filled": 0})
HEAD = Side("b" * 40, "2026-01-02", 3, 0, 0, 0, 0, {"brains": 0, "documents": 0, "filled": 0})
HOSTILE = [
    "@everyone @org/team",
    "fixes #1 and GH-12 and owner/repo#3",
    "https://evil.example/x www.evil.example mailto:a@evil.example",
    "![x](https://evil.example/x.png) [x](javascript:alert(1))",
    "<script>alert(1)</script><img src=x onerror=y><!-- -->",
    "`code` ``` ~~~ ``double``",
    "a\n# heading\n- [ ] task\n::error::owned",
    "| a | b |\n|---|---|",
    "**bold** _it_ ~~no~~ $x^2$ :smile: \\",
    "&lt;b&gt; &#64;everyone",
    "0123456789abcdef0123456789abcdef01234567",
    "\u202egro.live \x1b[31m",
    "[x]: https://evil.example",
    "x" * 3000,
    "`",
    " `` ",
    "-->",
]
FORBIDDEN = re.compile(r"(?i)@(?=\w)|#\d|\bGH-\d|://|\bwww\.|\b[0-9a-f]{7,}\b")


def hostile(text: str) -> Comparison:
    """Return changes that hold a text in every place that other people fill."""
    document = DocumentChange("r/f", "id", text, text, "missing", "checked", text, text, text, text)
    changes = Changes(
        SIDE,
        HEAD,
        "2026-01-02",
        text,
        pages=tuple(PageChange(kind, text, text, text) for kind in ("added", "removed", "renamed", "hidden", "published")),
        links=tuple(LinkChange(kind, text, 3, text, "renamed", text, text, text) for kind in ("broke", "dead", "mended", "corrected")),
        findings=(
            FindingChange(True, Finding("FMT004", text, 3, text, text, "error"), True),
            FindingChange(False, Finding("FMT004", text, 3, text)),
        ),
        brains=(
            BrainChange("changed", text, text, text, text, text, text, documents=(document,)),
            BrainChange("added", text, text, text, text),
        ),
        aged=(document,),
        orphans=(text,),
        adopted=(text,),
        stubs=((text, 1),),
    )
    return Comparison(changes, ("main", "topic"), "c" * 40)


@pytest.mark.req("P16")
@pytest.mark.threat(26)
@pytest.mark.parametrize("text", HOSTILE)
def test_in_a_summary_other_peoples_text_is_only_text(text: str) -> None:
    summary = render_summary(hostile(text))
    marker, rest = summary.split("\n", 1)
    assert marker == make_marker(text)
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(rest)
    inline = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in tokens} <= {
        *(f"{name}_{end}" for name in ("heading", "paragraph", "bullet_list", "list_item") for end in ("open", "close")),
        "inline",
    }
    assert {child.type for child in inline} <= {"text", "text_special", "code_inline", "strong_open", "strong_close", "softbreak"}
    # What a browser would show as text, where mentions and addresses would come alive.
    plain = "\n".join(child.content for child in inline if child.type.startswith("text"))
    assert FORBIDDEN.findall(plain) == []
    assert "\x1b" not in summary
    assert "\u202e" not in summary


def test_escaped_text_reads_as_it_was_written() -> None:
    for text in ("Grüße, 世界 & 50% *off*", "a_b c\\d", "1. one", "- two", "[x](y)", "<b>"):
        (token,) = [each for each in MarkdownIt("commonmark").parse(escape_markdown(text)) if each.type == "inline"]
        assert "".join(child.content for child in token.children or ()) == text


@pytest.mark.req("P16")
def test_a_summary_is_never_longer_than_a_comment_may_be() -> None:
    many = tuple(LinkChange("broke", f"{'ü' * 200}{number}.md", 1, "[[x]]" * 50, "renamed", "y" * 300, "z" * 300) for number in range(40))
    findings = tuple(FindingChange(True, Finding("FMT004", f"{number}.md", 1, "ä" * 390, "ä" * 390), True) for number in range(40))
    brains = tuple(BrainChange("changed", f"{number}", "ö" * 390, "c" * 390, "b" * 390, "d" * 390) for number in range(200))
    summary = render_summary(Comparison(Changes(SIDE, HEAD, None, "", links=many, findings=findings, brains=brains), ("a", "b"), "a" * 40))
    assert len(summary.encode()) <= MOST_BYTES
    assert "… and 15 more" in summary
    assert summary.endswith("\n… the rest is left out here; `brain check` shows it.\n")
    assert summary.split("\n")[-4].startswith(("- ", "#", ""))
    assert summary.count("`") % 2 == 0


@pytest.mark.req("P16")
def test_annotations_are_new_on_changed_lines_and_no_more_than_github_shows() -> None:
    def make(severity: Severity, number: int, *, near: bool) -> FindingChange:
        return FindingChange(True, Finding("LNK001", f"{number:02}.md", 1, "Dead.", "", severity), near)

    near = [make(severity, number, near=True) for severity in ("error", "warning", "info") for number in range(13)]
    far = [make("error", 50, near=False), FindingChange(False, Finding("LNK001", "gone.md", 1, "Dead.", "", "error"))]
    lines = render_new_annotations(Changes(SIDE, HEAD, None, "docs", findings=(*near, *far))).splitlines()
    assert [sum(line.startswith(f"::{kind} file=docs/") for line in lines) for kind in ("error", "warning", "notice")] == [
        MOST_OF_A_KIND
    ] * 3
    assert lines[-1] == "Not annotated: 9 more findings on changed lines, 1 new finding elsewhere."
    assert len(lines) == 31
    assert render_new_annotations(Changes(SIDE, HEAD, None, "")) == ""


@pytest.mark.req("P16")
@pytest.mark.threat(45)
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_the_log_is_an_order_to_the_runner(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = hostile(text)
    (command,) = render_new_annotations(comparison.changes).splitlines()
    assert command.startswith("::error file=")
    print_comparison(comparison, show_all=True)
    lines = capsys.readouterr().out.split("\n")
    assert [line for line in lines if line.lstrip().startswith("::") or "##[" in line] == []
    assert all(char.isprintable() for line in lines for char in line)


def test_outputs_are_plain_figures() -> None:
    said = render_outputs(hostile("@everyone\nname=value").changes)
    assert all(re.fullmatch(r"[a-z_]+=(\d+|true|false)", line) for line in said.splitlines())
    assert "new_errors=1\n" in said
    assert "changed=true\n" in said
    assert "changed=false\n" in render_outputs(Changes(SIDE, HEAD, None, ""))


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def pull_request(git_repo: RepoFactory) -> GitRepo:
    """An old error on main, and a branch that adds a warning and an info."""
    repo = git_repo({"a.md": "# A\n\n[[gone]]\n", "x/t.md": "1", "y/t.md": "2"})
    repo.commit({"b.md": "[[t]] [y](y/)\n"})
    return repo


@pytest.mark.req("P16", "P13")
@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0), ("none", 0)], ids=str)
def test_only_new_findings_fail(pull_request: GitRepo, fail_on: str, code: int) -> None:
    ran = run_brain("check", pull_request.path, "--base", "HEAD~1", "--fail-on", fail_on)
    assert ran.code == code, ran.said
    assert "1 new warning, 1 new info." in ran.out
    assert "LNK001" not in ran.out
    assert run_brain("check", pull_request.path).code == 1


@pytest.mark.req("P16", "P13")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--head", "main"), "are about a change"),
        (("--summary", "s.md"), "are about a change"),
        (("--outputs", "o"), "are about a change"),
        (("--base", "main", "--at", "main"), "--at and --base cannot be had at once"),
        (("--base", "main", "--uncommitted"), "--base compares commits"),
        (("--base", "--upload-pack=x"), "is not the name of a revision"),
        (("--base", "a..b"), "is not the name of a revision"),
        (("--base", "0" * 40), "There is no revision"),
        (("--base", "HEAD~1", "--summary", "no/such/folder/s.md"), "cannot be written"),
    ],
)
def test_options_that_make_no_sense_are_one_sentence(pull_request: GitRepo, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    ran = run_brain("check", pull_request.path, *options, cwd=tmp_path)
    assert ran.code in {2, 3}
    assert said in ran.err
    assert "Traceback" not in ran.said
    assert list(tmp_path.glob("[so]*")) == []


@pytest.mark.req("P16", "P14")
def test_every_output_of_one_run_and_twice_the_same_bytes(pull_request: GitRepo, tmp_path: Path) -> None:
    files = tmp_path / "s.md", tmp_path / "outputs"
    files[1].write_text("before=1\n")
    options = ("--base", "HEAD~1", "--format", "github", "--summary", files[0], "--outputs", files[1])
    first = run_brain("check", pull_request.path, *options)
    assert first.code == 0, first.said
    assert first.out.startswith("::notice file=b.md,title=LNK005,line=1::") or first.out.startswith("::warning file=b.md")
    assert "\nCompared HEAD (" in first.out
    assert files[1].read_text().startswith("before=1\nchanged=true\nnew_errors=0\nnew_warnings=1\nnew_infos=1\n")
    summary = files[0].read_bytes()
    assert run_brain("check", pull_request.path, *options, env={"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}).out == first.out
    assert files[0].read_bytes() == summary


@pytest.mark.req("P16")
def test_a_workspace_is_checked_one_repository_at_a_time() -> None:
    ran = run_brain("check", Path(__file__).parents[2] / "brains", "--base", "HEAD")
    assert ran.code == 2
    assert "Name one of its repositories" in ran.err
