"""ParsedPage → search terms: which words stand in which section, and how much they say about it. Called by the parse workers.

`page_terms` and `page_sections` are pure and path-independent, cached by blob id; `head_terms` adds what title, tags and file name say
and is called when the index is built. Only here are weights made; readers multiply and add them. Other terms for the same page need
another `TERMS_VERSION` in `indexer.parse.versions`.
"""

from collections.abc import Iterable
from heapq import nsmallest
from math import isqrt

from indexer.model.page import ParsedPage
from indexer.model.search import PageTerms, SearchSection
from indexer.parse.tokens import count_tokens, find_words, pair_run, split_word

PASSAGE = 4000
"""Code points of a section; a longer one is cut between words into several of the same heading."""
SECTIONS_PER_TOKEN = 16
"""A word that stands in more sections of one page is kept for the best ones."""
HEAVIEST = 15
"""Largest weight of a word in a section."""
TITLE, ALIAS, TAG, FILE_NAME = 63, 56, 24, 40
"""Weights of one-word titles, aliases and file names; a longer one shares its weight out. Tags do not."""
_HEADING = 5
"""A word of the heading counts like five of the text."""
_FOLDER_PAGES = frozenset({"index", "readme", "_index"})


def page_sections(page: ParsedPage) -> tuple[SearchSection, ...]:
    """Return the passages of a page, at least one: its sections, long ones cut."""
    passages: list[SearchSection] = []
    for section in page.sections:
        heading = page.headings[section.heading] if section.heading >= 0 else None
        at_top = heading is None or (section.heading == 0 and heading.level == 1)
        shown = heading.text if heading and not (at_top and heading.text == page.title) else ""
        identifier = "" if heading is None or at_top else heading.id
        passages += [SearchSection(shown, identifier, section.line, text) for text in _cut_passages(section.text)]
    return tuple(passages) or (SearchSection("", "", 1, ""),)


def _cut_passages(text: str) -> list[str]:
    passages = []
    while len(text) > PASSAGE:
        end = text.rfind(" ", PASSAGE // 2, PASSAGE)
        end = end if end > 0 else PASSAGE
        passages.append(text[:end])
        text = text[end:].lstrip(" ")
    return [*passages, text]


def page_terms(page: ParsedPage) -> PageTerms:
    """Return the weighted words of each passage of `page_sections`."""
    found = []
    for section in page.sections:
        heading = page.headings[section.heading].text if section.heading >= 0 else ""
        found += [_weigh_passage(text, heading) for text in _cut_passages(section.text)]
    if len(found) > SECTIONS_PER_TOKEN:
        _keep_best(found)
    return PageTerms(tuple(found) or ({},))


def _weigh_passage(text: str, heading: str) -> dict[str, int]:
    """Return token → weight. More often says more, ever less so; in a long passage a word says less than in a short one.

    The pivot is fixed: an average over the repo would change with every edit, and all weights with it.
    """
    counts = count_tokens(text)
    slowness = 210 + 45 * min(sum(counts.values()), 4000) // 200
    if heading:
        for token, halves in count_tokens(heading).items():
            counts[token] = counts.get(token, 0) + _HEADING * halves
    return {token: 1600 * halves // (100 * halves + slowness) for token, halves in counts.items()}


def _keep_best(found: list[dict[str, int]]) -> None:
    """Take words out of the sections where they say least, until none is in more than `SECTIONS_PER_TOKEN`."""
    places: dict[str, list[int]] = {}
    for number, terms in enumerate(found):
        for token in terms:
            places.setdefault(token, []).append(number)
    for token, numbers in places.items():
        if len(numbers) > SECTIONS_PER_TOKEN:
            best = set(nsmallest(SECTIONS_PER_TOKEN, numbers, key=lambda number: (-found[number][token], number)))
            for number in numbers:
                if number not in best:
                    del found[number][token]


def share_out(weight: int, units: int) -> int:
    """Return the weight of each word of a name of so many words: the measure of a vector, so the name that is the query weighs most."""
    return max(1, weight * 1000 // isqrt(max(1, units) * 1_000_000))


def head_terms(path: str, title: str, aliases: Iterable[str], tags: Iterable[str]) -> dict[str, int]:
    """Return token → weight of the page as a whole: 16 × (1–63) for title, alias, tag, file name (the best), plus 0–15 for a short path."""
    weights: dict[str, int] = {}
    _add_name(weights, title, TITLE)
    for alias in aliases:
        _add_name(weights, alias, ALIAS)
    for tag in tags:
        for token in count_tokens(tag):
            weights[token] = max(weights.get(token, 0), TAG)
    _add_name(weights, _name_of(path), FILE_NAME)
    shortness = 15 - min(15, len(path) // 4)
    return {token: weight * 16 + shortness for token, weight in weights.items()}


def _name_of(path: str) -> str:
    """Return the file name without suffix; `README` and `index` say nothing, their folder does."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return folders[-1] if folders and stem.lower() in _FOLDER_PAGES else stem


def _add_name(weights: dict[str, int], name: str, weight: int) -> None:
    words = [word for raw in find_words(name).findall(name) if (word := split_word(raw))]
    # A picture before a name takes nothing from its words, for few will type it.
    named = [word for word in words if word.run or any(map(str.isalnum, "".join((word.whole, *word.parts))))] or words
    each = share_out(weight, count_units(len(word.whole) if word.run else 0 for word in named))
    for word in words:
        tokens = pair_run(word.whole) if word.run else (word.whole,)
        for token in filter(None, tokens):
            weights[token] = max(weights.get(token, 0), each)
        for part in (*word.parts, *word.middle, *(word.whole if word.run and len(word.whole) > 1 else ())):
            weights[part] = max(weights.get(part, 0), 1, each // 2)


def count_units(runs: Iterable[int]) -> int:
    """Return how many words a name or query has, given for each the length of its run (0 = a plain word): a run counts by its pairs."""
    return sum(max(1, length - 1) for length in runs)
