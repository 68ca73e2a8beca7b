"""YAML → plain values, by events: no constructors, no aliases, no recursion, scalars kept as they were typed.

Called by `indexer.parse.frontmatter`. Reading events instead of building objects means `!!python/object` is only a word,
a billion laughs never multiply, and `1.10`, `NO` or `2024-13-45` stay what the author wrote.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct, field

from indexer.parse.decode import replace_unreadable

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_PLAIN_TAG = re.compile(rf"!$|{_CORE}(?:str|int|float|bool|null|timestamp|seq|map|set|omap)$")
_ENDS = frozenset({yaml.SequenceEndEvent, yaml.MappingEndEvent})
_NODES = frozenset({yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent, yaml.AliasEvent})
# Line ends of YAML 1.1 that are characters of a line everywhere else, and what its reader refuses.
_SPACES = re.compile("[\x0c\x85\u2028\u2029]")
_REFUSED = re.compile("[\x80-\x84\x86-\x9f]")
_PAIR = re.compile(r"\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})")  # one character, as JSON escapes it
_WIDE_SPACE = re.compile("^([ \t]*(?:-[ \t]+)?[\\w\"'-]+[ \t]*:)[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+", re.MULTILINE)
MAX_DEPTH = 32
_MAX_NODES = 10_000


class Scalar(Struct, frozen=True):
    """One scalar as typed."""

    text: str
    plain: bool
    """Written without quotes, so `null`, `true` and numbers may be meant."""
    line: int
    """0-based line inside the block."""


class Sequence(Struct, frozen=True):
    """A list."""

    nodes: list["Node"]
    line: int


class Mapping(Struct, frozen=True):
    """A mapping with its pairs in order, duplicates included."""

    pairs: list[tuple[Scalar, "Node"]]
    line: int


Node = Scalar | Sequence | Mapping


class YamlProblemError(Exception):
    """The block is not YAML that is accepted here; `code` is the finding's code, `line` 0-based."""

    def __init__(self, code: str, message: str, line: int) -> None:
        super().__init__(message)
        self.code, self.message, self.line = code, message, line


class _Open(Struct):
    """A collection being filled."""

    node: Sequence | Mapping
    key: Scalar | None = None


class _Builder(Struct):
    root: Node | None = None
    stack: list[_Open] = field(default_factory=list)
    count: int = 0
    tags: list[tuple[str, int]] = field(default_factory=list)
    """Tags other than those of plain YAML, with their 0-based line."""

    def add(self, node: Node) -> None:
        self.count += 1
        if self.count > _MAX_NODES:
            raise YamlProblemError("FMT004", f"more than {_MAX_NODES} values", node.line)
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top.node, Sequence):
            top.node.nodes.append(node)
        elif top.key is not None:
            top.node.pairs.append((top.key, node))
            top.key = None
        elif isinstance(node, Scalar):
            top.key = node
        else:
            raise YamlProblemError("FMT004", "a key is itself a list or mapping (is this a template's {{placeholder}}?)", node.line)

    def enter(self, node: Sequence | Mapping) -> None:
        self.add(node)
        self.stack.append(_Open(node))
        if len(self.stack) > MAX_DEPTH:
            raise YamlProblemError("FMT004", f"nested deeper than {MAX_DEPTH} levels", node.line)


# Words that mean nothing to YAML: no quotes, no `:` or `#`, no sign at their start, one space between two of them.
_WORDS = r"[A-Za-z0-9][\w./()+-]*(?:,? [\w./()+-]+)*"
_NAME = r"[A-Za-z0-9][\w./()+-]*(?: [\w./()+-]+)*"
_PLAIN_LINE = re.compile(rf"([A-Za-z][\w-]{{0,60}}): (?:({_WORDS})|\[({_NAME}(?:, {_NAME})*)\])\n", re.ASCII)


_PLAIN_BYTES = 4096
"""No block of this length holds more than `_MAX_NODES` values."""


def _read_plain(text: str) -> Mapping | None:
    """Return the tree of a block whose lines are all `key: plain words` or `key: [plain, words]`; None for any other.

    Nearly all frontmatter is such, and YAML takes as long for it as the page takes for its headings.
    """
    pairs: list[tuple[Scalar, Node]] = []
    position = 0
    while position < len(text) <= _PLAIN_BYTES:
        match = _PLAIN_LINE.match(text, position)
        if match is None:
            return None
        line, position, words = len(pairs), match.end(), match[3]
        value: Node = Sequence([Scalar(each, True, line) for each in words.split(", ")], line) if words else Scalar(match[2], True, line)
        pairs.append((Scalar(match[1], True, line), value))
    return Mapping(pairs, 0) if pairs else None


def parse_yaml(text: str) -> tuple[Node | None, list[tuple[str, int]]]:
    """Return the tree of the only document in `text` (None when it is empty) and its unusual tags; raises YamlProblemError."""
    plain = _read_plain(text)
    return (plain, []) if plain else _parse_events(text)


def _parse_events(text: str) -> tuple[Node | None, list[tuple[str, int]]]:
    builder = _Builder()
    try:
        for event in _read_events(_mend(text)):
            _take(builder, event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise YamlProblemError("FMT004", str(problem), mark.line if mark else 0) from error
    return builder.root, builder.tags


def _mend(text: str) -> str:
    """Return the text without what only YAML takes for a line end, for an error or for no space after a colon."""
    text = _SPACES.sub(" ", text)
    if not text.isascii():
        text = _WIDE_SPACE.sub(r"\1 ", _REFUSED.sub("�", text))
    if "\\u" in text:
        text = _PAIR.sub(lambda pair: bytes.fromhex(pair[1] + pair[2]).decode("utf-16-be"), text)
    return text


def _read_events(text: str) -> Iterator[Any]:
    yield from yaml.parse(text, Loader=_LOADER)


def _take(builder: _Builder, event: Any) -> None:
    kind = type(event)
    if kind in _ENDS:
        builder.stack.pop()
        return
    line = event.start_mark.line if event.start_mark else 0
    if kind in _NODES:
        _check_node(builder, event, line)
    if kind is yaml.ScalarEvent:
        builder.add(Scalar(replace_unreadable(event.value), event.style is None or event.style == "", line))
    elif kind is yaml.SequenceStartEvent:
        builder.enter(Sequence([], line))
    elif kind is yaml.MappingStartEvent:
        builder.enter(Mapping([], line))
    elif kind is yaml.DocumentStartEvent and builder.root is not None:
        raise YamlProblemError("FMT004", "a second document begins", line)


def _check_node(builder: _Builder, event: Any, line: int) -> None:
    """Refuse anchors and aliases; note unusual tags."""
    if event.anchor:
        kind, mark = ("alias", "*") if isinstance(event, yaml.AliasEvent) else ("anchor", "&")
        raise YamlProblemError("FMT008", f"{kind} {mark}{event.anchor} is not followed", line)
    tag = getattr(event, "tag", None)
    if tag and not _PLAIN_TAG.match(tag):
        builder.tags.append((tag.replace(_CORE, "!!"), line))


def is_null(node: Node) -> bool:
    """Whether the value is empty, `null` or `~`."""
    return isinstance(node, Scalar) and node.plain and node.text in {"", "~", "null", "Null", "NULL"}


def read_linked(node: Node) -> str | None:
    """Return the text of a scalar without the brackets of a wikilink, quoted or not; None for other lists and mappings."""
    if isinstance(node, Sequence) and len(node.nodes) == 1:
        inner = node.nodes[0]
        node = inner.nodes[0] if isinstance(inner, Sequence) and len(inner.nodes) == 1 else inner
    if not isinstance(node, Scalar):
        return None
    return node.text.strip().removeprefix("[[").removesuffix("]]")


def to_json(node: Node) -> Any:
    """Return JSON-safe Python values; plain scalars become bool, int or float only where writing them back gives the same text."""
    if isinstance(node, Sequence):
        return [to_json(each) for each in node.nodes]
    if isinstance(node, Mapping):
        values: dict[str, Any] = {}
        for key, value in node.pairs:
            values.setdefault(key.text, to_json(value))
        return values
    if is_null(node):
        return None
    return _typed(node.text) if node.plain else node.text


def _typed(text: str) -> Any:
    if text in {"true", "false"}:
        return text == "true"
    if len(text) <= 17 and text.lstrip("-").isdecimal() and text.isascii() and str(int(text)) == text:
        return int(text)
    if len(text) <= 17 and text.count(".") == 1 and text.replace(".", "").lstrip("-").isdecimal() and text.isascii():
        number = float(text)
        return number if repr(number) == text else text
    return text
