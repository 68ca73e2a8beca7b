"""tenant.yml: reads the file in which a tenant declares its people, agents, repos and grants, and tells all its problems at once.

Called by `indexer.sources.workspace` and by the registry, which applies it. The file only declares; who may read what is decided elsewhere.
`python -m indexer.registry.tenant_file PATH` writes the published JSON Schema anew.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

from indexer.errors import ConfigError
from indexer.registry.declared_file import Problem, explain_error, parse_declared, read_declared, show_problems
from indexer.registry.tenant_model import MODELS, RESERVED_IDS, Account, Agent, Grant, Membership, Repo, TenantFile
from indexer.registry.tenant_rules import check_tenant

FILE_NAME = "tenant.yml"
LARGEST_FILE = 4 * 1024 * 1024
SCHEMA_FILE = Path(__file__).parent / "schemas" / "tenant.schema.json"

_HINT = "The handbook's page on tenant.yml shows every key; its JSON Schema lets an editor check them while you type."


def load_tenant_file(path: Path) -> TenantFile:
    """Return what a tenant.yml declares; raises ConfigError with every problem as `path:line: sentence`."""
    tenant, problems = check_tenant_file(path)
    if tenant is None or problems:
        raise ConfigError(problems, hint=_HINT)
    return tenant


def check_tenant_file(path: Path) -> tuple[TenantFile | None, list[str]]:
    """Return what a tenant.yml declares (None when that is unusable) and its problems, as `path:line: sentence`."""
    read, problems = read_declared(path, LARGEST_FILE)
    if read is None:
        return None, problems
    tenant, shape = parse_declared(read.value, TenantFile, _explain, "`id:` and `title:`")
    places = [*shape, *check_tenant(read.value), *_check_place(read.value, path.parent)]
    return tenant, show_problems(path, read, places)


_SENTENCES = {"string_pattern_mismatch": "`{key}` must have 1 to 63 lower-case letters, digits and dashes and must not begin with a dash"}


def _explain(error: ErrorDetails) -> str:
    return explain_error(error, MODELS, _SENTENCES)


def _check_place(raw: Any, folder: Path) -> Iterator[Problem]:
    """Yield what is wrong between the file and where it lies."""
    if not isinstance(raw, dict):
        return
    name = folder.resolve().name
    if isinstance(raw.get("id"), str) and raw["id"] != name:
        yield ("id",), f"`{raw['id']}` must be the name of the folder that holds this file, `{name}`"
    repos = raw.get("repos")
    for at, row in enumerate(repos if isinstance(repos, list) else ()):
        declared = row.get("folder") if isinstance(row, dict) and "address" not in row else None
        if isinstance(declared, str) and "\0" not in declared and _passes_symlink(folder, declared):
            yield ("repos", at, "folder"), f"`{declared}` leads over a symbolic link; put the folder itself there"


def _passes_symlink(folder: Path, declared: str) -> bool:
    """Return whether a folder is reached by a symbolic link, which could lead into another tenant."""
    parts = Path(declared).parts
    return any(folder.joinpath(*parts[:end]).is_symlink() for end in range(1, len(parts) + 1))


def build_tenant_schema() -> dict[str, Any]:
    """Return the JSON Schema of tenant.yml."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **TenantFile.model_json_schema()}


def render_tenant_schema() -> str:
    """Return the schema as the file that ships with the program."""
    return json.dumps(build_tenant_schema(), indent=2, ensure_ascii=False) + "\n"


__all__ = [
    "FILE_NAME",
    "RESERVED_IDS",
    "SCHEMA_FILE",
    "Account",
    "Agent",
    "Grant",
    "Membership",
    "Repo",
    "TenantFile",
    "build_tenant_schema",
    "check_tenant_file",
    "load_tenant_file",
    "render_tenant_schema",
]

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m indexer.registry.tenant_file PATH")
    Path(sys.argv[1]).write_text(render_tenant_schema(), encoding="utf-8", newline="\n")
