"""The pages that list every page of a site by folder. A site of 40,000 pages gets many of them, linked; a small one gets one.

Called by the pipeline after the folder tree is known; pure.
"""

from collections.abc import Iterator
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.model.site import Ref
from indexer.publish.fragments import ContentsFolder
from indexer.publish.render import render_part, root_of
from indexer.publish.rows import link_rows

DEFAULT_LIMIT = 600
"""Most links on one page: about 60 kB of HTML."""


class ContentsPart(Struct, frozen=True):
    """One page of the contents."""

    url: str
    """Relative to the site's root."""
    title: str
    content: str
    """Finished HTML."""
    breadcrumbs: tuple[Ref, ...]
    """Contents pages above it, outermost first."""


class _Entry(Struct, frozen=True):
    """One folder as a contents page shows it."""

    folder: ContentsFolder
    depth: int
    elsewhere: str = ""
    """URL of the contents page that lists its pages; empty when they are listed here."""

    def cost(self) -> int:
        """Return how many lines it takes."""
        return 1 if self.elsewhere else 1 + len(self.folder.pages)


class _Chunk(Struct):
    """What goes on one page."""

    pages: tuple[Ref, ...] = ()
    entries: list[_Entry] = field(default_factory=list)
    cost: int = 0


def build_contents(tree: ContentsFolder, *, at: str, limit: int = DEFAULT_LIMIT, title: str = "All pages") -> Iterator[ContentsPart]:
    """Yield the contents pages of a tree: the first at `at`, those of folders that do not fit below it, numbered.

    Every page of the tree is on exactly one of them. The same tree yields the same parts.
    """
    yield from _build_folder(replace(tree, title=title), at, limit, ())


def _build_folder(folder: ContentsFolder, at: str, limit: int, above: tuple[Ref, ...]) -> Iterator[ContentsPart]:
    """Yield the page of one folder, its continuations, and the pages of folders inside that do not fit on it."""
    total = folder.count()
    entries = list(_fit(folder, at, limit))
    chunks = _cut(folder.pages, entries, limit)
    addresses = [at, *(f"{at}p{number}/" for number in range(2, len(chunks) + 1))]
    for number, (chunk, address) in enumerate(zip(chunks, addresses, strict=True), 1):
        title = folder.title if number == 1 else f"{folder.title}, part {number}"
        yield ContentsPart(
            address,
            title,
            _render_chunk(folder.title, total, chunk, addresses, number),
            above if number == 1 else (*above, Ref(folder.title, at)),
        )
    for entry in entries:
        if entry.elsewhere:
            yield from _build_folder(entry.folder, entry.elsewhere, limit, (*above, Ref(folder.title, at)))


def _fit(folder: ContentsFolder, at: str, limit: int) -> Iterator[_Entry]:
    """Yield the folders inside: with their pages where all fits on one page or they are small, else with the address of their own."""
    whole = folder.count() <= limit
    numbers = count(1)

    def walk(inside: ContentsFolder, depth: int) -> Iterator[_Entry]:
        for child in inside.folders:
            if whole or child.count() <= max(limit // 12, 1):
                yield _Entry(child, depth)
                yield from walk(child, depth + 1)
            else:
                yield _Entry(child, depth, f"{at}{next(numbers)}/")

    return walk(folder, 0)


def _cut(pages: tuple[Ref, ...], entries: list[_Entry], limit: int) -> list[_Chunk]:
    """Spread a folder's pages and then its folders over as many pages as they need."""
    chunks = [_Chunk(pages[start : start + limit], cost=len(pages[start : start + limit])) for start in range(0, len(pages), limit)] or [
        _Chunk()
    ]
    for entry in entries:
        if chunks[-1].cost + entry.cost() > limit and chunks[-1].cost:
            chunks.append(_Chunk())
        chunks[-1].entries.append(entry)
        chunks[-1].cost += entry.cost()
    return chunks


def _render_chunk(title: str, total: int, chunk: _Chunk, addresses: list[str], number: int) -> str:
    root = root_of(addresses[number - 1])
    entries = [
        {
            "level": min(entry.depth + 2, 6),
            "title": entry.folder.title,
            "href": root + entry.folder.url if entry.folder.url else "",
            "count": entry.folder.count(),
            "elsewhere": root + entry.elsewhere if entry.elsewhere else "",
            "rows": "" if entry.elsewhere else link_rows(root, entry.folder.pages),
        }
        for entry in chunk.entries
    ]
    return render_part(
        "contents.html",
        addresses[number - 1],
        title=title,
        count=total,
        number=number,
        rows=link_rows(root, chunk.pages),
        entries=entries,
        parts_list=[(root + address, index) for index, address in enumerate(addresses, 1)] if len(addresses) > 1 else (),
    )
