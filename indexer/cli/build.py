"""`brain build`: folder, repository or workspace in, index and websites out. Wiring only."""

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from indexer.cli.findings import FailOn, decide_exit_code, fail_on_option, make_findings_json, print_findings
from indexer.cli.leftover_text import describe_leftover
from indexer.cli.options import (
    COUNT,
    allow_private_option,
    blueprints_option,
    date_option,
    jobs_option,
    json_option,
    path_argument,
    quiet_option,
    revision_options,
)
from indexer.cli.paths import TypedPath
from indexer.cli.progress import open_progress
from indexer.cli.terminal import count, escape_text, render_json, say
from indexer.model.progress import Progress
from indexer.model.result import Built, Leftover, RepoOutcome
from indexer.model.snapshot import Limits
from indexer.pipeline import build_all
from indexer.sources.orders import BuildOptions

_DEFAULTS = Limits()
_MOST_JOBS = 4
"""Unasked, for each takes about 100 MB of memory."""


def _check_address(ctx: click.Context, parameter: click.Parameter, value: str) -> str:  # noqa: ARG001 (click gives them)
    """Return the address with one slash at its end; other programs read it in feeds and site maps."""
    if not value:
        return ""
    from indexer.registry.tenant_model import check_url  # noqa: PLC0415 (its library takes a while)

    try:
        return check_url(value) + "/"
    except ValueError as error:
        raise click.BadParameter(f"it {error}.") from error


@click.command("build")
@path_argument
@click.option("--out", type=TypedPath(), required=True, help="Folder for the website and the index; made when missing.")
@revision_options
@date_option("Default: the day of the commit.")
@blueprints_option
@fail_on_option("never")
@json_option
@click.option("--registry", metavar="URL", help="Note there how each repository of a workspace went: a file, or a database's URL.")
@allow_private_option
@quiet_option
@click.option("--all", "show_all", is_flag=True, help="Show the findings of all pages, not of the first 20.")
@click.option(
    "--site-url",
    default="",
    callback=_check_address,
    help="Address at which the website will be served, for feeds, the sitemap and 404.html.",
)
@click.option("--config", type=TypedPath(exists=True, dir_okay=False), help="mkdocs.yml that gives the look.")
@jobs_option(_MOST_JOBS)
@click.option("--max-files", type=COUNT, default=_DEFAULTS.entries, show_default=True, help="Files in one repository.")
@click.option("--max-depth", type=COUNT, default=_DEFAULTS.depth, show_default=True, help="Folders inside each other.")
@click.option("--max-file-mb", type=COUNT, default=_DEFAULTS.blob_bytes >> 20, show_default=True, help="Megabytes of one file.")
@click.option("--max-total-mb", type=COUNT, default=_DEFAULTS.total_bytes >> 20, show_default=True, help="Megabytes of all files.")
@click.pass_context
def command(ctx: click.Context, /, path: Path, out: Path, **given: Any) -> None:
    """Build the website and the index of PATH.

    PATH is a folder of Markdown, a git work tree, a bare repository, or a workspace: a folder that holds `<tenant>/tenant.yml` files. It is
    only read. The website is written to OUT/site, the index to OUT/index.duckdb; of a workspace, to OUT/<tenant>/<repo>/site and
    OUT/<tenant>/index.duckdb.
    """
    options = _read_options(given)
    gc.disable()  # this process ends with the build: when it is over, nobody needs to look through everything that it has made
    with open_progress(quiet=given["quiet"] or given["as_json"]) as progress:
        built = _build(path, out, options, given["registry"], progress)
    if given["as_json"]:
        repos, leftovers = map(_to_json, built.outcomes), map(_leftover_to_json, built.leftovers)
        click.echo(render_json({"repos": list(repos), "leftovers": list(leftovers)}))
    if given["as_json"] or given["quiet"]:
        for outcome in built.outcomes:
            if outcome.status == "failed":
                say(escape_text(_describe(outcome)))
    else:
        _print_outcomes(built.outcomes, show_all=given["show_all"])
        for leftover in built.leftovers:
            say(describe_leftover(leftover))
    ctx.exit(_decide(built.outcomes, given["fail_on"]))


def _build(path: Path, out: Path, options: BuildOptions, registry: str | None, progress: Progress) -> Built:
    if not registry:
        return build_all(path, out, options, progress)
    # Only whoever keeps a registry waits for its library.
    from indexer.cli.index_states import note_states, read_in_use  # noqa: PLC0415

    built = build_all(path, out, replace(options, in_use=read_in_use(registry)), progress)
    note_states(registry, built.outcomes)
    return built


def _read_options(given: dict[str, Any]) -> BuildOptions:
    limits = Limits(given["max_files"], given["max_depth"], given["max_file_mb"] << 20, given["max_total_mb"] << 20)
    return BuildOptions(
        at=given["at"],
        uncommitted=given["uncommitted"],
        limits=limits,
        config_file=given["config"],
        processes=given["jobs"],
        site_url=given["site_url"],
        date=given["date"],
        blueprints=given["blueprints"],
        allow_private=given["allow_private"],
    )


def _print_outcomes(outcomes: Sequence[RepoOutcome], *, show_all: bool) -> None:
    findings = [
        replace(finding, path=f"{outcome.repo}/{finding.path}") if len(outcomes) > 1 else finding
        for outcome in outcomes
        for finding in outcome.findings
        if finding.severity != "info" or show_all or not finding.path  # of the whole repository, such as a shallow clone
    ]
    if findings:
        print_findings(findings, show_all=show_all)
        say()
    for outcome in outcomes:
        say(_describe(outcome))


def _describe(outcome: RepoOutcome) -> str:
    if outcome.status == "failed":
        return f"{outcome.repo}: FAILED, and what an earlier build made of it stays. {outcome.error} {outcome.hint}".rstrip()
    hidden = f" + {outcome.hidden:,} hidden" if outcome.hidden else ""
    written = f"{count(outcome.written, 'file')} written" if outcome.written else "nothing has changed"
    counted = f"{count(outcome.pages, 'page')}{hidden} = {count(outcome.files, 'Markdown file')}, {count(outcome.links, 'link')}"
    return f"{outcome.repo}: {counted}; {written}. Open {outcome.site}/index.html"


def _to_json(outcome: RepoOutcome) -> dict[str, Any]:
    return {
        "repo": outcome.repo,
        "status": outcome.status,
        "files": outcome.files,
        "pages": outcome.pages,
        "hidden": outcome.hidden,
        "links": outcome.links,
        "written": outcome.written,
        "site": outcome.site or None,
        "error": outcome.error or None,
        "findings": make_findings_json(outcome.findings),
    }


def _leftover_to_json(leftover: Leftover) -> dict[str, Any]:
    return {"name": leftover.name, "folder": leftover.folder, "removed": leftover.removed, "reason": leftover.reason or None}


def _decide(outcomes: Sequence[RepoOutcome], fail_on: FailOn) -> int:
    """A repo that could not be built is an expected failure; the others were built all the same."""
    if any(outcome.status == "failed" for outcome in outcomes):
        return 3
    return decide_exit_code([finding for outcome in outcomes for finding in outcome.findings], fail_on)
