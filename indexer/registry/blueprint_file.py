"""Blueprint files: reads the plans that ship with the program and those of a tenant, and tells all their problems at once.

Called by the pipeline, the tools and `brain blueprint`. The files only say what a brain should hold; what it does hold is worked out in
`indexer.analysis`. `python -m indexer.registry.blueprint_file PATH` writes the published JSON Schema anew.
"""

import json
import stat
import sys
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from indexer.errors import ConfigError
from indexer.model.blueprint import RINGS, Blueprint, PlannedDocument
from indexer.registry.blueprint_model import ENDING, MODELS, RING_NAMES, BlueprintFile, name_document
from indexer.registry.blueprint_rules import check_documents, check_ref
from indexer.registry.declared_file import explain_error, explain_errors, parse_declared, read_declared, show_problems
from indexer.resources import find_resource

FOLDER = "blueprints"
"""Name of the folder that holds blueprint files: beside the program, and in a tenant's folder."""
LARGEST_FILE = 1024 * 1024
MOST_FILES = 200
SCHEMA_FILE = Path(__file__).parent / "schemas" / "blueprint.schema.json"

_ENDINGS = (ENDING, ".yaml")
_HINT = "`brain blueprint new` writes a file that shows every key, and `brain blueprint check` tells what is wrong with one."


def load_shipped() -> dict[str, Blueprint]:
    """Return the blueprints that ship with the program, ref → blueprint, in the order of their names and versions."""
    return dict(_load_shipped())


@cache
def _load_shipped() -> Mapping[str, Blueprint]:
    folder = find_resource(FOLDER)
    blueprints, problems = _read_folder(folder)
    if problems:
        raise ConfigError(problems, hint="These files belong to the program: install it again.")
    return blueprints


def load_blueprints(folder: Path | None) -> dict[str, Blueprint]:
    """Return the shipped blueprints and those of a folder, which must exist; None = the shipped ones alone.

    Raises ConfigError with the problems of all files as `path:line: sentence`. A folder cannot replace a shipped blueprint.
    """
    shipped = load_shipped()
    if folder is None:
        return shipped
    own, problems = _read_folder(folder, shipped)
    if problems:
        raise ConfigError(problems, hint=_HINT)
    return dict(sorted({**shipped, **own}.items(), key=lambda pair: split_ref(pair[0])))


def list_blueprint_files(folder: Path) -> list[Path]:
    """Return the files of a folder that a blueprint is read from, in the order of their names; raises OSError when it cannot be listed."""
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(_ENDINGS) and not path.name.startswith("."))


def _read_folder(folder: Path, taken: Collection[str] = ()) -> tuple[dict[str, Blueprint], list[str]]:
    """Return the blueprints of the files in a folder that are usable, and the problems of all of them."""
    if folder.is_symlink():
        return {}, [f"{folder}: is a symbolic link; put the folder itself there"]
    try:
        files = list_blueprint_files(folder)
    except OSError as error:
        return {}, [f"{folder}: cannot be listed: {error.strerror}"]
    if len(files) > MOST_FILES:
        return {}, [f"{folder}: holds {len(files):,} blueprint files; {MOST_FILES} at most are read"]
    found: dict[str, Blueprint] = {}
    problems: list[str] = []
    for file in files:
        blueprint, wrong = check_blueprint_file(file, taken)
        problems += wrong
        if blueprint is not None:
            found[blueprint.ref] = blueprint
    return dict(sorted(found.items(), key=lambda pair: split_ref(pair[0]))), problems


def check_blueprint_file(path: Path, taken: Collection[str] = ()) -> tuple[Blueprint | None, list[str]]:
    """Return the blueprint of a file, or None and its problems, as `path:line: sentence`.

    `taken` are the refs that the file cannot have: those of the blueprints that ship with the program.
    """
    refused = _refuse_kind(path)
    if refused:
        return None, [f"{path}: {refused}"]
    read, problems = read_declared(path, LARGEST_FILE)
    if read is None:
        return None, problems
    declared, shape = parse_declared(read.value, BlueprintFile, _explain, "`blueprint:`, `title:` and `documents:`")
    places = [*shape, *check_ref(read.value, path.name, taken), *check_documents(read.value)]
    problems = show_problems(path, read, places)
    return None if declared is None or problems else _to_blueprint(declared), problems


def _refuse_kind(path: Path) -> str:
    """Return why a path is no file to be read; a link could lead into another tenant, and a pipe would never end."""
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except ValueError:  # a null character
        return "cannot be read: no file has such a name"
    if stat.S_ISLNK(mode):
        return "is a symbolic link; put the file itself there"
    return "" if stat.S_ISREG(mode) else "is not a file"


_SENTENCES = {
    "model_type": "this element must have keys of its own (`file: …`)",
    "tuple_type": "`{key}` must be a list, such as `[4]`, or one `- ` for each element",
}
_PATTERNS = {
    "blueprint": "`blueprint` must be a lower-case name and a version from 1 up, such as `site@1`",
    "id": "`id` must have 1 to 63 lower-case letters, digits and dashes and must not begin with a dash",
}


def _explain(error: ErrorDetails) -> str:
    key = error["loc"][-1] if error["loc"] else ""
    if error["type"] == "string_pattern_mismatch" and key in _PATTERNS:
        return _PATTERNS[str(key)]
    return explain_error(error, MODELS, _SENTENCES)


def split_ref(ref: str) -> tuple[str, int]:
    """Return name and version of a ref that was checked."""
    name, _, version = ref.partition("@")
    return name, int(version)


def _to_blueprint(declared: BlueprintFile) -> Blueprint:
    planned = [
        PlannedDocument(
            id=each.id or name_document(each.file),
            file=each.file,
            title=each.title,
            ring=each.ring,
            deepens=each.deepens,
            out_of_date_after_days=each.out_of_date_after_days,
            asks=each.asks,
        )
        for each in declared.documents
    ]
    planned.sort(key=lambda each: RING_NAMES.index(each.ring))
    return Blueprint(declared.blueprint, declared.title, declared.summary, tuple(planned))


def show_blueprint(blueprint: Blueprint) -> dict[str, Any]:
    """Return a blueprint as JSON values, in the shape that the tool getBlueprint gives for one."""
    stages = dict(RINGS)
    documents = [
        {
            "id": each.id,
            "file": each.file,
            "title": each.title,
            "ring": each.ring,
            "stage": stages[each.ring],
            "deepens": list(each.deepens),
            "outOfDateAfterDays": each.out_of_date_after_days,
            "asks": each.asks,
        }
        for each in blueprint.documents
    ]
    return {"type": blueprint.ref, "title": blueprint.title, "summary": blueprint.summary, "documents": documents}


def read_shown(raw: Any) -> Blueprint:
    """Return the blueprint that `show_blueprint` has shown; raises ConfigError for anything else."""
    value = _unshow(raw)
    try:
        declared = BlueprintFile.model_validate(value)
    except ValidationError as invalid:
        problems = explain_errors(invalid, _explain)
    else:
        problems = list(check_documents(value))
        if not problems:
            return _to_blueprint(declared)
    raise ConfigError(
        [f"{'.'.join(map(str, place)) or 'blueprint'}: {sentence}" for place, sentence in problems],
        hint="This is no blueprint as `brain build` writes it; build again.",
    )


def _unshow(raw: Any) -> Any:
    """Return what a blueprint file would hold."""
    if not isinstance(raw, dict):
        return raw
    value = {"blueprint" if key == "type" else key: each for key, each in raw.items()}
    rows = value.get("documents")
    if isinstance(rows, list):
        value["documents"] = [{key: row[key] for key in row if key != "stage"} if isinstance(row, dict) else row for row in rows]
    return value


def build_blueprint_schema() -> dict[str, Any]:
    """Return the JSON Schema of a blueprint file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **BlueprintFile.model_json_schema(by_alias=True)}


def render_blueprint_schema() -> str:
    """Return the schema as the file that ships with the program."""
    return json.dumps(build_blueprint_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m indexer.registry.blueprint_file PATH")
    Path(sys.argv[1]).write_text(render_blueprint_schema(), encoding="utf-8", newline="\n")
