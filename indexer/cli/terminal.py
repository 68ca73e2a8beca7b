"""What may reach a terminal or a build log: text of other people with everything taken out that a terminal or a CI runner would obey.

Used by everything in `cli/` that prints. Whether colours are wanted is decided here, too.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters, with them every escape sequence
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the direction of text
    "\u2028\u2029\ufff9-\ufffb\ufeff"  # line and paragraph separators, interlinear marks, byte order mark
    "\U000e0000-\U000e007f"  # invisible tags
    "\ud800-\udfff"  # halves of surrogate pairs: bytes of a file name that is not UTF-8
    "]"
)
_RUNNER_COMMAND = re.compile(r"##(\w*)\[")
_RUNNER_LINE = re.compile(r"^(\s*):(?=:)", re.MULTILINE)


def escape_text(text: str, *, lines: bool = False) -> str:
    r"""Return text that only shows: control and direction characters become `\x1b` or `\u202e`; `lines=True` keeps line ends.

    Words that a CI runner takes for commands (`::…::` at the start of a line, `##[…]` anywhere) are broken up the same way.
    """
    keep = "\n" if lines else ""
    shown = _UNSAFE.sub(lambda found: found[0] if found[0] in keep else _name_character(found[0]), text)
    return _RUNNER_COMMAND.sub(r"##\1\\x5b", _RUNNER_LINE.sub(r"\1\\x3a", shown))


def _name_character(character: str) -> str:
    number = ord(character)
    if number in {9, 10, 13}:
        return {9: "\\t", 10: "\\n", 13: "\\r"}[number]
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def render_json(value: Any, *, indent: int | None = 1) -> str:
    """Return JSON that is readable, and safe on a terminal: the same characters are written as escapes, which JSON readers undo."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(char if char == "\n" else _escape_json(char) for char in _split(text))


def _split(text: str) -> Iterable[str]:
    """Yield safe stretches whole and unsafe characters one by one."""
    start = 0
    for found in _UNSAFE.finditer(text):
        yield text[start : found.start()]
        yield found[0]
        start = found.end()
    yield text[start:]


def _escape_json(text: str) -> str:
    return json.dumps(text)[1:-1] if _UNSAFE.fullmatch(text) else text


def wants_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Decide whether to colour: only on a terminal that can, and never when NO_COLOR is set to anything."""
    return not environment.get("NO_COLOR") and is_terminal(stream, environment)


def is_terminal(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether a person sees this stream, on a terminal that can move its cursor."""
    return stream.isatty() and environment.get("TERM") != "dumb" and not environment.get("CI")


def count(number: int, word: str) -> str:
    """Return `1 page`, `2,000 pages`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def say(text: str = "", *, stream: TextIO | None = None) -> None:
    """Print one line to standard error, or to `stream`."""
    print(text, file=stream or sys.stderr)
