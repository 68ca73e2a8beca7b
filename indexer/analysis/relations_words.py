"""What pages say: the weights of their words, and which pages use another one's name. For `indexer.analysis.relations`; pure."""

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sys import intern

import numpy as np

from indexer.analysis.names import folder_of, is_index_name, stem
from indexer.analysis.relations_sparse import Postings, build_postings
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.model.search import PageTerms
from indexer.parse.tokens import count_tokens

NAME = 30
"""A word of a page's name counts like two sections that are all about it (a section gives a word at most 15)."""
POWER = 0.7
"""Words that weigh twice as much say less than twice as much."""
COMMON = 0.5
"""A word that more pages than this share of all have says nothing."""
_WORK = 600_000_000
"""Products of word weights that are worth their time; in large brains the most frequent words go beyond."""
_MENTIONS = 100
"""A name whose words stand together on more pages than this is no name but a common phrase."""
_BEARERS = 8
"""A name that more pages bear than this means none of them."""


LoadTerms = Callable[[Sequence[str]], Mapping[str, PageTerms]]
"""Blob ids → their search terms: `PageCache.load_page_terms`."""
_AT_ONCE = 200
Bag = Mapping[str, int]
"""Token → weight."""
_JOINTS = str.maketrans("-_", "  ")


def list_names(path: str, page: PageFacts, title: str) -> tuple[str, ...]:
    """Return the names of a page, without repeats: title, aliases, file or folder name as words; `title` is the one that is shown."""
    own = folder_of(path).rsplit("/", 1)[-1] if is_index_name(path) else stem(path)
    return tuple(name for name in dict.fromkeys((title, *page.aliases, own.translate(_JOINTS))) if name)


def read_terms(result: IndexResult, load_terms: LoadTerms) -> Iterator[PageTerms]:
    """Yield the terms of the published pages in their order, a few pages in memory at once."""
    paths = result.graph.nodes
    for start in range(0, len(paths), _AT_ONCE):
        blobs = [result.entries[path].blob for path in paths[start : start + _AT_ONCE]]
        terms = load_terms(blobs)
        yield from (terms[blob] for blob in blobs)


def read_bags(result: IndexResult, load_terms: LoadTerms) -> list[Bag]:
    """Return the words of each published page. Pages share the text of a word: of many pages, most words are of others too."""
    return [{intern(token): weight for token, weight in sum_sections(terms).items()} for terms in read_terms(result, load_terms)]


def sum_sections(terms: PageTerms) -> Bag:
    """Return token → weight of a page as a whole."""
    words = dict(terms.sections[0]) if terms.sections else {}
    for section in terms.sections[1:]:
        for token, weight in section.items():
            words[token] = words.get(token, 0) + weight
    return words


def weigh_words(bags: Sequence[Bag], names: Sequence[Sequence[str]]) -> Postings:
    """Return page × word with rows of length 1: rare words weigh more, words of names most."""
    numbers: dict[str, int] = {}
    rows, columns, weights = array("q"), array("q"), array("d")
    for number, (bag, own) in enumerate(zip(bags, names, strict=True)):
        words = _add_names(bag, own)
        rows.extend([number] * len(words))
        columns.extend([numbers.setdefault(token, len(numbers)) for token in words])
        weights.extend(words.values())
    # Columns in the order of the words, whatever order the pages came in.
    rank = np.empty(len(numbers), dtype=np.int64)
    rank[[numbers[token] for token in sorted(numbers)]] = np.arange(len(numbers))
    where, which = np.array(rows, dtype=np.int64), rank[np.array(columns, dtype=np.int64)] if len(columns) else np.zeros(0, np.int64)
    idf = _rate_words(np.bincount(which, minlength=len(numbers)), len(bags))
    values = np.array(weights) ** POWER * idf[which]
    lengths = np.sqrt(np.bincount(where, weights=values**2, minlength=len(bags)))
    kept = values > 0
    where, which, values = where[kept], which[kept], values[kept]
    return build_postings(where, which, values / lengths[where], len(bags), len(numbers))


def _add_names(bag: Bag, names: Iterable[str]) -> dict[str, int]:
    words = dict(bag)
    halves: dict[str, int] = {}
    for name in names:
        for token, found in count_tokens(name).items():
            halves[token] = max(halves.get(token, 0), min(found, 2))
    for token, found in halves.items():
        words[token] = words.get(token, 0) + NAME * found // 2
    return words


def _rate_words(found: "np.ndarray[tuple[int], np.dtype[np.int64]]", pages: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return what each word says: nothing when on one page alone, on too many, or beyond what there is time for."""
    most = max(8, int(COMMON * pages))
    sizes, times = np.unique(found[(found >= 2) & (found <= most)], return_counts=True)
    affordable = sizes[np.cumsum(sizes**2 * times) <= _WORK]
    most = int(affordable[-1]) if len(affordable) else 0
    return np.where((found >= 2) & (found <= most), np.log(pages / np.maximum(found, 1)), 0.0)


def find_names(pages: Iterable[PageTerms], names: Sequence[Sequence[str]]) -> dict[tuple[int, int], float]:
    """Return (page, page) → how much one speaks of the other by name: all words of a name in one section. Both orders are given.

    A name on few pages says more than one on many. This is the signal only; `indexer.analysis.mentions` finds the very words.
    """
    bearers: dict[frozenset[str], set[int]] = defaultdict(set)
    for number, own in enumerate(names):
        for name in own:
            bearers[frozenset(count_tokens(name))].add(number)
    wanted = {tokens: sorted(numbers) for tokens, numbers in bearers.items() if tokens and len(numbers) <= _BEARERS}
    places = _place_tokens(pages, {token for tokens in wanted for token in tokens})
    spoken: dict[int, dict[int, set[tuple[int, int]]]] = defaultdict(lambda: defaultdict(set))
    for tokens, numbers in wanted.items():
        found = _meet([places.get(token, _NOWHERE) for token in tokens])
        if found and len({page for page, _ in found}) <= _MENTIONS + 1:
            for target in numbers:
                for place in found:
                    if place[0] != target:
                        spoken[target][place[0]].add(place)
    return _weigh_names(spoken, len(names))


_NOWHERE: frozenset[tuple[int, int]] = frozenset()


def _place_tokens(pages: Iterable[PageTerms], tokens: set[str]) -> dict[str, set[tuple[int, int]]]:
    """Return token → (page, section) of all that are asked for."""
    places: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, terms in enumerate(pages):
        for index, section in enumerate(terms.sections):
            place = (number, index)
            for token in section.keys() & tokens:
                places[token].add(place)
    return places


def _meet(sets: list[frozenset[tuple[int, int]] | set[tuple[int, int]]]) -> set[tuple[int, int]]:
    sets.sort(key=len)
    return set(sets[0]).intersection(*sets[1:])


def _weigh_names(spoken: Mapping[int, Mapping[int, set[tuple[int, int]]]], pages: int) -> dict[tuple[int, int], float]:
    signs: dict[tuple[int, int], float] = {}
    for target, speakers in spoken.items():
        rarity = math.log(pages / (1 + len(speakers))) / math.log(pages)
        for speaker, sections in speakers.items():
            if rarity > 0:
                weight = max(math.log1p(len(sections)) * rarity, signs.get((speaker, target), 0.0))
                signs[speaker, target] = signs[target, speaker] = weight
    return signs
