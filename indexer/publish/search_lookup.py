"""Which files a query needs, and which entries make up the hits of its words. Pure; twin of `lookup.ts` in the site's code.

What may be downloaded for one query is bounded here: files of terms by `TERMS_BYTES`, those of frequent words by `OWN_BYTES_OF_QUERY`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from indexer.publish.search_format import read_entry
from indexer.publish.search_hits import Hits, join_all, join_any, read_hits
from indexer.publish.search_query import COMPLETED, EXACT, IN_PARTS, NEAR, QueryWord, near_forms
from indexer.publish.search_tree import find_leaf, find_leaves

TERMS_BYTES = 96_000
"""Files of terms read for one query: its words in order, then their parts, other forms, completions."""
MOST_COMPLETIONS = 32
"""Longer words that one word is completed to, the most frequent ones."""
OWN_BYTES_OF_QUERY = 96_000
"""Files of frequent words read for one query, rarer words first; the rest of them is left out of account."""

Entries = Mapping[str, Any]
"""Token → its entry in the file of terms: a list of postings, or where its own file is."""


class Form(Struct, frozen=True):
    """One token looked up for a word."""

    token: str
    share: int
    """Sixteenths that its weights count for."""


class Forms(Struct, frozen=True):
    """All tokens looked up for a word."""

    single: tuple[Form, ...]
    """Each alone is the word: itself, other forms, completions."""
    together: tuple[str, ...]
    """All of them in one section are the word: parts of an identifier, pairs of a run."""
    share: int = EXACT
    """Sixteenths that `together` counts for."""


class Leaves:
    """Chooses the files of terms to read for a query, within bounds."""

    def __init__(self, leaves: Mapping[str, int]) -> None:
        self._leaves = leaves
        self._room = TERMS_BYTES
        self.chosen: dict[str, None] = {}
        """Names of leaves, in the order they were chosen."""

    def add_words(self, words: Sequence[QueryWord]) -> list[QueryWord]:
        """Choose what the words need themselves; return those that there is room for. The others are left out of the query."""
        return [word for word in words if self._add([find_leaf(self._leaves, token) for token in _own_tokens(word)])]

    def add_forms(self, words: Sequence[QueryWord]) -> None:
        """Choose what parts, other forms and completions need, as far as there is room."""
        for word in words:
            self._add([find_leaf(self._leaves, token) for token in word.parts])
        for word in words:
            for token in near_forms(word):
                self._add([find_leaf(self._leaves, token)])
        for word in words:
            if word.completed:
                names = find_leaves(self._leaves, word.whole)
                if word.last or len(names) == 1:
                    self._add(names)

    def add_beginnings(self, words: Sequence[QueryWord], entries: Entries) -> list[str]:
        """Choose what may complete words that do not occur as they are, as far as there is room; return the names added."""
        before = set(self.chosen)
        for word in words:
            if word.whole and not word.run and not word.quoted and not word.contracted and word.whole not in entries:
                for name in find_leaves(self._leaves, word.whole):
                    self._add([name])
        return [name for name in self.chosen if name not in before]

    def _add(self, names: Sequence[str]) -> bool:
        new = {name: None for name in names if self._leaves[name] and name not in self.chosen}
        needed = sum(self._leaves[name] for name in new)
        if needed > self._room:
            return False
        self._room -= needed
        self.chosen |= new
        return True


def _own_tokens(word: QueryWord) -> tuple[str, ...]:
    return word.parts if word.run or not word.whole else (word.whole,)


def list_forms(word: QueryWord, entries: Entries) -> Forms:
    """Return the tokens that stand for a word among those that occur."""
    together = word.parts if all(part in entries for part in word.parts) else ()
    if len(together) == 1 and not word.run and word.whole in entries:
        together = ()  # `c#` is not any `c`
    if word.run or not word.whole:
        return Forms((), together)
    single = {word.whole: EXACT} if word.whole in entries else {}
    for token in near_forms(word):
        if token in entries:
            single.setdefault(token, NEAR)
    if word.completed or (word.whole not in entries and not word.quoted and not word.contracted):
        longer = [token for token in entries if token.startswith(word.whole) and token not in single]
        longer.sort(key=lambda token: (-_count(entries[token]), token))
        for token in longer[:MOST_COMPLETIONS]:
            single[token] = _share_completion(word, len(token) - len(word.whole))
    if single and word.is_version:
        together = ()
    return Forms(
        tuple(Form(token, share) for token, share in single.items()), together, EXACT if word.contracted or not single else IN_PARTS
    )


def _share_completion(word: QueryWord, added: int) -> int:
    """A word being typed may become any longer one; of a finished one, only other forms are meant, which add few letters."""
    share = COMPLETED * len(word.whole) // (len(word.whole) + added) if word.last else COMPLETED - 2 * added
    return max(3, share)


def _count(entry: Any) -> int:
    return len(entry) if isinstance(entry, list) else int(entry["pages"])


def list_own(forms: Sequence[Forms], entries: Entries) -> list[str]:
    """Return the frequent words whose own files to read, as far as allowed: words as typed first, rarer ones before others."""
    order: dict[str, tuple[int, int, str]] = {}
    for found in forms:
        for form in (*found.single, *(Form(token, EXACT) for token in found.together)):
            entry = entries[form.token]
            if not isinstance(entry, list):
                place = (EXACT - form.share, int(entry["pages"]), form.token)
                order[form.token] = min(place, order.get(form.token, place))
    room, chosen = OWN_BYTES_OF_QUERY, []
    for token in sorted(order, key=lambda token: order[token]):
        if entries[token]["bytes"] <= room:
            room -= entries[token]["bytes"]
            chosen.append(token)
    return chosen


def find_hits(forms: Forms, entries: Entries, own: Mapping[str, Any]) -> Hits:
    """Return the hits of one word; `own` holds the contents of the files of frequent words that were read."""
    found = [_read_hits(form, entries, own) for form in forms.single]
    if forms.together:
        found.append(join_all([_read_hits(Form(token, EXACT), entries, own) for token in forms.together], forms.share))
    return join_any(found)


def _read_hits(form: Form, entries: Entries, own: Mapping[str, Any]) -> Hits:
    entry = entries[form.token]
    if isinstance(entry, list):
        return read_hits(*read_entry(entry), form.share)
    content = own.get(form.token)
    if content is None:
        return Hits(pages=entry["pages"], cut=True)
    return read_hits(content["titles"], content["body"], form.share, content["pages"], content["cut"])
