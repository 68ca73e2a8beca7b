"""The site as a tree of folders: navigation, breadcrumbs, neighbours. Called by `indexer.publish.jobs`; pure.

No page carries the whole tree: only its own folder, cut to a window around it, and the top level (DESIGN rule 4).
"""

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from indexer.analysis.names import fold, folder_of
from indexer.analysis.states import find_states
from indexer.model.result import IndexResult
from indexer.model.site import Ref

WINDOW = 60
_DIGITS = re.compile(r"(\d+)")
_ACCENTS = re.compile("[\u0300-\u036f]")


class Place(Struct, frozen=True):
    """Where a page stands on the site."""

    breadcrumbs: tuple[Ref, ...]
    section: tuple[Ref, ...]
    section_title: str
    section_more: Ref | None
    previous: Ref | None
    next: Ref | None


class Folder(Struct, frozen=True):
    """One folder with published pages somewhere below it."""

    path: str
    title: str
    url: str
    index: str
    """Its index page, empty when a list is generated."""
    refs: tuple[Ref, ...]
    """Its pages and folders in order; the index page is not among them."""
    paths: tuple[str, ...]
    """For each ref its page, or its folder with a trailing slash."""


class Sections:
    """All folders of one site."""

    def __init__(self, result: IndexResult) -> None:
        self._result = result
        self.folders: dict[str, Folder] = {}
        self._positions: dict[str, tuple[str, int]] = {}
        self._brains = {brain.folder: brain.title for brain in result.brains}
        self._by_file = {result.addresses[path].file: path for path in result.graph.nodes}
        self._states = find_states(result.brains, result.date)
        self._build()

    def _build(self) -> None:
        result = self._result
        pages: dict[str, list[str]] = defaultdict(list)
        children: dict[str, set[str]] = defaultdict(set)
        for path in result.graph.nodes:
            pages[folder_of(path)].append(path)
        for key in result.addresses:
            if key.endswith("/") and key != "/":
                children[folder_of(key[:-1])].add(key[:-1])
        for path in ("", *(key[:-1] for key in result.addresses if key.endswith("/") and key != "/")):
            address = result.addresses[f"{path}/"]
            inside = {child: bool(children[child]) or pages[child] != [self._index_page(child)] for child in sorted(children[path])}
            self._add_folder(path, address.url, self._index_page(path), pages[path], inside)

    def _add_folder(self, path: str, url: str, index: str, pages: list[str], children: dict[str, bool]) -> None:
        """Add a folder; `children` says of each folder in it whether there is more in that than its index page, else it is as a page."""
        result = self._result
        entries: list[tuple[str, Ref]] = []
        for child, has_more in children.items():
            address = result.addresses[f"{child}/"]
            state = self._states.get(self._index_page(child))
            entries.append((f"{child}/", Ref(self._title_folder(child), address.url, folder=has_more, state=state)))
        shared = {ref.url for _, ref in entries}
        for page in pages:
            ref = Ref(result.title_of(page), result.addresses[page].url, state=self._states.get(page))
            if page != index and ref.url not in shared:
                entries.append((page, ref))
        entries.sort(key=lambda entry: (self._read_order(entry[0]), not entry[1].folder, _natural(entry[0])))
        title = result.title if not path else self._title_folder(path)
        self.folders[path] = Folder(path, title, url, index, tuple(ref for _, ref in entries), tuple(key for key, _ in entries))
        for position, (key, _) in enumerate(entries):
            self._positions[key] = (path, position)

    def _read_order(self, key: str) -> float:
        """`order: 2` in the frontmatter of a page, or of a folder's index page, puts it before all that have none."""
        page = self._index_page(key[:-1]) if key.endswith("/") else key
        order = self._result.pages[page].meta.get("order") if page else None
        try:
            read = float(order) if isinstance(order, int | float | str) else math.inf
        except (ValueError, OverflowError):  # words, or more digits than a number may have
            read = math.inf
        return math.inf if math.isnan(read) else read

    def _index_page(self, folder: str) -> str:
        """The page that lies at a folder's address, empty when a list is generated there."""
        return self._by_file.get(self._result.addresses[f"{folder}/"].file, "")

    def _title_folder(self, path: str) -> str:
        page = self._index_page(path)
        return (self._result.pages[page].title if page else self._brains.get(path, "")) or path.rsplit("/", 1)[-1]

    def locate_page(self, path: str) -> Place:
        """Return the place of a page; index pages stand at their folder, those that are alone in it among the folders beside it."""
        folder = self.folders[folder_of(path)]
        if folder.index == path and not self._is_leaf(folder):
            return self.locate_folder(folder.path)
        if folder.index == path:
            owner, position = self._positions[f"{folder.path}/"]
            return self._place(self.folders[owner], position, self._crumbs(owner))
        owner, position = self._positions.get(path) or self._positions.get(self._shared_folder(path)) or (folder.path, -1)
        return self._place(self.folders[owner], position, self._crumbs(owner))

    def _is_leaf(self, folder: Folder) -> bool:
        """Whether a folder has an index page and nothing else; the list of such a folder would be empty."""
        return bool(folder.path and folder.index) and not folder.refs

    def _shared_folder(self, path: str) -> str:
        """`guide.md` that serves as the page of folder `guide` stands where the folder stands."""
        return path.rsplit(".", 1)[0] + "/"

    def spread(self, paths: Iterable[str]) -> set[str]:
        """Return the pages in whose navigation one of `paths` stands: those beside it, and those beside the folder of an index page."""
        owners = set()
        for path in paths:
            folder = folder_of(path)
            owners.add(folder)
            if folder and path == self.folders[folder].index:
                owners.add(folder_of(folder))
        shown: set[str] = set()
        for owner in owners:
            folders = [self.folders[key[:-1]] for key in self.folders[owner].paths if key.endswith("/")]
            shown.update(key for key in self.folders[owner].paths if not key.endswith("/"))
            shown.update(folder.index for folder in folders if folder_of(folder.index) == owner or self._is_leaf(folder))
            shown.add(self.folders[owner].index)
        return shown - {""}

    def locate_folder(self, path: str) -> Place:
        """Return the place of a folder's own page: it lists what is in it."""
        folder = self.folders[path]
        crumbs = self._crumbs(folder_of(path)) if path else ()
        return self._place(folder, -1, crumbs)

    def _crumbs(self, path: str) -> tuple[Ref, ...]:
        crumbs = []
        while path:
            crumbs.append(Ref(self.folders[path].title, self.folders[path].url, folder=True))
            path = folder_of(path)
        return (Ref(self._result.title, ""), *reversed(crumbs))

    def _place(self, folder: Folder, position: int, crumbs: tuple[Ref, ...]) -> Place:
        start = min(max(0, position - WINDOW // 2), max(0, len(folder.refs) - WINDOW))
        refs = list(folder.refs[start : start + WINDOW])
        if position >= 0:
            refs[position - start] = replace(refs[position - start], current=True)
        more = Ref(f"All {len(folder.refs)} in {folder.title}", folder.url) if len(folder.refs) > WINDOW else None
        previous = folder.refs[position - 1] if position > 0 else None
        following = folder.refs[position + 1] if 0 <= position < len(folder.refs) - 1 else None
        return Place(crumbs, tuple(refs), folder.title, more, previous, following)


def _natural(path: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """`part 2` before `part 10`, `Ärzte` beside `Arzt` and not behind `Zebra`."""
    name = fold(path.rstrip("/").rsplit("/", 1)[-1])
    plain = name if name.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", name))
    if _DIGITS.search(plain) is None:  # as most names
        return ((1, 0, plain),), name
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(plain) if part), name
