"""Kills a process for real at each of its steps: at every start of a program and every change to a file below a folder."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "shutil.rmtree"}
_STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork"}


def run_until(step: int, work: Callable[[], object], below: Path) -> bool:
    """Do the work in a process of its own that is killed just before its `step`th step (0-based); True = it got to its end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _set(step, below)
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "the work failed by itself"
    return True


def _set(step: int, below: Path) -> None:
    left = step

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        if event in _STARTS or ((event in _CHANGES or (event == "open" and _writes(args))) and _lies(args[0], below)):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    sys.addaudithook(watch)


def _lies(path: object, below: Path) -> bool:
    """A name without a folder is one below an open folder, which is the repository's."""
    text = os.fsdecode(path) if isinstance(path, str | bytes | Path) else ""
    return not text.startswith("/") or Path(text).is_relative_to(below)


def _writes(args: tuple[object, ...]) -> bool:
    _, mode, flags = args
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
