"""The walk over a plain folder: names, sizes and blob ids of the files as they lie there.

Called by `folder`. No symbolic link is followed, at no level: each folder and file is opened relative to its already opened parent, so
that a folder exchanged for a link during the walk leads nowhere. Devices, pipes and sockets are never opened. Writes nothing.
"""

import os
import stat
from collections.abc import Mapping, Set
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from indexer.model.finding import Finding
from indexer.model.snapshot import Limits
from indexer.sources.names import is_passed_over
from indexer.sources.objects import hash_object
from indexer.sources.refusals import (
    check_name,
    is_lfs,
    may_be_lfs,
    report_lfs,
    report_submodule,
    report_symlink,
    report_too_deep,
    report_too_large,
    report_unknown_kind,
    report_unreadable,
    too_many_bytes,
    too_many_entries,
)
from indexer.sources.symlinks import name_target

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Remembered(NamedTuple):
    """What the file system says of a file, and the blob id that its bytes had then."""

    size: int
    changed: int
    """Time of the last change of the content, in nanoseconds."""
    touched: int
    """Time of the last change of anything, in nanoseconds; no program can set it back."""
    inode: int
    blob: str
    pointer: bool
    """Whether it is a Git LFS pointer."""


class FolderWalk(Struct):
    """One walk and what it gathers; paths are bytes relative to the root."""

    where: str
    """The root as shown in messages."""
    limits: Limits
    remembered: Mapping[bytes, Remembered]
    """From an earlier run."""
    ignored: Set[bytes] = frozenset()
    """Files and folders that git ignores."""
    files: dict[bytes, Remembered] = field(default_factory=dict)
    """All files that were kept or found to be pointers."""
    named: list[tuple[bytes, str]] = field(default_factory=list)
    """Symbolic links and the paths that they name."""
    findings: list[tuple[bytes, Finding]] = field(default_factory=list)
    seen: int = 0
    total: int = 0

    def visit(self, folder: int, prefix: bytes = b"", depth: int = 0) -> None:
        """Take in an open folder and everything below it; raises SourceError over the caps on number and bytes, OSError for the folder."""
        with os.scandir(folder) as listing:
            entries = {os.fsencode(entry.name): entry for entry in listing}
        if prefix and b".git" in entries:
            self._report(prefix, report_submodule(prefix[:-1]))
            return
        if prefix and b"pyvenv.cfg" in entries:
            return
        self.seen += len(entries)
        if self.seen > self.limits.entries:
            raise too_many_entries(self.where, self.limits)
        for name, entry in entries.items():
            path = prefix + name
            if is_passed_over(name) or path in self.ignored:
                continue
            refused = check_name(path, name)
            if refused is not None:
                self._report(path, refused)
                continue
            try:
                self._take(folder, path, entry, depth)
            except FileNotFoundError:
                # Deleted since it was listed: then it is not there.
                continue
            except OSError as error:
                self._report(path, report_unreadable(path, error))

    def _take(self, folder: int, path: bytes, entry: os.DirEntry[str], depth: int) -> None:
        if entry.is_symlink():
            target = os.fsencode(os.readlink(entry.name, dir_fd=folder))
            self._report(path, report_symlink(path, target))
            self.named.append((path, name_target(path, target)))
        elif entry.is_dir(follow_symlinks=False):
            self._enter(folder, path, entry.name, depth + 1)
        elif entry.is_file(follow_symlinks=False):
            self._take_file(folder, path, entry)
        else:
            self._report(path, report_unknown_kind(path))

    def _enter(self, parent: int, path: bytes, name: str, depth: int) -> None:
        if depth > self.limits.depth:
            self._report(path, report_too_deep(path, self.limits))
            return
        opened = os.open(name, _OPEN_FOLDER, dir_fd=parent)
        try:
            self.visit(opened, path + b"/", depth)
        finally:
            os.close(opened)

    def _take_file(self, folder: int, path: bytes, entry: os.DirEntry[str]) -> None:
        status = entry.stat(follow_symlinks=False)
        known = self.remembered.get(path)
        if known is None or known[:4] != (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino):
            if status.st_size > self.limits.blob_bytes:
                self._report(path, report_too_large(path, status.st_size, self.limits))
                return
            self._count(status.st_size)
            read = self._read(folder, path, entry.name)
            if read is None:
                return
            known = read
        elif known.size > self.limits.blob_bytes:
            self._report(path, report_too_large(path, known.size, self.limits))
            return
        else:
            self._count(known.size)
        self.files[path] = known
        if known.pointer:
            self._report(path, report_lfs(path))

    def _count(self, size: int) -> None:
        self.total += size
        if self.total > self.limits.total_bytes:
            raise too_many_bytes(self.where, self.limits)

    def _read(self, folder: int, path: bytes, name: str) -> Remembered | None:
        descriptor = os.open(name, _OPEN_FILE, dir_fd=folder)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                self._report(path, report_unknown_kind(path))
                return None
            content = read_at_most(descriptor, self.limits.blob_bytes + 1, status.st_size + 1)
        finally:
            os.close(descriptor)
        if len(content) > self.limits.blob_bytes:
            self._report(path, report_too_large(path, len(content), self.limits))
            return None
        pointer = may_be_lfs(len(content)) and is_lfs(content)
        blob = hash_object(b"blob", content)
        return Remembered(len(content), status.st_mtime_ns, status.st_ctime_ns, status.st_ino, blob, pointer)

    def _report(self, path: bytes, finding: Finding) -> None:
        self.findings.append((path, finding))


def read_at_most(descriptor: int, most: int, first: int) -> bytes:
    """Return what an open file holds, up to `most` bytes; `first` is how many to ask for at once."""
    pieces: list[bytes] = []
    left = most
    while left > 0 and (piece := os.read(descriptor, min(left, max(first, 1 << 13)))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_below(root: Path, path: str, largest: int) -> bytes | None:
    """Return what a regular file below a folder holds, reached over no symbolic link; None when there is none of at most so many bytes."""
    *folders, name = path.split("/")
    with ExitStack() as stack, suppress(OSError):
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, opened)
        for folder in folders:
            opened = os.open(folder, _OPEN_FOLDER, dir_fd=opened)
            stack.callback(os.close, opened)
        descriptor = os.open(name, _OPEN_FILE, dir_fd=opened)
        stack.callback(os.close, descriptor)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            content = read_at_most(descriptor, largest + 1, largest + 1)
            return content if len(content) <= largest else None
    return None


def read_file(path: bytes, most: int) -> bytes:
    """Return what a regular file holds, up to `most` bytes; raises OSError, also for a symbolic link. Anything else holds nothing."""
    descriptor = os.open(path, _OPEN_FILE)
    try:
        return read_at_most(descriptor, most, most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)
