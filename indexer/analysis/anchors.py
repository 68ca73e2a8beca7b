"""Fragments: which id of a page `#heading` or `#^block` means. Used by `indexer.analysis.resolve`; pure.

A page may have thousands of headings, and as many links to them: so they are looked up in tables, made once for each page.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from indexer.analysis.names import fold, nfc
from indexer.model.page import Heading, PageFacts
from indexer.parse.destinations import TEXT_DIRECTIVE
from indexer.parse.slugs import guard_id, slugify

_FOOTNOTE_OR_LINK = re.compile(r"\[\^[^\[\]]*\]|!?\[([^\[\]]*)\]\([^()]*\)")
"""Editors write the heading as it stands in the file, with what is no word of it."""
_UNSEEN = re.compile("[\u200d\ufe0e\ufe0f]")
"""What GitHub leaves of an emoji in an id, and nobody sees or types."""
_TABLES_KEPT = 256


def find_fragment(anchor: str, page: PageFacts, *, by_text: bool) -> str | None:
    """Return the id in the page's HTML, None when nothing there has that name.

    `by_text` (wikilinks): the heading's words count, as in Obsidian; otherwise ids do, letter case forgiven, and words only of a fragment
    that can be no id (`#First%20part`, as Obsidian writes Markdown links).
    """
    if not by_text and TEXT_DIRECTIVE in anchor:
        anchor = anchor.partition(TEXT_DIRECTIVE)[0]
        if not anchor:
            return ""
    if not (page.headings or page.block_ids or page.anchors):
        return "" if fold(anchor) == "top" and not by_text else None
    table = _tabulate(_Same(page))
    if anchor.startswith("^") or "#^" in anchor:
        return table.blocks.get(fold(anchor.rpartition("^")[2].strip()))
    return next(filter(None, _find_as_text(anchor, table)), None) if by_text else _find_as_id(anchor, table)


def _find_as_text(anchor: str, table: "_Table") -> Iterator[str | None]:
    yield table.literal.get(_fold_text(anchor))
    yield table.find_id(anchor)
    yield table.find_words(anchor)


def _find_as_id(anchor: str, table: "_Table") -> str | None:
    found = table.find_id(anchor)
    if found is None and fold(anchor) == "top":
        return ""
    slug = slugify(anchor)
    if found is not None or slug == nfc(anchor).lower():
        return found or _find_by_slug(slug, table)
    return table.literal.get(_fold_text(anchor)) or _find_by_slug(slug, table) or table.find_words(anchor)


def _find_by_slug(slug: str, table: "_Table") -> str | None:
    """`#My Heading` written with spaces still means `my-heading`; so do the forms that GitHub and the frame give to an id."""
    forms = (slug, guard_id(slug), slug.removeprefix("user-content-")) if slug else ()
    return next((found for form in forms if (found := table.headings.get(_fold_id(form)))), None)


class _Same:
    """A page as a key: facts are never changed, so the same object has the same tables."""

    def __init__(self, page: PageFacts) -> None:
        self.page = page

    def __hash__(self) -> int:
        return id(self.page)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.page is other.page


class _Table:
    """All names of places on one page → their ids; the first of several counts."""

    def __init__(self, page: PageFacts) -> None:
        headings = page.headings
        self.headings = _take_first((_fold_id(heading.id), heading.id) for heading in headings)
        self.literal = _take_first((_fold_text(heading.text), heading.id) for heading in headings)
        self.literal.pop("", None)
        self.blocks = _take_first((fold(name), f"^{name}") for name in page.block_ids)
        self._exact = {*(heading.id for heading in headings), *page.anchors}
        self._anchors = _take_first((_fold_id(each), each) for each in page.anchors)
        self._page = page
        self._words: dict[str, list[Heading]] = {}
        self._nested: dict[tuple[str, str], list[Heading]] = {}
        """Words of a heading and of one above it → headings."""

    def find_id(self, anchor: str) -> str | None:
        """Return the id that is spelt so, letter case forgiven."""
        if anchor in self._exact:
            return anchor
        folded = _fold_id(anchor)
        return self.headings.get(folded) or self._anchors.get(folded)

    def find_words(self, anchor: str) -> str | None:
        """`Setup#Linux` is the heading Linux below the heading Setup; the last part alone also counts."""
        parts = [part for part in _FOOTNOTE_OR_LINK.sub(r"\1", anchor).split("#") if part.strip()]
        if not parts:
            return None
        if not self._words:
            self._read_words()
        last = _words(parts[-1])
        matches = self._words.get(last, [])
        if len(parts) > 1:
            matches = self._nested.get((_words(parts[-2]), last)) or matches
            if not matches:
                return self.find_words(" ".join(parts))
        wanted = _fold_text(parts[-1])
        literal = (heading.id for heading in matches if _fold_text(heading.text) == wanted)
        return next(literal, matches[0].id) if matches else None

    def _read_words(self) -> None:
        words: dict[str, list[Heading]] = defaultdict(list)
        nested: dict[tuple[str, str], list[Heading]] = defaultdict(list)
        above: list[tuple[int, str]] = []
        for heading in self._page.headings:
            while above and above[-1][0] >= heading.level:
                above.pop()
            own = _words(heading.text)
            words[own].append(heading)
            for parent in {parent for _, parent in above}:
                nested[parent, own].append(heading)
            above.append((heading.level, own))
        self._words, self._nested = dict(words), dict(nested)


@lru_cache(maxsize=_TABLES_KEPT)
def _tabulate(same: _Same) -> _Table:
    return _Table(same.page)


def _take_first(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    table: dict[str, str] = {}
    for name, identifier in pairs:
        table.setdefault(name, identifier)
    return table


def _words(text: str) -> str:
    text = _fold_id(text)
    kept = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in text)
    return " ".join(kept.split()) or text.strip()


def _fold_text(text: str) -> str:
    return " ".join(_fold_id(text).split())


def _fold_id(text: str) -> str:
    return fold(text) if text.isascii() else _UNSEEN.sub("", fold(text))
