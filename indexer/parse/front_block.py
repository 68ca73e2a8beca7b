"""Where the frontmatter of a page stands, and which text only looks like it. Pure; used by `indexer.parse.frontmatter`.

It reads no values. Two mistakes would cost more than any other: text that vanishes because it stands between two rules, and a page that is
published because its frontmatter was not seen as such.
"""

import re

from msgspec import Struct

INVISIBLE = "\u200b-\u200f\u2060\ufeff�"
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*(?:\n|$)|(\{)(?=[ \t\n]*\")")
_CLOSING = {"---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE), "+++": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)}
_LEAD = re.compile(rf"(?:[\s{INVISIBLE}]|<!--.*?-->)*", re.DOTALL)
_BEGINS_LEAD = re.compile(rf"[\s{INVISIBLE}<]")
_KEY_LINE = re.compile(r"""\{?[ ]?["']?\w[\w .-]{0,60}["']?[ \t]*[:=：]""")
_BLANK = re.compile(r"[ \t]*$")
# What people and programs write for `---`: more hyphens, the dashes of a telephone, a language behind them, other marks.
_NEARLY_OPENING = re.compile(
    r"(?:-{2,}|[-–—―−]*[–—―−][-–—―−]*|\+{2,}|;{3,}|\*{3,}|_{3,}|={3,}|~{3}|\{)[ \t]*(?:[A-Za-z]{1,8}|#.*)?[ \t]*\n"
)
_LONGEST = 64 * 1024


class Block(Struct, frozen=True):
    """A block that may be frontmatter."""

    mark: str
    """`---`, `+++` or `{`."""
    text: str
    """What stands between the marks; everything from the opening on when it is never closed, or for `{`."""
    line: int
    """0-based line of the opening."""
    end: int | None
    """Offset where the body begins; None when nothing closes it, or for `{`."""


def drop_lead(text: str) -> str:
    """Return the text without comments and invisible characters before its frontmatter; their line ends stay."""
    if not _BEGINS_LEAD.match(text):
        return text
    match = _LEAD.match(text)
    start = match.end() if match else 0
    if not _OPENING.match(text, start) or _is_code(text, start):
        return text
    return "\n" * text.count("\n", 0, start) + text[start:]


def find_block(text: str) -> Block | None:
    """Return the block that begins the text, after `drop_lead`; None when the text begins with something else."""
    line = 0
    while text.startswith("\n", line):
        line += 1
    opening = _OPENING.match(text, line)
    if opening is None or (line and opening[1] and not _KEY_LINE.match(text, opening.end())):
        return None
    if opening[2]:
        return Block("{", text[line:], line, None)
    closing = _CLOSING[opening[1]].search(text, opening.end())
    if closing is None:
        return Block(opening[1], text[opening.end() :], line, None)
    return Block(opening[1], text[opening.end() : closing.start()], line, min(closing.end() + 1, len(text)))


def begins_with_key(text: str) -> bool:
    """Whether the first line that is no comment is `key:`; a lone rule is followed by something else."""
    position = 0
    while text.startswith("#", position) and (end := text.find("\n", position)) >= 0:
        position = end + 1
    return _KEY_LINE.match(text, position) is not None


def holds_prose(block: str) -> bool:
    """Whether an empty line in the block is followed by a line that no frontmatter has: then its marks are two rules around text."""
    after_blank = False
    for line in block.split("\n"):
        if _BLANK.match(line):
            after_blank = True
        elif after_blank and not _is_like_keys(line):
            return True
    return False


def read_head(text: str) -> str:
    """Return the lines at the beginning that frontmatter could have; a `#` after an empty line is a heading."""
    position, after_blank = 0, False
    while position < min(len(text), _LONGEST):
        end = text.find("\n", position)
        line = text[position : end if end >= 0 else len(text)]
        blank = _BLANK.match(line) is not None
        if not blank and ((not _is_like_keys(line) and not line.startswith("-")) or (after_blank and line.startswith("#"))):
            break
        after_blank = blank
        position += len(line) + 1
    return text[:position]


def read_facts(text: str) -> str:
    """Return the lines `key: value` or `key:: value` at the very beginning, which MultiMarkdown and Logseq take for frontmatter."""
    lines: list[str] = []
    for line in text[:4096].split("\n"):
        if not _KEY_LINE.match(line):
            break
        lines.append(line)
    return "\n".join(lines)


def _is_like_keys(line: str) -> bool:
    return line.startswith((" ", "\t", "#")) or _KEY_LINE.match(line) is not None


def find_lookalike(text: str) -> tuple[int, str] | None:
    """Return the 0-based line and the lines of what was meant as frontmatter and is none; None when the text begins otherwise."""
    match = _LEAD.match(text) if _BEGINS_LEAD.match(text) else None
    start = match.end() if match else 0
    nearly = _NEARLY_OPENING.match(text, start) or _OPENING.match(text, start)
    if nearly is None or _is_code(text, start):
        return None
    head = read_head(text[nearly.end() : nearly.end() + _LONGEST])
    return text.count("\n", 0, start), head


def _is_code(text: str, start: int) -> bool:
    """Whether what stands before `start` in its line makes the line code."""
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    return "\t" in margin or margin.count(" ") > 3
