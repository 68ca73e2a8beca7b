"""What the models of tenant.yml and of blueprint files share: how strict they are, what one line of text is.

Used by `tenant_model` and `blueprint_model`. Nothing here reads or decides.
"""

import re

from pydantic import BaseModel, ConfigDict

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that text of one line never holds."""


class Declared(BaseModel):
    """Base of every model: unknown keys are refused, and what was read cannot be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def check_line(text: str) -> str:
    """Return one line of text without the space around it; ValueError when it is empty or has more lines."""
    if CONTROL.search(text) or not text.strip():
        raise ValueError("must be one line of text")
    return text.strip()
