"""The releases that the gateway serves: which files each has, and how one is opened (DESIGN rule 10, THREATS 1). Called by `sites`.

A file is opened by its name in the release's own list, step by step from the folder of that release, through no symbolic link. Nothing is
called here before the reader may read the repo.
"""

import os
import stat
import threading
import time
import unicodedata
import weakref
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct, field

from indexer.sources.orders import STATE_FOLDER

_STATE = "state.msgpack"
_MOST_OPEN = 200
_GRACE_SECONDS = 15.0
"""How long a release is served whose state is being replaced; a build takes milliseconds for it, one that was stopped there forever."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_TRIES = 5
_PAGE = "/index.html"
Stamp = tuple[int, int, int]


def _fold(path: str) -> str:
    return unicodedata.normalize("NFKC", path).casefold()


class _Listed(Struct, frozen=True):
    """What of a build's state says what there is."""

    manifest: frozenset[str] = frozenset()
    sources: dict[str, str] = field(default_factory=dict)


class Release:
    """One release. It stays what it was when a newer one takes its place."""

    def __init__(self, folder: int, stamp: Stamp, listed: _Listed) -> None:
        self.stamp = stamp
        self.files = listed.manifest
        self._copied = frozenset(listed.sources)
        self._folder = folder
        self._folded: dict[str, str] | None = None
        """Addresses of pages without letter case → as they are; no two are the same (`analysis.addresses`). Made when first needed."""
        weakref.finalize(self, os.close, folder)

    def find_page(self, path: str) -> str:
        """Return the page at this address in other letter case, empty when there is none.

        A page whose name changes in letter case only keeps no redirect, for many file systems have no room for both.
        """
        if self._folded is None:
            pages = (file.removesuffix(_PAGE) for file in self.files if file.endswith(_PAGE) and not file.startswith("_/"))
            self._folded = {_fold(page): page for page in pages}
        return self._folded.get(_fold(path), "")

    def is_attachment(self, file: str) -> bool:
        """Whether the bytes of a file are somebody's: copied from the repo, not written by the program."""
        return file in self._copied and not file.startswith("_/")

    def open(self, file: str) -> tuple[int, int] | None:
        """Return descriptor and size of a file of the list; None when it is not there or is no plain file."""
        *folders, name = file.split("/")
        at, passed = self._folder, -1
        try:
            for folder in folders:
                inner = os.open(folder, _FOLDER, dir_fd=at)
                if passed >= 0:
                    os.close(passed)
                at = passed = inner
            opened = os.open(name, _FILE, dir_fd=at)
        except OSError:
            return None
        finally:
            if passed >= 0:
                os.close(passed)
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            os.close(opened)
            return None
        return opened, found.st_size


class Releases:
    """The releases below an output folder, each opened when it is first asked for."""

    def __init__(self, out: Path, report: Callable[[str], None]) -> None:
        self._out = str(out)
        self._report = report
        self._open: OrderedDict[tuple[str, str], Release] = OrderedDict()
        self._unstamped: dict[tuple[str, str], float] = {}
        self._reported: set[str] = set()
        self._lock = threading.Lock()

    def peek(self, tenant: str, repo: str) -> Release | None:
        """Return the release of a repo when it is open already and still the newest."""
        release = self._open.get((tenant, repo))
        if release is None or release.stamp != self._stamp(tenant, repo):
            return None
        self._open.move_to_end((tenant, repo))
        return release

    def load(self, tenant: str, repo: str) -> Release | None:
        """Return the release of a repo as it is now; None when there is none. Reads a file that may be large."""
        with self._lock:
            release = self.peek(tenant, repo) or self._load(tenant, repo)
            if release is None:
                return self._keep_last(tenant, repo)
            self._unstamped.pop((tenant, repo), None)
            self._reported.discard(f"{tenant}/{repo}")
            self._open[tenant, repo] = release
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
            return release

    def close(self) -> None:
        """Forget all of them."""
        self._open.clear()

    def _stamp(self, tenant: str, repo: str) -> Stamp | None:
        try:
            found = os.stat(f"{self._out}/{tenant}/{repo}/{STATE_FOLDER}/{_STATE}")  # noqa: PTH116 (asked on every request)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _load(self, tenant: str, repo: str) -> Release | None:
        """Open folder and list of one and the same release: a build takes the list away before it swaps the folder."""
        tries = _TRIES if self._may_be_under_way(tenant, repo) else 1
        for turn in range(tries):
            if turn:
                time.sleep(0.01)
            stamp = self._stamp(tenant, repo)
            folder = self._open_folder(tenant, repo) if stamp else None
            if stamp is None or folder is None:
                continue
            listed = self._read_list(tenant, repo)
            if listed is not None and self._stamp(tenant, repo) == stamp:
                return Release(folder, stamp, listed)
            os.close(folder)
        return None

    def _may_be_under_way(self, tenant: str, repo: str) -> bool:
        """Whether a build may be between its two steps now; one that was stopped there is not waited for on each request."""
        missing = self._unstamped.get((tenant, repo))
        recent = missing is None or time.monotonic() - missing < _GRACE_SECONDS
        return recent and Path(self._out, tenant, repo, STATE_FOLDER).is_dir()

    def _open_folder(self, tenant: str, repo: str) -> int | None:
        at = -1
        try:
            at = os.open(self._out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            for name in (tenant, repo, "site"):
                inner = os.open(name, _FOLDER, dir_fd=at)
                os.close(at)
                at = inner
        except OSError:
            if at >= 0:
                os.close(at)
            return None
        return at

    def _read_list(self, tenant: str, repo: str) -> _Listed | None:
        path = Path(self._out, tenant, repo, STATE_FOLDER, _STATE)
        try:
            return msgspec.msgpack.decode(path.read_bytes(), type=_Listed)
        except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
            return None

    def _keep_last(self, tenant: str, repo: str) -> Release | None:
        """Go on for a moment with the release that is being replaced; say once that there is none."""
        key = (tenant, repo)
        since = self._unstamped.setdefault(key, time.monotonic())
        if key in self._open and time.monotonic() - since < _GRACE_SECONDS and self._stamp(tenant, repo) is None:
            return self._open[key]
        self._open.pop(key, None)
        if f"{tenant}/{repo}" not in self._reported:
            self._reported.add(f"{tenant}/{repo}")
            self._report(f"{tenant}/{repo} has no complete release below the output folder, so it is not shown. Run `brain build`.")
        return None
