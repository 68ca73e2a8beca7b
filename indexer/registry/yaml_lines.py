"""YAML of a configuration file → plain values, with the line of each, so that every problem can be shown where it is.

Called by `tenant_file`. Reads events and builds nothing else: no tag runs code, no alias multiplies, nesting is capped, and a scalar
stays the text that was typed (`NO`, `1.10` and `2024` mean what they look like); the schema decides what it has to be.
"""

from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct, field

Place = tuple[str | int, ...]
"""Keys and positions from the top of the file."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 16
_EMPTY = frozenset({"", "~", "null"})


class LinedYaml(Struct):
    """A file's values, lines and problems."""

    value: Any = None
    """dict, list and str; keys without a value are left out. None for an empty or unreadable file."""
    lines: dict[Place, int] = field(default_factory=dict)
    """1-based line of each key and each element of a list."""
    problems: list[tuple[int, str]] = field(default_factory=list)
    """Line and sentence."""
    complete: bool = True
    """False when reading stopped at a problem: what stands below it is not in `value`."""

    def find_line(self, place: Place) -> int:
        """Return the line of a place, or of what is nearest above it."""
        for end in range(len(place), 0, -1):
            if place[:end] in self.lines:
                return self.lines[place[:end]]
        return 1


class _Open(Struct):
    """A list or mapping being filled."""

    place: Place
    value: dict[str, Any] | list[Any]
    key: str | None = None
    """Key that waits for its value."""


class _RefusedError(Exception):
    """The file cannot be read further."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


def parse_lined_yaml(text: str) -> LinedYaml:
    """Return values, lines and problems of the one document of a file; never raises."""
    read = LinedYaml()
    stack: list[_Open] = []
    try:
        for event in _read_events(text):
            _take(read, stack, event)
    except _RefusedError as refused:
        read.problems.append((refused.line, refused.sentence))
        read.complete = False
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        sentence = str(getattr(error, "problem", None) or "it cannot be read").strip()
        read.problems.append((mark.line + 1 if mark else 1, f"not valid YAML: {sentence}"))
        read.complete = False
    return read


def _read_events(text: str) -> Iterator[Any]:
    yield from yaml.parse(text, Loader=_LOADER)


def _take(read: LinedYaml, stack: list[_Open], event: Any) -> None:
    line = event.start_mark.line + 1 if event.start_mark else 1
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise _RefusedError(line, "anchors (`&`) and aliases (`*`) are not allowed; write the value out, or quote it")
    if getattr(event, "tag", None):
        raise _RefusedError(line, "tags (`!`) are not allowed; quote the text if it begins with one")
    if isinstance(event, yaml.DocumentStartEvent) and read.value is not None:
        raise _RefusedError(line, "a second document begins; one file holds one document")
    if isinstance(event, yaml.ScalarEvent):
        _take_scalar(read, stack, event, line)
    elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        stack.append(_Open(_add(read, stack, value, line), value))
        if len(stack) > _MAX_DEPTH:
            raise _RefusedError(line, f"nested deeper than {_MAX_DEPTH} levels")
    elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
        stack.pop()


def _take_scalar(read: LinedYaml, stack: list[_Open], event: Any, line: int) -> None:
    top = stack[-1] if stack else None
    if top is not None and isinstance(top.value, dict) and top.key is None:
        top.key = event.value
        place = (*top.place, event.value)
        if place in read.lines:
            read.problems.append((line, f"key `{event.value}` occurs twice, first in line {read.lines[place]}"))
        read.lines.setdefault(place, line)
        return
    empty = not event.style and event.value.lower() in _EMPTY
    if empty and top is not None and isinstance(top.value, dict):
        top.key = None
    elif not (empty and top is None):
        _add(read, stack, "" if empty else event.value, line)


def _add(read: LinedYaml, stack: list[_Open], value: Any, line: int) -> Place:
    """Put a value where it belongs and return its place."""
    if not stack:
        read.value = value
        return ()
    top = stack[-1]
    if isinstance(top.value, list):
        place: Place = (*top.place, len(top.value))
        top.value.append(value)
        read.lines[place] = line
        return place
    if top.key is None:
        raise _RefusedError(line, "a key is itself a list or mapping")
    place = (*top.place, top.key)
    top.value.setdefault(top.key, value)
    top.key = None
    return place
