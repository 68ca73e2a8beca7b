"""Which existing page or file a link to none may have meant: one of a similar name. Used by `link_findings`; pure.

A large brain may have thousands of links to pages that nobody has written, and each build looks at them all. So names are compared only
where they can be similar enough, and each missing name once.
"""

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Set
from urllib.parse import unquote

from indexer.analysis.names import Names, fold, folder_of, is_index_name, is_page, join
from indexer.model.page import PageFacts

_SHORTEST = 4
_ALIKE = 0.85
"""Least ratio of difflib."""
_OTHER_LENGTH = 3
_MOST_LOOKALIKES = 200
"""A name that looks like more than so many, as numbered ones do, says nothing."""
_ASCII_DROPPED = re.compile(r"[^0-9A-Za-z#$+<=>^`|~]+")
"""The same as by category, for the names of a whole brain."""
_SUFFIXES = (".md", ".markdown", ".html", ".htm")
_NUMBER = re.compile(r"\d{8,17}(?=[^\d])")
"""What notes of a slip box begin with, by which other programs find them: `202401011200 Plan.md`."""
_ADDRESS_KEYS = ("permalink", "slug", "url")
"""Frontmatter in which other programs read the address of a page."""


class Suggestions:
    """The names of the published pages and files of one repo: nothing that is suggested, or not, depends on a hidden page."""

    def __init__(
        self, names: Names, pages: Mapping[str, PageFacts], used: Set[str] = frozenset(), withheld: Set[str] = frozenset()
    ) -> None:
        """Take all names; `used` are the files that published pages show, `withheld` those that only hidden ones do."""
        self._found: dict[str, list[str]] = {}
        self._names, self._used, self._withheld = names, used, withheld
        self._facts: Mapping[str, PageFacts] | None = pages
        """None once the tables below are filled, for the first link that leads nowhere."""
        self._pages: dict[str, list[str]] = {}
        self._plain: dict[str, list[str]] = defaultdict(list)
        self._alike: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        """First letter and length → names and the letters in them; that many names begin alike only by chance."""
        self._indexes: dict[str, str] = {}
        """Folded folder → an index page in it."""
        self._placed: dict[str, str] = {}
        self._numbered: dict[str, list[str]] = defaultdict(list)

    def _read_names(self, pages: Mapping[str, PageFacts]) -> None:
        self._facts = None
        self._placed = _read_addresses(pages)
        for key, paths in self._names.by_stem.items():
            shown = [path for path in paths if not pages[path].hidden]
            # Never an index page: every folder may have one, so its name says nothing.
            if not shown or is_index_name(f"{key}.md"):
                for path in shown:
                    self._indexes.setdefault(fold(folder_of(path)), path)
                continue
            self._plain[_simplify(unquote(key))] += shown
            if number := _NUMBER.match(key):
                self._numbered[number[0]] += shown
            if len(key) >= _SHORTEST - 1:
                self._pages[key] = shown
                self._alike[key[0], len(key)].append((key, _gather(key)))
        for key, paths in (*self._names.by_alias.items(), *self._names.by_title.items()):
            plain = _simplify(key)
            if plain and plain not in self._plain:
                self._plain[plain] += [path for path in paths if not pages[path].hidden]

    def is_shown(self, path: str) -> bool:
        """Whether a file is published, so that readers may know of it."""
        return path in self._used

    def find(self, target: str, folder: str = "") -> str:
        """Return the page whose name is most like that of a link's target, in the `folder` of the link where there is one.

        Empty when none is like it.
        """
        if self._facts is not None:
            self._read_names(self._facts)
        if target not in self._found:
            wanted = _take_name(target)
            plain = _simplify(wanted)
            placed = self._placed.get(fold(target).strip("/"))
            same = self._plain.get(plain) or self._plain.get(plain.replace("+", "")) if plain else None
            # Logseq writes the slash of a name as `___` or `%2F`, for it has no folders.
            same = same or (self._plain.get(_simplify(fold(target))) if "/" in target else None)
            numbered = self._numbered.get(wanted, [])
            alike = same or (numbered if len(numbered) == 1 else []) or self._pages.get(self._find(wanted), [])
            self._found[target] = [placed] if placed else alike
        found = self._found[target]
        if index := self._find_index(target, folder):
            return index
        return min(found, key=lambda path: (-_count_shared(path, target), folder_of(path) != folder), default="")

    def _find_index(self, target: str, folder: str) -> str:
        """Return the page of the folder whose index page a target names: `guide/index.md` where there is `guide/README.md`."""
        written = target.replace("\\", "/")
        name = written.rpartition("/")[2]
        if not is_index_name(name if is_page(name) else f"{name}.md"):
            return ""
        path = join(folder, written.removesuffix(name))
        return "" if path is None else self._indexes.get(fold(path), "")

    def is_named(self, path: str, name: str) -> bool:
        """Whether a page is called exactly so, letter case aside."""
        return path in self._names.by_stem.get(fold(name), ())

    def find_file(self, target: str) -> tuple[str, bool]:
        """Return the file of the same name in another folder, and whether there is one at all: only published ones are named."""
        found = [path for path in self._names.by_name.get(_take_last(target), ()) if path not in self._withheld]
        return next((path for path in found if path in self._used), ""), bool(found)

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
        return next(iter(difflib.get_close_matches(wanted, near, n=1, cutoff=_ALIKE)), "")


def _count_shared(path: str, target: str) -> int:
    """Return how many folders above the name are the same in both, from the last on."""
    ours, theirs = ([part for part in fold(each).split("/")[:-1] if part not in {"", ".", ".."}] for each in (path, target))
    return next(
        (count for count, (one, other) in enumerate(zip(reversed(ours), reversed(theirs), strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )


def _read_addresses(pages: Mapping[str, PageFacts]) -> dict[str, str]:
    placed: dict[str, str] = {}
    for path, page in pages.items():
        for key in _ADDRESS_KEYS:
            value = None if page.hidden else page.meta.get(key)
            if isinstance(value, str) and (address := fold(value).strip("/")):
                placed.setdefault(address, path)
    return placed


def _take_last(target: str) -> str:
    return fold(unquote(target.replace("\\", "/"))).rstrip("/").rpartition("/")[2]


def _take_name(target: str) -> str:
    """Return the name that a target ends in, folded, without suffix; of an index page that of its folder."""
    parts = [part for part in fold(unquote(target.replace("\\", "/"))).split("/") if part not in {"", ".", ".."}]
    while parts:
        name = parts.pop()
        bare = next((name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix)), name)
        if not parts or not is_index_name(bare):
            return bare
    return ""


def _simplify(name: str) -> str:
    """Return a name without spaces, hyphens, underscores, quotes and the width of letters, which programs change at will."""
    if name.isascii():
        return _ASCII_DROPPED.sub("", name)
    wide = unicodedata.normalize("NFKC", name)
    return "".join(char for char in wide if char.isalnum() or char == "#" or unicodedata.category(char)[0] not in "ZPC")


def _gather(name: str) -> int:
    """Return the letters of a name as bits; different letters may share one, which only lets more names through."""
    bits = 0
    for letter in set(name):
        bits |= 1 << (ord(letter) & 127)
    return bits
