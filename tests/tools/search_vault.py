"""A search index in memory, from Markdown texts, and queries to it. Used by the tests of the search; the real parser, no site around it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from indexer.model.search import SearchDocument, SearchResult
from indexer.parse.page import parse_page
from indexer.parse.terms import page_sections, page_terms
from indexer.publish.search_build import build_search
from indexer.publish.search_reader import SearchReader

Index = Mapping[str, bytes]


def make_document(path: str, markdown: str | bytes) -> SearchDocument:
    """Return a page as the search index takes it; its address is its path without suffix."""
    page = parse_page(markdown.encode() if isinstance(markdown, str) else markdown)
    stem = path.removesuffix(".md")
    title = page.title or stem.rpartition("/")[2]
    return SearchDocument(path, f"{stem}/", title, page.aliases, page.tags, page_sections(page), page_terms(page))


def make_documents(files: Mapping[str, str]) -> dict[str, SearchDocument]:
    """Return path → document."""
    return {path: make_document(path, markdown) for path, markdown in files.items()}


def build_index(files: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of the index over these pages."""
    documents = make_documents(files)
    return build_search(list(documents), documents.__getitem__)


def find(index: Index, query: str, limit: int = 10) -> list[SearchResult]:
    """Search an index in memory."""
    return SearchReader(index.get).search(query, limit)


def find_paths(index: Index, query: str, limit: int = 10) -> list[str]:
    """Return the paths found, best first."""
    return [result.path for result in find(index, query, limit)]


def read_folder(folder: Path) -> dict[str, str]:
    """Return path → text of the Markdown files below a folder, for corpora."""
    return {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.md"))}


def count_reads(index: Index) -> tuple[Callable[[str], bytes | None], dict[str, int]]:
    """Return a reader of an index in memory and the dictionary in which it counts: file name → bytes read."""
    counted: dict[str, int] = {}

    def read(name: str) -> bytes | None:
        data = index.get(name)
        if data is not None:
            counted[name] = len(data)
        return data

    return read, counted
