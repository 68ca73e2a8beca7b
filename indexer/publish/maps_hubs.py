"""Which pages are listed on which map: every published page on exactly one (SPEC T07). Used by `maps`; pure.

A hub is a folder with what lies below it. A folder that does not fit on one map is parted into its folders; what lies in it directly, and
folders of a few pages, share a map. What still does not fit is cut by title, from A to Z: then whoever knows a title, or its first word,
knows the map. Two huge folders side by side are cut as one, below the top level: a title would not say in which of them to look.
Communities of the link graph are no hubs, not even of flat vaults: one new link can move hundreds of pages from one to another.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct

from indexer.analysis.names import folder_of
from indexer.model.result import IndexResult
from indexer.publish.maps_lines import PageLine
from indexer.publish.maps_split import cut_in_parts
from indexer.publish.maps_text import list_words
from indexer.publish.visible import clean_line

MOST_LINES = 4_500
"""Tokens that the lines of pages may take on one map; the rest of it is for the heading and for what belongs together."""
_COMFORTABLE = 2_000
"""Tokens of a folder that is left whole in a brain of few maps."""
_TINY_BRAIN = 1_000
"""Tokens of a brain that is one map."""
_LARGE_BRAIN = 1_500
"""Pages from which maps are filled, for there are many of them."""
_HUGE = 8 * MOST_LINES
"""Tokens of a folder of so many maps that its neighbour, when it is as large, is cut together with it."""
_LEAST_PAGES = 4
"""Of a map of its own."""
SHOWN_TITLE = 36
TOP = "Top level"
"""How the top of a repo is called, whatever its folder is called in a clone."""
_SHOWN_FOLDERS, _LONGEST_NAME = 3, 90
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
"""File names that Windows refuses."""


class Hub(Struct, frozen=True):
    """One map that lists pages."""

    name: str
    """Of the file, without folder and suffix."""
    title: str
    top: str
    """Folder of the top level that it belongs to; empty for pages that lie at the top."""
    lines: tuple[PageLine, ...]
    """In order; by folder, or from A to Z."""
    by_title: bool = False
    """True for a part of a folder that is cut from A to Z."""
    folder: str = ""
    """That holds all its pages."""

    @property
    def tokens(self) -> int:
        """About how many tokens its lines cost."""
        return sum(line.tokens for line in self.lines)


class _Part(Struct, frozen=True):
    """A hub before it has a name."""

    folder: str
    border: str
    lines: tuple[PageLine, ...]
    by_title: bool = False


class HubPlan:
    """The folders of one repo and how they are parted."""

    def __init__(self, result: IndexResult, lines: Mapping[str, PageLine]) -> None:
        self._result = result
        self._by_file = {result.addresses[path].file: path for path in result.graph.nodes}
        self._brains = {brain.folder: brain.title for brain in result.brains}
        self._own: dict[str, list[PageLine]] = defaultdict(list)
        self._inside: dict[str, set[str]] = defaultdict(set)
        self._tokens: Counter[str] = Counter()
        self._count: Counter[str] = Counter()
        for path, line in lines.items():
            self._place(line, folder_of(path))
        self.start = self._find_start()
        self._comfortable = _COMFORTABLE if len(lines) < _LARGE_BRAIN else MOST_LINES
        self._least = max(_LEAST_PAGES, len(lines) // 2_000)

    def _place(self, line: PageLine, folder: str) -> None:
        self._own[folder].append(line)
        while True:
            self._tokens[folder] += line.tokens
            self._count[folder] += 1
            if not folder:
                return
            parent = folder_of(folder)
            self._inside[parent].add(folder)
            folder = parent

    def _find_start(self) -> str:
        """Folders that hold nothing but one other folder say nothing."""
        folder = ""
        while not self._own.get(folder) and len(self._inside.get(folder, ())) == 1:
            (folder,) = self._inside[folder]
        return folder

    def list_hubs(self) -> tuple[Hub, ...]:
        """Return all hubs in order of folder and title."""
        if not self._tokens:
            return ()
        parts, rest = self._divide(self.start)
        parts = [*self._cut(self.start, rest), *parts]
        names = _name_files([self._name(part) for part in parts], [f"{part.folder}\0{part.border}" for part in parts])
        return tuple(self._make_hub(part, name) for part, name in zip(parts, names, strict=True))

    def _divide(self, folder: str) -> tuple[list[_Part], list[PageLine]]:
        """Return the parts of a folder, and the lines that are too few for a map of their own."""
        at_top = folder == self.start
        if self._tokens[folder] <= (_TINY_BRAIN if at_top else self._comfortable):
            return [_Part(folder, "", tuple(self._walk(folder)))], []
        inside = sorted(self._inside[folder])
        if not at_top and sum(self._tokens[child] > _HUGE for child in inside) > 1:
            return list(self._cut(folder, list(self._walk(folder)))), []
        parts: list[_Part] = []
        rest = list(self._own[folder])
        for child in inside:
            if self._count[child] < self._least:
                rest += self._walk(child)
                continue
            below, left = self._divide(child)
            parts += below
            rest += left
        if at_top or len(rest) < self._least:
            return parts, rest
        return [*self._cut(folder, rest), *parts], []

    def _walk(self, folder: str) -> Iterator[PageLine]:
        yield from self._own[folder]
        for child in sorted(self._inside[folder]):
            yield from self._walk(child)

    def _cut(self, folder: str, lines: Sequence[PageLine]) -> Iterator[_Part]:
        if sum(line.tokens for line in lines) <= MOST_LINES:
            if lines:
                yield _Part(folder, "", tuple(lines))
            return
        ordered = sorted(lines, key=lambda line: (line.key, line.path))
        for border, part in cut_in_parts(ordered, lambda line: line.key, lambda line: line.tokens, MOST_LINES):
            yield _Part(folder, border, tuple(part), by_title=True)

    def _name(self, part: _Part) -> str:
        folders = self._list_telling(part.folder)
        name = "-".join(word for folder in folders for word in list_words(folder.rsplit("/", 1)[-1])) if folders else "top-level"
        return f"{name}-from-{'-'.join(list_words(part.border)) if part.border else 'first'}" if part.by_title else name

    def _make_hub(self, part: _Part, name: str) -> Hub:
        title = self.title_folder(part.folder) if part.folder != self.start else TOP
        lines = part.lines
        if part.by_title:
            title = f"{title}: {clean_line(lines[0].title, SHOWN_TITLE)} … {clean_line(lines[-1].title, SHOWN_TITLE)}"
        else:
            lines = tuple(
                sorted(
                    lines, key=lambda line: (folder_of(line.path), line.path != self.index_of(folder_of(line.path)), line.key, line.path)
                )
            )
        return Hub(name, title, self._top_of(part.folder), lines, part.by_title, part.folder)

    def _top_of(self, folder: str) -> str:
        below = folder.removeprefix(self.start).strip("/")
        return folder[: len(folder) - len(below)] + below.split("/")[0] if below else ""

    def index_of(self, folder: str) -> str:
        """Return the page that lies at a folder's address, empty when there is none."""
        address = self._result.addresses.get(f"{folder}/")
        return self._by_file.get(address.file, "") if address else ""

    def title_folder(self, folder: str) -> str:
        """Return the title of a folder, after those of the folders that it lies in; one that holds nearly all pages says nothing."""
        if folder == self.start:
            return self._title_one(folder) if folder else TOP
        return " / ".join(map(self._title_one, self._list_telling(folder)))

    def _list_telling(self, folder: str) -> list[str]:
        """Return a folder and those above it that say something, outermost first."""
        telling: list[str] = []
        total = self._count[self.start]
        while folder != self.start and len(telling) < _SHOWN_FOLDERS:
            if not telling or 10 * self._count[folder] < 9 * total:
                telling.append(folder)
            folder = folder_of(folder)
        return telling[::-1]

    def _title_one(self, folder: str) -> str:
        page = self.index_of(folder)
        title = self._result.pages[page].title if page else self._brains.get(folder, "")
        return clean_line(title, SHOWN_TITLE) or clean_line(folder.rsplit("/", 1)[-1], SHOWN_TITLE) or "folder"


def _name_files(names: Iterable[str], keys: Sequence[str]) -> list[str]:
    """Return a file name for each; names that would be the same, or that no file may have, get digits that follow from what they name."""
    short = [name.encode()[:_LONGEST_NAME].decode("utf-8", "ignore").strip("-") or "folder" for name in names]
    times = Counter(short)
    return [
        name if times[name] == 1 and not _DEVICES.fullmatch(name) else f"{name}-{blake2b(_bytes(key), digest_size=4).hexdigest()}"
        for name, key in zip(short, keys, strict=True)
    ]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
