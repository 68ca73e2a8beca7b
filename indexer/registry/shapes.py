"""Values that people type at a command or a form, checked by the same models as tenant.yml. Called by the operations."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from indexer.errors import RefusalError
from indexer.registry.declared_file import explain_error
from indexer.registry.tenant_model import MODELS

Model = TypeVar("Model", bound=BaseModel)


def parse_values(model: type[Model], values: dict[str, Any]) -> Model:
    """Return the values as their model; RefusalError names everything that is wrong with them."""
    try:
        return model.model_validate(values)
    except ValidationError as invalid:
        problems = [explain_error(error, MODELS, _SENTENCES) for error in invalid.errors(include_url=False)]
        raise RefusalError("\n".join(problems)) from invalid


_SENTENCES = {"string_pattern_mismatch": "`{key}` must have 1 to 63 lower-case letters, digits and dashes and must not begin with a dash"}
