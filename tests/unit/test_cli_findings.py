"""Findings as people, programs and GitHub see them; page text gives nobody orders."""

import io
import json

import pytest

from indexer.cli.findings import decide_exit_code, make_findings_json, print_findings, render_annotations
from indexer.cli.terminal import escape_text, render_json
from indexer.model.finding import Finding, Severity

DEAD = Finding("LNK001", "b.md", 7, "No page “Plan”.", "Write it.", "error")
OLD = Finding("LNK008", "b.md", 2, "Case differs.", "", "info")
NAME = Finding("NAM003", "a.md", 0, "Names differ only in case.", "Rename one.", "warning")


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def show(findings: list[Finding], *, show_all: bool = False) -> str:
    stream = io.StringIO()
    print_findings(findings, show_all=show_all, stream=stream)
    return stream.getvalue()


@pytest.mark.req("P13")
def test_findings_are_grouped_by_page_in_order_and_counted() -> None:
    assert show([DEAD, OLD, NAME]) == (
        "a.md\n     -  NAM003  Names differ only in case.\n                Rename one.\n\n"
        "b.md\n     2  LNK008  Case differs.\n     7  LNK001  No page “Plan”.\n                Write it.\n\n"
        "1 error, 1 warning, 1 info (LNK001 1, LNK008 1, NAM003 1)\n"
    )
    assert show([]) == "No findings.\n"


def test_only_the_first_pages_are_shown_and_the_rest_counted() -> None:
    many = [Finding("LNK001", f"{number:02}.md", 1, "Dead.", "", "error") for number in range(25)] + [
        Finding("LNK001", "24.md", 2, "Dead.")
    ]
    short = show(many)
    assert "19.md" in short
    assert "20.md" not in short
    assert "… and 6 more on 5 further pages; --all shows them." in short
    assert short.endswith("25 errors, 1 warning (LNK001 26)\n")
    assert "24.md" in show(many, show_all=True)
    assert "further" not in show(many, show_all=True)


@pytest.mark.req("P17")
def test_colours_only_on_a_terminal_and_never_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in show([DEAD])
    for no_color, coloured in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", no_color)
        terminal = Terminal()
        print_findings([DEAD], stream=terminal)
        assert ("\x1b[1;31m" in terminal.getvalue()) is coloured


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("severities", "fail_on", "code"),
    [
        ([], "warning", 0),
        (["info"], "warning", 0),
        (["warning"], "warning", 1),
        (["error"], "warning", 1),
        (["warning"], "error", 0),
        (["info", "error"], "error", 1),
        (["error"], "never", 0),
    ],
)
def test_the_exit_code_follows_the_worst_finding(severities: list[Severity], fail_on: str, code: int) -> None:
    findings = [Finding("LNK001", "a.md", 1, "x", "", severity) for severity in severities]
    assert decide_exit_code(findings, fail_on) == code  # type: ignore[arg-type]


def test_json_has_the_shape_of_inspect() -> None:
    assert make_findings_json([DEAD, NAME])[1] == {
        "code": "LNK001",
        "severity": "error",
        "path": "b.md",
        "line": 7,
        "message": "No page “Plan”.",
        "hint": "Write it.",
    }


@pytest.mark.req("P16")
def test_annotations_name_file_and_line() -> None:
    assert render_annotations([DEAD, OLD, NAME], "docs") == (
        "::warning file=docs/a.md,title=NAM003::Names differ only in case. Rename one.\n"
        "::notice file=docs/b.md,title=LNK008,line=2::Case differs.\n"
        "::error file=docs/b.md,title=LNK001,line=7::No page “Plan”. Write it.\n"
    )
    assert render_annotations([Finding("SRC008", "", 0, "Shallow.", "", "info")]) == "::notice title=SRC008::Shallow.\n"


HOSTILE = [
    "::error::owned",
    "  ::set-env name=PATH::x",
    "\u00a0::stop-commands::x",
    "a\n::add-mask::x",
    "a\r::add-mask::x",
    "a\u2028::add-mask::x",
    "##[add-mask]x",
    "a ##vso[task.setvariable]x",
    "##teamcity[x]",
    "50%25 %0A::error::x",
    "a\x1b[31m\x9b31m\x07",
    "gro\u202eer.md\u2066",
    "tag\U000e0041",
    "half \udce9",
]


@pytest.mark.threat(45)
@pytest.mark.parametrize("text", HOSTILE)
def test_page_text_cannot_give_the_runner_or_the_terminal_orders(text: str) -> None:
    finding = Finding("LNK001", text, 3, text, text, "error")
    for shown in (show([finding]), render_annotations([finding])):
        lines = shown.split("\n")
        commands = [line for line in lines if line.lstrip().startswith("::")]
        assert commands == ([] if "LNK001  " in shown else lines[:1])
        assert len(lines) == (6 if "LNK001  " in shown else 2)
        assert "##[" not in shown
        assert "##vso[" not in shown
        assert "##teamcity[" not in shown
        assert all(char == "\n" or char.isprintable() or char == "\u00a0" for char in shown)


@pytest.mark.threat(45)
def test_page_text_cannot_add_properties_to_an_annotation() -> None:
    (line,) = render_annotations([Finding("LNK001", "a,line=1::x%.md", 3, "50% off: a,b", "", "error")]).splitlines()
    assert line == "::error file=a%2Cline=1%3A%3Ax%25.md,title=LNK001,line=3::50%25 off: a,b"


def test_ordinary_text_is_shown_as_it_is() -> None:
    for text in ("Grüße, 世界 👩‍🚀 עברית", "a::b", "C++ ## heading [x]", "tab-free"):
        assert escape_text(text) == text
    assert escape_text("two\nlines", lines=True) == "two\nlines"
    assert escape_text("two\nlines\t") == "two\\nlines\\t"


@pytest.mark.parametrize("text", [*HOSTILE, "Grüße 世界", "\x7f", '"\\'])
def test_json_is_safe_on_a_terminal_and_reads_back_the_same(text: str) -> None:
    rendered = render_json({"text": [text, {text: 1}]})
    assert json.loads(rendered) == {"text": [text, {text: 1}]}
    assert all(char == "\n" or char.isprintable() or char == "\u00a0" for char in rendered)
    assert "世" not in text or "世" in rendered
