"""What a change does, as Markdown for a job summary and a comment on a pull request. Used by `brain check --base --summary`; pure.

Titles, names and messages are other people's text: none of it may become a mention, a reference, a link, a picture or HTML where this is
shown. Paths and links stand in code, everything else has its punctuation escaped and its mentions broken by an invisible character.
"""

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b

from indexer.cli.check_lines import Kind, Line, Section
from indexer.cli.check_reading import Comparison
from indexer.cli.check_words import make_sections, say_head, say_verdict
from indexer.cli.terminal import escape_text

MOST_BYTES = 65_536
"""What a comment on GitHub may hold."""
SHOWN = 25
"""Lines of one section."""
_LONGEST = 400
"""Characters of one piece of other people's text."""

_JOINER = "\u2060"
"""Word joiner: takes no room, and parts what would be a mention or an address."""
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_TRIGGERS = re.compile(r"(?i)[@#:/$](?=\S)|\bwww(?=\.)|\bgh(?=-)")
_HASH = re.compile(r"(?i)\b[0-9a-f]{7,}\b")
_MORE = "\n… the rest is left out here; `brain check` shows it.\n"


def make_marker(folder: str) -> str:
    """Return the first line of a summary, by which its comment is found again; of one content root only."""
    return f"<!-- brainpress-check {blake2b(folder.encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()} -->"


def render_summary(comparison: Comparison) -> str:
    """Return the summary, at most MOST_BYTES long in UTF-8; the least urgent sections are the ones that are cut."""
    changes = comparison.changes
    where = f" of {_code(changes.folder)}" if changes.folder else ""
    verdict = say_verdict(changes)
    head = [make_marker(changes.folder), f"### Brain check{where}", f"**{verdict}**" if verdict else "", _render_line(say_head(comparison))]
    parts = [part for part in (*head, *map(_render_section, make_sections(changes))) if part]
    return _cut("\n\n".join(parts) + "\n")


def _render_section(section: Section) -> str:
    shown = section.lines[:SHOWN]
    lines = [f"- {_render_line(line)}" for line in shown]
    if len(shown) < len(section.lines):
        lines.append(f"- … and {len(section.lines) - len(shown):,} more")
    return "\n".join([f"#### {section.title}", "", *lines])


def _render_line(line: Line) -> str:
    return "".join(_RENDERERS[kind](text) for kind, text in line)


def _word(text: str) -> str:
    return text.replace("  ", " · ")


def _strong(text: str) -> str:
    return f"**{text}**"


def _code(text: str) -> str:
    """Return text as code, in a fence longer than any in it: there, nothing means anything."""
    plain = _shorten(escape_text(text))
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain[:1] in {"`", " "} or plain[-1:] in {"`", " "} else ""
    return f"{fence}{space}{plain}{space}{fence}" if plain.strip() else ""


def escape_markdown(text: str) -> str:
    """Return text that shows as it is and is nothing else: no mention, reference, address, picture, emphasis or HTML."""
    broken = _HASH.sub(_break_hash, _shorten(escape_text(text)))
    broken = _TRIGGERS.sub(lambda found: found[0] + _JOINER, broken)
    return _PUNCTUATION.sub(r"\\\1", broken)


def _break_hash(found: re.Match[str]) -> str:
    """What could be the id of a commit falls into pieces that could not."""
    return _JOINER.join(found[0][start : start + 6] for start in range(0, len(found[0]), 6))


_RENDERERS: Mapping[Kind, Callable[[str], str]] = {"word": _word, "code": _code, "text": escape_markdown, "strong": _strong}


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _cut(text: str) -> str:
    """Cut at a line, so that no code stays open."""
    encoded = text.encode("utf-8")
    if len(encoded) <= MOST_BYTES:
        return text
    kept = encoded[: MOST_BYTES - len(_MORE.encode())].decode("utf-8", "ignore")
    return kept[: kept.rindex("\n") + 1] + _MORE
