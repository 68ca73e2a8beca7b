"""The edge of the command line: every way a command can end becomes an exit code and at most one clear sentence (SPEC P13).

The only place that catches everything. Called by `main`.
"""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from indexer.cli.terminal import escape_text, say
from indexer.errors import BrainpressError, UsageError

DONE, FINDINGS, USAGE, FAILURE, BUG, BROKEN_PIPE, INTERRUPTED = 0, 1, 2, 3, 4, 141, 130

_SYSTEM_FAILURES = {
    errno.ENOSPC: ("The disk is full", "Free some space and run the command again."),
    errno.EDQUOT: ("The disk quota is used up", "Free some space and run the command again."),
    errno.EROFS: ("The file system is read-only", "Choose another output folder."),
    errno.EACCES: ("Access was refused", "Check the permissions of the file and its folder."),
    errno.EPERM: ("Access was refused", "Check the permissions of the file and its folder."),
    errno.EMFILE: ("Too many files are open", "Raise the limit (`ulimit -n`) and run the command again."),
    errno.ENFILE: ("Too many files are open on this machine", "Close other programs and run the command again."),
    errno.EISDIR: ("A folder lies where a file belongs", "Move it away and run the command again."),
    errno.ENOTDIR: ("A file lies where a folder belongs", "Move it away, or name another folder."),
    errno.ENAMETOOLONG: ("The name is too long for this file system", "Choose a shorter path."),
    errno.ELOOP: ("Symbolic links lead round in a circle, or one lies where a file belongs", "Put the file or folder itself in its place."),
    errno.EFBIG: ("A file is larger than is allowed here", "Raise the limit (`ulimit -f`) and run the command again."),
    errno.EIO: ("The disk could not be read or written", "Look after the disk, then run the command again."),
    errno.ESTALE: ("The network file system lost the file", "See that it is mounted, then run the command again."),
    errno.ENOMEM: ("There is not enough memory", "Close other programs or build fewer repos at once."),
}


def run_guarded(arguments: Sequence[str], run: Callable[[Sequence[str]], int] | None = None) -> int:
    """Run the command and return its exit code; `run` takes the place of the command in tests."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8 must not be a reason to fail
    try:
        code = (run or run_group)(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _say("\nInterrupted. Nothing is left half done; the same command begins again.")
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 (this is the edge)
        code = _end(error, arguments)
    _settle_output()
    return code


def _open_streams() -> None:
    """Put nothing in the place of standard streams that whoever started this has closed, as `>&-` does.

    The next files that are opened, such as the registry's, would get their numbers, and what is printed would be written into them.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
            os.set_inheritable(nowhere, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115 (for good)


def _end(error: Exception, arguments: Sequence[str]) -> int:
    """Say what happened, and return the exit code."""
    if isinstance(error, BrokenPipeError):
        code = BROKEN_PIPE  # whoever read the output has gone, as `head` does; nothing to say
    elif isinstance(error, UsageError):
        code = _fail(error.message, error.hint, USAGE)
    elif isinstance(error, BrainpressError):
        code = _fail(error.message, error.hint, FAILURE)
    elif isinstance(error, UnicodeEncodeError) and any(map(_holds_other_bytes, arguments)):
        code = _fail("An argument holds bytes that are no UTF-8.", "Only a path may; write it anew in UTF-8.", USAGE)
    elif isinstance(error, MemoryError):
        said, hint = _SYSTEM_FAILURES[errno.ENOMEM]
        code = _fail(f"{said}.", hint, FAILURE)
    elif isinstance(error, OSError) and error.errno in _SYSTEM_FAILURES:
        said, hint = _SYSTEM_FAILURES[error.errno]
        where = f": {error.filename}" if isinstance(error.filename, str) else ""
        code = _fail(f"{said}{where}.", hint, FAILURE)
    else:
        code = _report_bug(error, arguments)
    return code


def _holds_other_bytes(argument: str) -> bool:
    return any("\udc80" <= char <= "\udcff" for char in argument)


def run_group(arguments: Sequence[str]) -> int:
    """Run the click group; its own exceptions become exit codes. A command may return its exit code."""
    import click  # noqa: PLC0415 (only where it is needed)

    from indexer.cli.commands import group  # noqa: PLC0415

    if "_BRAIN_COMPLETE" in os.environ:  # a shell asks what could come next
        group.main(list(arguments), prog_name="brain")
    try:
        # `group.main` would do the same, but keeps a broken pipe to itself.
        with group.make_context("brain", list(arguments)) as context:
            code = group.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        raise BrainpressError(error.format_message()) from error
    return code if isinstance(code, int) else DONE


def _fail(message: str, hint: str, code: int) -> int:
    _say(f"Error: {escape_text(message, lines=True)}")
    if hint:
        _say(f"  {escape_text(hint)}")
    return code


def _report_bug(error: Exception, arguments: Sequence[str]) -> int:
    from indexer.cli.bug_log import render_bug, store_bug  # noqa: PLC0415 (hardly ever needed)

    text = render_bug(error, arguments)
    path = store_bug(text)
    _say(f"Error: this is a mistake in the program: {type(error).__name__}.")
    if path:
        _say(f"  Please report it, with this file: {path}")
    else:
        _say("  Please report it, with these lines:\n")
        _say(escape_text(text, lines=True))
    return BUG


def _say(text: str) -> None:
    with suppress(OSError):  # nobody reads standard error any more
        say(text)


def _settle_output() -> None:
    """Write what is still to be written; what cannot be, must not fail once more while Python exits."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError):  # standard output need not be a file
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
