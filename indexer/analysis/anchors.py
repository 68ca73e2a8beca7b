"""Fragments: which id of a page `#heading` or `#^block` means. Used by `indexer.analysis.resolve`; pure."""

import re
import unicodedata
from collections.abc import Sequence

from indexer.analysis.names import fold, nfc
from indexer.model.page import Heading
from indexer.parse.slugs import guard_id, slugify

_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_UNSEEN = re.compile("[\u200d\ufe0e\ufe0f]")
"""What GitHub leaves of an emoji in an id, and nobody sees or types."""


def find_fragment(
    anchor: str, *, headings: Sequence[Heading], block_ids: Sequence[str], anchors: Sequence[str], by_text: bool
) -> str | None:
    """Return the id in the page's HTML, None when nothing there has that name.

    `by_text` (wikilinks): the heading's words count, as in Obsidian; otherwise ids do, letter case forgiven, and words only of a fragment
    that can be no id (`#First%20part`, as Obsidian writes Markdown links).
    """
    if anchor.startswith("^") or "#^" in anchor:
        wanted = fold(anchor.rpartition("^")[2])
        return next((f"^{name}" for name in block_ids if fold(name) == wanted), None)
    if by_text:
        literal = _find_literal(anchor, headings)
        found = _find_id(anchor, headings, anchors) if literal is None else literal
        return _find_by_text(anchor, headings) if found is None else found
    found = _find_id(anchor, headings, anchors)
    if found is None and fold(anchor) == "top":
        return ""
    slug = slugify(anchor)
    if found is not None:
        return found
    if slug == nfc(anchor).lower():
        return _find_by_slug(slug, headings)
    literal = _find_literal(anchor, headings)
    found = _find_by_slug(slug, headings) if literal is None else literal
    return _find_by_text(anchor, headings) if found is None else found


def _find_by_slug(slug: str, headings: Sequence[Heading]) -> str | None:
    """`#My Heading` written with spaces still means `my-heading`; so do the forms that GitHub and the frame give to an id."""
    forms = (slug, guard_id(slug), slug.removeprefix("user-content-")) if slug else ()
    return next((found for form in forms if form and (found := _find_id(form, headings, ()))), None)


def _find_id(anchor: str, headings: Sequence[Heading], anchors: Sequence[str]) -> str | None:
    ids = (*(heading.id for heading in headings), *anchors)
    if anchor in ids:
        return anchor
    folded = _fold_id(anchor)
    return next((each for each in ids if _fold_id(each) == folded), None)


def _find_literal(anchor: str, headings: Sequence[Heading]) -> str | None:
    """`C++` is the heading C++, not C, whose words are the same."""
    wanted = _fold_text(anchor)
    return next((heading.id for heading in headings if _fold_text(heading.text) == wanted), None) if wanted else None


def _find_by_text(anchor: str, headings: Sequence[Heading]) -> str | None:
    """`Setup#Linux` is the heading Linux below the heading Setup; the last part alone also counts."""
    parts = [part for part in _LINK.sub(r"\1", anchor).split("#") if part.strip()]
    if not parts:
        return None
    matches = [index for index, heading in enumerate(headings) if _same_words(heading.text, parts[-1])]
    if len(parts) > 1:
        nested = [index for index in matches if _is_below(headings, index, parts[-2])]
        matches = nested or matches
    if not matches and len(parts) > 1:
        return _find_by_text(" ".join(parts), headings)
    wanted = _fold_text(parts[-1])
    matches.sort(key=lambda index: _fold_text(headings[index].text) != wanted)
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
    text = _fold_id(text)
    kept = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in text)
    return " ".join(kept.split()) or text.strip()


def _fold_text(text: str) -> str:
    return " ".join(_fold_id(text).split())


def _fold_id(text: str) -> str:
    return fold(text) if text.isascii() else _UNSEEN.sub("", fold(text))
