"""Entry point of the command `brain`. Imports as little as possible, so that `brain --version` answers at once."""

import atexit
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from indexer import __version__


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (those of this process when None) and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]) and _say_version():
        sys.exit(0)
    from indexer.cli.edge import run_guarded  # noqa: PLC0415 (click alone takes longer than the version)

    code = run_guarded(given)
    if arguments is None:
        _leave(code)
    sys.exit(code)


def _say_version() -> bool:
    """Print the version; False where nobody can read it, which the edge knows how to say."""
    try:
        sys.stdout.write(f"brain {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # a full disk, or no standard output at all
        return False
    return True


def _leave(code: int) -> None:
    """End this process at once: Python would first take everything apart that a build has made, which takes as long as half an edit."""
    if threading.active_count() > 1:
        return  # something is still at work
    with suppress(OSError):
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(code)
