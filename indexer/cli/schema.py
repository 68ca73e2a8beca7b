"""`brain schema`: the JSON Schemas of everything that programs read. Wiring only."""

from pathlib import Path

import click

from indexer.errors import UsageError

_PACKAGE = Path(__file__).parents[1]
_ENDING = ".schema.json"


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema NAME, or the names there are."""
    schemas = find_schemas()
    if name is None:
        for each in schemas:
            click.echo(each)
        return
    if name not in schemas:
        raise UsageError(f"There is no schema called {name}.", hint=f"Choose one of: {', '.join(schemas)}.")
    click.echo(schemas[name].read_text("utf-8"), nl=False)


def find_schemas() -> dict[str, Path]:
    """Return name → file of every schema of the package, sorted by name."""
    found = {path.name.removesuffix(_ENDING): path for path in _PACKAGE.glob(f"*/schemas/*{_ENDING}")}
    return dict(sorted(found.items()))
