"""`brain check`: the findings of a folder or repository, or what a change to it does, for people and for CI. Wiring only."""

from pathlib import Path
from typing import Any

import click

from indexer.cli.findings import FailOn, decide_exit_code, fail_on_option, make_findings_json, print_findings, render_annotations
from indexer.cli.options import blueprints_option, date_option, json_option, path_argument, revision_options
from indexer.cli.paths import TypedPath
from indexer.cli.reading import open_result
from indexer.cli.terminal import escape_text, render_json
from indexer.errors import BrainpressError, UsageError
from indexer.publish.small_relations import relate_small
from indexer.sources.orders import BuildOptions

_FILE = TypedPath(dir_okay=False)


@click.command("check")
@path_argument
@click.option("--base", metavar="REV", help="Show only what is another since HEAD, or --head, left this branch or commit.")
@click.option("--head", metavar="REV", help="With --base: the commit, branch or tag with the change. Default: HEAD.")
@revision_options
@date_option("Default: the day of the commit.")
@blueprints_option
@fail_on_option("error")
@json_option
@click.option("--format", "form", type=click.Choice(["text", "github"]), default="text", help="`github`: annotations for GitHub Actions.")
@click.option("--all", "show_all", is_flag=True, help="Show every list in full.")
@click.option("--summary", type=_FILE, metavar="FILE", help="With --base: write what changed to FILE, as Markdown for a comment.")
@click.option("--outputs", type=_FILE, metavar="FILE", help="With --base: add figures to FILE as name=value lines, for later steps.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: Path,
    base: str | None,
    head: str | None,
    fail_on: FailOn,
    summary: Path | None,
    outputs: Path | None,
    **given: Any,
) -> None:
    """Check PATH and show what a person should look at; nothing is published.

    Exits 1 when there are findings of the severity of --fail-on or worse. With --base, shows what a change does: pages, links, findings and
    documents that are not as before; then only new findings count.
    """
    shown = {name: given.pop(name) for name in ("as_json", "form", "show_all")}
    if base is not None:
        _refuse_others(given)
        ctx.exit(_compare(path, base, head, fail_on, BuildOptions(**given), summary, outputs, **shown))
    if head is not None or summary or outputs:
        raise UsageError(
            "--head, --summary and --outputs are about a change.", hint="Add --base with the branch or commit to compare with."
        )
    ctx.exit(_check(path, fail_on, BuildOptions(**given), **shown))


def _check(path: Path, fail_on: FailOn, options: BuildOptions, *, as_json: bool, form: str, show_all: bool) -> int:
    with open_result(path, options) as (result, cache):
        findings = relate_small(result, cache).findings
    if as_json:
        click.echo(render_json({"revision": result.snapshot.revision, "findings": make_findings_json(findings)}))
    elif form == "github":
        click.echo(render_annotations(findings, result.origin.folder), nl=False)
    elif findings or result.pages:
        print_findings(findings, show_all=show_all)
    else:
        click.echo(escape_text(f"No findings, for {path} holds no Markdown page. Pages end in .md; files of hidden folders do not count."))
    return decide_exit_code(findings, fail_on)


def _refuse_others(given: dict[str, Any]) -> None:
    if given["at"]:
        raise UsageError("--at and --base cannot be had at once.", hint="Name the revision with the change by --head.")
    if given["uncommitted"]:
        raise UsageError("--base compares commits, not the files as they lie there.", hint="Commit them first, or leave out --uncommitted.")


def _compare(
    path: Path,
    base: str,
    head: str | None,
    fail_on: FailOn,
    options: BuildOptions,
    summary: Path | None,
    outputs: Path | None,
    *,
    as_json: bool,
    form: str,
    show_all: bool,
) -> int:
    # Whoever checks one state of a folder does not wait for what compares two.
    from indexer.analysis.changes_json import make_changes_json  # noqa: PLC0415
    from indexer.cli.check_github import render_new_annotations, render_outputs  # noqa: PLC0415
    from indexer.cli.check_markdown import render_summary  # noqa: PLC0415
    from indexer.cli.check_reading import load_comparison  # noqa: PLC0415
    from indexer.cli.check_text import print_comparison  # noqa: PLC0415

    comparison = load_comparison(path, base, head, options)
    changes = comparison.changes
    if summary:
        _write(summary, render_summary(comparison))
    if outputs:
        _write(outputs, render_outputs(changes), add=True)
    if as_json:
        click.echo(render_json(make_changes_json(changes, comparison.tip)))
    else:
        if form == "github":
            click.echo(render_new_annotations(changes), nl=False)
        print_comparison(comparison, show_all=show_all)
    return decide_exit_code(changes.new_findings(), fail_on)


def _write(file: Path, text: str, *, add: bool = False) -> None:
    try:
        with file.open("a" if add else "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except OSError as error:
        raise BrainpressError(f"{file} cannot be written: {error.strerror}.", hint="Name a file in a folder that exists.") from error
