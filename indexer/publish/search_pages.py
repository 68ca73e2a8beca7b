"""Pages → what the search shows of them: address, title, headings and the text of snippets. Pure; called by builder and updater.

Text is stored whole: the first 1,500 characters with the page, the rest in parts of about 6,000, so that a snippet of a long page costs
one small file more, and phrases can always be looked up in the text itself.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from indexer.model.search import SearchDocument, SearchSection
from indexer.publish.search_format import MOST_SECTIONS_OF_A_PAGE, name_part, to_bytes, write_json

_WITH_PAGE, _IN_PART = 1_500, 6_000
_OVERHEAD = 40
"""Characters a section takes besides heading and text."""


def write_record(document: SearchDocument, slot: int) -> tuple[str, dict[str, bytes]]:
    """Return a page's record as JSON, and the files of its further parts."""
    record: dict[str, Any] = {"path": document.path, "url": document.url, "title": document.title}
    if document.aliases:
        record["aliases"] = document.aliases
    starts = _find_starts(document.sections[:MOST_SECTIONS_OF_A_PAGE])
    if starts:
        record["parts"] = starts
    record["sections"] = _write_sections(document.sections[: starts[0] if starts else None])
    parts = {
        name_part(slot, number): to_bytes(write_json(_write_sections(document.sections[start:end])))
        for number, (start, end) in enumerate(pairwise([*starts, MOST_SECTIONS_OF_A_PAGE]), 1)
    }
    return write_json(record), parts


def _find_starts(sections: Iterable[SearchSection]) -> list[int]:
    """Return the first section of each further part; empty when all of the page fits into its record."""
    starts: list[int] = []
    room = _WITH_PAGE
    for number, section in enumerate(sections):
        needed = len(section.text) + len(section.heading) + _OVERHEAD
        if needed > room:
            starts.append(number)
            room = _IN_PART
        room -= needed
    return starts


def _write_sections(sections: Iterable[SearchSection]) -> list[list[Any]]:
    return [[section.heading, section.id, section.line, section.text] for section in sections]
