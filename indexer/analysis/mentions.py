"""Pages that are mentioned and not linked: page, line, the words, the page meant (DESIGN, Relations). Called by `relate`; pure.

Read is the HTML that readers see, without code, links and headings, so no Markdown is read twice; lines come from the source, by
`mentions_text`. Names are looked up word by word in one tree of all names, so time grows with the text and not with the names. What a
page says depends on its bytes and on the names alone: it is read again only when either has changed (`Spoken`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.analysis.mentions_text import Atom, Lines, Passage, read_prose, split_atoms, split_chunk, write_key
from indexer.analysis.names import is_index_name, nfc, stem
from indexer.model.page import PageBody, PageFacts
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


class _Names(Struct):
    """A node in the tree of names: what may follow, and whether a name ends here."""

    next: dict[str, "_Names"] = field(default_factory=dict)
    number: int = -1
    """Of the name that ends here."""


class Meant(Struct, frozen=True):
    """What a name stands for."""

    target: str
    """Empty when it is not clear: several pages bear the name."""
    most: float
    """Pages it may stand on before it is a common word; 0 = it is too short to mean anything."""


class Said(Struct, frozen=True):
    """A name that stands in the text of a page, whether the page links there or not."""

    name: int
    """Its number."""
    words: str
    """As they stand there the first time."""
    line: int
    """1-based; 0 where nobody can be meant."""
    times: int


class Spoken(Struct, frozen=True):
    """What the pages of a repo say, to be kept for the next time."""

    names: str = ""
    """Digest of the names: with others, nothing of it holds."""
    pages: Mapping[str, tuple[Said, ...]] = field(default_factory=dict)
    """By blob id."""


NOTHING = Spoken()


class Unread(Struct, frozen=True):
    """What is to be read; can be divided and sent to another process."""

    names: Mapping[tuple[str, ...], Meant]
    """Words of a name → what it means, sorted; its place is its number."""
    digest: str
    """Of the names."""
    known: Mapping[str, tuple[Said, ...]]
    """What need not be read again, by blob id."""
    pages: Mapping[str, PageFacts]
    """What is to be read, by blob id."""


def find_mentions(result: IndexResult, load_bodies: LoadBodies) -> tuple[Mention, ...]:
    """Return the pages that published pages mention and do not link to, by path, line and target.

    A name counts in whole words, whatever the letter case and accents; of names that overlap the longest counts. A name that several
    pages bear means none of them.
    """
    unread = find_unread(result)
    return judge_mentions(result, Spoken(unread.digest, read_unread(unread, load_bodies)))


def find_unread(result: IndexResult, before: Spoken = NOTHING) -> Unread:
    """Return what of the published pages `before` does not know."""
    names = _list_names(result)
    digest = blake2b(repr([(keys, each.target) for keys, each in names.items()]).encode(), digest_size=16).hexdigest()
    facts = {result.entries[path].blob: result.pages[path] for path in result.graph.nodes}
    known = {blob: said for blob, said in before.pages.items() if blob in facts} if before.names == digest else {}
    return Unread(names, digest, known, {blob: facts[blob] for blob in sorted(facts.keys() - known.keys())})


def read_unread(unread: Unread, load_bodies: LoadBodies) -> dict[str, tuple[Said, ...]]:
    """Return blob id → the names in the text of each page that is to be read."""
    blobs, names, search = list(unread.pages), list(unread.names.values()), _Search(unread.names)
    said: dict[str, tuple[Said, ...]] = {}
    for start in range(0, len(blobs), _AT_ONCE):
        bodies = load_bodies(blobs[start : start + _AT_ONCE])
        for blob in blobs[start : start + _AT_ONCE]:
            said[blob] = tuple(_read_page(unread.pages[blob], bodies[blob], search, names))
    return said


def judge_mentions(result: IndexResult, spoken: Spoken) -> tuple[Mention, ...]:
    """Return what of `spoken` is a mention: a page is clearly meant, is not linked, and the words are not common ones."""
    names = list(_list_names(result).values())
    paths = result.graph.nodes
    used = Counter(said.name for path in paths for said in spoken.pages[result.entries[path].blob])
    mentions: list[Mention] = []
    for path in paths:
        known = {"", path, *result.graph.outgoing.get(path, ())}
        mentions += _join_names(
            Mention(path, said.line, said.words, names[said.name].target, said.times)
            for said in spoken.pages[result.entries[path].blob]
            if names[said.name].target not in known and used[said.name] <= names[said.name].most
        )
    return tuple(mentions)


def _list_names(result: IndexResult) -> dict[tuple[str, ...], Meant]:
    """Return the names and what they mean, sorted. Names that say nothing are among them too: a longer one hides a shorter."""
    bearers: dict[tuple[str, ...], set[str]] = defaultdict(set)
    most: dict[tuple[str, ...], float] = {}
    for path in result.graph.nodes:
        page = result.pages[path]
        for name in {result.title_of(path), *page.aliases, *(() if is_index_name(path) else (stem(path),))}:
            atoms = split_atoms(nfc(name))
            if 0 < len(atoms) <= _LONGEST:
                keys = (atoms[0].word, *(atom.key for atom in atoms[1:]))
                bearers[keys].add(path)
                most[keys] = _count_most(atoms, len(result.graph.nodes))
    return {keys: Meant(min(paths) if len(paths) == 1 else "", most[keys]) for keys, paths in sorted(bearers.items())}


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


class _Starts(dict[str, bool]):
    """Chunk of a text → whether a name begins in it. Texts repeat few of them very often."""

    def __init__(self, first: Mapping[str, _Names]) -> None:
        super().__init__()
        self._first = first

    def __missing__(self, chunk: str) -> bool:
        self[chunk] = begins = any(word in self._first for word, *_ in split_chunk(chunk))
        return begins


class _Search:
    """Finds names in passages."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        tree = _Names()
        for number, keys in enumerate(names):
            node = tree
            for key in keys:
                node = node.next.setdefault(key, _Names())
            node.number = number
        self._first = tree.next
        self._starts = _Starts(tree.next)

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (name, start, end) of the names in a text, the longest at each place, none inside another."""
        pattern = find_words(text)
        chunks = pattern.findall(text)
        starts = self._starts
        hits = [place for place, chunk in enumerate(chunks) if starts[chunk]]
        if not hits:
            return
        places = [found.start() for found in pattern.finditer(text)]
        after = 0
        for hit in hits:
            for index, (word, first, _, _) in enumerate(split_chunk(chunks[hit])):
                start = places[hit] + first
                if start >= after and word in self._first:
                    number, end = self._follow(text, _read_on(chunks, places, hit, index))
                    if number >= 0:
                        after = end
                        yield number, start, end

    def _follow(self, text: str, words: Iterator[tuple[str, int, int]]) -> tuple[int, int]:
        """Return the longest name that begins with these words, and where it ends; -1 for none."""
        word, _, ended = next(words)
        node: _Names | None = self._first[word]
        number, end = -1, 0
        while node is not None:
            if node.number >= 0:
                number, end = node.number, ended
            if not node.next:
                break
            word, start, last = next(words, ("", ended, ended))
            node = node.next.get(write_key(text[ended:start], word))
            ended = last
        return number, end


def _read_on(chunks: Sequence[str], places: Sequence[int], hit: int, index: int) -> Iterator[tuple[str, int, int]]:
    """Yield the words from one on, with their places. Few are wanted, so none is split before it is asked for."""
    for number in range(hit, len(chunks)):
        at = places[number]
        for word, first, last, _ in split_chunk(chunks[number])[index:]:
            yield word, at + first, at + last
        index = 0


def _read_page(page: PageFacts, body: PageBody, search: _Search, names: Sequence[Meant]) -> Iterator[Said]:
    """Yield the names in the text of a page, in the order in which they first stand there."""
    prose = read_prose(body.html)
    first: dict[int, tuple[Passage, int, int]] = {}
    times: Counter[int] = Counter()
    for passage in prose.passages:
        for name, start, end in search.find(passage.text):
            first.setdefault(name, (passage, start, end))
            times[name] += 1
    lines: Lines | None = None
    for name, (passage, start, end) in first.items():
        line = 0
        if names[name].target and names[name].most:
            lines = lines or Lines(body.text, page.links, page.headings)
            line = lines.find_line(prose, passage, start, end)
        yield Said(name, " ".join(passage.text[start:end].split()), line, times[name])


def _join_names(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Make one of the mentions of a page by several of its names."""
    joined: dict[str, Mention] = {}
    for mention in sorted(mentions, key=lambda mention: (mention.line, mention.words)):
        first = joined.get(mention.target)
        joined[mention.target] = replace(first, times=first.times + mention.times) if first else mention
    return tuple(sorted(joined.values(), key=lambda mention: (mention.line, mention.target)))
