"""A Finding: one problem in content. Made in every room, shown by the command line, the report and the site."""

from typing import Literal

from msgspec import Struct

Severity = Literal["error", "warning", "info"]


class Finding(Struct, frozen=True):
    """One problem in someone's content; it never stops a run."""

    code: str
    """Stable code such as LNK001; every code is declared in `indexer.model.codes`."""
    path: str
    """Repo-relative path as git stores it; empty while a page is parsed, for its path is not known there."""
    line: int
    """1-based line in the file; 0 = the file as a whole."""
    message: str
    """What is wrong, one sentence, with the words of the page quoted."""
    hint: str = ""
    """What to do about it, one sentence."""
    severity: Severity = "warning"
    """Taken from the code's declaration."""
