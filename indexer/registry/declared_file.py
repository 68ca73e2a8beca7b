"""Files in which people declare something (tenant.yml, blueprints): read with a cap, and every problem told in one sentence at its line.

Used by `tenant_file` and `blueprint_file`, which say what such a file holds. Never raises for what is in a file.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from indexer.registry.names import join_lines, show_word, suggest
from indexer.registry.yaml_lines import LinedYaml, Place, parse_lined_yaml

Problem = tuple[Place, str]
Models = Mapping[tuple[str, ...], type[BaseModel]]
"""Keys on the way (positions left out) → what lies there."""
Model = TypeVar("Model", bound=BaseModel)
Explain = Callable[[ErrorDetails], str]

_SENTENCES = {
    "missing": "`{key}` is missing or empty",
    "bool_parsing": "`{key}` must be true or false",
    "bool_type": "`{key}` must be true or false",
    "tuple_type": "`{key}` must be a list: one `- ` for each element",
    "model_type": "this element must have keys of its own (`id: …`)",
    "string_type": "`{key}` must be text",
    "too_short": "`{key}` is missing or empty",
    "too_long": "`{key}` must have at most {max_length:,} elements",
    "string_too_short": "`{key}` is missing or empty",
    "string_too_long": "`{key}` must have at most {max_length:,} characters",
}
_MOST_PROBLEMS = 1000


def read_declared(path: Path, largest: int) -> tuple[LinedYaml | None, list[str]]:
    """Return what a file of at most `largest` bytes holds; None and its problems, as `path:line: sentence`, when it cannot be used."""
    try:
        with path.open("rb") as opened:
            content = opened.read(largest + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        return None, [f"{path}: cannot be read: {error.strerror}"]
    except UnicodeDecodeError as error:
        return None, [f"{path}: is not UTF-8 (byte {error.start})"]
    if len(content) > largest:
        return None, [f"{path}: has more than {largest:,} bytes"]
    read = parse_lined_yaml(text)
    if not read.complete:
        # Keys may be missing only because they stand further down: what is certain is told.
        return None, [f"{path}:{line}: {sentence}" for line, sentence in read.problems]
    return read, []


def parse_declared(raw: Any, model: type[Model], explain: Explain, example: str) -> tuple[Model | None, list[Problem]]:
    """Return the values of a file as its model, or None and what is wrong with their shape; `example` shows keys such a file has."""
    if not isinstance(raw, dict):
        return None, [((), f"the file must hold keys such as {example}")]
    try:
        return model.model_validate(raw), []
    except ValidationError as invalid:
        return None, explain_errors(invalid, explain)


def explain_errors(invalid: ValidationError, explain: Explain) -> list[Problem]:
    """Return place and sentence of what pydantic found; of very many, the first ones."""
    errors = invalid.errors(include_url=False)
    above = {error["loc"][:end] for error in errors for end in range(len(error["loc"]))}
    # A list whose elements are all wrong is too short for pydantic as well.
    errors = [error for error in errors if error["type"] != "too_short" or error["loc"] not in above]
    return [(tuple(error["loc"]), explain(error)) for error in errors[: _MOST_PROBLEMS + 1]]


def show_problems(path: Path, read: LinedYaml, places: Iterable[Problem]) -> list[str]:
    """Return the problems of reading and those at `places` as `path:line: sentence`, by line and each once; of very many, the first."""
    found = read.problems + [(read.find_line(place), sentence) for place, sentence in places]
    # A key may have line ends in it; a problem never has, so that none can be forged.
    lines = [f"{path}:{line}: {join_lines(sentence)}" for line, sentence in sorted(dict.fromkeys(found))]
    return lines if len(lines) <= _MOST_PROBLEMS else [*lines[:_MOST_PROBLEMS], f"{path}: has more problems than these"]


def explain_error(error: ErrorDetails, models: Models, sentences: Mapping[str, str]) -> str:
    """Return one sentence for what pydantic found; `sentences` (type of error → text) come before the usual ones.

    Values are repeated only where they cannot be secrets.
    """
    place: Place = tuple(error["loc"])
    key = next((show_word(part) for part in reversed(place) if isinstance(part, str)), "")
    kind = error["type"]
    if kind == "extra_forbidden":
        model = models.get(tuple(part for part in place[:-1] if isinstance(part, str)))
        return f"unknown key `{key}`" + (suggest(key, list_keys(model)) if model else "")
    if kind == "literal_error":
        return f"`{key}` must be {error['ctx']['expected']}, not `{show_word(str(error['input']))}`".replace("'", "`")
    if kind == "value_error":
        return f"`{key}`: {error['ctx']['error']}"
    sentence = sentences.get(kind) or _SENTENCES.get(kind)
    if sentence:
        return sentence.format(**{**error.get("ctx", {}), "key": key})
    return f"`{key}`: {error['msg'][:1].lower()}{error['msg'][1:]}"


def list_keys(model: type[BaseModel]) -> list[str]:
    """Return the keys of a model as people write them."""
    return [field.alias or name for name, field in model.model_fields.items()]
