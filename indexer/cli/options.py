"""Options that several commands share. Used by the commands; wiring only."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def path_argument(function: Decorated) -> Decorated:
    """`PATH`, passed as `path`."""
    return click.argument("path", type=click.Path(path_type=Path))(function)


def revision_options(function: Decorated) -> Decorated:
    """`--at` and `--uncommitted`, passed as `at` and `uncommitted`."""
    function = click.option("--uncommitted", is_flag=True, help="Read the files as they lie there, not the last commit.")(function)
    return click.option("--at", metavar="REV", help="Read this commit, branch or tag instead of HEAD.")(function)


def json_option(function: Decorated) -> Decorated:
    """`--json`, passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(function)


def quiet_option(function: Decorated) -> Decorated:
    """`--quiet`, passed as `quiet`."""
    return click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")(function)
