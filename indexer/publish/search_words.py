"""One word's postings → its entry in the file of terms and, when it is frequent, files of its own; and back. Pure but for a reader given.

A frequent word has its postings in `words/`; the entry says so. A very frequent one is *cut* there to the names and pages in which it
weighs most, so that no query downloads much; its whole stands in `whole/`, in chunks that only an update reads.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, chain, groupby, islice
from typing import Any

from msgspec import Struct

from indexer.errors import PublishError
from indexer.parse.terms import HEAVIEST
from indexer.publish.search_format import (
    CHUNKS,
    MOST_NUMBERS,
    MOST_PAGES,
    MOST_TITLES,
    OWN_BYTES,
    SLOT_SHIFT,
    WEIGHT_BITS,
    ReadFile,
    decode_body,
    decode_titles,
    encode_body,
    encode_titles,
    name_chunk,
    name_word,
    read_entry,
    read_json,
    to_bytes,
    write_entry,
    write_json,
)


class Postings(Struct, frozen=True):
    """Where a word stands, all of it, as encoded in `search_format`."""

    titles: Sequence[int]
    """Pages with the word in title, alias, tag or file name."""
    body: Sequence[int]
    """Sections with the word in heading or text."""


class WordFiles(Struct, frozen=True):
    """How a word is written."""

    entry: str
    """JSON of its entry in the file of terms."""
    files: dict[str, bytes]
    """Files of its own: none, one, or one and its chunks."""


def write_word(token: str, postings: Postings, bits: int) -> WordFiles:
    """Return the entry and files of a word; `bits` is the logarithm of the space of slots."""
    titles, body = postings.titles, postings.body
    if len(titles) + len(body) <= OWN_BYTES // 2:
        entry = write_entry(titles, body)
        if len(entry) <= OWN_BYTES:
            return WordFiles(entry, {})
    pages = count_pages(postings)
    if len(titles) <= MOST_TITLES and len(body) <= MOST_NUMBERS and pages <= MOST_PAGES:
        return _write_own(token, pages, postings, {})
    named, packed = list(decode_titles(titles).items()), decode_body(body)
    chunks: dict[str, bytes] = {}
    for chunk, part in enumerate(_divide(named, packed, bits)):
        if part.titles or part.body:
            content = {"token": token, "titles": part.titles, "body": part.body}
            chunks[name_chunk(token, chunk)] = to_bytes(write_json(content))
    return _write_own(token, pages, _cut(named, packed), chunks)


def count_pages(postings: Postings) -> int:
    """Return in how many pages the word stands."""
    gaps = [number >> WEIGHT_BITS for number in postings.body if number > 0]
    return len({*accumulate(gaps, initial=-1), *decode_titles(postings.titles)}) - 1


def _write_own(token: str, pages: int, shown: Postings, chunks: dict[str, bytes]) -> WordFiles:
    content: dict[str, Any] = {"token": token, "pages": pages, "cut": bool(chunks)}
    content |= {"titles": list(shown.titles), "body": list(shown.body)}
    data = to_bytes(write_json(content))
    stub = {"pages": pages, "cut": bool(chunks), "file": name_word(token), "bytes": len(data)}
    return WordFiles(write_json(stub), {name_word(token): data} | chunks)


def _cut(titles: list[tuple[int, int]], body: list[int]) -> Postings:
    """Keep the names and pages where the word weighs most (of equals, the first slots); of a page, its best section."""
    by_weight: list[list[int]] = [[] for _ in range(HEAVIEST + 1)]
    for _, postings in groupby(body, key=lambda posting: posting >> SLOT_SHIFT):
        best = max(postings, key=lambda posting: posting & 15)
        by_weight[best & 15].append(best)
    kept = sorted(titles, key=lambda title: -title[1])[:MOST_TITLES]
    pages = list(islice(chain(*reversed(by_weight)), MOST_PAGES))
    return Postings(encode_titles(sorted(kept)), encode_body(sorted(pages)))


def _divide(titles: list[tuple[int, int]], body: list[int], bits: int) -> list[Postings]:
    """Cut postings into chunks by slot; the few slots beyond the space are in the last one."""
    bounds = [chunk << bits - (CHUNKS - 1).bit_length() for chunk in range(CHUNKS)]
    named = [*(bisect_left(titles, (bound, 0)) for bound in bounds), len(titles)]
    packed = [*(bisect_left(body, bound << SLOT_SHIFT) for bound in bounds), len(body)]
    return [
        Postings(encode_titles(titles[named[chunk] : named[chunk + 1]]), encode_body(body[packed[chunk] : packed[chunk + 1]]))
        for chunk in range(CHUNKS)
    ]


def read_word(token: str, entry: Any, read: ReadFile) -> tuple[list[tuple[int, int]], list[int], dict[str, bytes]]:
    """Return names as (slot, weight) and packed postings of a word, all of them, and the files of its own as they are."""
    if isinstance(entry, list):
        titles, body = read_entry(entry)
        return list(decode_titles(titles).items()), decode_body(body), {}
    named: list[tuple[int, int]] = []
    packed: list[int] = []
    files = _read_files(token, entry, read)
    for name in files:
        if not entry["cut"] or name != entry["file"]:
            content = read_json(read, name)
            named += decode_titles(content["titles"]).items()
            packed += decode_body(content["body"])
    return named, packed, files


def _read_files(token: str, entry: Any, read: ReadFile) -> dict[str, bytes]:
    names = [name_chunk(token, chunk) for chunk in range(CHUNKS)] if entry["cut"] else []
    files = {name: data for name in (entry["file"], *names) if (data := read(name)) is not None}
    if entry["file"] not in files:
        raise PublishError(f"The search index is incomplete: {entry['file']} is missing.", hint="Build the site anew.")
    return files


def list_word_files(token: str, entry: Any, read: ReadFile) -> list[str]:
    """Return the names of a word's own files."""
    return list(_read_files(token, entry, read)) if not isinstance(entry, list) else []
