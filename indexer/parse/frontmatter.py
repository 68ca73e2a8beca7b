"""Frontmatter → what the product uses of it (SPEC P03, P19). Any bad block costs findings, never the page.

Called by `parse_page`; must not know the page's path.
"""

import json
import re
import tomllib
from typing import Any

from msgspec import Struct, field

from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.parse.dates import read_day, says_when
from indexer.parse.decode import replace_unreadable
from indexer.parse.front_block import Block, begins_with_key, drop_lead, find_block, find_lookalike, holds_prose, read_facts, read_head
from indexer.parse.privacy import mentions_privacy, read_flags, says_hidden
from indexer.parse.yaml_tree import MAX_DEPTH, Mapping, Node, Scalar, Sequence, YamlProblemError, is_null, parse_yaml, read_linked, to_json

_MAX_BYTES = 64 * 1024
_KNOWN = "title|aliases|alias|tags?|date|created|summary|description|author|layout|categories|permalink|slug|draft|private|publish(?:ed)?"
_KNOWN_KEY = re.compile(_KNOWN, re.IGNORECASE)
_KNOWN_LINE = re.compile(rf"""(?:#.*\n)*["'{{]?(?:{_KNOWN})["']?[ \t]*[:=]""", re.IGNORECASE)
_TAGS_LINE = re.compile(r"tags?[ \t]*:", re.IGNORECASE)
_COMMENTED = re.compile(r"""[^"'\[#]*[ \t](#[^\s#].*)""")
_TOML_PLACE = re.compile(r" \(at line (\d+), column \d+\)")
_DATE_KEYS = ("date", "created", "createdat", "datecreated", "published", "publisheddate", "publishedat", "publishdate", "pubdate")
"""Without `_`, `-` and spaces, in lower case; the first that is there counts."""
_LISTED = ("add", "drop")
_JOINERS = str.maketrans("", "", "_- ")


class Frontmatter(Struct):
    """What a frontmatter block says."""

    meta: dict[str, Any] = field(default_factory=dict)
    """JSON-safe."""
    meta_lines: tuple[int, ...] = ()
    entry_lines: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    """As in PageFacts."""
    title: str = ""
    aliases: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    date: str | None = None
    summary: str = ""
    hidden: bool = False
    text: str = ""
    """The whole text, without what stood before the frontmatter."""
    strings: list[tuple[str, int]] = field(default_factory=list)
    """Every text value with its 1-based line, where links may stand."""
    body_start: int = 0
    """Offset in `text` where the body begins."""
    findings: list[Finding] = field(default_factory=list)


def parse_frontmatter(text: str) -> Frontmatter:
    """Return what the block at the top of `text` says; an empty value when there is none."""
    front = Frontmatter(text=drop_lead(text))
    block = find_block(front.text)
    if block is None:
        _note_lookalike(front)
        return front
    if block.mark == "{":
        _read_json(front, block)
    elif block.end is None:
        _note_unclosed(front, block)
    else:
        front.body_start = block.end
        _read_block(front, block)
        if front.body_start and not front.hidden:
            _note_lookalike(front)
    if front.meta and (block.line or front.text is not text):
        hint = "Let the file begin with `---`; other programs show frontmatter that stands further down as text."
        front.findings.append(make_finding("FMT012", "", block.line + 1, "The frontmatter is not the first thing in the file.", hint))
    return front


def _read_block(front: Frontmatter, block: Block) -> None:
    text = "\n" * block.line + block.text  # so that its lines keep their numbers
    if len(block.text) > _MAX_BYTES:
        _reject(front, block.text, "FMT004", f"is larger than {_MAX_BYTES // 1024} kB", block.line + 1)
    elif block.mark == "+++":
        _read_toml(front, text, block.line + 1)
    else:
        _read_yaml(front, text, block)


def _note_unclosed(front: Frontmatter, block: Block) -> None:
    """A lone `---` may be a rule; when keys follow it, somebody meant frontmatter."""
    head, line = read_head(block.text), block.line + 1
    if begins_with_key(block.text.lstrip("\n") if block.end else block.text):
        message = f"The frontmatter opened in line {line} is never closed, so it is shown as text."
        if block.end:
            message = f"The frontmatter opened in line {line} is not closed before the text begins, so it is shown as text."
        front.findings.append(make_finding("FMT005", "", line, message, "Close it with a line that holds only `---`."))
        _hide_if_mentioned(front, block.text if block.end else head, line)
    elif says_hidden(head):
        _hide_lookalike(front, line)


def _note_lookalike(front: Frontmatter) -> None:
    """Notice what was meant as frontmatter and is none: four hyphens, a dash, a second block, keys without marks."""
    body = front.text[front.body_start :] if front.body_start else front.text
    found = find_lookalike(body)
    if found is None:
        if says_hidden(read_facts(body)):
            _hide_lookalike(front, 1 + front.text.count("\n", 0, front.body_start))
        return
    line, head = found[0] + front.text.count("\n", 0, front.body_start) + 1, found[1]
    if mentions_privacy(head) if begins_with_key(head) else says_hidden(head):
        _hide_lookalike(front, line)
    elif _KNOWN_LINE.match(head):
        message = "This looks like frontmatter but is none, so it is shown as text."
        hint = "Let the file begin with a line that holds only `---`, and close the frontmatter with another."
        front.findings.append(make_finding("FMT012", "", line, message, hint))


def _hide_lookalike(front: Frontmatter, line: int) -> None:
    front.hidden = True
    message = "Lines that are no frontmatter hold a key that decides about publishing, so the page is hidden."
    hint = "Let the file begin with a line that holds only `---`, and close the frontmatter with another."
    front.findings.append(make_finding("PRV002", "", line, message, hint))


def _reject(front: Frontmatter, block: str, code: str, problem: str, line: int, fate: str = "ignored") -> None:
    front.findings.append(make_finding(code, "", line, f"The frontmatter {problem}; it is {fate}."))
    _hide_if_mentioned(front, block)


def _hide_if_mentioned(front: Frontmatter, block: str, line: int = 1) -> None:
    if mentions_privacy(block):
        front.hidden = True
        message = "The frontmatter cannot be read but holds a key that decides about publishing, so the page is hidden."
        front.findings.append(make_finding("PRV002", "", line, message, "Repair the frontmatter."))


def _read_yaml(front: Frontmatter, text: str, block: Block) -> None:
    try:
        tree, tags = parse_yaml(text)
    except YamlProblemError as problem:
        _reject_yaml(front, block, problem)
        return
    if _is_two_rules(tree, block.text):
        front.body_start = 0
        return
    for tag, line in tags:
        message = f"The YAML tag `{tag}` in the frontmatter is not followed; its value is read as plain text."
        front.findings.append(make_finding("FMT008", "", line + 2, message, "Take the tag away, or quote text that begins with `!`."))
    if tree is None or is_null(tree):
        return
    if not isinstance(tree, Mapping):
        shown = isinstance(tree, Scalar)
        if shown:
            front.body_start = 0  # a text between two rules, not frontmatter
        _reject(front, block.text, "FMT006", "is not a list of `key: value` lines", tree.line + 2, "shown as text" if shown else "ignored")
        return
    _note_duplicates(front, tree)
    _read_pairs(front, [(key.text, node) for key, node in tree.pairs])
    _note_comments(front, text)
    front.meta = to_json(tree)
    _place_keys(front, [(key.text, key.line, node) for key, node in tree.pairs])


def _note_comments(front: Frontmatter, text: str) -> None:
    """`tags: #plan` and `- #plan` are comments to YAML; nobody who writes them means one."""
    if " #" not in text:
        return
    within = False
    for number, line in enumerate(text.split("\n")):
        start = _TAGS_LINE.match(line)
        within = start is not None or (within and line.lstrip(" ").startswith("-"))
        lost = _COMMENTED.match(line[start.end() :] if start else line) if within else None
        if lost:
            message = f"`{lost[1].strip()[:80]}` is a comment in YAML, not a tag; it is ignored."
            front.findings.append(make_finding("FMT011", "", number + 2, message, "Leave the `#` out."))


def _is_two_rules(tree: Node | None, block: str) -> bool:
    """Whether the block is text between two rules although it is YAML: an empty line, then a heading, a list, a word with a colon."""
    if not block.startswith("\n") or not block.strip():
        return False
    pairs = [(key.text, node) for key, node in tree.pairs] if isinstance(tree, Mapping) else []
    return not read_flags(pairs)[0] and not any(_KNOWN_KEY.fullmatch(key) for key, _ in pairs)


def _reject_yaml(front: Frontmatter, block: Block, problem: YamlProblemError) -> None:
    """A block that is no YAML is frontmatter with a mistake, frontmatter that is never closed, or text between two rules."""
    if holds_prose(block.text):
        front.body_start = 0
        _note_unclosed(front, block)
    else:
        _reject(front, block.text, problem.code, f"is not valid YAML: {problem.message}", problem.line + 2)


def _note_duplicates(front: Frontmatter, tree: Mapping) -> None:
    seen: set[str] = set()
    for key, _ in tree.pairs:
        if key.text in seen:
            message = f"The key `{key.text}` stands twice in the frontmatter; the first one counts."
            front.findings.append(make_finding("FMT007", "", key.line + 2, message))
        seen.add(key.text)


def _read_toml(front: Frontmatter, block: str, line: int) -> None:
    hint = "Write it as YAML between `---` lines."
    front.findings.append(make_finding("FMT009", "", line, "The frontmatter is TOML.", hint))
    try:
        meta = tomllib.loads(block)
        pairs = [(key, _from_python(value, _find_key(block, key))) for key, value in meta.items()]
    except (ValueError, RecursionError) as problem:  # ValueError: also numbers of thousands of digits
        said = _TOML_PLACE.search(str(problem))
        message = f"is not valid TOML: {_TOML_PLACE.sub('', str(problem))}"
        _reject(front, block, "FMT004", message, int(said[1]) + 1 if said else line)
        return
    _read_pairs(front, pairs)
    front.meta = {key: to_json(node) for key, node in pairs}
    _place_keys(front, [(key, node.line, node) for key, node in pairs])


def _find_key(block: str, key: str) -> int:
    """Return the 0-based line of a key of the outermost table."""
    match = re.search(rf"""^[ \t\[]*["']?{re.escape(key)}\b""", block, re.MULTILINE)
    return block.count("\n", 0, match.start()) if match else 0


def _read_json(front: Frontmatter, block: Block) -> None:
    """Read an object at the beginning of a page, as Hugo does; one without a key that is known is text."""
    try:
        pairs, end = json.JSONDecoder(object_pairs_hook=_Pairs).raw_decode(block.text)
        rest = block.text[end:].split("\n", 1)[0]
        if rest.strip() or not any(_KNOWN_KEY.fullmatch(key) for key, _ in pairs) or end > _MAX_BYTES:
            raise ValueError("no frontmatter")
        nodes = [(key, _from_python(value, block.line - 1)) for key, value in pairs]
    except (ValueError, RecursionError):
        _note_lookalike(front)
        return
    front.body_start = min(len(front.text) - len(block.text) + end + 1, len(front.text))
    hint = "Write it as YAML between `---` lines."
    front.findings.append(make_finding("FMT009", "", block.line + 1, "The frontmatter is JSON.", hint))
    _read_pairs(front, nodes)
    front.meta = {key: to_json(node) for key, node in reversed(nodes)}
    _place_keys(front, [(key, node.line, node) for key, node in nodes])


class _Pairs(list[tuple[str, Any]]):
    """The pairs of a JSON object in order, duplicates included."""


def _from_python(value: Any, line: int, depth: int = 1) -> Node:
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict | _Pairs):
        pairs = value if isinstance(value, _Pairs) else value.items()
        return Mapping(
            [(Scalar(replace_unreadable(str(key)), False, line), _from_python(each, line, depth + 1)) for key, each in pairs], line
        )
    if isinstance(value, list):
        return Sequence([_from_python(each, line, depth + 1) for each in value], line)
    if isinstance(value, str):
        return Scalar(replace_unreadable(value), False, line)
    return Scalar("null" if value is None else str(value).lower() if isinstance(value, bool) else str(value), True, line)


def _read_pairs(front: Frontmatter, pairs: list[tuple[str, Node]]) -> None:
    front.hidden, unreadable = read_flags(pairs)
    for key, text, line in unreadable:
        message = f"`{key}: {text}` cannot be read as yes or no, so the page is hidden."
        front.findings.append(make_finding("PRV001", "", line + 2, message, "Write `true` or `false`."))
    values: dict[str, Node] = {}
    for key, node in pairs:
        values.setdefault(key.strip().lower(), node)
        _collect_strings(front, node)
    front.title = _read_text(front, values, "title")
    front.summary = _read_text(front, values, "summary") or _read_text(front, values, "description")
    front.aliases = _read_words(front, values, ("aliases", "alias"), ",")
    front.tags = [tag for word in _read_words(front, values, ("tags", "tag"), ", ") if (tag := word.lstrip("#").strip("/"))]
    front.date = _read_date(front, pairs)


def _place_keys(front: Frontmatter, keys: list[tuple[str, int, Node]]) -> None:
    """Note where the keys stand, and the entries of those lists that a card is made of."""
    lines: dict[str, int] = {}
    for key, line, node in keys:
        if lines.setdefault(key, line + 2) == line + 2 and isinstance(node, Sequence) and key.strip().lower() in _LISTED:
            front.entry_lines.append((key, tuple(each.line + 2 for each in node.nodes)))
    placed = tuple(lines[key] for key in front.meta)
    front.meta_lines = placed if placed != tuple(range(2, 2 + len(placed))) else ()


def _collect_strings(front: Frontmatter, node: Node) -> None:
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, Scalar):
            if "[[" in each.text or "](" in each.text:
                front.strings.append((each.text, each.line + 2))
        elif isinstance(each, Sequence):
            pending.extend(reversed(each.nodes))
            if len(each.nodes) == 1 and isinstance(each.nodes[0], Sequence):
                _note_unquoted(front, each.nodes[0])
        else:
            pending.extend(value for _, value in reversed(each.pairs))


def _note_unquoted(front: Frontmatter, inner: Sequence) -> None:
    words = [each.text for each in inner.nodes if isinstance(each, Scalar)]
    link = f"[[{', '.join(words)}]]"
    if words and len(words) == len(inner.nodes) and link in front.text:
        message = f"`{link[:80]}` without quotes is a list in a list to YAML, not a link."
        front.findings.append(make_finding("FMT011", "", inner.line + 2, message, f'Write `"{link[:80]}"`.'))


def _read_text(front: Frontmatter, values: dict[str, Node], key: str) -> str:
    node = values.get(key)
    if node is None or is_null(node):
        return ""
    if not isinstance(node, Scalar):
        front.findings.append(make_finding("FMT011", "", node.line + 2, f"`{key}` is a list or mapping, not a text; it is ignored."))
        return ""
    return " ".join(node.text.split())


def _read_words(front: Frontmatter, values: dict[str, Node], keys: tuple[str, ...], separators: str) -> list[str]:
    words: list[str] = []
    for key in keys:
        node = values.get(key)
        if node is None or is_null(node):
            continue
        nodes = node.nodes if isinstance(node, Sequence) else [node]
        for each in nodes:
            if is_null(each):
                continue
            if not isinstance(each, Scalar):
                message = f"`{key}` holds a list or mapping where a word is expected; it is ignored."
                front.findings.append(make_finding("FMT011", "", each.line + 2, message, "Write a list of words."))
                continue
            split = re.split(f"[{separators}]+", each.text) if each is node else [each.text]
            words += [word for part in split if (word := " ".join(part.strip().strip("\"'").split()))]
    return list(dict.fromkeys(words))


def _read_date(front: Frontmatter, pairs: list[tuple[str, Node]]) -> str | None:
    named: dict[str, tuple[str, Node]] = {}
    for key, node in pairs:
        named.setdefault(key.lower().translate(_JOINERS), (key, node))
    for name in _DATE_KEYS:
        if name not in named:
            continue
        key, node = named[name]
        text = "" if is_null(node) else read_linked(node)
        if text == "" or (isinstance(node, Scalar) and name == "published" and not says_when(node.text.strip())):
            continue
        if found := read_day(text or ""):
            return found
        message = f"`{key}: {node.text if isinstance(node, Scalar) else 'a list or mapping'}` is not a date; it is ignored."
        front.findings.append(make_finding("FMT010", "", node.line + 2, message, "Write it as 2026-01-31."))
    return None
