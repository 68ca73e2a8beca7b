"""One word's postings → its entry in the file of terms and, when it is frequent, files of its own; and back. Pure but for a reader given.

A frequent word has its postings in `words/`; the entry says so. A very frequent one is *cut* there to the names and pages in which it
weighs most, so that no query downloads much; its whole stands in `whole/`, in chunks that only an update reads.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from indexer.errors import PublishError
from indexer.publish.search_format import (
    CHUNKS,
    MOST_PAGES,
    MOST_SECTIONS,
    MOST_TITLES,
    OWN_BYTES,
    SLOT_SHIFT,
    decode_body,
    decode_titles,
    encode_body,
    encode_titles,
    name_chunk,
    name_word,
    read_entry,
    write_entry,
    write_json,
)

ReadFile = Callable[[str], bytes | None]
"""File name below `_/search/` → its bytes, None when there is no such file."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a word stands, all of it."""

    titles: Sequence[tuple[int, int]]
    """(slot, weight) by slot, for pages with the word in title, alias, tag or file name."""
    body: Sequence[int]
    """Packed (see `search_format.pack`), sorted."""


@dataclass(frozen=True, slots=True)
class WordFiles:
    """How a word is written."""

    entry: str
    """JSON of its entry in the file of terms."""
    files: dict[str, bytes]
    """Files of its own: none, one, or one and its chunks."""


def write_word(token: str, postings: Postings, bits: int) -> WordFiles:
    """Return the entry and files of a word; `bits` is the logarithm of the space of slots."""
    titles, body = postings.titles, postings.body
    pages = count_pages(postings)
    if len(titles) <= MOST_TITLES and len(body) <= MOST_SECTIONS and pages <= MOST_PAGES:
        entry = write_entry(encode_titles(titles), encode_body(body))
        if len(entry) <= OWN_BYTES:
            return WordFiles(entry, {})
        return _write_own(token, pages, postings, {})
    chunks: dict[str, bytes] = {}
    for chunk, part in enumerate(_divide(postings, bits)):
        if part.titles or part.body:
            content = {"token": token, "titles": encode_titles(part.titles), "body": encode_body(part.body)}
            chunks[name_chunk(token, chunk)] = _to_bytes(content)
    return _write_own(token, pages, _cut(postings), chunks)


def count_pages(postings: Postings) -> int:
    """Return in how many pages the word stands."""
    slots = {posting >> SLOT_SHIFT for posting in postings.body}
    slots.update(slot for slot, _ in postings.titles)
    return len(slots)


def _write_own(token: str, pages: int, shown: Postings, chunks: dict[str, bytes]) -> WordFiles:
    content: dict[str, Any] = {"token": token, "pages": pages, "cut": bool(chunks)}
    content |= {"titles": encode_titles(shown.titles), "body": encode_body(shown.body)}
    data = _to_bytes(content)
    stub = {"pages": pages, "cut": bool(chunks), "file": name_word(token), "bytes": len(data)}
    return WordFiles(write_json(stub), {name_word(token): data} | chunks)


def _to_bytes(content: dict[str, Any]) -> bytes:
    return (write_json(content) + "\n").encode()


def _cut(postings: Postings) -> Postings:
    """Keep the names and pages where the word weighs most (of equals, the first slots); of a page, its best section."""
    titles = nsmallest(MOST_TITLES, postings.titles, key=lambda title: (-title[1], title[0]))
    best: dict[int, int] = {}
    for posting in postings.body:
        slot = posting >> SLOT_SHIFT
        if slot not in best or posting & 15 > best[slot] & 15:
            best[slot] = posting
    body = nsmallest(MOST_PAGES, best.values(), key=lambda posting: (-(posting & 15), posting))
    return Postings(sorted(titles), sorted(body))


def _divide(postings: Postings, bits: int) -> list[Postings]:
    shift = bits - (CHUNKS - 1).bit_length()
    titles: list[list[tuple[int, int]]] = [[] for _ in range(CHUNKS)]
    body: list[list[int]] = [[] for _ in range(CHUNKS)]
    for title in postings.titles:
        titles[min(CHUNKS - 1, title[0] >> shift)].append(title)
    for posting in postings.body:
        body[min(CHUNKS - 1, posting >> (SLOT_SHIFT + shift))].append(posting)
    return [Postings(*both) for both in zip(titles, body, strict=True)]


def read_word(token: str, entry: Any, read: ReadFile) -> tuple[Postings, dict[str, bytes]]:
    """Return the whole of a word's postings from its entry, and the files of its own as they are."""
    if isinstance(entry, list):
        titles, body = read_entry(entry)
        return Postings(list(decode_titles(titles).items()), decode_body(body)), {}
    names = [name_chunk(token, chunk) for chunk in range(CHUNKS)] if entry["cut"] else []
    files = {name: data for name in (entry["file"], *names) if (data := read(name)) is not None}
    if entry["file"] not in files:
        raise PublishError(f"The search index is incomplete: {entry['file']} is missing.", hint="Build the site anew.")
    contents = [json.loads(data) for name, data in files.items() if not entry["cut"] or name != entry["file"]]
    return _join(contents), files


def _join(contents: Iterable[dict[str, Any]]) -> Postings:
    titles: list[tuple[int, int]] = []
    body: list[int] = []
    for content in contents:
        titles += decode_titles(content["titles"]).items()
        body += decode_body(content["body"])
    return Postings(titles, body)
