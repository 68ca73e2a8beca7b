"""Fragments: which id of a page `#heading` or `#^block` means. Used by `indexer.analysis.resolve`; pure."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from indexer.analysis.names import fold
from indexer.model.page import Heading
from indexer.parse.slugs import guard_id, slugify

_FOOTNOTE_OR_LINK = re.compile(r"\[\^[^\[\]]*\]|!?\[([^\[\]]*)\]\([^()]*\)")


def find_fragment(
    anchor: str, *, headings: Sequence[Heading], block_ids: Sequence[str], anchors: Sequence[str], by_text: bool
) -> str | None:
    """Return the id in the page's HTML, None when nothing there has that name.

    `by_text` (wikilinks): the heading's words count, as in Obsidian; otherwise only ids do, letter case forgiven.
    """
    if anchor.startswith("^") or "#^" in anchor:
        wanted = fold(anchor.rpartition("^")[2])
        return next((f"^{name}" for name in block_ids if fold(name) == wanted), None)
    ids = {heading.id for heading in headings}
    if anchor in ids or anchor in anchors:
        return anchor
    folded = fold(anchor)
    for each in (*(heading.id for heading in headings), *anchors):
        if fold(each) == folded:
            return each
    if folded == "top" and not by_text:
        return ""
    if not by_text:
        return _find_by_slug(anchor, headings)
    found = _find_by_text(anchor, headings)
    # Editors write the heading as it stands in the file, with what is no word of it.
    return _find_by_text(_FOOTNOTE_OR_LINK.sub(r"\1", anchor), headings) if found is None and "[" in anchor else found


def _find_by_slug(anchor: str, headings: Sequence[Heading]) -> str | None:
    """`#My Heading` written with spaces still means `my-heading`; so do the forms that other programs give to an id."""
    ids = {heading.id for heading in headings}
    return next((form for form in _list_forms(anchor) if form in ids), None)


def _list_forms(anchor: str) -> Iterator[str]:
    """Yield the ids that an anchor may stand for: ours, and GitHub's own, as its pages hold them."""
    slug = slugify(anchor)
    if not slug:
        return
    yield slug
    yield guard_id(slug)
    yield slug.removeprefix("user-content-")


def _find_by_text(anchor: str, headings: Sequence[Heading]) -> str | None:
    """`Setup#Linux` is the heading Linux below the heading Setup; the last part alone also counts."""
    parts = [part for part in anchor.split("#") if part.strip()]
    if not parts:
        return None
    matches = [index for index, heading in enumerate(headings) if _same_words(heading.text, parts[-1])]
    if len(parts) > 1:
        nested = [index for index in matches if _is_below(headings, index, parts[-2])]
        matches = nested or matches
    if not matches and len(parts) > 1:
        return _find_by_text(" ".join(parts), headings)
    return headings[matches[0]].id if matches else None


def _is_below(headings: Sequence[Heading], index: int, parent: str) -> bool:
    level = headings[index].level
    for heading in reversed(headings[:index]):
        if heading.level < level:
            level = heading.level
            if _same_words(heading.text, parent):
                return True
    return False


def _same_words(left: str, right: str) -> bool:
    return _words(left) == _words(right)


def _words(text: str) -> str:
    kept = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in fold(text))
    return " ".join(kept.split()) or fold(text).strip()
