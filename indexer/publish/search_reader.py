"""Reads the search index and answers queries, for the command line and programs. Browsers do the same in `site_templates/src/search/`.

It reads what it needs and nothing more, in the steps the browser takes: the index file, files of terms, files of frequent words, pages,
parts of pages. Results of both are the same; change them together.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from indexer.errors import PublishError
from indexer.model.search import SearchResult
from indexer.publish.search_format import FORMAT, INDEX, ReadFile, name_pages, name_part, name_terms, read_json
from indexer.publish.search_lookup import Leaves, find_hits, list_forms, list_own
from indexer.publish.search_query import Query, QueryWord, near_forms, parse_query, spell_phrase, spread_runs
from indexer.publish.search_rank import Found, rank_pages
from indexer.publish.search_snippet import Mark, count_neighbours, cut_snippet
from indexer.publish.search_tree import read_tree

_SHORT_TEXT = 60
"""Code points; where the text at the top of a page is shorter, the snippet is of the page's best section."""


class SearchReader:
    """Answers queries from the files of one index. `read` returns the bytes of a file below `_/search/`, None when it is missing."""

    def __init__(self, read: ReadFile) -> None:
        self._read = read
        index = read_json(read, INDEX)
        if index.get("format") != FORMAT:
            raise PublishError("The search index is of another version.", hint="Build the site anew.")
        self._pages: int = index["pages"]
        self._leaves = read_tree(index["tree"])

    def search(self, query: str, limit: int = 20) -> list[SearchResult]:
        """Return the best pages, at most `limit`, best first. A query without a word in it finds nothing."""
        parsed = parse_query(query)
        if not parsed.words or limit < 1:
            return []
        search = _OneSearch(self._read, self._leaves, self._pages, limit)
        results = search.answer(parsed)
        if not results:
            spread = spread_runs(parsed)
            results = search.answer(spread, lacking=query.strip()) if spread else []
        return results


class _OneSearch:
    """One query being answered; keeps the files it has read."""

    def __init__(self, read: ReadFile, leaves: dict[str, int], pages: int, limit: int) -> None:
        self._read, self._leaves, self._pages, self._limit = read, leaves, pages, limit
        self._contents: dict[str, Any] = {}

    def _load(self, name: str) -> Any:
        if name not in self._contents:
            self._contents[name] = read_json(self._read, name)
        return self._contents[name]

    def answer(self, query: Query, lacking: str = "") -> list[SearchResult]:
        leaves = Leaves(self._leaves)
        words = leaves.add_words(query.words)
        leaves.add_forms(words)
        entries: dict[str, Any] = {}
        for name in leaves.chosen:
            entries |= self._load(name_terms(name))
        for name in leaves.add_beginnings(words, entries):
            entries |= self._load(name_terms(name))
        forms = [list_forms(word, entries) for word in words]
        own = {token: self._load(entries[token]["file"]) for token in list_own(forms, entries)}
        hits = [find_hits(found, entries, own) for found in forms]
        checks = list_checks(words, query.phrases)
        ranked = rank_pages(words, hits, self._pages, self._limit * 3 if checks else self._limit)
        marks = [make_mark(word) for word in words]
        shown: list[SearchResult] = []
        for found in ranked:
            kept = self._check(found, checks) if checks else found
            if kept:
                missing = (lacking,) if lacking else tuple(words[number].typed for number in kept.missing)
                shown.append(self._show(kept, marks, missing))
                if len(shown) == self._limit:
                    break
        return sorted(shown, key=lambda result: (result.relaxed, -result.score, result.path))

    def _record(self, slot: int) -> dict[str, Any]:
        record: dict[str, Any] = self._load(name_pages(slot))[str(slot)]
        return record

    def _section(self, slot: int, number: int) -> Sequence[Any]:
        """Return heading, id, line and text of one section."""
        record = self._record(slot)
        starts = [0, *record.get("parts", ())]
        part = bisect_right(starts, number) - 1
        sections = self._load(name_part(slot, part)) if part else record["sections"]
        found: Sequence[Any] = sections[number - starts[part]]
        return found

    def _check(self, found: Found, checks: Sequence[tuple[int, str]]) -> Found | None:
        """Look phrases and runs up in names and text, for postings say only that their parts are there; lead to where they are."""
        record = self._record(found.slot)
        names = [spell_phrase(name) for name in (record["title"], *record.get("aliases", ()), record["path"])]
        wanted = [check for number, check in checks if number not in found.missing]
        open_checks = [check for check in wanted if not any(check in name for name in names)]
        section, unmet = found.section, set(open_checks)
        for number in found.sections if open_checks else ():
            heading, _, _, text = self._section(found.slot, number)
            met = {check for check in open_checks if check in spell_phrase(heading) or check in spell_phrase(text)}
            if len(met) == len(open_checks):
                return replace(found, section=number)
            unmet -= met
        return None if unmet else replace(found, section=section)

    def _show(self, found: Found, marks: Sequence[Mark], missing: tuple[str, ...]) -> SearchResult:
        record = self._record(found.slot)
        heading, identifier, line, text = self._section(found.slot, found.section)
        url = f"{record['url']}#{identifier}" if identifier else record["url"]
        if len(text) < _SHORT_TEXT and found.sections[0] != found.section:
            text = self._section(found.slot, found.sections[0])[3]
        pieces = cut_snippet(text or self._first_text(record), marks)
        score = found.score
        if len(marks) > 1:
            neighbours = max(count_neighbours(name, marks) for name in (record["title"], heading, text))
            score += score * neighbours // (4 * (len(marks) - 1))
        return SearchResult(record["path"], record["title"], url, heading, line, pieces, score / 1000, missing)

    def _first_text(self, record: dict[str, Any]) -> str:
        return next((text for _, _, _, text in record["sections"] if text), "")


def list_checks(words: Sequence[QueryWord], phrases: Sequence[str]) -> list[tuple[int, str]]:
    """Return what has to be looked up in the text: phrases, numbered -1, and runs of three characters and more, with the word's number."""
    runs = [(number, word.whole) for number, word in enumerate(words) if word.run and len(word.whole) > 2]
    return [*((-1, phrase) for phrase in phrases), *runs]


def make_mark(word: QueryWord) -> Mark:
    """Return what is marked for one word."""
    if word.run:
        return Mark(run=word.whole)
    parts = word.parts if len(word.parts) > 1 or not word.whole else ()  # of `c++`, no other `c`
    tokens = frozenset(token for token in (word.whole, *near_forms(word)) if token)
    return Mark(tokens, (word.whole,) if word.completed else (), parts=frozenset(parts))
