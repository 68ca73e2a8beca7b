"""A process that has imported the product once and forks for every run of the command, so that a run costs no imports.

`run_brain` uses it; what a run does is the same as in a program of its own: its own memory, environment, folder, streams, signals and exit
code. Not for runs that set how Python itself starts (`PYTHON…`, locale): those are started anew.
"""

import io
import multiprocessing
import os
import pkgutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory

_OF_PYTHON = ("PYTHON", "LC_", "LANG")
"""Beginnings of variables that a Python reads only when it starts."""


def can_fork(changed: Mapping[str, str] | None) -> bool:
    """Tell whether a run with these variables changed may be forked from a Python that has started already."""
    return hasattr(os, "fork") and not any(name.startswith(_OF_PYTHON) for name in changed or ())


def run_forked(arguments: Sequence[str], environment: Mapping[str, str], folder: Path | None, limit: float) -> tuple[int, bytes, bytes]:
    """Run the command and return exit code, standard output and standard error; subprocess.TimeoutExpired after `limit` seconds."""
    with TemporaryDirectory(prefix="brain-run-") as made:
        out, err = Path(made) / "out", Path(made) / "err"
        process = _kept().Process(target=_run, args=(list(arguments), dict(environment), str(folder or Path.cwd()), str(out), str(err)))
        process.start()
        process.join(limit)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["brain", *arguments], limit)
        code = process.exitcode
        assert code is not None
        return code, out.read_bytes(), err.read_bytes()


@cache
def _kept() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.tools.kept_imports"])
    return context


def _run(arguments: list[str], environment: dict[str, str], folder: str, out: str, err: str) -> None:
    from indexer.cli.main import main

    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    sys.argv = ["brain", *arguments]
    sys.stdout, sys.stderr = _redirect(out, 1, "strict"), _redirect(err, 2, "backslashreplace")
    main()


def _redirect(file: str, number: int, errors: str) -> io.TextIOWrapper:
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(opened, number)
    os.close(opened)
    return io.TextIOWrapper(open(number, "wb", closefd=False), encoding="utf-8", errors=errors)


def list_commands() -> list[str]:
    """Return the modules of the command line, which import what they need."""
    import indexer.cli

    return sorted(f"indexer.cli.{module.name}" for module in pkgutil.iter_modules(indexer.cli.__path__))
