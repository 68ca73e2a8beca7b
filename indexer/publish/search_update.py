"""Changed pages → changed files of the search index, in time that follows from the change. Called by the pipeline after an edit.

The result is to the byte what `build_search` gives for all pages. Nothing is kept between builds but the index itself; of the pages
that did not change, only the documents of the few are needed that another page pushes to another slot.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from indexer.errors import PublishError
from indexer.model.search import SearchChange, SearchDocument, SearchUpdate
from indexer.parse.terms import head_terms
from indexer.publish.search_build import build_search, write_index
from indexer.publish.search_format import (
    FORMAT,
    INDEX,
    LEAF_BYTES,
    SLOT_SHIFT,
    ReadFile,
    encode_body,
    encode_titles,
    name_pages,
    name_part,
    name_terms,
    pack,
    read_json,
    read_lines,
    size_entry,
    write_lines,
)
from indexer.publish.search_pages import write_record
from indexer.publish.search_slots import count_bits, reassign_slots
from indexer.publish.search_tree import find_leaf, grow_leaves, read_tree
from indexer.publish.search_words import Postings, list_word_files, read_word, write_word

Load = Callable[[str], SearchDocument]


def update_search(read: ReadFile, changes: Sequence[SearchChange], paths: Collection[str], load: Load) -> SearchUpdate:
    """Return what changes in the files of an index.

    `read` gives the files as they are, `paths` names all pages as they are now, `load` returns the document of any of them. Raises
    PublishError when the index is missing, damaged, of another version, or out of step with the changes: build it anew then.
    """
    index = read_json(read, INDEX)
    if index.get("format") != FORMAT:
        raise PublishError("There is no search index of this version to update.", hint="Build the site anew.")
    if count_bits(len(paths)) != index["bits"]:
        return _compare(read, build_search(paths, load), list_files(read))
    update = _Update(read, index)
    moves = update.list_moves(changes, load)
    update.replace_pages(moves)
    update.replace_terms(_collect_edits(moves))
    return update.finish(len(paths))


def list_files(read: ReadFile) -> list[str]:
    """Return the names of all files of an index, by reading it."""
    index = read_json(read, INDEX)
    names = [INDEX]
    for leaf, size in read_tree(index["tree"]).items():
        if size:
            names.append(name_terms(leaf))
            names += (
                name for token, entry in read_lines(read(names[-1])).items() for name in list_word_files(token, json.loads(entry), read)
            )
    last = (1 << index["bits"]) + index["pages"]
    for name in sorted({name_pages(slot) for slot in range(0, last + 1, 64)}):
        data = read(name)
        if data is not None:
            names.append(name)
            names += (part for slot, record in read_lines(data).items() for part in _list_parts(int(slot), record))
    return names


def _list_parts(slot: int, record: str) -> list[str]:
    return [name_part(slot, number) for number, _ in enumerate(json.loads(record).get("parts", ()), 1)]


def _compare(read: ReadFile, files: dict[str, bytes], names: Iterable[str]) -> SearchUpdate:
    changed = {name: data for name, data in files.items() if read(name) != data}
    return SearchUpdate(changed, tuple(sorted(name for name in set(names) if name not in files)))


class _Move(Struct, frozen=True):
    """A page that leaves a slot, enters one, or both."""

    old: SearchDocument | None
    old_slot: int
    new: SearchDocument | None
    new_slot: int


class _Edits(Struct):
    """What changes for one word, by slot; 0 and nothing take a page out."""

    titles: dict[int, int] = field(default_factory=dict)
    body: dict[int, list[int]] = field(default_factory=dict)


def _collect_edits(moves: Sequence[_Move]) -> dict[str, _Edits]:
    """Return token → what changes for it. Leaving comes before entering, for one page may enter the slot that another leaves."""
    edits: dict[str, _Edits] = defaultdict(_Edits)
    pairs = [(_Places(move.old, move.old_slot), _Places(move.new, move.new_slot)) for move in moves]
    for old, new in pairs:
        for token, weight in old.titles.items():
            if new.titles.get(token) != weight:
                edits[token].titles[weight[0]] = 0
        for token, postings in old.body.items():
            if new.body.get(token) != postings:
                edits[token].body[postings[0] >> SLOT_SHIFT] = []
    for old, new in pairs:
        for token, weight in new.titles.items():
            if old.titles.get(token) != weight:
                edits[token].titles[weight[0]] = weight[1]
        for token, postings in new.body.items():
            if old.body.get(token) != postings:
                edits[token].body[postings[0] >> SLOT_SHIFT] = postings
    return edits


class _Places:
    """The postings of one page in one slot, by token."""

    def __init__(self, document: SearchDocument | None, slot: int) -> None:
        self.titles: dict[str, tuple[int, int]] = {}
        self.body: dict[str, list[int]] = defaultdict(list)
        if document:
            head = head_terms(document.path, document.title, document.aliases, document.tags)
            self.titles = {token: (slot, weight) for token, weight in head.items()}
            for section, terms in enumerate(document.terms.sections):
                for token, weight in terms.items():
                    self.body[token].append(pack(slot, section, weight))


class _Update:
    """The files of an index while pages change in it."""

    def __init__(self, read: ReadFile, index: dict[str, Any]) -> None:
        self._read = read
        self._bits: int = index["bits"]
        self._leaves = read_tree(index["tree"])
        self._records: dict[str, dict[str, str]] = {}
        """File of pages → slot → record, for the files that were read."""
        self._entries: dict[str, dict[str, str]] = {}
        """Leaf → token → entry, for the leaves that changed."""
        self._files: dict[str, bytes] = {}
        self._touched: set[str] = set()
        """Files that changed or may be gone."""

    # ------------------------------------------------------------ pages

    def list_moves(self, changes: Sequence[SearchChange], load: Load) -> list[_Move]:
        """Return where the changed pages were and go, and the pages that have to make room or close up for them."""
        old = {change.old.path: change.old for change in changes if change.old}
        new = {change.new.path: change.new for change in changes if change.new}
        slots = reassign_slots(self._find_occupant, old.keys(), new.keys(), self._bits)
        for path in old.keys() | new.keys():
            if (slots.get(path, (-1, -1))[0] >= 0) != (path in old):
                raise PublishError(f"The search index is out of step with the changes to {path}.", hint="Build the site anew.")
        moves = []
        for path, (old_slot, new_slot) in slots.items():
            if path in old or path in new:
                moves.append(_Move(old.get(path), old_slot, new.get(path), new_slot))
            elif old_slot != new_slot:
                document = load(path)
                moves.append(_Move(document, old_slot, document, new_slot))
        return moves

    def _find_occupant(self, slot: int) -> str | None:
        record = self._open_records(slot).get(str(slot)) if slot >= 0 else None
        return str(json.loads(record)["path"]) if record else None

    def replace_pages(self, moves: Sequence[_Move]) -> None:
        """Take pages out of their old slots and put them into the new ones."""
        changed = set()
        for move in moves:
            if move.old:
                record = self._open_records(move.old_slot).pop(str(move.old_slot))
                self._touched.update(_list_parts(move.old_slot, record))
                changed.add(name_pages(move.old_slot))
        for move in moves:
            if move.new:
                record, parts = write_record(move.new, move.new_slot)
                self._open_records(move.new_slot)[str(move.new_slot)] = record
                self._files |= parts
                changed.add(name_pages(move.new_slot))
        for name in changed:
            self._touched.add(name)
            if self._records[name]:
                self._files[name] = write_lines(sorted(self._records[name].items(), key=lambda pair: int(pair[0])))

    def _open_records(self, slot: int) -> dict[str, str]:
        name = name_pages(slot)
        if name not in self._records:
            self._records[name] = read_lines(self._read(name))
        return self._records[name]

    # ------------------------------------------------------------ terms

    def replace_terms(self, edits: dict[str, _Edits]) -> None:
        """Change the postings of words, then split and merge the files of terms that hold them."""
        by_leaf: dict[str, list[str]] = defaultdict(list)
        for token in edits:
            by_leaf[find_leaf(self._leaves, token)].append(token)
        for leaf, tokens in by_leaf.items():
            entries = self._open_leaf(leaf)
            for token in tokens:
                self._replace_word(token, entries, edits[token], leaf)
        for leaf in by_leaf:
            if self._leaves[leaf] > LEAF_BYTES:
                self._split(leaf)
        for leaf in sorted(by_leaf, key=len, reverse=True):
            self._merge(leaf)

    def _open_leaf(self, leaf: str) -> dict[str, str]:
        if leaf not in self._entries:
            data = self._read(name_terms(leaf)) if self._leaves[leaf] else None
            if self._leaves[leaf] and data is None:
                raise PublishError(f"The search index is incomplete: {name_terms(leaf)} is missing.", hint="Build the site anew.")
            self._entries[leaf] = read_lines(data)
        return self._entries[leaf]

    def _replace_word(self, token: str, entries: dict[str, str], edits: _Edits, leaf: str) -> None:
        old = entries.pop(token, None)
        titles, body, files = read_word(token, json.loads(old) if old else [], self._read)
        self._touched.update(files)
        if old:
            self._leaves[leaf] -= size_entry(token, old)
        postings = _apply(titles, body, edits)
        if postings.titles or postings.body:
            word = write_word(token, postings, self._bits)
            self._files |= word.files
            entries[token] = word.entry
            self._leaves[leaf] += size_entry(token, word.entry)

    def _split(self, leaf: str) -> None:
        entries = self._entries.pop(leaf)
        sizes = {token: size_entry(token, entry) for token, entry in entries.items()}
        self._forget(leaf)
        for name, tokens in grow_leaves(sizes, LEAF_BYTES, leaf).items():
            self._entries[name] = {token: entries[token] for token in tokens}
            self._leaves[name] = sum(sizes[token] for token in tokens)

    def _merge(self, leaf: str) -> None:
        """Merge a leaf with its neighbour while both fit into one."""
        while leaf in self._leaves and leaf:
            parent = leaf[:-1]
            pair = (parent + "0", parent + "1")
            if not all(name in self._leaves for name in pair) or sum(self._leaves[name] for name in pair) > LEAF_BYTES:
                return
            self._entries[parent] = self._open_leaf(pair[0]) | self._open_leaf(pair[1])
            self._leaves[parent] = sum(self._leaves[name] for name in pair)
            for name in pair:
                del self._entries[name]
                self._forget(name)
            leaf = parent

    def _forget(self, leaf: str) -> None:
        del self._leaves[leaf]
        self._touched.add(name_terms(leaf))

    # ------------------------------------------------------------ result

    def finish(self, pages: int) -> SearchUpdate:
        """Return what differs from the files as they were."""
        for leaf, entries in self._entries.items():
            self._touched.add(name_terms(leaf))
            if entries:
                self._files[name_terms(leaf)] = write_lines((token, entries[token]) for token in sorted(entries))
        self._files[INDEX] = write_index(pages, self._bits, self._leaves)
        existing = [name for name in self._touched if self._read(name) is not None]
        return _compare(self._read, self._files, existing)


def _apply(titles: list[tuple[int, int]], body: list[int], edits: _Edits) -> Postings:
    names = {**dict(titles), **edits.titles}
    kept = [posting for posting in body if posting >> SLOT_SHIFT not in edits.body]
    kept += [posting for postings in edits.body.values() for posting in postings]
    return Postings(encode_titles(sorted(pair for pair in names.items() if pair[1])), encode_body(sorted(kept)))
