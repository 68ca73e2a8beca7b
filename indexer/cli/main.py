"""Entry point of the command `brain`. Imports as little as possible, so that `brain --version` answers at once."""

import sys
from collections.abc import Sequence
from typing import NoReturn

from indexer import __version__


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (those of this process when None) and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        sys.stdout.write(f"brain {__version__}\n")
        sys.exit(0)
    from indexer.cli.edge import run_guarded  # noqa: PLC0415 (click alone takes longer than the version)

    sys.exit(run_guarded(given))
