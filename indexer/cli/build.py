"""`brain build`: folder, repository or workspace in, index and websites out. Wiring only."""

import json
from pathlib import Path

import click

from indexer.pipeline import BuildOptions, build_path


@click.command("build")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--at", metavar="REV")
@click.option("--uncommitted", is_flag=True)
@click.option("--json", "as_json", is_flag=True)
@click.option("--quiet", is_flag=True)
def command(path: Path, out: Path, at: str | None, uncommitted: bool, as_json: bool, quiet: bool) -> None:
    """Build."""
    for o in build_path(path, out, BuildOptions(at=at, uncommitted=uncommitted)):
        click.echo(f"{o.repo}: {o.status} {o.pages} pages, {o.hidden} hidden of {o.files} files; {o.links} links; {o.written} written {o.error}")
