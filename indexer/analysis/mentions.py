"""Pages that are mentioned and not linked: page, line, the words, the page meant (DESIGN, Relations). Called by whoever shows them; pure.

Read is the HTML that readers see, without code, links and headings, so no Markdown is read twice; lines come from the source, by
`mentions_text`. Names are looked up word by word in one tree of all names, so time grows with the text and not with the names.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexer.analysis.mentions_text import Atom, Lines, Passage, list_words, read_prose, split_atoms
from indexer.analysis.names import is_index_name, stem
from indexer.model.page import PageBody
from indexer.model.relations import Mention
from indexer.model.result import IndexResult
from indexer.parse.tokens import find_words

LoadBodies = Callable[[Sequence[str]], Mapping[str, PageBody]]
"""Blob ids → their bodies: `PageCache.load_bodies`."""
_AT_ONCE = 200
_LONGEST = 12
"""Words of a name; a longer title is a sentence, which nobody repeats."""
_SHORTEST = 3
"""Characters of a name of one word."""
_COMMON_WORD = 0.05
"""A single word on more pages than this share says nothing of a page: it is a word."""
_COMMON_PHRASE = 0.25
"""So does a name of several words, such as `Getting started`."""
_ALWAYS = 5
"""Pages that a name may stand on in a brain of any size."""


@dataclass(slots=True)
class _Names:
    """A node in the tree of names: what may follow, and whether a name ends here."""

    next: dict[str, "_Names"] = field(default_factory=dict)
    number: int = -1
    """Of the name that ends here."""


@dataclass(frozen=True, slots=True)
class _Meant:
    """What a name stands for."""

    target: str
    """Empty when it is not clear: several pages bear the name."""
    most: float
    """Pages it may stand on before it is a common word."""


def find_mentions(result: IndexResult, load_bodies: LoadBodies) -> dict[str, tuple[Mention, ...]]:
    """Return for each published page that has some the pages it mentions and does not link to, by line and target.

    A name counts in whole words, whatever the letter case and accents; of names that overlap the longest counts. A name that several
    pages bear means none of them.
    """
    meant, search = _plant_names(result)
    found: dict[str, dict[int, Mention]] = {}
    used: Counter[int] = Counter()
    paths = result.graph.nodes
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        bodies = load_bodies([result.entries[path].blob for path in some])
        for path in some:
            said = _read_page(result, path, bodies[result.entries[path].blob], search, meant)
            used.update(said.keys())
            found[path] = {name: mention for name, mention in said.items() if mention.target}
    said_rarely = {number for number, pages in used.items() if pages <= meant[number].most}
    mentions = {path: _join_names(mention for name, mention in said.items() if name in said_rarely) for path, said in found.items()}
    return {path: each for path, each in mentions.items() if each}


def _plant_names(result: IndexResult) -> tuple[list[_Meant], "_Search"]:
    """Return the names by number and the search for them. Names that say nothing are in it too: a longer one hides a shorter."""
    bearers: dict[tuple[str, ...], set[str]] = defaultdict(set)
    least: dict[tuple[str, ...], float] = {}
    for path in result.graph.nodes:
        page = result.pages[path]
        for name in {result.title_of(path), *page.aliases, *(() if is_index_name(path) else (stem(path),))}:
            atoms = split_atoms(unicodedata.normalize("NFC", name))
            if 0 < len(atoms) <= _LONGEST:
                keys = (atoms[0].word, *(atom.key for atom in atoms[1:]))
                bearers[keys].add(path)
                least[keys] = _count_most(atoms, len(result.graph.nodes))
    tree = _Names()
    meant: list[_Meant] = []
    for keys, paths in sorted(bearers.items()):
        node = tree
        for key in keys:
            node = node.next.setdefault(key, _Names())
        node.number = len(meant)
        meant.append(_Meant(min(paths) if len(paths) == 1 else "", least[keys]))
    return meant, _Search(tree)


def _count_most(atoms: Sequence[Atom], pages: int) -> float:
    """Return on how many pages a name may stand; 0 = it is too short to mean anything.

    A character of a script without spaces is half a word. A year or a version is no name, a whole date is.
    """
    letters = sum(len(atom.word) for atom in atoms)
    runs = sum(atom.run for atom in atoms)
    if letters < (2 if runs else _SHORTEST) or (len(atoms) < _SHORTEST and all(atom.word.isdecimal() for atom in atoms)):
        return 0
    several = len(atoms) - runs + runs // 2 + (runs > 2) > 1
    return max(_ALWAYS, pages * (_COMMON_PHRASE if several else _COMMON_WORD))


class _Search:
    """Finds names in passages."""

    def __init__(self, tree: _Names) -> None:
        self._first = tree.next
        self._starts: dict[str, bool] = {}

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (name, start, end) of the names in a text, the longest at each place, none inside another."""
        if not self._may_hold(text):
            return
        atoms = split_atoms(text)
        after = 0
        for start, atom in enumerate(atoms):
            if start >= after and atom.word in self._first:
                number, end = self._follow(atoms, start)
                if number >= 0:
                    after = end
                    yield number, atom.start, atoms[end - 1].end

    def _may_hold(self, text: str) -> bool:
        starts = self._starts
        for chunk in find_words(text).findall(text):
            known = starts.get(chunk)
            if known is None:
                starts[chunk] = known = any(word in self._first for word in list_words(chunk))
            if known:
                return True
        return False

    def _follow(self, atoms: Sequence[Atom], start: int) -> tuple[int, int]:
        """Return the longest name that begins with this word, and where it ends; -1 for none."""
        node: _Names | None = self._first[atoms[start].word]
        number, end = -1, start
        index = start + 1
        while node is not None:
            if node.number >= 0:
                number, end = node.number, index
            node = node.next.get(atoms[index].key) if index < len(atoms) else None
            index += 1
        return number, end


def _read_page(result: IndexResult, path: str, body: PageBody, search: _Search, meant: Sequence[_Meant]) -> dict[int, Mention]:
    """Return number of a name → its first mention; without a target where it is clear that none is to be shown."""
    prose = read_prose(body.html)
    known = {"", path, *result.graph.outgoing.get(path, ())}
    first: dict[int, tuple[Passage, int, int]] = {}
    times: Counter[int] = Counter()
    for passage in prose.passages:
        for name, start, end in search.find(passage.text):
            first.setdefault(name, (passage, start, end))
            times[name] += 1
    lines: Lines | None = None
    mentions = {}
    for name, (passage, start, end) in first.items():
        words, target, line = " ".join(passage.text[start:end].split()), "", 0
        if meant[name].target not in known and meant[name].most:
            lines = lines or Lines(body.text, result.pages[path].links, result.pages[path].headings)
            target, line = meant[name].target, lines.find_line(prose, passage, start, end)
        mentions[name] = Mention(path, line, words, target, times[name])
    return mentions


def _join_names(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Make one of the mentions of a page by several of its names."""
    joined: dict[str, Mention] = {}
    for mention in sorted(mentions, key=lambda mention: (mention.line, mention.words)):
        first = joined.get(mention.target)
        joined[mention.target] = replace(first, times=first.times + mention.times) if first else mention
    return tuple(sorted(joined.values(), key=lambda mention: (mention.line, mention.target)))
