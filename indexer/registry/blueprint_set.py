"""The blueprints that a tenant's cards may name, read when somebody first asks, and the file in which a build leaves them for programs.

Used by the pipeline. Most repos hold no card: they must not wait for the models that check blueprint files, which take longer to load than
a small build takes.
"""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from indexer import __version__
from indexer.errors import ConfigError
from indexer.model.blueprint import Blueprint, Blueprints
from indexer.resources import find_resource

FOLDER = "blueprints"
FILE_NAME = "blueprints.json"


class BlueprintSet(Mapping[str, Blueprint]):
    """The shipped blueprints and those of a folder, as a mapping of ref → blueprint.

    Those of a folder are read at once, for their problems must be told; the shipped ones alone wait until they are asked for.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folders = [find_resource(FOLDER), *([folder] if folder else [])]
        self._loaded: Blueprints | None = None
        if folder is not None:
            self._load()

    def _load(self) -> Blueprints:
        if self._loaded is None:
            from indexer.registry.blueprint_file import load_blueprints  # noqa: PLC0415 (loads pydantic)

            self._loaded = load_blueprints(self._folders[1] if len(self._folders) > 1 else None)
        return self._loaded

    def __getitem__(self, ref: str) -> Blueprint:
        return self._load()[ref]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def digest(self) -> str:
        """Return a digest of the files that the blueprints come from, as they lie there now."""
        digest = blake2b(__version__.encode(), digest_size=16)
        for folder in self._folders:
            for file in sorted(path for path in folder.iterdir() if path.is_file()):
                content = file.read_bytes()
                digest.update(f"{file.name} {len(content)}\n".encode("utf-8", "surrogateescape") + content)
        return digest.hexdigest()


def load_sets(folders: list[Path]) -> list[BlueprintSet]:
    """Return the set of each tenant; `folders` are those that hold a tenant.yml. Raises ConfigError with the problems of all."""
    sets: list[BlueprintSet] = []
    problems: list[str] = []
    hint = ""
    for folder in folders:
        own = folder / FOLDER
        try:
            sets.append(BlueprintSet(own if os.path.lexists(own) else None))
        except ConfigError as error:
            problems += error.problems
            hint = error.hint
    if problems:
        raise ConfigError(problems, hint=hint)
    return sets


def render_set(blueprints: BlueprintSet, last: bytes) -> bytes:
    """Return the content of blueprints.json; `last` itself when it was made of the same files."""
    digest = blueprints.digest()
    if last.startswith(_head(digest).encode()):
        return last
    from indexer.registry.blueprint_file import show_blueprint  # noqa: PLC0415 (loads pydantic)

    shown = [show_blueprint(each) for each in blueprints.values()]
    return f'{_head(digest)}, "blueprints": {json.dumps(shown, ensure_ascii=False)}}}\n'.encode("utf-8", "replace")


def _head(digest: str) -> str:
    return f'{{"made_of": "{digest}"'


def parse_set(content: bytes) -> dict[str, Blueprint]:
    """Return the blueprints of a blueprints.json; ValueError or ConfigError when it is none."""
    from indexer.registry.blueprint_file import read_shown  # noqa: PLC0415 (loads pydantic)

    raw = json.loads(content)
    if not isinstance(raw, dict) or not isinstance(raw.get("blueprints"), list):
        raise ValueError("no list of blueprints")
    return {blueprint.ref: blueprint for blueprint in map(read_shown, raw["blueprints"])}
