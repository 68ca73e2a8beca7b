"""`brain inspect`: everything that is known of a folder or repository, as JSON."""

import json
import tempfile
from pathlib import Path

import click

from indexer.analysis.inspection import make_inspection
from indexer.analysis.relations import find_related
from indexer.pipeline import BuildOptions, load_result


@click.command("inspect")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON (the default and only form).")
@click.option("--at", metavar="REV", help="Read this commit, branch or tag instead of HEAD.")
@click.option("--uncommitted", is_flag=True, help="Read the files as they lie there, not the last commit.")
def command(path: Path, as_json: bool, at: str | None, uncommitted: bool) -> None:  # noqa: ARG001
    """Show pages, links, findings and graph of PATH as JSON.

    PATH is a folder of Markdown, a git work tree or a bare repository. Nothing is written below it.
    """
    options = BuildOptions(at=at, uncommitted=uncommitted)
    with tempfile.TemporaryDirectory(prefix="brain-inspect-") as scratch:
        result, cache = load_result(path, options, Path(scratch))
        with cache:
            blobs = {result.entries[page].blob for page in result.graph.nodes}
            related = find_related(result, {blob: cache.load_terms(blob)[0] for blob in blobs})
    click.echo(json.dumps(make_inspection(result, related), ensure_ascii=False, indent=1).encode("utf-8", "replace").decode())
