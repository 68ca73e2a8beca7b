"""A release: the files of one website, built beside the last one and swapped in whole (DESIGN rule 10). Called by the pipeline.

Two trees take turns. While one is the website, the other is brought up to date with what changed since it was the website itself, gets the
new changes, and is swapped in. Unchanged files are hard links to the same bytes, so a small change of a large site costs little in time
and nothing in space. The folder `.brain` of the output marks it as ours; nothing that is not ours is ever replaced.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import PublishError
from indexer.sources.orders import STATE_FOLDER

STATE_FILE = "state.msgpack"
"""Beside a website: what its release is, see `state`."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_SITE, _NEXT, _SPARE, _MARK = "site", "site.next", "site.spare", "spare.of"
_LINKED = 5_000
"""Files that one process links at a time."""
Spread = Callable[[Callable[[list[str]], None], list[list[str]]], Iterable[None]]


class ReleaseWriter:
    """Writes the next release of one website below `out`, beginning as a copy of the last one. From `open_release`."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.state_folder = out / STATE_FOLDER
        self.folder = self.state_folder / _NEXT
        self._root = str(self.folder)
        self._site = out / _SITE
        self._fresh = False
        self._blind = False
        """Whether nobody knows what the last release holds, and so what the next one changes of it."""
        self._last = 0
        self._made: set[str] = set()
        self.changed: set[str] = set()
        """Files written or removed, relative to the site's folder."""

    def write(self, file: str, content: bytes) -> None:
        """Write one file, `file` relative to the site's folder."""
        target = self._place(file)
        try:
            _write_new(target, content)
        except OSError as error:
            raise _explain(error, Path(target)) from error
        self.changed.add(file)

    def update(self, file: str, content: bytes) -> None:
        """Write one file unless the last release has the same bytes there."""
        # Compared with the copy of the last release: without a state nothing was copied, and then all must be written.
        if self._fresh or _read_or_none(self.folder / file) != content:
            self.write(file, content)

    def copy(self, file: str, source: str) -> None:
        """Copy one file from elsewhere on this machine."""
        target = Path(self._place(file))
        with translate_errors(target):
            target.unlink(missing_ok=True)
            shutil.copyfile(source, target)
        self.changed.add(file)

    def remove(self, files: Iterable[str]) -> None:
        """Take files out of the release, and folders that are empty then."""
        for file in files:
            target = self.folder / file
            with translate_errors(target):
                target.unlink(missing_ok=True)
                self._remove_empty(target)
            self.changed.add(file)

    def _remove_empty(self, target: Path) -> None:
        """Remove the folders that held `target` and nothing else: their names may be those of hidden pages."""
        with contextlib.suppress(OSError):
            for parent in target.parents:
                if parent == self.folder:
                    break
                parent.rmdir()
                self._made.discard(str(parent.relative_to(self.folder)))

    def read_last(self, file: str) -> bytes | None:
        """Return a file of the last release, None when it had none of this name."""
        return _read_or_none(self._site / file)

    def _place(self, file: str) -> str:
        """Return where a file goes, once its folder is there."""
        parent = file.rpartition("/")[0]
        target = f"{self._root}/{file}"  # thousands of files: no Path objects
        if parent not in self._made:
            with translate_errors(Path(target)):
                os.makedirs(f"{self._root}/{parent}", exist_ok=True)  # noqa: PTH103
            self._made.add(parent)
        return target

    def begin(self, files: Collection[str], delta: Collection[str], generation: int, spread: Spread = map) -> None:
        """Make the next release a copy of the last one, which is `generation` and holds `files`; `delta` is what it changed itself.

        Where no spare tree is there to begin with, `spread` runs what has to be linked, in several processes if it can.
        """
        spare, mark = self.state_folder / _SPARE, self.state_folder / _MARK
        self._last = generation
        self._blind = not files
        known = not self._blind and _read_or_none(mark) == str(generation - 1).encode()
        mark.unlink(missing_ok=True)
        with translate_errors(self.folder):
            if known and spare.exists():
                spare.rename(self.folder)
                self.link(delta)
                return
            shutil.rmtree(spare, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self._fresh = self._blind
        ordered = sorted(files)  # one folder is the work of one process, mostly
        for _ in spread(self.link, [ordered[start : start + _LINKED] for start in range(0, len(ordered), _LINKED)]):
            pass

    def link(self, files: Iterable[str]) -> None:
        """Make files the same as in the last release: linked, or gone."""
        with translate_errors(self.folder):
            self._link(files)

    def _link(self, files: Iterable[str]) -> None:
        site, folder = str(self._site), str(self.folder)
        for file in files:
            source, target = f"{site}/{file}", f"{folder}/{file}"
            self._place(file)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target)  # noqa: PTH108 (thousands of files: no Path objects)
            try:
                _link_or_copy(source, target)
            except FileNotFoundError:
                self._remove_empty(Path(target))

    def swap_in(self) -> None:
        """Make the new release the website. Two renames; `prepare_output` repairs a stop between them."""
        spare = self.state_folder / _SPARE
        with translate_errors(self._site):
            shutil.rmtree(spare, ignore_errors=True)
            if self._site.exists():
                self._site.rename(spare)
            self.folder.rename(self._site)
        if self._blind:
            return  # the spare tree may hold files that are gone, which no later release would know to remove
        with contextlib.suppress(OSError):  # a full disk: the next release begins without the spare one
            (self.state_folder / _MARK).write_text(str(self._last))

    def abandon(self) -> None:
        """Remove what was written; the last release stays."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _read_or_none(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EXDEV, errno.EMLINK, errno.ENOTSUP}:
            raise
        shutil.copyfile(source, target)


def _write_new(path: str, content: bytes) -> None:
    """A hard link of the last release may never be written through: always a new file."""
    try:
        descriptor = os.open(path, _NEW, 0o644)
    except FileExistsError:
        os.unlink(path)  # noqa: PTH108 (thousands of files: no Path objects)
        descriptor = os.open(path, _NEW, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def check_output(out: Path) -> None:
    """Raise PublishError when `out` holds what is not ours."""
    if out.exists() and not out.is_dir():
        raise PublishError(f"The output {out} is a file.", hint="Choose a folder with --out.")
    if out.is_symlink() and not out.exists():
        raise PublishError(
            f"The output {out} is a symbolic link to a folder that is not there.", hint="Make that folder, or the link anew."
        )
    if (out / _SITE).is_symlink():
        # A release takes the place of the link, and what it led to would stay as it is for ever.
        hint = f"Remove the link, and let the folder that you serve be a link to {out / _SITE}, or put the link in place of {out} itself."
        raise PublishError(f"{out / _SITE} is a symbolic link.", hint=hint)
    if not (out / STATE_FOLDER).exists() and (out / _SITE).exists():
        raise PublishError(f"{out / _SITE} exists and was not made by brain.", hint="Choose another folder with --out, or remove it.")


def prepare_output(out: Path) -> None:
    """Make `out` ready and repair what a stopped run left; one run at a time may. Raises PublishError when it holds what is not ours."""
    state = out / STATE_FOLDER
    check_output(out)
    with translate_errors(out):
        state.mkdir(parents=True, exist_ok=True)
        if not (out / _SITE).exists() and (state / _SPARE).exists():
            # Somebody may have removed the website, and then the state tells of that one, not of the older one that is back.
            (state / STATE_FILE).unlink(missing_ok=True)
            (state / _SPARE).rename(out / _SITE)
        shutil.rmtree(state / _NEXT, ignore_errors=True)


def find_lost(out: Path, files: Collection[str]) -> bool:
    """Whether somebody has taken files out of the last release in `out`, which held these."""
    try:
        site = os.open(out / _SITE, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return bool(files)
    try:
        return not all(os.access(file, os.F_OK, dir_fd=site) for file in files)  # thousands of files: half as long as with Path.exists
    finally:
        os.close(site)


@contextmanager
def open_release(out: Path) -> Iterator[ReleaseWriter]:
    """Give a writer; whatever ends the block before `swap_in` leaves the last release untouched."""
    writer = ReleaseWriter(out)
    try:
        yield writer
    finally:
        writer.abandon()


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn failures of the file system into one clear sentence."""
    try:
        yield
    except OSError as error:
        raise _explain(error, path) from error


def _explain(error: OSError, path: Path) -> PublishError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return PublishError(
            f"The disk is full: {path} could not be written.", hint="Free some space and run again; the last site is untouched."
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return PublishError(f"{path} may not be written.", hint="Check the permissions, or choose another folder with --out.")
    if error.errno == errno.EXDEV:
        hint = f"Put the whole output folder, with its {STATE_FOLDER}, on one disk: a release is moved into place."
        return PublishError(f"{path} lies on another file system than the rest of its output.", hint=hint)
    if error.errno in {errno.EMFILE, errno.ENFILE}:
        return PublishError(f"Too many files are open to write {path}.", hint="Raise the limit (`ulimit -n`) and run again.")
    return PublishError(f"{path} could not be written: {error.strerror}.", hint="Choose another folder with --out.")


def write_beside(target: Path, content: bytes) -> None:
    """Write a file beside its old version and move it into place."""
    fresh = target.with_name(target.name + ".new")
    with translate_errors(target):
        fresh.write_bytes(content)
        fresh.replace(target)
