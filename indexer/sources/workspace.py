"""A workspace: a folder that holds one folder per tenant, each with a tenant.yml.

Called by the pipeline and the command line. Reads the files as they lie there; which commit of a repo is read is decided by `open_source`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.errors import ConfigError, SourceError

if TYPE_CHECKING:
    from indexer.registry.tenant_file import Repo, TenantFile

_FILE_NAME = "tenant.yml"


class TenantFolder(Struct, frozen=True):
    """One tenant of a workspace."""

    folder: Path
    """Holds tenant.yml; its name is the tenant's id."""
    tenant: "TenantFile"
    """What the file declares, without a problem."""

    def find_folder(self, repo: "Repo") -> Path | None:
        """Return where a repo's files lie below the tenant's folder; None for a repo with an address. Raises SourceError when the way there
        leads over a symbolic link, for it could lead into another tenant."""
        if repo.address is not None or repo.folder is None:
            return None
        inside = self.folder / repo.folder
        if inside.resolve() != self.folder.resolve() / repo.folder:
            raise SourceError(f"{inside} leads over a symbolic link.", hint="Put the folder itself in its place.")
        return inside


def read_workspace(path: Path) -> tuple[TenantFolder, ...] | None:
    """Return the tenants of a workspace in the order of their ids; None when the folder is no workspace.

    Raises ConfigError with the problems of all tenant files, SourceError when the folder cannot be listed.
    """
    try:
        listed = sorted(folder for folder in path.iterdir() if not folder.name.startswith("."))
    except NotADirectoryError:
        return None
    except OSError as error:
        raise SourceError(
            f"{path} cannot be listed: {error.strerror}.", hint="Check the spelling, and the right to read that folder."
        ) from error
    held = {folder: _holds_tenant(folder) for folder in listed}
    folders = [folder for folder in listed if held[folder]]
    if not folders:
        return None
    closed = next((folder for folder in listed if held[folder] is None), None)
    if closed:
        raise SourceError(
            f"{closed} may hold a tenant and cannot be looked into.", hint="Give the right to read that folder, or move it away."
        )
    # The models load pydantic, which costs more than everything else that reading a plain folder needs.
    from indexer.registry.tenant_file import check_tenant_file  # noqa: PLC0415

    checked = [(folder, *check_tenant_file(folder / _FILE_NAME)) for folder in folders]
    problems = [problem for _, _, found in checked for problem in found]
    if problems:
        raise ConfigError(problems, hint="The handbook's page on tenant.yml shows every key.")
    return tuple(TenantFolder(folder, tenant) for folder, tenant, _ in checked if tenant is not None)


def find_declared(path: Path) -> tuple[TenantFolder, "Repo"] | None:
    """Return the tenant and the repo that a folder is declared as by the nearest tenant.yml above it; None when it is none of a workspace.

    A tenant.yml with problems declares nothing: who asks about one folder need not answer for the file above it.
    """
    folder = path.resolve()
    above = next((parent for parent in folder.parents if _holds_tenant(parent)), None)
    if above is None:
        return None
    from indexer.registry.tenant_file import check_tenant_file  # noqa: PLC0415

    tenant, problems = check_tenant_file(above / _FILE_NAME)
    if tenant is None or problems:
        return None
    repo = next((repo for repo in tenant.repos if not repo.address and above / (repo.folder or repo.id) == folder), None)
    return (TenantFolder(above, tenant), repo) if repo else None


def _holds_tenant(folder: Path) -> bool | None:
    """Whether a folder is a tenant's; None when it cannot be looked into.

    A folder behind a symbolic link is none of the workspace, and a linked tenant.yml could be another tenant's.
    """
    file = folder / _FILE_NAME
    try:
        return not folder.is_symlink() and folder.is_dir() and file.is_file() and not file.is_symlink()
    except OSError:
        return None
