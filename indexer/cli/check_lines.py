"""What other modules of `brain check --base` put together: lines whose parts say where their text comes from. Pure.

`word` is ours; `code` and `text` are other people's, and each of terminal and Markdown shows them so that they do no harm.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

Kind = Literal["word", "code", "text", "strong"]
Part = tuple[Kind, str]
Line = tuple[Part, ...]


class Section(Struct, frozen=True):
    """One heading and what is listed below it."""

    title: str
    """Ours, with nothing of a page."""
    lines: tuple[Line, ...]


def make_section(title: str, lines: Iterable[Line]) -> Section:
    """Return a section of these lines."""
    return Section(title, tuple(lines))


def join(*parts: Part) -> Line:
    """Return a line without its empty parts."""
    return tuple(part for part in parts if part[1])


def place(path: str, line: int) -> Part:
    """Return a path, with the line where there is one."""
    return "code", f"{path}:{line}" if line else path
