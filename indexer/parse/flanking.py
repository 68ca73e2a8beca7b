"""Emphasis beside Chinese, Japanese and Korean. Used by `indexer.parse.dispatch`.

CommonMark asks for a space between a mark and a letter where punctuation stands on its other side. These scripts write none, so that
`**中文。**后` and `**강조(text)**는` would show their asterisks. As in the CJK-friendly amendment to CommonMark, such a letter counts as
a space does, and their own punctuation as a letter. Marks beside no such character are read as ever.
"""

import re

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fff\u3001-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffef"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff]"
)


class State(StateInline):
    """The library's state of one text, with that reading of marks."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803 (the library's names)
        """Return whether the marks at `start` can open and close, and how many there are."""
        found = super().scanDelims(start, canSplitWord)
        if self.src.isascii():
            return found
        end = start + found.length
        last = self.src[start - 1] if start > 0 else " "
        following = self.src[end] if end < self.posMax else " "
        beside, before = _CJK.match(following) is not None, _CJK.match(last) is not None
        if not (beside or before):
            return found
        left = not _is_space(following) and (beside or not _is_punctuation(following) or before or _parts(last))
        right = not _is_space(last) and (before or not _is_punctuation(last) or beside or _parts(following))
        opens = left and (canSplitWord or not right or _is_punctuation(last))
        closes = right and (canSplitWord or not left or _is_punctuation(following))
        return Scanned(opens, closes, found.length)


def _parts(char: str) -> bool:
    return _is_space(char) or _is_punctuation(char)


def _is_space(char: str) -> bool:
    return isWhiteSpace(ord(char))


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)
