"""What the reader of a door reaches at this moment. Asked by `desk` before each call; nothing that was decided before is used again.

A workspace's tenant.yml is read again whenever it changed (SPEC T09). One that cannot be read opens nothing to anybody.
"""

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from threading import Lock
from typing import Protocol

from msgspec import Struct

from indexer.publish.visible import clean_line
from indexer.registry.reach import Access, Reader, is_known, reach
from indexer.registry.tenant_file import TenantFile, check_tenant_file
from indexer.serve.library import Stamp, stamp_file
from indexer.serve.tool_error import ToolError

UNDECIDED = (
    "Who may read what cannot be decided now, so nothing is shown. Try again later; whoever runs this server finds the reason in its log."
)


class Admission(Struct, frozen=True):
    """What one call may see."""

    known: bool
    """Whether the reader belongs to the tenant at all."""
    reach: Mapping[str, Access]
    """Repo id → access."""
    homes: frozenset[str]
    """Those of them that are somebody's home."""
    brain: str = ""
    """Id of the one brain that the credential is for; empty = any within reach."""


class Gate(Protocol):
    """Decides on each call."""

    @property
    def may_read(self) -> bool:
        """Whether the connection is for reading at all; without, the tools do not exist for it."""

    def admit(self) -> Admission:
        """Return what the reader reaches now; ToolError when that cannot be told."""


class OwnGate:
    """The gate of a single folder: whoever runs the command has the files anyway."""

    def __init__(self, repos: Collection[str], homes: Collection[str] = (), *, may_read: bool = True) -> None:
        self.may_read = may_read
        self._admission = Admission(known=True, reach=dict.fromkeys(repos, "write"), homes=frozenset(homes))

    def admit(self) -> Admission:
        """Return what there is."""
        return self._admission


class TenantGate:
    """The gate of one tenant of a workspace, for one reader."""

    def __init__(self, file: Path, reader: Reader) -> None:
        self._file = file
        self._reader = reader
        self._lock = Lock()
        self._read: tuple[Stamp, TenantFile | None] | None = None

    @property
    def may_read(self) -> bool:
        """Whether the reader's credential is for reading."""
        return self._reader.may_read

    def admit(self) -> Admission:
        """Decide by the file as it is now."""
        tenant = self._load()
        if tenant is None:
            raise ToolError(UNDECIDED)
        reached = reach(tenant, self._reader)
        homes = frozenset(repo.id for repo in tenant.repos if repo.kind == "home" and repo.id in reached)
        return Admission(known=is_known(tenant, self._reader), reach=reached, homes=homes)

    def _load(self) -> TenantFile | None:
        """Return the file's content; None when there is none, or when anything in it is wrong."""
        with self._lock:
            try:
                stamp = stamp_file(self._file)
            except OSError as error:
                self._read = None
                _log([f"{self._file}: cannot be read: {error.strerror}"])
                return None
            if self._read is None or self._read[0] != stamp:
                self._read = stamp, _load_tenant(self._file)
            return self._read[1]


def _load_tenant(file: Path) -> TenantFile | None:
    if file.is_symlink():  # it could be another tenant's
        _log([f"{file}: is a symbolic link"])
        return None
    tenant, problems = check_tenant_file(file)
    _log(problems)
    return None if problems else tenant


def _log(problems: list[str]) -> None:
    for problem in problems[:20]:
        sys.stderr.write(f"brain: {clean_line(problem)}\n")
