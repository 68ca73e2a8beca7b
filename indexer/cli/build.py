"""`brain build`: folder, repository or workspace in, index and websites out."""

from pathlib import Path

import click

from indexer.pipeline import BuildOptions, RepoOrder, build_repos


@click.command("build")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--at", metavar="REV")
@click.option("--json", "as_json", is_flag=True)
def command(path: Path, out: Path, at: str | None, as_json: bool) -> None:
    """Build."""
    order = RepoOrder("brain", path.resolve().name, path, out)
    build_repos([order], out / "index.duckdb", BuildOptions(at=at))
