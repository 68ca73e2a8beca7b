"""Values of the search: what goes into the index and what comes out of it. Made by `parse.terms` and `publish.search_*`; no I/O here."""

from collections.abc import Iterable, Mapping

from msgspec import Struct


class PageTerms(Struct, frozen=True):
    """The search terms of a page as its bytes alone say them. Cached by blob id beside the ParsedPage."""

    sections: tuple[Mapping[str, int], ...]
    """Token → weight 1–15, for each section of `parse.terms.page_sections`, in that order."""


PackedTerms = tuple[str, bytes]
"""The terms of one section as they are cached: tokens, a line each, and their weights. Far quicker to read than a mapping."""


def pack_terms(terms: PageTerms) -> tuple[PackedTerms, ...]:
    """Return the form for the cache."""
    return tuple(("\n".join(section), bytes(section.values())) for section in terms.sections)


def unpack_terms(packed: Iterable[PackedTerms]) -> PageTerms:
    """Return what was packed."""
    return PageTerms(tuple(dict(zip(tokens.split("\n"), weights, strict=True)) if tokens else {} for tokens, weights in packed))


class SearchSection(Struct, frozen=True):
    """One passage of a page: what a result leads to and what its snippet is cut from."""

    heading: str
    """Plain text; empty when there is none, or when it only repeats the page's title."""
    id: str
    """Id of the heading in the page's HTML; empty = top of the page."""
    line: int
    """1-based line of the heading (of the text, before the first heading)."""
    text: str
    """Plain text, white space folded."""


class SearchDocument(Struct, frozen=True):
    """One published page on its way into the index."""

    path: str
    """Repo-relative file; names the page in the index."""
    url: str
    """Relative to the site's root, percent-encoded; "" is the front page."""
    title: str
    """As shown; the file name where the page has none."""
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    sections: tuple[SearchSection, ...]
    """At least one."""
    terms: PageTerms
    """As many sections as `sections`."""


class SearchChange(Struct, frozen=True):
    """One page that is other than at the last build."""

    old: SearchDocument | None
    """As it stands in the index; None for an added page."""
    new: SearchDocument | None
    """As it is now; None for a page that is gone or no longer published."""


class SearchUpdate(Struct, frozen=True):
    """What an update of the index writes and removes."""

    files: Mapping[str, bytes]
    """File name below `_/search/` → new bytes; changed and new files only."""
    removed: tuple[str, ...]
    """File names that are gone, sorted."""


class Piece(Struct, frozen=True):
    """A stretch of a snippet."""

    text: str
    hit: bool
    """True where it matches the query."""


class SearchResult(Struct, frozen=True):
    """One page that was found, with its best section."""

    path: str
    title: str
    url: str
    """Relative to the site's root, with `#` and the heading's id where the section is not the top of the page."""
    heading: str
    """Heading of the best section; empty at the top of the page."""
    line: int
    """1-based line of the best section in the file."""
    pieces: tuple[Piece, ...]
    """The snippet in stretches: what matches and what stands around it."""
    score: float
    """Comparable within one query only."""
    missing: tuple[str, ...] = ()
    """Words of the query, as typed, that this page lacks: the search was relaxed. Empty when everything matches."""

    @property
    def snippet(self) -> str:
        """The snippet as one text."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def relaxed(self) -> bool:
        """True when the page does not match the whole query; such results are given only where too few match all of it."""
        return bool(self.missing)

    @property
    def breadcrumbs(self) -> tuple[str, ...]:
        """Folders that the page lies in, outermost first."""
        return tuple(self.path.split("/")[:-1])
