"""A page as `indexer.analysis.mentions` reads it: its prose in passages, the words of a text, and the line where words stand. Pure.

Prose is what readers see outside code, links, headings and mathematics. It is taken from the page's HTML, which the parser has made and
sanitised, so tags are well formed.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from indexer.model.page import Heading, Link
from indexer.parse.slots import CLOSE, OPEN
from indexer.parse.tokens import find_words, fold_text, split_word

_PART = re.compile(rf'<(/?)([a-z][a-z0-9]*)((?:[^>"]|"[^"]*")*)>|{OPEN}([a-z])([0-9]+){CLOSE}|[^<{OPEN}]+|<', re.DOTALL)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|nbsp|#39|#34);")
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": " ", "&#39;": "'", "&#34;": '"'}
_INLINE = frozenset(
    "a abbr b bdi bdo br cite code data del dfn em i img ins kbd mark q s samp small span strike strong sub sup time tt u var wbr".split()
)
_SILENT = frozenset("a code h1 h2 h3 h4 h5 h6 kbd pre samp tt var".split())
_VOID = frozenset("br col hr img input source track wbr".split())
_LINK = "link"
_BARRIER = "\ufffc"
"""Stands for what is not read, so that no name reaches across it."""
FOOTNOTES = -2
"""Section of the notes below the text, which stand elsewhere in the file."""


class Passage(Struct, frozen=True):
    """The prose of one block: no name reaches from one into the next."""

    section: int
    """Number of the heading it stands under; -1 before the first, `FOOTNOTES` for notes."""
    text: str
    start: int
    """Where it begins in all that is shown of its section."""


class Prose(Struct, frozen=True):
    """A page without markup."""

    passages: tuple[Passage, ...]
    shown: dict[int, str]
    """Section → all its visible text, code, links and heading included: to count how often words come before a place."""


class Atom(NamedTuple):
    """One word, or one character of a script without spaces between words."""

    word: str
    """Folded: neither letter case nor accents matter."""
    key: str
    """The word with what parts it from the one before: spaces and hyphens are one, `.` of `Node.js` is no `. ` between sentences."""
    start: int
    end: int
    run: bool
    """True for a character of a script without spaces."""


def read_prose(html: str) -> Prose:
    """Return the prose of a page's HTML with slots."""
    reader = _Reader()
    for part in _PART.finditer(html):
        closing, tag, attributes, letter, number = part.groups()
        if tag:
            reader.pass_tag(tag, attributes, closing=bool(closing))
        elif letter:
            reader.pass_slot(letter, int(number))
        else:
            reader.add_text(part[0])
    reader.end_block()
    return Prose(tuple(reader.passages), {section: "".join(texts) for section, texts in reader.shown.items()})


class _Reader:
    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.shown: dict[int, list[str]] = {-1: []}
        self._section = -1
        self._length = 0
        self._start = 0
        self._block: list[str] = []
        self._silent: list[str] = []

    def pass_tag(self, tag: str, attributes: str, *, closing: bool) -> None:
        """Note where blocks end and what is not read."""
        if tag not in _INLINE or tag == "br":
            self.end_block()
        if tag in _VOID:
            return
        if closing:
            if self._silent and self._silent[-1] == tag:
                self._silent.pop()
        elif tag in _SILENT or tag in self._silent[-1:] or "brain-math" in attributes:
            self._block.append(_BARRIER)
            self._silent.append(tag)

    def pass_slot(self, letter: str, number: int) -> None:
        """Note where links and sections begin."""
        if letter == "s":
            self._open_section(number)
        elif letter == "f":
            self._open_section(FOOTNOTES)
        elif letter == "o":
            self._silent.append(_LINK)
        elif letter == "c" and _LINK in self._silent:
            del self._silent[len(self._silent) - 1 - self._silent[::-1].index(_LINK) :]
        if letter not in "bd":
            self._block.append(_BARRIER)

    def add_text(self, text: str) -> None:
        """Add visible text: to be read, or only to be counted."""
        if "&" in text:
            text = _ENTITY.sub(lambda found: _ENTITIES[found[0]], text)
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        self.shown[self._section].append(text)
        self._length += len(text)
        # Same length as what is shown, so that places in one are places in the other.
        self._block.append(_BARRIER * len(text) if self._silent else text)

    def end_block(self) -> None:
        """Close the passage."""
        text = "".join(self._block)
        if text.strip(_BARRIER + " \n"):
            self.passages.append(Passage(self._section, text, self._start))
        self.shown[self._section].append("\n")
        self._length += 1
        self._start, self._block = self._length, []

    def _open_section(self, number: int) -> None:
        self.end_block()
        self._section, self._start, self._length = number, 0, 0
        self.shown[number] = []


_PIECE = re.compile(r"[^.\-_\[\]]+")
_JOINT = re.compile(r"[\s\-_\u2010-\u2015]*")


def split_atoms(text: str) -> list[Atom]:
    """Return the words of a text (composed: NFC) with their places."""
    atoms: list[Atom] = []
    ended = 0
    for found in find_words(text).finditer(text):
        for word, first, last, run in split_chunk(found[0]):
            start, end = first + found.start(), last + found.start()
            atoms.append(Atom(word, write_key(text[ended:start], word), start, end, run))
            ended = end
    return atoms


def write_key(between: str, word: str) -> str:
    """Return the key of a word (see `Atom`) from what parts it from the one before."""
    joint = "" if between == " " or _JOINT.fullmatch(between) else " ".join(f"{between}|".split())
    return f"{joint}\0{word}"


@lru_cache(maxsize=1 << 16)
def split_chunk(chunk: str) -> tuple[tuple[str, int, int, bool], ...]:
    """Return the words in one match of `find_words`: folded, where they begin and end in it, and whether each is of a run."""
    word = None if chunk.isascii() else split_word(chunk)
    if word and word.run:
        return tuple((fold_text(character), index, index + 1, True) for index, character in enumerate(chunk))
    return tuple((fold_text(found[0]), found.start(), found.end(), False) for found in _PIECE.finditer(chunk))


class Lines:
    """The source of one page, to find the line of words that a reader sees."""

    def __init__(self, source: str, links: Iterable[Link], headings: Sequence[Heading]) -> None:
        source = source if source.isascii() else unicodedata.normalize("NFC", source)
        self._lines = source.split("\n")
        self._headings = [heading.line for heading in headings]
        self._sections: dict[int, tuple[int, str]] = {}
        for link in links:
            self._show_label(link)

    def _show_label(self, link: Link) -> None:
        """Put the label of a link in its place, for readers do not see the rest."""
        raw = link.raw if link.raw.isascii() else unicodedata.normalize("NFC", link.raw)
        row = link.line - 1
        if raw and "\n" not in raw and 0 <= row < len(self._lines):
            label = link.label or link.target.rpartition("/")[2]
            self._lines[row] = self._lines[row].replace(raw, label if label not in raw or link.kind != "embed" else "", 1)

    def find_line(self, prose: Prose, passage: Passage, start: int, end: int) -> int:
        """Return the 1-based line where the words from `start` to `end` of a passage begin; that of the section when they are not found.

        The words stand as often before them in the source of the section as in what is shown of it.
        """
        words = passage.text[start:end]
        line, source = self._read_section(passage.section)
        shown = prose.shown[passage.section]
        at = source.find(words)
        if at >= 0:
            for _ in range(shown.count(words, 0, passage.start + start)):
                following = source.find(words, at + len(words))
                at = following if following >= 0 else at
        elif "\n" in words:  # in a quote or list, lines begin with marks
            found = re.search(r"[\s*_~>]+".join(map(re.escape, words.split())), source)
            at = found.start() if found else -1
        return line + source.count("\n", 0, at) if at >= 0 else line

    def _read_section(self, section: int) -> tuple[int, str]:
        if section not in self._sections:
            first, last = self._span(section)
            self._sections[section] = first, "\n".join(self._lines[first - 1 : last])
        return self._sections[section]

    def _span(self, section: int) -> tuple[int, int]:
        """Return first and last line of a section."""
        if section == FOOTNOTES:
            return 1, len(self._lines)
        first = self._headings[section] if 0 <= section < len(self._headings) else self._begin_text()
        following = section + 1
        return first, self._headings[following] - 1 if following < len(self._headings) else len(self._lines)

    def _begin_text(self) -> int:
        """Return the line after the frontmatter."""
        if self._lines[0].rstrip() == "---":
            for row, line in enumerate(self._lines[1:], 2):
                if line.rstrip() in {"---", "..."}:
                    return row + 1
        return 1
