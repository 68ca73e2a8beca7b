"""`brain search`: what the website's own search finds. Wiring only."""

from collections.abc import Callable
from pathlib import Path

import click

from indexer.cli.options import json_option, path_argument, revision_options
from indexer.cli.reading import open_result
from indexer.cli.terminal import render_json, say
from indexer.errors import UsageError
from indexer.model.search import SearchResult
from indexer.publish.search_reader import SearchReader
from indexer.publish.search_site import FOLDER, build_site_search
from indexer.sources.orders import BuildOptions


@click.command("search")
@path_argument
@click.argument("query")
@json_option
@revision_options
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Results to show at most.")
def command(path: Path, query: str, as_json: bool, at: str | None, uncommitted: bool, limit: int) -> None:
    """Search PATH for QUERY, with the ranking of the website.

    PATH is a folder of Markdown, a repository, or the output folder of `brain build`, which answers quickest.
    """
    if not query.strip() and not as_json:  # a program gets what it asked for: nothing
        raise UsageError("QUERY is empty.", hint="Give a word or a few, in quotes.")
    read = _open_index(path, BuildOptions(at=at, uncommitted=uncommitted))
    results = SearchReader(read).search(query, limit)
    if as_json:
        click.echo(render_json({"query": query, "results": [_to_json(result) for result in results]}))
        return
    for result in results:
        place = f"{result.path}:{result.line}"
        say(f"{result.title}" + (f" › {result.heading}" if result.heading else "") + f"  ({place})")
        say(f"    {result.snippet}")
    if not results:
        say(f"No page has: {query}")


def _open_index(path: Path, options: BuildOptions) -> Callable[[str], bytes | None]:
    built = path / "site" / FOLDER
    if built.is_dir():
        return lambda name: (built / name).read_bytes() if (built / name).is_file() else None
    with open_result(path, options) as (result, cache):
        return build_site_search(result, cache).get


def _to_json(result: SearchResult) -> dict[str, object]:
    return {
        "path": result.path,
        "title": result.title,
        "line": result.line,
        "snippet": result.snippet,
        "score": result.score,
        "url": result.url,
        "heading": result.heading,
        "missing": list(result.missing),
    }
