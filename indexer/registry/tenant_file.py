"""tenant.yml: reads the file in which a tenant declares its people, agents, repos and grants, and tells all its problems at once.

Called by `indexer.sources.workspace` and by the registry, which applies it. The file only declares; who may read what is decided elsewhere.
`python -m indexer.registry.tenant_file PATH` writes the published JSON Schema anew.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from indexer.errors import ConfigError
from indexer.registry.tenant_model import MODELS, RESERVED_IDS, Account, Agent, Grant, Membership, Repo, TenantFile
from indexer.registry.tenant_rules import Problem, check_tenant, suggest
from indexer.registry.yaml_lines import Place, parse_lined_yaml

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
    try:
        with path.open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        return None, [f"{path}: cannot be read: {error.strerror}"]
    except UnicodeDecodeError as error:
        return None, [f"{path}: is not UTF-8 (byte {error.start})"]
    if len(content) > LARGEST_FILE:
        return None, [f"{path}: has more than {LARGEST_FILE:,} bytes"]
    read = parse_lined_yaml(text)
    if not read.complete:
        # Keys may be missing only because they stand further down: what is certain is told.
        return None, [f"{path}:{line}: {sentence}" for line, sentence in read.problems]
    tenant, shape = _parse(read.value)
    places = [*shape, *check_tenant(read.value), *_check_place(read.value, path.parent)]
    found = read.problems + [(read.find_line(place), sentence) for place, sentence in places]
    return tenant, [f"{path}:{line}: {sentence}" for line, sentence in sorted(dict.fromkeys(found))]


def _parse(raw: Any) -> tuple[TenantFile | None, list[Problem]]:
    if not isinstance(raw, dict):
        return None, [((), "the file must hold keys such as `id:` and `title:`")]
    try:
        return TenantFile.model_validate(raw), []
    except ValidationError as invalid:
        return None, [(tuple(error["loc"]), _explain(error)) for error in invalid.errors(include_url=False)]


_SENTENCES = {
    "missing": "`{key}` is missing or empty",
    "string_pattern_mismatch": "`{key}` must have 1 to 63 lower-case letters, digits and dashes and must not begin with a dash",
    "bool_parsing": "`{key}` must be true or false",
    "bool_type": "`{key}` must be true or false",
    "tuple_type": "`{key}` must be a list: one `- ` for each element",
    "model_type": "this element must have keys of its own (`id: …`)",
    "string_type": "`{key}` must be text",
}


def _explain(error: ErrorDetails) -> str:
    """Return one sentence for what pydantic found. Values are repeated only where they cannot be secrets."""
    place: Place = tuple(error["loc"])
    key = str(place[-1]) if place else ""
    if error["type"] == "extra_forbidden":
        model = MODELS.get(tuple(part for part in place[:-1] if isinstance(part, str)))
        return f"unknown key `{key}`" + (suggest(key, model.model_fields) if model else "")
    if error["type"] == "literal_error":
        return f"`{key}` must be {error['ctx']['expected']}, not `{error['input']}`".replace("'", "`")
    if error["type"] == "value_error":
        return f"`{key}`: {error['ctx']['error']}"
    if error["type"] in _SENTENCES:
        return _SENTENCES[error["type"]].format(key=key)
    return f"`{key}`: {error['msg'][:1].lower()}{error['msg'][1:]}"


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
