"""Lists of links as finished HTML. Where a page has a hundred links, Jinja's escaping alone would cost more than all the rest.

Used by `render` and `fragments`. Every text and address is escaped here, each once, and nowhere else by hand.
"""

import html
from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

from indexer.model.site import Neighbour, Ref, TocItem
from indexer.publish.looks import LOOKS

_ROW, _FOLDER = '<li><a href="', '<li class="is-folder"><a href="'
_PLAIN = '">'
_MARKS = {state: f' <small class="brain-mark {look.css}">{look.words}</small>' for state, look in LOOKS.items()}
"""The state of a document beside its title: an icon to the eye, words to a screen reader."""

# The same titles stand on every page of a folder.
escape = lru_cache(maxsize=1 << 15)(html.escape)


def link_rows(root: str, refs: Iterable[Ref], *, current: str = "page") -> Markup:
    """Return `<li>` entries; `current` is the value of aria-current for the page itself, or for the folder it is in."""
    marked = f'" aria-current="{current}">'
    rows = [
        f"{_FOLDER if ref.folder else _ROW}{root}{escape(ref.url)}{marked if ref.current else _PLAIN}{escape(ref.title)}"
        f"{_MARKS[ref.state] if ref.state else ''}</a></li>"
        for ref in refs
    ]
    return Markup("".join(rows))  # noqa: S704 - both values are escaped in place


def noted_rows(root: str, refs: Iterable[Ref]) -> Markup:
    """Return `<li>` entries with the note of each link beside it."""
    rows = [
        f"{_ROW}{root}{escape(ref.url)}{_PLAIN}{escape(ref.title)}</a>" + (f"<span>{escape(ref.note)}</span></li>" if ref.note else "</li>")
        for ref in refs
    ]
    return Markup("".join(rows))  # noqa: S704 - all three values are escaped in place


def tag_rows(root: str, refs: Iterable[Ref], left: int) -> Markup:
    """Return `<li>` entries of tags, drawn as chips; the last says how many are left out."""
    rows = [f'<li><a class="brain-tag" href="{root}{escape(ref.url)}{_PLAIN}{escape(ref.title)}</a></li>' for ref in refs]
    if left:
        rows.append(f'<li class="is-more">and {left} more</li>')
    return Markup("".join(rows))  # noqa: S704 - both values are escaped in place


def toc_rows(toc: Iterable[TocItem], left: int) -> Markup:
    """Return `<li>` entries of a table of contents, flat, with the level as class; scripts replace the last by the `left` ones."""
    rows = [f'<li class="l{entry.level}"><a href="#{escape(entry.id)}{_PLAIN}{escape(entry.text)}</a></li>' for entry in toc]
    if left:
        rows.append(f'<li class="is-more">and {left} more</li>')
    return Markup("".join(rows))  # noqa: S704 - both values are escaped in place


def mark_state(ref: Ref) -> Markup:
    """Return the mark of a document's state, nothing for a link to anything else."""
    return Markup(_MARKS[ref.state] if ref.state else "")  # noqa: S704 - words of the program


def neighbour_rows(root: str, pages: Iterable[Neighbour]) -> Markup:
    """Return `<li>` entries of pages in a drawing. Keyboards pass over them: the same links stand in the text and among the backlinks."""
    rows = [f'{_ROW}{root}{escape(page.url)}" tabindex="-1">{escape(page.title)}</a></li>' for page in pages]
    return Markup("".join(rows))  # noqa: S704 - both values are escaped in place
