"""`brain report`: how complete a repository is and what to do next, for people, as JSON and as CSV. Wiring only."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from indexer.analysis.report import make_report
from indexer.analysis.report_csv import render_documents_csv
from indexer.cli.options import blueprints_option, date_option, json_option, path_argument, read_today, revision_options
from indexer.cli.paths import TypedPath
from indexer.cli.reading import LoadedRepo, load_repos
from indexer.cli.terminal import escape_text, render_json, say
from indexer.errors import UsageError
from indexer.model.blueprint import Brain
from indexer.model.index_views import TrendPoint
from indexer.model.result import IndexResult
from indexer.sources.orders import BuildOptions
from indexer.store.statements import INDEX_FILE
from indexer.store.trend import read_trends

_FAILED = 3
_OUT_HELP = "Output folder of an earlier `brain build` of PATH; the trend is read from its index."


@click.command("report")
@path_argument
@revision_options
@date_option("Default: today.")
@blueprints_option
@click.option("--repo", default="", metavar="ID", help="Of a workspace, this repository only.")
@click.option("--brain", default="", metavar="ID", help="This brain only, such as handbook/brains/website.")
@click.option("--out", type=TypedPath(exists=True, file_okay=False), help=_OUT_HELP)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the documents as CSV for a spreadsheet.")
@click.option("--all", "show_all", is_flag=True, help="Show every list in full.")
@click.pass_context
def command(
    ctx: click.Context, /, path: Path, repo: str, brain: str, out: Path | None, as_json: bool, as_csv: bool, show_all: bool, **reading: Any
) -> None:
    """Say how complete PATH is, and what to do next.

    PATH is a folder of Markdown, a git work tree, a bare repository, or a workspace of several. It is only read. Documents are judged by
    their own frontmatter, for today or for the day given by --date.
    """
    if as_json and as_csv:
        raise UsageError("--json and --csv cannot be had at once.", hint="Run the command twice.")
    loaded, failures = load_repos(path, BuildOptions(**{**reading, "date": reading["date"] or read_today()}), repo)
    chosen = _choose_brain(loaded, brain) if brain else list(loaded)
    if as_csv:
        click.echo(render_documents_csv(*(_keep(each.result, brain) for each in chosen)), nl=False)
    else:
        reports = [_make(each, out, brain) for each in chosen]
        if as_json:
            click.echo(render_json(reports[0] if len(loaded) == 1 and not failures else {"reports": reports}))
        else:
            _print(reports, show_all=show_all, pages=not brain)
    for name, error in failures:
        say(f"{escape_text(name)} could not be read: {escape_text(error.message)} {escape_text(error.hint)}".rstrip())
    ctx.exit(_FAILED if failures else 0)


def _choose_brain(loaded: Sequence[LoadedRepo], brain: str) -> list[LoadedRepo]:
    """Return the repos that have the brain. Its parents stay, for they may cover what it lacks."""
    chosen = [each for each in loaded if any(_is_meant(one, brain) for one in each.result.brains)]
    if not chosen:
        known = [one.id for each in loaded for one in each.result.brains]
        hint = f"Choose one of: {', '.join(known[:20])}." if known else "There is no card: a page called brain.md in a folder."
        raise UsageError(f"There is no brain {brain}.", hint=hint)
    return chosen


def _is_meant(brain: Brain, given: str) -> bool:
    return given.strip("/") in {brain.id, brain.folder}


def _keep(result: IndexResult, brain: str) -> IndexResult:
    return replace(result, brains=tuple(each for each in result.brains if not brain or _is_meant(each, brain)))


def _make(loaded: LoadedRepo, out: Path | None, brain: str) -> dict[str, Any]:
    only = [each.id for each in loaded.result.brains if not brain or _is_meant(each, brain)]
    return make_report(loaded.result, _read_trend(out, loaded) if out else (), only)


def _read_trend(out: Path, loaded: LoadedRepo) -> Sequence[TrendPoint]:
    inside = out / loaded.tenant / INDEX_FILE
    return read_trends(inside if loaded.tenant and inside.exists() else out / INDEX_FILE, [loaded.result.repo])[loaded.result.repo]


def _print(reports: Sequence[dict[str, Any]], *, show_all: bool, pages: bool) -> None:
    from indexer.cli.report_text import open_console, print_report  # noqa: PLC0415 (rich takes a while; only people need it)

    console = open_console()
    for number, report in enumerate(reports):
        if number:
            console.print("\n")
        print_report(report, console, show_all=show_all, pages=pages)
