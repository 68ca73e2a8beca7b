"""`brain inspect`: everything that is known of a folder or repository, as JSON. Wiring only."""

from pathlib import Path
from typing import Any

import click

from indexer.analysis.inspection import make_inspection
from indexer.analysis.relate import pair_pages
from indexer.cli.options import blueprints_option, date_option, json_option, path_argument, revision_options
from indexer.cli.reading import open_result
from indexer.cli.terminal import render_json
from indexer.publish.small_relations import relate_small
from indexer.sources.orders import BuildOptions


@click.command("inspect")
@path_argument
@json_option
@revision_options
@date_option("Default: the day of the commit.")
@blueprints_option
def command(path: Path, as_json: bool, **reading: Any) -> None:  # noqa: ARG001 (JSON is the only form)
    """Show pages, links, findings and graph of PATH as JSON.

    PATH is a folder of Markdown, a git work tree or a bare repository. It is only read.
    """
    with open_result(path, BuildOptions(**reading)) as (read, cache):
        result = relate_small(read, cache)
        found = result.relations
        related = (pair_pages(result, cache.load_page_terms) if found is None or found.waiting else found).related
    click.echo(render_json(make_inspection(result, related)))
