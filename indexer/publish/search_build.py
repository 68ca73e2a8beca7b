"""Documents → all files of the search index. Called by the pipeline for a first build; `search_update` does what follows an edit.

The bytes follow from the set of documents alone. Only published pages may be passed: whatever is passed can be found.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

from indexer.model.search import SearchDocument
from indexer.parse.terms import head_terms
from indexer.publish.search_format import (
    FORMAT,
    INDEX,
    LEAF_BYTES,
    SLOTS_PER_FILE,
    TITLE_SHIFT,
    WEIGHT_BITS,
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


class _Growing:
    """The postings of one word while pages are added in order of their slots."""

    __slots__ = ("body", "in_body", "in_titles", "place", "titles")

    def __init__(self) -> None:
        self.titles: array[int] = array("q")
        self.body: array[int] = array("q")
        self.in_titles = self.in_body = -1
        self.place = 0


def build_search(paths: Collection[str], load: Callable[[str], SearchDocument]) -> dict[str, bytes]:
    """Return file name below `_/search/` → bytes.

    `paths` names all pages to be found. `load` returns the document of one; it is called once for each, in an order of its own, so
    documents need not all be in memory.
    """
    bits = count_bits(len(paths))
    files: dict[str, bytes] = {}
    records: dict[int, str] = {}
    words: dict[str, _Growing] = defaultdict(_Growing)
    for path, slot in assign_slots(paths, bits).items():
        document = load(path)
        records[slot], parts = write_record(document, slot)
        files |= parts
        _add_titles(words, document, slot)
        _add_body(words, document, slot)
    files |= _write_records(records)
    entries = {}
    for token, grown in words.items():
        word = write_word(token, Postings(grown.titles, grown.body), bits)
        entries[token] = word.entry
        files |= word.files
    leaves = _write_terms(entries, files)
    files[INDEX] = write_index(len(paths), bits, leaves)
    return files


def _add_titles(words: dict[str, _Growing], document: SearchDocument, slot: int) -> None:
    for token, weight in head_terms(document.path, document.title, document.aliases, document.tags).items():
        word = words[token]
        word.titles.append((slot - word.in_titles) << TITLE_SHIFT | weight)
        word.in_titles = slot


def _add_body(words: dict[str, _Growing], document: SearchDocument, slot: int) -> None:
    """Add the numbers that `search_format.encode_body` describes, but without packed postings: this loop is what a build costs."""
    for section, terms in enumerate(document.terms.sections):
        place = section << WEIGHT_BITS
        for token, weight in terms.items():
            word = words[token]
            if word.in_body == slot:
                word.body.append(word.place - place - weight)
            else:
                page = (slot - word.in_body) << WEIGHT_BITS
                word.in_body = slot
                if section:
                    word.body.append(page)
                    word.body.append(-place - weight)
                else:
                    word.body.append(page | weight)
            word.place = place


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
