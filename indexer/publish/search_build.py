"""Documents → all files of the search index. Called by the pipeline for a first build; `search_update` does what follows an edit.

The bytes follow from the set of documents alone. Only published pages may be passed: whatever is passed can be found.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from indexer.model.search import SearchDocument
from indexer.parse.terms import head_terms
from indexer.publish.search_format import (
    FORMAT,
    INDEX,
    LEAF_BYTES,
    SLOT_SHIFT,
    SLOTS_PER_FILE,
    name_pages,
    name_terms,
    pack,
    size_entry,
    write_json,
    write_leaf,
)
from indexer.publish.search_pages import write_pages, write_record
from indexer.publish.search_slots import assign_slots, count_bits
from indexer.publish.search_tree import grow_leaves, write_tree
from indexer.publish.search_words import Postings, write_word

_BELOW_SLOT = (1 << SLOT_SHIFT) - 1


def build_search(documents: Iterable[SearchDocument], paths: Sequence[str]) -> dict[str, bytes]:
    """Return file name below `_/search/` → bytes. `paths` names all documents; they may come in any order and need not all be in memory."""
    bits = count_bits(len(paths))
    slots = assign_slots(paths, bits)
    files: dict[str, bytes] = {}
    records: dict[int, str] = {}
    titles: dict[str, array[int]] = defaultdict(_no_numbers)
    body: dict[str, array[int]] = defaultdict(_no_numbers)
    for document in documents:
        slot = slots[document.path]
        records[slot], parts = write_record(document, slot)
        files |= parts
        for token, weight in head_terms(document.path, document.title, document.aliases, document.tags).items():
            titles[token].append(slot << SLOT_SHIFT | weight)
        for section, terms in enumerate(document.terms.sections):
            place = pack(slot, section, 0)
            for token, weight in terms.items():
                body[token].append(place | weight)
    files |= _write_records(records)
    entries = {}
    for token in titles.keys() | body.keys():
        word = write_word(token, _sort_postings(titles.pop(token, ()), body.pop(token, ())), bits)
        entries[token] = word.entry
        files |= word.files
    leaves = _write_terms(entries, files)
    files[INDEX] = write_index(len(paths), bits, leaves)
    return files


def _no_numbers() -> "array[int]":
    return array("Q")


def _sort_postings(titles: Iterable[int], body: Iterable[int]) -> Postings:
    return Postings([(number >> SLOT_SHIFT, number & _BELOW_SLOT) for number in sorted(titles)], sorted(body))


def _write_records(records: Mapping[int, str]) -> dict[str, bytes]:
    grouped: dict[int, dict[int, str]] = defaultdict(dict)
    for slot, record in records.items():
        grouped[slot // SLOTS_PER_FILE][slot] = record
    return {name_pages(number * SLOTS_PER_FILE): write_pages(group) for number, group in grouped.items()}


def _write_terms(entries: Mapping[str, str], files: dict[str, bytes]) -> dict[str, int]:
    """Write the files of terms; return leaf → bytes of its entries."""
    sizes = {token: size_entry(token, entry) for token, entry in entries.items()}
    leaves = {}
    for name, tokens in grow_leaves(sizes, LEAF_BYTES).items():
        leaves[name] = sum(sizes[token] for token in tokens)
        if tokens:
            files[name_terms(name)] = write_leaf({token: entries[token] for token in tokens})
    return leaves


def write_index(pages: int, bits: int, leaves: Mapping[str, int]) -> bytes:
    """Return the file that every reader reads first."""
    content: dict[str, Any] = {"format": FORMAT, "pages": pages, "bits": bits, "tree": write_tree(leaves)}
    return (write_json(content) + "\n").encode()
