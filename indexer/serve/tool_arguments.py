"""What callers may hand to the read tools: one strict model per tool. Unknown arguments and wrong types are refused (SPEC S10).

Called by `tools`. What an argument names is looked up later; here is only its shape, and a bound on its size.
"""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from indexer.publish.visible import clean_line
from indexer.serve.tool_error import ToolError

LONGEST_QUERY = 200
_LONGEST_ID = 1_000
_LONGEST_PATH = 4_000
_LONGEST_CURSOR = 8_000

_Id = Annotated[str, Field(max_length=_LONGEST_ID)]
_Cursor = Annotated[str, Field(max_length=_LONGEST_CURSOR)]


class Arguments(BaseModel):
    """What all tools' arguments have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class ListBrains(Arguments):
    """Arguments of listBrains."""

    project: _Id | None = None
    """Only the brains of this project: the first part of a brain's id."""
    cursor: _Cursor | None = None
    """`nextCursor` of the answer before, for the brains that follow it."""


class GetBlueprint(Arguments):
    """Arguments of getBlueprint."""

    type: _Id | None = None
    """Name and version of a blueprint, such as `site@1`; left out, all blueprints are listed."""


class GetBrain(Arguments):
    """Arguments of getBrain."""

    brain: _Id
    """Id of the brain, as listBrains gives it."""


class SearchBrain(Arguments):
    """Arguments of searchBrain."""

    brain: _Id
    """Id of the brain, as listBrains gives it."""
    query: Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]
    """The words to find, as they stand in one line. Letter case, accents and the width of spaces do not matter."""
    includeParents: bool = False  # noqa: N815 (the name that callers use)
    """True to search the brain's parents as well, nearest first."""


class ReadDocument(Arguments):
    """Arguments of readDocument."""

    path: Annotated[str, Field(max_length=_LONGEST_PATH)]
    """Path as getBrain and searchBrain give it: the project in front, nothing encoded."""
    cursor: _Cursor | None = None
    """`nextCursor` of the answer before, for the part that follows it."""


Model = TypeVar("Model", bound=Arguments)


def parse_arguments(model: type[Model], raw: Any) -> Model:
    """Return the arguments of a call; ToolError names the first thing that is wrong, and never repeats a value."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as invalid:
        raise ToolError(_explain(model, invalid.errors(include_url=False, include_input=False)[0])) from invalid


def _explain(model: type[Arguments], error: ErrorDetails) -> str:
    name = clean_line(str(error["loc"][0]), 40) if error["loc"] else ""
    known = ", ".join(f"`{field}`" for field in model.model_fields)
    if error["type"] == "extra_forbidden":
        return f"There is no argument `{name}`. The arguments are: {known}."
    if error["type"] == "missing":
        return f"The argument `{name}` is missing. The arguments are: {known}."
    if error["type"] == "string_too_short":
        return f"The argument `{name}` is empty."
    if error["type"] == "string_too_long":
        return f"The argument `{name}` has more than {error['ctx']['max_length']:,} characters."
    if not name:
        return f"The arguments must be an object. They are: {known}."
    return f"The argument `{name}` is of the wrong type: {error['msg'][:1].lower()}{error['msg'][1:]}."
