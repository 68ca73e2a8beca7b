"""Lookup tables over the names of a repo: every way in which a link may name a page or file. Used by `indexer.analysis.resolve`."""

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from indexer.model.page import PAGE_SUFFIXES

_NO_SYMLINKS: Mapping[str, str] = {}
_INDEX_STEMS = ("index", "readme", "_index")
_AS_USUAL = frozenset({"index", "README", "_index"})
"""How index pages are mostly written: such a one comes before one in other letter case."""
_MOST_FOLLOWED = 8
_UNSEEN = {
    **dict.fromkeys([0x00A0, 0x2007, 0x202F], " "),
    **dict.fromkeys([0x00AD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF]),
}
"""Spaces that do not break a line, and what has no width at all: typed or copied by accident, and never to be told apart."""


def is_page(path: str) -> bool:
    """Whether a file is a page."""
    return path.lower().endswith(PAGE_SUFFIXES)


def stem(path: str) -> str:
    """File name without folder and page suffix."""
    name = path.rsplit("/", 1)[-1]
    return name[: name.rindex(".")] if is_page(name) else name


def is_index_name(path: str) -> bool:
    """Whether a page is named like the index page of its folder."""
    return fold(stem(path)) in _INDEX_STEMS


def folder_of(path: str) -> str:
    """Folder of a path, empty for the root."""
    return path.rpartition("/")[0]


def nfc(text: str) -> str:
    """Composed Unicode form."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """The form in which letter case, Unicode composition, kinds of spaces and invisible characters make no difference."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold().translate(_UNSEEN))


def rank(path: str) -> tuple[int, int, str]:
    """Order among pages that fit equally well: fewest folders, then shortest, then by name."""
    return (path.count("/"), len(path), path)


class Names(Struct, frozen=True):
    """All names of one repo."""

    exact: Mapping[str, str]
    """NFC path → file; the first by byte order where two differ only in composition."""
    folded: Mapping[str, tuple[str, ...]]
    """Folded path → files."""
    by_stem: Mapping[str, tuple[str, ...]]
    """Folded stem → pages, best first."""
    by_name: Mapping[str, tuple[str, ...]]
    """Folded file name → files that are no pages, best first."""
    by_alias: Mapping[str, tuple[str, ...]]
    """Folded alias → pages, best first."""
    by_title: Mapping[str, tuple[str, ...]]
    """Folded title → pages, best first."""
    by_folder: Mapping[str, tuple[str, ...]]
    """Folded last part of a folder → the index pages of such folders, best first."""
    folders: Mapping[str, tuple[str, ...]]
    """Folded folder → folders as stored, several where they differ in letter case; the root is "" → ("",)."""
    index_of: Mapping[str, str]
    """Folder → its index page."""
    page_of: Mapping[str, str]
    """Folder → the page that opens at its address: its index page, else the page of its name beside it."""
    linked: Mapping[str, str]
    """Symbolic link to a folder → that folder."""

    def follow(self, path: str) -> str:
        """Return a path whose folders are no symbolic links; the same path where none of them is one."""
        for _ in range(_MOST_FOLLOWED if self.linked else 0):
            link = path
            while link and link not in self.linked:
                link = folder_of(link)
            if not link:
                break
            path = self.linked[link] + path[len(link) :]
        return path


def build_names(
    paths: Iterable[str], aliases: Iterable[tuple[str, str]], titles: Iterable[tuple[str, str]], symlinks: Mapping[str, str] = _NO_SYMLINKS
) -> Names:
    """Return the tables for all files of a repo; `aliases` and `titles` are (text, page), `symlinks` further names of files and folders."""
    exact: dict[str, str] = {}
    folded: dict[str, list[str]] = defaultdict(list)
    by_stem: dict[str, list[str]] = defaultdict(list)
    by_name: dict[str, list[str]] = defaultdict(list)
    folders = {""}
    for path in sorted(paths):
        exact.setdefault(nfc(path), path)
        folded[fold(path)].append(path)
        if is_page(path):
            by_stem[fold(stem(path))].append(path)
        else:
            by_name[fold(path.rsplit("/", 1)[-1])].append(path)
        folder = folder_of(path)
        while folder not in folders:
            folders.add(folder)
            folder = folder_of(folder)
    for link, path in sorted(symlinks.items()):
        _add_symlink(link, path, exact, folded, by_stem if is_page(path) else by_name)
    linked = {nfc(link): path for link, path in sorted(symlinks.items()) if path in folders}
    index_of = {folder: index for folder in sorted(folders) if (index := _find_index(folder, folded))}
    own = _invert((folder.rpartition("/")[2], index) for folder, index in index_of.items() if folder)
    beside = {folder: page for folder in folders if (page := _find_beside(folder, folded))}
    tables = (_freeze(folded), _freeze(by_stem), _freeze(by_name), _invert(aliases), _invert(titles), own)
    return Names(exact, *tables, _invert((folder, folder) for folder in sorted(folders)), index_of, beside | index_of, linked)


def _add_symlink(link: str, path: str, exact: dict[str, str], folded: dict[str, list[str]], table: dict[str, list[str]]) -> None:
    """Let a file be found by the name of a symbolic link to it, if it is one of those that have names here."""
    if exact.get(nfc(path)) != path or is_page(link) != is_page(path):
        return
    exact.setdefault(nfc(link), path)
    name = fold(stem(link) if is_page(path) else link.rsplit("/", 1)[-1])
    for named, key in ((folded, fold(link)), (table, name)):
        if path not in named[key]:
            named[key].append(path)


def _find_index(folder: str, folded: Mapping[str, list[str]]) -> str | None:
    prefix = fold(folder) + "/" if folder else ""
    # `notes/notes.md` speaks for its folder, unless `notes.md` beside the folder does.
    beside = any(f"{fold(folder)}{suffix}" in folded for suffix in PAGE_SUFFIXES)
    own = [fold(folder.rsplit("/", 1)[-1])] if folder and not beside else []
    for name in (*_INDEX_STEMS, *own):
        for suffix in PAGE_SUFFIXES:
            found = [path for path in folded.get(f"{prefix}{name}{suffix}", ()) if nfc(folder_of(path)) == nfc(folder)]
            if found:
                return min(found, key=lambda path: (stem(path) not in _AS_USUAL, path))
    return None


def _find_beside(folder: str, folded: Mapping[str, list[str]]) -> str | None:
    found = [page for suffix in PAGE_SUFFIXES for page in folded.get(fold(folder) + suffix, ())] if folder else []
    return min(found, default=None)


def _freeze(table: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(sorted(values, key=rank)) if len(values) > 1 else tuple(values) for key, values in table.items()}


def _invert(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = defaultdict(list)
    for text, path in pairs:
        if path not in table[fold(text)]:
            table[fold(text)].append(path)
    return _freeze(table)


def join(folder: str, target: str) -> str | None:
    """Return the path that `target` names from `folder`, None when it leaves the repository. A leading `/` is the root."""
    base = "" if target.startswith("/") else folder
    joined = posixpath.normpath(posixpath.join("/" + base, target.lstrip("/"))).lstrip("/")
    depth = 0 if target.startswith("/") else (folder.count("/") + 1 if folder else 0)
    for part in target.split("/"):
        depth += -1 if part == ".." else (part not in {"", "."})
        if depth < 0:
            return None
    return "" if joined == "." else joined
