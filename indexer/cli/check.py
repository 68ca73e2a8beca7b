"""`brain check`: the findings of a folder or repository, for people and for CI. Wiring only."""

from pathlib import Path
from typing import Any

import click

from indexer.cli.findings import FailOn, decide_exit_code, fail_on_option, make_findings_json, print_findings, render_annotations
from indexer.cli.options import blueprints_option, date_option, json_option, path_argument, revision_options
from indexer.cli.reading import open_result
from indexer.cli.terminal import render_json
from indexer.pipeline import BuildOptions


@click.command("check")
@path_argument
@revision_options
@date_option("Default: the day of the commit.")
@blueprints_option
@fail_on_option("error")
@json_option
@click.option("--format", "form", type=click.Choice(["text", "github"]), default="text", help="`github`: annotations for GitHub Actions.")
@click.option("--all", "show_all", is_flag=True, help="Show the findings of all pages, not of the first 20.")
@click.pass_context
def command(ctx: click.Context, /, path: Path, fail_on: FailOn, as_json: bool, form: str, show_all: bool, **reading: Any) -> None:
    """Check PATH and show what a person should look at; nothing is published.

    Exits 1 when there are findings of the severity of --fail-on or worse.
    """
    with open_result(path, BuildOptions(**reading)) as (result, _):
        findings = result.findings
    if as_json:
        click.echo(render_json({"revision": result.snapshot.revision, "findings": make_findings_json(findings)}))
    elif form == "github":
        click.echo(render_annotations(findings, result.origin.folder), nl=False)
    else:
        print_findings(findings, show_all=show_all)
    ctx.exit(decide_exit_code(findings, fail_on))
