"""Shows findings: for people, as JSON, and as annotations of GitHub Actions; and says which exit code they make (SPEC P13).

Used by the commands. Texts of pages go through `terminal.escape_text` first, so no page can give the terminal or the runner an order.
"""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import groupby
from typing import Any, Literal, TextIO, TypeVar

import click

from indexer.cli.terminal import escape_text, wants_colour
from indexer.model.finding import Finding, Severity

FailOn = Literal["error", "warning", "info", "never"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
PAGES_SHOWN = 20

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_ANNOTATIONS = {"error": "error", "warning": "warning", "info": "notice"}
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def fail_on_option(default: FailOn) -> Callable[[Decorated], Decorated]:
    """Return the option `--fail-on`, passed to the command as `fail_on`."""
    text = "Exit 1 when there are findings of this severity or worse."
    return click.option(
        "--fail-on", type=_FailOnChoice(["error", "warning", "info", "never"]), default=default, show_default=True, help=text
    )


class _FailOnChoice(click.Choice[str]):
    """The words there are; `none` is taken for `never`, for that is what other checkers call it."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert("never" if value == "none" else value, param, ctx)


def decide_exit_code(findings: Iterable[Finding], fail_on: FailOn) -> int:
    """Return 1 when a finding is at or above `fail_on`, else 0."""
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on != "never" else ()
    return int(any(finding.severity in failing for finding in findings))


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings by path, line and code."""
    return sorted(findings, key=lambda each: (each.path, each.line, each.code, each.message))


def print_findings(findings: Iterable[Finding], *, show_all: bool = False, stream: TextIO | None = None) -> None:
    """Print findings grouped by page, then how many there are; only the first 20 pages unless `show_all`."""
    from rich.console import Console  # noqa: PLC0415 (takes a while; only people need it)
    from rich.text import Text  # noqa: PLC0415

    stream = stream or sys.stdout
    console = Console(file=stream, highlight=False, soft_wrap=True, emoji=False, no_color=not wants_colour(stream))
    ordered = sort_findings(findings)
    pages = [(path, list(group)) for path, group in groupby(ordered, key=lambda each: each.path)]
    shown = pages if show_all else pages[:PAGES_SHOWN]
    for path, group in shown:
        console.print(Text(escape_text(path) or "(the repository)", style="bold underline"))
        for finding in group:
            console.print(_render_line(finding))
            if finding.hint:
                console.print(Text(f"{'':>16}{escape_text(finding.hint)}", style="dim"))
        console.print()
    if len(shown) < len(pages):
        more = sum(len(group) for _, group in pages[len(shown) :])
        console.print(Text(f"… and {more:,} more on {len(pages) - len(shown):,} further pages; --all shows them.\n"))
    console.print(_render_counts(ordered))


def _render_line(finding: Finding) -> Any:
    from rich.text import Text  # noqa: PLC0415

    line = str(finding.line) if finding.line else "-"
    return Text.assemble(f"{line:>6}  ", (finding.code, _STYLES[finding.severity]), f"  {escape_text(finding.message)}")


def _render_counts(findings: Collection[Finding]) -> Any:
    from rich.text import Text  # noqa: PLC0415

    if not findings:
        return Text("No findings.")
    severities = Counter(finding.severity for finding in findings)
    codes = Counter(finding.code for finding in findings)
    named = [(f"{severities[each]:,} {_plural(each, severities[each])}", _STYLES[each]) for each in SEVERITIES if severities[each]]
    parts: list[Any] = []
    for number, part in enumerate(named):
        parts += [", " if number else "", part]
    listed = ", ".join(f"{code} {count:,}" for code, count in sorted(codes.items(), key=lambda pair: (-pair[1], pair[0])))
    return Text.assemble(*parts, f" ({listed})")


def _plural(severity: str, count: int) -> str:
    return severity if severity == "info" or count == 1 else severity + "s"


def make_findings_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the findings as JSON values, in the shape of `brain inspect`."""
    return [
        {"code": f.code, "severity": f.severity, "path": f.path, "line": f.line, "message": f.message, "hint": f.hint}
        for f in sort_findings(findings)
    ]


def render_annotations(findings: Iterable[Finding], folder: str = "") -> str:
    """Return one workflow command per finding, for the log of GitHub Actions; `folder` is where the content lies in the repository."""
    return "".join(_render_annotation(finding, folder) + "\n" for finding in sort_findings(findings))


def _render_annotation(finding: Finding, folder: str) -> str:
    properties = {"title": finding.code}
    if finding.path:
        properties = {"file": f"{folder.rstrip('/')}/{finding.path}" if folder else finding.path, **properties}
    if finding.path and finding.line:
        properties["line"] = str(finding.line)
    listed = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    message = f"{finding.message} {finding.hint}".strip()
    return f"::{_ANNOTATIONS[finding.severity]} {listed}::{_escape_message(message)}"


def _escape_message(text: str) -> str:
    return escape_text(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_message(text).replace(":", "%3A").replace(",", "%2C")
