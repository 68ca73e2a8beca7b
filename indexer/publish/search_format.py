"""The search index on disk: file names, numbers, and postings as integers. Shared by builder, updater and reader; no I/O here.

`schemas/search-*.schema.json` describe the files, `site_templates/src/search/format.ts` reads the same. All file names are relative
to `_/search/` of the site, in lower case, for any token on any file system.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

from indexer.errors import PublishError

FORMAT = "brainpress-search/1"
INDEX = "index.json"
SLOTS_PER_FILE = 128
"""Slots of one file of pages; between 16 and 32 slots fall to a page, so a file holds 4 to 8 pages."""
LEAF_BYTES = 16_000
"""A file of terms is split when its entries come to more."""
OWN_BYTES = 6_000
"""A word whose entry is larger has a file of its own."""
MOST_PAGES, MOST_NUMBERS, MOST_TITLES = 6_000, 12_000, 2_000
"""A word in more pages, with more numbers for pages and sections, or in more names is cut for readers to its weightiest pages."""
CHUNKS = 16
"""Files that hold the whole of a cut word, by slot; only an update of the index reads them."""

_SECTION_BITS, WEIGHT_BITS = 24, 4
SLOT_SHIFT = _SECTION_BITS + WEIGHT_BITS
MOST_SECTIONS_OF_A_PAGE = (1 << _SECTION_BITS) - 1
_BELOW_SLOT = (1 << SLOT_SHIFT) - 1
TITLE_SHIFT = 10

ReadFile = Callable[[str], bytes | None]
"""File name below `_/search/` → its bytes, None when there is no such file."""

_ANEW = "Build the site anew."
_ESCAPES = tuple((char, f"\\u{ord(char):04x}") for char in "<>&\u2028\u2029")


def write_json(value: Any) -> str:
    """Return compact JSON in which no `<`, `>`, `&`, U+2028 or U+2029 stands as itself, for it could be shown inside a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char, escape in _ESCAPES:
        text = text.replace(char, escape)
    return text


def read_json(read: ReadFile, name: str) -> Any:
    """Return the content of a file; PublishError when it is missing or damaged, for then the index has to be built anew."""
    data = read(name)
    if data is None:
        raise PublishError(f"The search index is incomplete: {name} is missing.", hint=_ANEW)
    try:
        return json.loads(data)
    except ValueError as error:
        raise PublishError(f"The search index is damaged: {name} cannot be read.", hint=_ANEW) from error


def to_bytes(text: str) -> bytes:
    """Return a file's bytes; half surrogate pairs, which UTF-8 cannot hold, become question marks."""
    return (text + "\n").encode("utf-8", "replace")


def name_terms(bits: str) -> str:
    """Return the file of the terms whose UTF-8 begins with these bits."""
    return f"terms/t{bits}.json"


def name_word(token: str) -> str:
    """Return the file of one frequent word."""
    return f"words/{_hash(token)}.json"


def name_chunk(token: str, chunk: int) -> str:
    """Return the file of one chunk of a cut word's whole."""
    return f"whole/{_hash(token)}-{chunk}.json"


def name_pages(slot: int) -> str:
    """Return the file that holds the page in this slot."""
    return f"pages/{slot // SLOTS_PER_FILE}.json"


def name_part(slot: int, part: int) -> str:
    """Return the file of a further part of a long page."""
    return f"parts/{slot}-{part}.json"


def _hash(token: str) -> str:
    return blake2b(token.encode("utf-8", "replace"), digest_size=10).hexdigest()


def encode_titles(titles: Iterable[tuple[int, int]]) -> list[int]:
    """Return (slot, weight) in order of slots as integers: gap to the slot before × 1024 + weight."""
    numbers, before = [], -1
    for slot, weight in titles:
        numbers.append((slot - before) << TITLE_SHIFT | weight)
        before = slot
    return numbers


def decode_titles(numbers: Iterable[int]) -> dict[int, int]:
    """Return slot → weight."""
    titles, slot = {}, -1
    for number in numbers:
        slot += number >> TITLE_SHIFT
        titles[slot] = number & ((1 << TITLE_SHIFT) - 1)
    return titles


def pack(slot: int, section: int, weight: int) -> int:
    """Return one posting as an integer that sorts by slot, then section."""
    return slot << SLOT_SHIFT | section << WEIGHT_BITS | weight


def encode_body(postings: Iterable[int]) -> list[int]:
    """Return packed postings, sorted, as integers.

    A page is gap to the slot before × 16 + weight in its section 0 (0 = not there); each further section of it is the negative of gap
    to the section before × 16 + weight.
    """
    numbers: list[int] = []
    before, section_before = -1, 0
    for posting in postings:
        slot, place = posting >> SLOT_SHIFT, posting & _BELOW_SLOT
        if slot == before:
            numbers.append(section_before - place)
        else:
            page = (slot - before) << 4
            before = slot
            if place < 16:
                numbers.append(page | place)
            else:
                numbers += (page, -place)
        section_before = place & ~15
    return numbers


def decode_body(numbers: Iterable[int]) -> list[int]:
    """Return the packed postings, sorted."""
    postings: list[int] = []
    slot, section = -1, 0
    for number in numbers:
        if number > 0:
            slot, section = slot + (number >> 4), 0
            if number & 15:
                postings.append(slot << SLOT_SHIFT | (number & 15))
        else:
            section += -number >> 4
            postings.append(slot << SLOT_SHIFT | section << 4 | (-number & 15))
    return postings


def write_entry(titles: Sequence[int], body: Sequence[int]) -> str:
    """Return a word's postings as JSON: names first, as a list of their own, if there are any."""
    numbers = ",".join(map(str, body))
    if not titles:
        return f"[{numbers}]"
    names = ",".join(map(str, titles))
    return f"[[{names}],{numbers}]" if numbers else f"[[{names}]]"


def read_entry(entry: Sequence[Any]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the encoded names and body of a word's postings."""
    return (entry[0], entry[1:]) if entry and isinstance(entry[0], list) else ((), entry)


def write_lines(entries: Iterable[tuple[str, str]]) -> bytes:
    """Return a file of terms or pages from names and JSON, an entry a line. Names are tokens or slots: nothing JSON would escape."""
    return to_bytes("{" + ",\n".join(f'"{name}":{entry}' for name, entry in entries) + "}")


def read_lines(data: bytes | None) -> dict[str, str]:
    """Return name → JSON from what `write_lines` has written, without reading the JSON; empty for no file."""
    lines = data.decode("utf-8")[1:-2].split(",\n") if data else ()
    return {name[1:]: entry for name, _, entry in (line.partition('":') for line in lines) if name}


def size_entry(token: str, entry: str) -> int:
    """Return the bytes an entry takes in a file of terms. Sizes add up, so it is known without reading when files split or merge."""
    return len(token.encode("utf-8", "replace")) + len(entry) + 5
