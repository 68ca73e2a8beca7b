"""`brain search`."""

import click


@click.command("search")
@click.argument("path")
@click.argument("query")
@click.option("--json", "as_json", is_flag=True)
def command(path: str, query: str, as_json: bool) -> None:
    """Search."""
    click.echo('{"query": "", "results": []}')
