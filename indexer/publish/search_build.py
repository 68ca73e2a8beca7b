"""Documents → all files of the search index. Called by the pipeline for a first build; `search_update` does what follows an edit.

The bytes follow from the set of documents alone. Only published pages may be passed: whatever is passed can be found.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
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

    def encode(self) -> dict[str, list[int]]:
        """Return token → numbers as `search_format.encode_body` describes them, with no step of Python's for each of millions."""
        import numpy as np  # noqa: PLC0415 (an update of the index does without)

        if not self._tokens:
            return {}
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
        names, found = list(self._numbers), numbers.tolist()
        return {names[number]: found[start:end] for number, (start, end) in zip(tokens[first].tolist(), pairwise(starts), strict=True)}


def build_search(paths: Collection[str], load: Callable[[str], SearchDocument]) -> dict[str, bytes]:
    """Return file name below `_/search/` → bytes.

    `paths` names all pages to be found. `load` returns the document of one; it is called once for each, in an order of its own, so
    documents need not all be in memory.
    """
    bits = count_bits(len(paths))
    files: dict[str, bytes] = {}
    records: dict[int, str] = {}
    titles: dict[str, list[tuple[int, int]]] = defaultdict(list)
    body = _Body()
    for path, slot in assign_slots(paths, bits).items():
        document = load(path)
        records[slot], parts = write_record(document, slot)
        files |= parts
        for token, weight in head_terms(document.path, document.title, document.aliases, document.tags).items():
            titles[token].append((slot, weight))
        body.add(document, slot)
    files |= _write_records(records)
    texts = body.encode()
    entries = {}
    for token in sorted({*texts, *titles}):
        word = write_word(token, Postings(encode_titles(titles.get(token, ())), texts.get(token, ())), bits)
        entries[token] = word.entry
        files |= word.files
    leaves = _write_terms(entries, files)
    files[INDEX] = write_index(len(paths), bits, leaves)
    return files


def _write_records(records: Mapping[int, str]) -> dict[str, bytes]:
    grouped: dict[int, dict[int, str]] = defaultdict(dict)
    for slot, record in records.items():
        grouped[slot // SLOTS_PER_FILE][slot] = record
    return {
        name_pages(number * SLOTS_PER_FILE): write_lines((str(slot), group[slot]) for slot in sorted(group))
        for number, group in grouped.items()
    }


def _write_terms(entries: Mapping[str, str], files: dict[str, bytes]) -> dict[str, int]:
    """Write the files of terms; return leaf → bytes of its entries."""
    sizes = {token: size_entry(token, entry) for token, entry in entries.items()}
    leaves = {}
    for name, tokens in grow_leaves(sizes, LEAF_BYTES).items():
        leaves[name] = sum(sizes[token] for token in tokens)
        if tokens:
            files[name_terms(name)] = write_lines((token, entries[token]) for token in tokens)
    return leaves


def write_index(pages: int, bits: int, leaves: Mapping[str, int]) -> bytes:
    """Return the file that every reader reads first."""
    content: dict[str, Any] = {"format": FORMAT, "pages": pages, "bits": bits, "tree": write_tree(leaves)}
    return to_bytes(write_json(content))
