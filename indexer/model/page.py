"""A page as its bytes alone say it: no path, no neighbours. Cached by blob id, so nothing here may depend on a name."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from indexer.model.finding import Finding

PAGE_SUFFIXES = (".md", ".markdown")
"""How the names of pages end, in any letter case."""
LinkKind = Literal["wikilink", "embed", "markdown", "reference", "image", "autolink", "frontmatter"]


class Heading(Struct, frozen=True):
    """One heading of a page, in order."""

    level: int
    """1–6."""
    text: str
    """Plain text."""
    id: str
    """Id in the page's HTML, unique on the page."""
    line: int
    """1-based line."""
    top: bool = True
    """False inside a quote, list or callout: such a heading cannot open a section of its own."""


class Link(Struct, frozen=True):
    """A link as written. Its position in `ParsedPage.links` is its slot number in the page's HTML."""

    kind: LinkKind
    raw: str
    """Exactly as written in the file."""
    target: str
    """What the link names, percent-decoded for Markdown links; empty for a link into the same page."""
    anchor: str
    """Heading text or id after `#`; begins with `^` for a block id; empty without one."""
    label: str
    """Text shown, plain; empty when the target gives it."""
    line: int
    """1-based line."""
    size: tuple[int, int] = (0, 0)
    """Width and height in CSS pixels of `![[image.png|300x200]]`; 0 = not given."""
    title: str = ""
    """Title attribute of a Markdown link."""


class Section(Struct, frozen=True):
    """The text under one heading, for search and relations."""

    heading: int
    """Index in `ParsedPage.headings`; -1 = text before the first heading."""
    line: int
    text: str
    """Plain text, white space folded."""


class PageFacts(Struct, frozen=True, kw_only=True):
    """What the rest of a repo needs to know of a page; small, so that all pages of a repo fit in memory."""

    meta: Mapping[str, Any] = field(default_factory=dict)
    """Frontmatter, JSON-safe: str, int, float, bool, None, lists and dicts of these. Empty when missing or broken."""
    meta_lines: tuple[int, ...] = ()
    """1-based lines of the keys of `meta`, in its order; empty when they follow one another from line 2 on, as they mostly do."""
    entry_lines: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """(key `add` or `drop` of `meta`, as written; 1-based lines of the entries of its list)."""
    title: str = ""
    """From frontmatter, else the first heading of level 1, else empty (the file name then serves)."""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Without `#`, in order of appearance, frontmatter first."""
    inline_tags: tuple[str, ...] = ()
    """Tags of the text in the order of their `t` slots."""
    date: str | None = None
    """`YYYY-MM-DD` from frontmatter (`date`, `created`), None when missing or unreadable."""
    hidden: bool = False
    """True when the page must not be published (SPEC P19)."""
    headings: tuple[Heading, ...] = ()
    block_ids: tuple[str, ...] = ()
    """Without `^`, as written."""
    anchors: tuple[str, ...] = ()
    """Other ids a fragment may name: ids of raw HTML."""
    links: tuple[Link, ...] = ()
    summary: str = ""
    """`summary` or `description` of the frontmatter, else the first sentence; plain text, at most 200 characters."""
    has_text: bool = False
    """True when there is anything to read or see besides frontmatter, headings and comments: words, code, tables, images, links."""
    words: int = 0
    features: tuple[str, ...] = ()
    """What the page needs in the browser: `math`, `mermaid`."""
    findings: tuple[Finding, ...] = ()
    """With an empty path."""


class PageBody(Struct, frozen=True, kw_only=True):
    """The large part of a page, read only when the page itself is written."""

    html: str = ""
    """Sanitised HTML with slots (see `indexer.parse.slots`)."""
    text: str = ""
    """The Markdown as decoded, line ends `\\n`, with frontmatter; comments taken out."""
    sections: tuple[Section, ...] = ()


class ParsedPage(PageFacts, frozen=True, kw_only=True):
    """Bytes → this (SPEC P02–P04): the facts and, as in PageBody, the large part."""

    html: str = ""
    text: str = ""
    sections: tuple[Section, ...] = ()

    def facts(self) -> PageFacts:
        """Return the small part."""
        return PageFacts(**{name: getattr(self, name) for name in _FACTS})

    def body(self) -> PageBody:
        """Return the large part."""
        return PageBody(html=self.html, text=self.text, sections=self.sections)


_FACTS = PageFacts.__struct_fields__


class EncodedPage(Struct, frozen=True):
    """One parse result as the cache keeps it: MessagePack, cheap to send between processes."""

    blob: str
    facts: bytes
    """PageFacts."""
    body: bytes
    """PageBody."""
    terms: bytes
    """(PageTerms, search sections): see `indexer.model.search`."""
    retry: bool = False
    """True when a mistake of the program got in the way: the next run tries again."""
