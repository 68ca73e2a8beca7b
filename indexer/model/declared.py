"""What a finding code means. The declarations themselves are in `declared_reading` and `declared_linking`; `codes` looks them up.

A declaration is documentation as well as a rule: the handbook's page of findings is rendered from it, so it is written for the
person whose page has the problem, not for the person who wrote the check.
"""

from msgspec import Struct

from indexer.model.finding import Severity


class Declared(Struct, frozen=True):
    """One finding code, with everything its section of the handbook says."""

    code: str
    """Three capital letters and three digits; never reused for another meaning."""
    severity: Severity
    """`error` makes `brain check` fail; `warning` wants a look; `info` is only told."""
    title: str
    """What was found, a few words."""
    why: str
    """What happens because of it and why it is worth knowing; one or two sentences."""
    fix: str
    """What to do about it, one or two sentences."""
    example: str
    """A few lines of a page (or of a folder listing) that cause it; shown as code."""
