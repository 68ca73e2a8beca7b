"""Documents → all files of the search index. Called by the pipeline for a first build; `search_update` does what follows an edit.

The bytes follow from the set of documents alone. Only published pages may be passed: whatever is passed can be found.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count, pairwise, repeat
from typing import Any

from indexer.model.search import SearchDocument
from indexer.parse.terms import head_terms
from indexer.publish.search_format import (
    FORMAT,
    INDEX,
    LEAF_BYTES,
    SLOTS_PER_FILE,
    WEIGHT_BITS,
    encode_titles,
    name_pages,
    name_terms,
    size_entry,
    to_bytes,
    write_json,
    write_lines,
)
from indexer.publish.search_pages import write_record
from indexer.publish.search_slots import assign_slots, count_bits
from indexer.publish.search_tree import grow_leaves, write_tree
from indexer.publish.search_words import Postings, write_word


class _Body:
    """All postings of texts, in order of slots and sections: four columns, for there are millions."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = defaultdict(count().__next__)
        self._tokens, self._slots, self._sections, self._weights = array("i"), array("q"), array("i"), array("b")

    def add(self, document: SearchDocument, slot: int) -> None:
        for section, terms in enumerate(document.terms.sections):
            self._tokens.extend(map(self._numbers.__getitem__, terms))
            self._weights.extend(terms.values())
            self._slots.extend(repeat(slot, len(terms)))
            self._sections.extend(repeat(section, len(terms)))

    def encode(self) -> "_Texts":
        """Return the numbers of each token as `search_format.encode_body` describes them, with no step of Python's for each of millions."""
        import numpy as np  # noqa: PLC0415 (an update of the index does without)

        if not self._tokens:
            return _Texts({}, array("q"))
        tokens = np.frombuffer(self._tokens, np.int32)
        order = np.argsort(tokens, kind="stable")
        tokens, weights = tokens[order], np.frombuffer(self._weights, np.int8)[order]
        slots, places = np.frombuffer(self._slots, np.int64)[order], np.frombuffer(self._sections, np.int32)[order].astype(np.int64)
        places <<= WEIGHT_BITS
        first = np.append(True, tokens[1:] != tokens[:-1])
        anew = first | np.append(True, slots[1:] != slots[:-1])
        later = places > 0
        before = np.append(-1, slots[:-1])
        before[first] = -1
        pages = ((slots - before) << WEIGHT_BITS) + np.where(later, 0, weights)
        before = np.append(0, places[:-1])
        before[anew] = 0
        ends = np.cumsum(anew.astype(np.int64) + later)
        numbers = np.empty(ends[-1], np.int64)
        numbers[ends[later] - 1] = (before - places - weights)[later]
        numbers[(ends - later - 1)[anew]] = pages[anew]
        starts = [0, *ends[np.flatnonzero(first)[1:] - 1].tolist(), len(numbers)]
        names = list(self._numbers)
        return _Texts({names[number]: place for number, place in zip(tokens[first].tolist(), pairwise(starts), strict=True)}, numbers)


class _Texts:
    """The numbers of all tokens in one column; those of one become objects of Python's only while its word is written."""

    def __init__(self, places: dict[str, tuple[int, int]], numbers: Any) -> None:
        self.places = places
        self._numbers = numbers

    def take(self, token: str) -> Sequence[int]:
        start, end = self.places.get(token, (0, 0))
        found: Sequence[int] = self._numbers[start:end].tolist()
        return found


def build_search(paths: Collection[str], load: Callable[[str], SearchDocument]) -> dict[str, bytes]:
    """Return file name below `_/search/` → bytes: what `write_search` yields."""
    return dict(write_search(paths, load))


def write_search(paths: Collection[str], load: Callable[[str], SearchDocument]) -> Iterator[tuple[str, bytes]]:
    """Yield file name below `_/search/` and bytes of each file, so that none has to be kept.

    `paths` names all pages to be found. `load` returns the document of one; it is called once for each, in an order of its own, so
    documents need not all be in memory.
    """
    bits = count_bits(len(paths))
    records: dict[int, str] = {}
    titles: dict[str, list[tuple[int, int]]] = defaultdict(list)
    body = _Body()
    for path, slot in assign_slots(paths, bits).items():
        document = load(path)
        records[slot], parts = write_record(document, slot)
        yield from parts.items()
        for token, weight in head_terms(document.path, document.title, document.aliases, document.tags).items():
            titles[token].append((slot, weight))
        body.add(document, slot)
    yield from _write_records(records)
    records.clear()
    texts = body.encode()
    del body
    entries = {}
    for token in sorted({*texts.places, *titles}):
        word = write_word(token, Postings(encode_titles(titles.get(token, ())), texts.take(token)), bits)
        entries[token] = word.entry
        yield from word.files.items()
    sizes = {token: size_entry(token, entry) for token, entry in entries.items()}
    grown = grow_leaves(sizes, LEAF_BYTES)
    for name, tokens in grown.items():
        if tokens:
            yield name_terms(name), write_lines((token, entries[token]) for token in tokens)
    yield INDEX, write_index(len(paths), bits, {name: sum(map(sizes.__getitem__, tokens)) for name, tokens in grown.items()})


def _write_records(records: Mapping[int, str]) -> Iterator[tuple[str, bytes]]:
    grouped: dict[int, dict[int, str]] = defaultdict(dict)
    for slot, record in records.items():
        grouped[slot // SLOTS_PER_FILE][slot] = record
    for number, group in grouped.items():
        yield name_pages(number * SLOTS_PER_FILE), write_lines((str(slot), group[slot]) for slot in sorted(group))


def write_index(pages: int, bits: int, leaves: Mapping[str, int]) -> bytes:
    """Return the file that every reader reads first."""
    content: dict[str, Any] = {"format": FORMAT, "pages": pages, "bits": bits, "tree": write_tree(leaves)}
    return to_bytes(write_json(content))
