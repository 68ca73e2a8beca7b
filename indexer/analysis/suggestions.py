"""Which existing page a link to none may have meant: one of a similar name. Used by `link_findings`; pure.

A large brain may have thousands of links to pages that nobody has written, and each build looks at them all. So names are compared only
where they can be similar enough, and each missing name once.
"""

import difflib
from collections import defaultdict
from collections.abc import Mapping

from indexer.analysis.names import Names, fold, is_index_name
from indexer.model.page import PageFacts

_SHORTEST = 4
_ALIKE = 0.85
"""Least ratio of difflib."""
_OTHER_LENGTH = 3
_MOST_LOOKALIKES = 200
"""A name that looks like more than so many, as numbered ones do, says nothing."""


class Suggestions:
    """The names of the published pages of one repo: nothing that is suggested, or not, depends on a hidden page."""

    def __init__(self, names: Names, pages: Mapping[str, PageFacts]) -> None:
        self._found: dict[str, str] = {}
        self._page: dict[str, str] = {}
        self._alike: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        """First letter and length → names and the letters in them; that many names begin alike only by chance."""
        for key, paths in names.by_stem.items():
            page = next((path for path in paths if not pages[path].hidden), "")
            # Never an index page: every folder may have one, so its name says nothing.
            if page and len(key) >= _SHORTEST - 1 and not is_index_name(f"{key}.md"):
                self._page[key] = page
                self._alike[key[0], len(key)].append((key, _gather(key)))

    def find(self, target: str) -> str:
        """Return the page whose name is most like that of a link's target; empty when none is like it."""
        wanted = fold(target.rsplit("/", 1)[-1].removesuffix(".md"))
        if wanted not in self._found:
            self._found[wanted] = self._find(wanted)
        return self._found[wanted]

    def _find(self, wanted: str) -> str:
        if len(wanted) < _SHORTEST:
            return ""
        letters = _gather(wanted)
        near = []
        for length in range(len(wanted) - _OTHER_LENGTH, len(wanted) + _OTHER_LENGTH + 1):
            # A letter that only one of two names has is a place at which they differ: an upper limit of the ratio, for nearly nothing.
            least = _ALIKE * (len(wanted) + length) / 2
            near += [
                key
                for key, others in self._alike.get((wanted[0], length), ())
                if len(wanted) - (letters & ~others).bit_count() >= least and length - (others & ~letters).bit_count() >= least
            ]
        if len(near) > _MOST_LOOKALIKES:
            return ""
        close = difflib.get_close_matches(wanted, near, n=1, cutoff=_ALIKE)
        return self._page[close[0]] if close else ""


def _gather(name: str) -> int:
    """Return the letters of a name as bits; different letters may share one, which only lets more names through."""
    bits = 0
    for letter in set(name):
        bits |= 1 << (ord(letter) & 127)
    return bits
