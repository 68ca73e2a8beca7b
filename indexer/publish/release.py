"""A release: the files of one website, built beside the last one and swapped in whole (DESIGN rule 10). Called by the pipeline.

Files that did not change are hard links to the last release's, so that a small change of a large site costs little. The folder `.brain`
of the output marks it as ours; nothing that is not ours is ever replaced.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import PublishError

STATE_FOLDER = ".brain"
_SITE, _NEXT, _LAST = "site", "site.next", "site.last"


class ReleaseWriter:
    """Writes the next release of one website below `out`. One at a time, from `open_release`."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.state_folder = out / STATE_FOLDER
        self._site = out / _SITE
        self._last = out / STATE_FOLDER / _LAST
        self.folder = out / STATE_FOLDER / _NEXT
        self._made: set[str] = set()

    def write(self, file: str, content: bytes) -> None:
        """Write one file, `file` relative to the site's folder."""
        target = self._place(file)
        with translate_errors(target), open(target, "wb", opener=_open_new) as stream:
            stream.write(content)

    def copy(self, file: str, source: str) -> None:
        """Copy one file from elsewhere on this machine."""
        target = self._place(file)
        with translate_errors(target):
            shutil.copyfile(source, target)

    def keep(self, file: str) -> bool:
        """Take one file over from the last release; False when it is not there."""
        try:
            target = self._place(file)
            os.link(self._site / file, target)
        except FileNotFoundError:
            return False
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EXDEV, errno.EMLINK, errno.ENOTSUP}:
                raise _explain(error, self._site / file) from error
            with translate_errors(target):
                shutil.copyfile(self._site / file, target)
        return True

    def read_last(self, file: str) -> bytes | None:
        """Return a file of the last release, None when it had none of this name."""
        try:
            return (self._site / file).read_bytes()
        except OSError:
            return None

    def _place(self, file: str) -> Path:
        target = self.folder / file
        parent = file.rpartition("/")[0]
        if parent not in self._made:
            with translate_errors(target):
                target.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(parent)
        return target

    def swap_in(self) -> None:
        """Make the new release the website. Two renames; `recover` repairs a stop between them."""
        with translate_errors(self._site):
            shutil.rmtree(self._last, ignore_errors=True)
            if self._site.exists():
                self._site.rename(self._last)
            self.folder.rename(self._site)
            shutil.rmtree(self._last, ignore_errors=True)

    def abandon(self) -> None:
        """Remove what was written; the last release stays."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _open_new(path: str, flags: int) -> int:
    """A hard link of the last release may never be written through: always a new file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108 (a descriptor-level opener)
    return os.open(path, flags | os.O_EXCL, 0o644)


def prepare_output(out: Path) -> None:
    """Make `out` ready and repair what a stopped run left. Raises PublishError when it holds what is not ours."""
    state = out / STATE_FOLDER
    if out.exists() and not out.is_dir():
        raise PublishError(f"The output {out} is a file.", hint="Choose a folder with --out.")
    if not state.exists() and (out / _SITE).exists():
        raise PublishError(f"{out / _SITE} exists and was not made by brain.", hint="Choose another folder with --out, or remove it.")
    with translate_errors(out):
        state.mkdir(parents=True, exist_ok=True)
        if not (out / _SITE).exists() and (state / _LAST).exists():
            (state / _LAST).rename(out / _SITE)
        shutil.rmtree(state / _NEXT, ignore_errors=True)


@contextmanager
def open_release(out: Path) -> Iterator[ReleaseWriter]:
    """Give a writer; whatever ends the block before `swap_in` leaves the last release untouched."""
    writer = ReleaseWriter(out)
    with translate_errors(writer.folder):
        writer.folder.mkdir(parents=True)
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
        return PublishError(f"The disk is full: {path} could not be written.", hint="Free some space and run again; the last site is untouched.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return PublishError(f"{path} may not be written.", hint="Check the permissions, or choose another folder with --out.")
    return PublishError(f"{path} could not be written: {error.strerror}.", hint="Choose another folder with --out.")


def write_beside(target: Path, content: bytes) -> None:
    """Write a file beside its old version and move it into place."""
    fresh = target.with_name(target.name + ".new")
    with translate_errors(target):
        fresh.write_bytes(content)
        fresh.replace(target)
