"""What builds of a workspace made for repos and tenants that it names no more: found by our own mark, and removed. Called by the pipeline.

A folder carries the mark once a build of a workspace has completed a release in it, and the mark says for which repo. Without it, or
where it says something else, nothing is touched; nor is anything in the folder that a build does not make. All of it can be built again.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from indexer.errors import BrainpressError
from indexer.model.progress import Silent
from indexer.model.result import Leftover
from indexer.publish.output_lock import LOCK, hold_output
from indexer.publish.release import translate_errors, write_beside
from indexer.sources.orders import STATE_FOLDER, TenantOrder
from indexer.writes.lock import BusyError

_MARK = "made.for"
_MADE = ("report.json", "report.json.new", "report.csv", "report.csv.new", "site")
"""What a build makes in the folder of a repo, besides the state folder."""
_SHOWN = 3


def mark_made(out: Path, name: str) -> None:
    """Note that a build of a workspace made this folder, for `name`; empty = one of a single repository did, and no other removes it."""
    mark = out / STATE_FOLDER / _MARK
    if not name:
        with translate_errors(mark):
            mark.unlink(missing_ok=True)
    elif not _is_marked(out, name):
        write_beside(mark, f"{name}\n".encode())


def remove_leftovers(tenant: TenantOrder, in_use: Collection[str]) -> list[Leftover]:
    """Remove what was made for repos that a tenant's file names no more, while the lock of its output is held.

    What the registry has in use (`tenant/repo`), and what cannot be removed now or is not all ours, stays and is told.
    """
    return [_clear(folder, name, in_use) for folder, name in _find_marked(tenant.out, f"{tenant.id}/", tenant.named)]


def find_left_tenants(out: Path, named: Collection[str]) -> list[Leftover]:
    """Return the outputs of tenants that a workspace does not name. They stay: another workspace may be built there, too."""
    return [Leftover(name, str(folder), "another workspace may be built there") for folder, name in _find_marked(out, "", named)]


def _find_marked(out: Path, prefix: str, named: Collection[str]) -> Iterator[tuple[Path, str]]:
    """Yield folder and name of all outputs below a folder that carry the mark and are not `named`."""
    with translate_errors(out):
        folders = sorted(out.iterdir()) if out.is_dir() else []
    for folder in folders:
        name = f"{prefix}{folder.name}"
        if folder.name not in named and not folder.is_symlink() and _is_marked(folder, name):
            yield folder, name


def _is_marked(folder: Path, name: str) -> bool:
    state = folder / STATE_FOLDER
    try:
        own = stat.S_ISDIR(state.lstat().st_mode) and stat.S_ISREG((state / _MARK).lstat().st_mode)
        return own and (state / _MARK).read_bytes() == f"{name}\n".encode()
    except OSError:
        return False


def _clear(folder: Path, name: str, in_use: Collection[str]) -> Leftover:
    if name in in_use:
        return Leftover(name, str(folder), "the registry has it as active, until `brain registry apply` archives it")
    try:
        with hold_output(folder, 0, Silent()):
            rest = _remove_made(folder)
    except BusyError:
        return Leftover(name, str(folder), "another run of brain is at work there; the next build removes it")
    except BrainpressError as error:
        return Leftover(name, str(folder), error.message.rstrip("."))
    except OSError as error:
        return Leftover(name, str(folder), f"it cannot be removed: {error.strerror}")
    others = ", ".join(rest[:_SHOWN]) + (" and more" if len(rest) > _SHOWN else "")
    return Leftover(name, str(folder), f"files that brain did not make are in it: {others}" if rest else "")


def _remove_made(folder: Path) -> list[str]:
    """Remove what a build makes in the folder of a repo, the mark last, so that a run that is killed meanwhile is ended by the next one.

    Returns the names of what else is there; without any, the folder is gone.
    """
    state = folder / STATE_FOLDER
    own = [state / name for name in sorted(os.listdir(state), key=lambda name: (name != "state.msgpack", name))]  # noqa: PTH208 (names)
    for path in (*(path for path in own if path.name not in {LOCK, _MARK}), *(folder / name for name in _MADE)):
        _remove(path)
    rest = sorted(path.name for path in folder.iterdir() if path != state)
    rest += sorted(f"{STATE_FOLDER}/{path.name}" for path in state.iterdir() if path.name not in {LOCK, _MARK})
    if rest:
        return rest
    for path in (state / LOCK, state / _MARK):
        path.unlink(missing_ok=True)
    state.rmdir()
    with contextlib.suppress(OSError):  # a file that came this moment stays
        folder.rmdir()
    return []


def _remove(path: Path) -> None:
    """Remove a file or a whole folder; what lies behind a symbolic link is never touched, nor is the link."""
    with contextlib.suppress(FileNotFoundError):
        kind = path.lstat().st_mode
        if stat.S_ISDIR(kind):
            shutil.rmtree(path)
        elif stat.S_ISREG(kind):
            path.unlink()
