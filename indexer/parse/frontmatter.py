"""Frontmatter → what the product uses of it (SPEC P03, P19). Any bad block costs findings, never the page.

Called by `parse_page`; must not know the page's path.
"""

import re
import tomllib
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.parse.privacy import mentions_privacy, read_flags
from indexer.parse.yaml_tree import MAX_DEPTH, Mapping, Node, Scalar, Sequence, YamlProblemError, is_null, parse_yaml, to_json

_MAX_BYTES = 64 * 1024
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*(?:\n|$)")
_CLOSING = {"---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE), "+++": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)}
_KEY_LINE = re.compile(r"""["']?[A-Za-z_][\w .-]*["']?[ \t]*[:=]""")
_ISO_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$")
_DATE_KEYS = ("date", "created", "created_at", "published", "publish_date")


@dataclass(slots=True)
class Frontmatter:
    """What a frontmatter block says."""

    meta: dict[str, Any] = field(default_factory=dict)
    """JSON-safe."""
    title: str = ""
    aliases: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    date: str | None = None
    summary: str = ""
    hidden: bool = False
    strings: list[tuple[str, int]] = field(default_factory=list)
    """Every text value with its 1-based line, where links may stand."""
    body_start: int = 0
    """Offset in the text where the body begins."""
    findings: list[Finding] = field(default_factory=list)


def parse_frontmatter(text: str) -> Frontmatter:
    """Return what the block at the top of `text` says; an empty value when there is none."""
    front = Frontmatter()
    opening = _OPENING.match(text)
    if not opening:
        return front
    mark = opening.group(1)
    closing = _CLOSING[mark].search(text, opening.end())
    if closing is None:
        _note_unclosed(front, text, opening.end())
        return front
    block = text[opening.end() : closing.start()]
    front.body_start = min(closing.end() + 1, len(text))
    if len(block) > _MAX_BYTES:
        _reject(front, block, "FMT004", f"is larger than {_MAX_BYTES // 1024} kB", 1)
    elif mark == "+++":
        _read_toml(front, block)
    else:
        _read_yaml(front, block)
    return front


def _note_unclosed(front: Frontmatter, text: str, start: int) -> None:
    """A lone `---` may be a rule; when keys follow it, somebody meant frontmatter."""
    head = text[start : start + 4096].split("\n\n", 1)[0]
    if not _KEY_LINE.match(head):
        return
    message = "The frontmatter opened in line 1 is never closed, so it is shown as text."
    front.findings.append(make_finding("FMT005", "", 1, message, "Close it with a line that holds only `---`."))
    _hide_if_mentioned(front, head)


def _reject(front: Frontmatter, block: str, code: str, problem: str, line: int, fate: str = "ignored") -> None:
    front.findings.append(make_finding(code, "", line, f"The frontmatter {problem}; it is {fate}."))
    _hide_if_mentioned(front, block)


def _hide_if_mentioned(front: Frontmatter, block: str) -> None:
    if mentions_privacy(block):
        front.hidden = True
        message = "The frontmatter cannot be read but holds a key that decides about publishing, so the page is hidden."
        front.findings.append(make_finding("PRV002", "", 1, message, "Repair the frontmatter."))


def _read_yaml(front: Frontmatter, block: str) -> None:
    try:
        tree, tags = parse_yaml(block)
    except YamlProblemError as problem:
        _reject(front, block, problem.code, f"is not valid YAML: {problem.message}", problem.line + 2)
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
        _reject(front, block, "FMT006", "is not a list of `key: value` lines", tree.line + 2, "shown as text" if shown else "ignored")
        return
    _note_duplicates(front, tree)
    _read_pairs(front, [(key.text, node) for key, node in tree.pairs])
    front.meta = to_json(tree)


def _note_duplicates(front: Frontmatter, tree: Mapping) -> None:
    seen: set[str] = set()
    for key, _ in tree.pairs:
        if key.text in seen:
            message = f"The key `{key.text}` stands twice in the frontmatter; the first one counts."
            front.findings.append(make_finding("FMT007", "", key.line + 2, message))
        seen.add(key.text)


def _read_toml(front: Frontmatter, block: str) -> None:
    hint = "Write it as YAML between `---` lines."
    front.findings.append(make_finding("FMT009", "", 1, "The frontmatter is TOML.", hint))
    try:
        meta = tomllib.loads(block)
        pairs = [(key, _from_python(value)) for key, value in meta.items()]
    except (ValueError, RecursionError) as problem:  # ValueError: also numbers of thousands of digits
        _reject(front, block, "FMT004", f"is not valid TOML: {problem}", 1)
        return
    _read_pairs(front, pairs)
    front.meta = {key: to_json(node) for key, node in pairs}


def _from_python(value: Any, depth: int = 1) -> Node:
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, list):
        return Sequence([_from_python(each, depth + 1) for each in value], 0)
    if isinstance(value, dict):
        return Mapping([(Scalar(str(key), False, 0), _from_python(each, depth + 1)) for key, each in value.items()], 0)
    return Scalar(str(value).lower() if isinstance(value, bool) else str(value), not isinstance(value, str), 0)


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
    front.date = _read_date(front, values)


def _collect_strings(front: Frontmatter, node: Node) -> None:
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, Scalar):
            if "[[" in each.text or "](" in each.text:
                front.strings.append((each.text, each.line + 2))
        elif isinstance(each, Sequence):
            pending.extend(reversed(each.nodes))
        else:
            pending.extend(value for _, value in reversed(each.pairs))


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


def _read_date(front: Frontmatter, values: dict[str, Node]) -> str | None:
    for key in _DATE_KEYS:
        node = values.get(key)
        if node is None or is_null(node) or (isinstance(node, Scalar) and key == "published" and not node.text[:1].isdigit()):
            continue
        found = to_date(node.text.strip()) if isinstance(node, Scalar) else None
        if found:
            return found
        text = node.text if isinstance(node, Scalar) else "a list or mapping"
        message = f"`{key}: {text}` is not a date; it is ignored."
        front.findings.append(make_finding("FMT010", "", node.line + 2, message, "Write it as 2026-01-31."))
    return None


def to_date(text: str) -> str | None:
    """Return `YYYY-MM-DD` of an ISO date or date and time as written (no conversion between time zones), None when it is no date."""
    match = _ISO_DATE.match(text)
    if not match:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return None
