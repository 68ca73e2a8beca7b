"""Entry point of the command `brain`."""

import click

from indexer import __version__


@click.group()
@click.version_option(__version__, prog_name="brain")
def main() -> None:
    """Brainpress."""


def _register() -> None:
    from indexer.cli import build, inspect, search

    for module in (build, inspect, search):
        main.add_command(module.command)


_register()
