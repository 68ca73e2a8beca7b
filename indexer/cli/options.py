"""Options that several commands share. Used by the commands; wiring only."""

import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from math import isnan
from typing import Any, TypeVar

import click

from indexer.cli.paths import TypedPath

COUNT = click.IntRange(1, 1_000_000_000)
"""Any number of things; larger ones fit neither a database nor a machine."""
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Amount(click.FloatRange):
    """A number within bounds; `nan`, which is in no order with them, is refused as well."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail as click does."""
        found = super().convert(value, param, ctx)
        if isnan(found):
            self.fail(f"{value!r} is not a valid float range.", param, ctx)
        return found


def jobs_option(most: int) -> Callable[[Decorated], Decorated]:
    """`--jobs`, passed as `jobs`: as many as there are processors, at most `most`, when it is not given."""
    default = min(most, os.cpu_count() or 1)
    return click.option("--jobs", type=click.IntRange(1, 256), default=default, show_default=True, help="Processes to use.")


def path_argument(function: Decorated) -> Decorated:
    """`PATH`, passed as `path`."""
    return click.argument("path", type=TypedPath())(function)


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


def allow_private_option(function: Decorated) -> Decorated:
    """`--allow-private`, passed as `allow_private`."""
    return click.option("--allow-private", is_flag=True, help="Let git connect also to hosts of your own network.")(function)


def date_option(text: str) -> Callable[[Decorated], Decorated]:
    """`--date`, passed as `date`: `YYYY-MM-DD`, or None when it is not given; `text` says what None means."""
    return click.option("--date", metavar="YYYY-MM-DD", callback=_check_date, help=f"Day for which documents are judged. {text}")


def _check_date(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 (click gives them)
    if value is None:
        return None
    try:
        found = date.fromisoformat(value).isoformat()
    except ValueError:
        found = None
    if found != value:  # other forms of ISO 8601 are dates as well, but not the one that frontmatter is compared with
        raise click.BadParameter(f"{value} is not a date such as 2026-03-31.")
    return value


def read_today() -> str:
    """Return today as `YYYY-MM-DD` in UTC. Only commands ask for it, once, and pass it on."""
    return datetime.now(UTC).date().isoformat()


def blueprints_option(function: Decorated) -> Decorated:
    """`--blueprints`, passed as `blueprints`."""
    kind = TypedPath(exists=True, file_okay=False)
    return click.option("--blueprints", type=kind, help="Folder with blueprints of your own, for a single repository.")(function)
