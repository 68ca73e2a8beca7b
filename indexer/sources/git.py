"""The one place that starts the git program, for every room that needs it: `commits` writes with it, `network` says how it may reach one.

A repository is never trusted: its configuration, hooks, attributes and aliases are somebody else's. So git gets a list of arguments
(never a shell), an environment made from nothing, the repository named outright (no search, so no question of who owns it), settings
that outrank those of the repository, no transport, no lock, and limits on time, memory and files. Nothing here knows what is read.
"""

import contextlib
import io
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast
from weakref import WeakSet

from indexer.errors import SourceError

PATIENCE = 120.0
"""Seconds without any output after which a git process is ended."""
CPU_SECONDS = 900
MEMORY = 4 * 1024**3
READ_FILE_SIZE = 1024 * 1024
"""Reading writes no file but the error output; a repository that makes git write more is stopped."""
WRITE_FILE_SIZE = 1024**3
"""Writing makes objects and an index, which grow with the repository."""
LAST_WORDS = 2.0
"""Seconds in which a process that is ended may take its locks away."""
DIAGNOSIS = 2000
"""Bytes of the error output that are kept."""

SETTINGS = (
    "advice.graftFileDeprecated=false",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.alternateRefsCommand=",
    "core.askPass=",
    "core.logAllRefUpdates=false",
    "core.quotePath=false",
    "credential.helper=",
    "diff.external=",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "gpg.program=/dev/null",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",
    "submodule.recurse=false",
)

_UNKNOWN_OPTION = 129
_NEEDED = "Install git 2.32 or later, and make sure that PATH names its folder."
_CREDENTIAL = re.compile(r"(?<=://)[^/@\s]+@")
_UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class GitError(SourceError):
    """git failed: `status` is its exit status (negative: ended by that signal), `diagnosis` what it said, without credentials."""

    def __init__(self, message: str, *, status: int = 0, diagnosis: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.diagnosis = diagnosis


@cache
def find_git() -> str:
    """Return the absolute path of the git program, never one that lies relative to some folder."""
    found = shutil.which("git", path=_search_path())
    if found is None:
        raise GitError("The program git was not found.", hint=_NEEDED)
    return found


def _search_path() -> str:
    """PATH without its relative folders: a repository must not be able to bring a git of its own."""
    return os.pathsep.join(part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(part).is_absolute())


def build_environment(git_dir: Path, work_tree: Path | None = None, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the whole environment of a git process; nothing is inherited but the search path. It runs in a folder of its own."""
    return {
        "PATH": _search_path(),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_DIR": str(git_dir.absolute()),
        # Named, so that the repository's own core.worktree counts for nothing; reading from objects never looks there.
        "GIT_WORK_TREE": str((work_tree or git_dir).absolute()),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": "/dev/null",
        "GIT_NO_LAZY_FETCH": "1",
        # Outranks any protocol.*.allow of the repository, so a partial clone cannot make us fetch.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_PAGER": "cat",
        **(extra or {}),
    }


def redact(text: str) -> str:
    """Return text of git fit for a message: no user name or password of an address, no control characters."""
    return _UNPRINTABLE.sub("", _CREDENTIAL.sub("", text)).strip()


class _PatientPipe(io.RawIOBase):
    """The output of a process; a read that waits too long counts as its end."""

    def __init__(self, descriptor: int, patience: float) -> None:
        self._descriptor = descriptor
        self._milliseconds = patience * 1000
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)
        self.expired = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._poll.poll(self._milliseconds):
            self.expired = True
            return 0
        return os.readv(self._descriptor, [buffer])


class GitPipe:
    """One running git process whose output is read as it comes. Use it in a `with` block: leaving the block ends the process."""

    def __init__(
        self,
        git_dir: Path,
        args: Sequence[str],
        *,
        work_tree: Path | None = None,
        folder: Path | None = None,
        patience: float = PATIENCE,
        file_size: int = READ_FILE_SIZE,
        settings: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        options = [word for setting in (*SETTINGS, *settings) for word in ("-c", setting)]
        command = [find_git(), "--no-pager", *options, *args]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        with _FORKING:
            self._process = self._start(command, folder, build_environment(git_dir, work_tree, environment))
            self._input = cast("IO[bytes]", self._process.stdin)
            self._output = cast("IO[bytes]", self._process.stdout)
            _OPEN.add(self)
        _limit(self._process.pid, file_size)
        self._feeder: threading.Thread | None = None
        self._name = args[0]
        self._raw = _PatientPipe(self._output.fileno(), patience)
        self.out = io.BufferedReader(self._raw, 1 << 17)

    def _start(self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                cwd=folder or "/",
                env=environment,
                # A group of its own, so that what git starts ends with it.
                start_new_session=True,
            )
        except OSError:
            self._errors.close()
            raise

    def feed(self, requests: bytes, *, last: bool) -> None:
        """Write to the process, from a thread of its own: both sides could wait for ever on full pipes. `last` closes its input."""
        if self._feeder is not None:
            self._feeder.join()
        self._feeder = threading.Thread(target=self._write, args=(requests, last), daemon=True)
        self._feeder.start()

    def _write(self, requests: bytes, last: bool) -> None:
        # A process that is gone takes nothing: whoever reads its output finds out why.
        with contextlib.suppress(BrokenPipeError):
            rest = memoryview(requests)
            while rest:
                rest = rest[self._input.write(rest) :]
            if last:
                self._end_input()

    def _end_input(self) -> None:
        with _FORKING:
            self._input.close()

    def let_go(self) -> None:
        """Close both ends, in a process that was forked: git hears no end of its input as long as anybody holds it."""
        for stream in (self._input, self._output):
            with contextlib.suppress(OSError):
                stream.close()

    def finish(self, accepted: Sequence[int] = (0,)) -> int:
        """Wait for the end and return the exit status; raise GitError for one that is not accepted."""
        if self._feeder is None:
            self._end_input()
        while self.out.read(1 << 16):
            pass
        if self._raw.expired:
            raise self.failure()
        status = self._settle()
        if status not in accepted:
            raise self.failure()
        return status

    def failure(self) -> GitError:
        """Return the error that says why the process ended or fell silent; SourceError is raised when the program itself is too old."""
        if self._raw.expired:
            return GitError(f"git {self._name} gave no sign of life for {self._raw._milliseconds / 1000:.0f} s and was stopped.")
        status = self._settle()
        self._errors.seek(0)
        diagnosis = redact(self._errors.read(DIAGNOSIS).decode("utf-8", "replace"))
        lines = [line for line in diagnosis.splitlines() if line.strip() and not line.startswith("hint:")]
        said = lines[-1] if lines else "no explanation"
        if status == _UNKNOWN_OPTION:
            # Not a GitError: it says nothing about the repository, and whoever expects one of those must not explain it so.
            raise SourceError(f"{find_git()} does not know what it was asked: {lines[0][:80] if lines else said}.", hint=_NEEDED)
        how = f"status {status}" if status >= 0 else f"ended by signal {-status}"
        return GitError(f"git {self._name} failed ({how}): {said}", status=status, diagnosis="\n".join(lines))

    def _settle(self) -> int:
        """Return the exit status of a process that closed its output; one that lives on nevertheless is ended."""
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.wait()

    def close(self) -> None:
        """End the process and everything it started, if it still runs."""
        if self._process.poll() is None:
            self._end()
        if self._feeder is not None:
            self._feeder.join()
        for stream in (self._input, self.out, self._output, self._errors):
            stream.close()

    def _end(self) -> None:
        """Ask the process to end, which lets git remove its locks, and end it when it does not."""
        for word, seconds in ((signal.SIGTERM, LAST_WORDS), (signal.SIGKILL, None)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, word)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=seconds)
                return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


_OPEN: WeakSet[GitPipe] = WeakSet()
"""All pipes of this process."""
_FORKING = threading.Lock()
"""Held while this process forks, and while a pipe is opened or its input closed: a copy in between would keep what nobody knows of."""


def _begin_fork() -> None:
    """Forget in the new process the pipes of the old one, as a program that is started anew would."""
    for pipe in list(_OPEN):
        pipe.let_go()
    _OPEN.clear()
    _FORKING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_FORKING.acquire, after_in_parent=_FORKING.release, after_in_child=_begin_fork)


def _limit(process: int, file_size: int) -> None:
    """Set limits from outside, for code between fork and exec is not safe in a program with threads. Linux only."""
    if not hasattr(resource, "prlimit"):
        return
    limits = (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_DATA, MEMORY),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, wanted in limits:
        # A process that has ended already needs no limit; one under a lower limit keeps that.
        with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
            _, hard = resource.prlimit(process, kind)
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.prlimit(process, kind, (most, most))


def run_git(
    git_dir: Path,
    args: Sequence[str],
    *,
    work_tree: Path | None = None,
    folder: Path | None = None,
    accepted: Sequence[int] = (0,),
    most: int = 64 * 1024 * 1024,
    given: bytes | None = None,
    file_size: int = READ_FILE_SIZE,
    settings: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Run a git command, with `given` as its input, and return its output, at most `most` bytes; raise GitError unless its exit status is
    accepted."""
    with GitPipe(
        git_dir, args, work_tree=work_tree, folder=folder, file_size=file_size, settings=settings, environment=environment
    ) as pipe:
        if given is not None:
            pipe.feed(given, last=True)
        output = pipe.out.read(most + 1)
        if len(output) > most:
            raise GitError(f"git {args[0]} printed more than {most:,} bytes.")
        pipe.finish(accepted)
    return output
