"""Which former paths of pages may not be told, because the page was hidden while it had them. Called by `history`.

A draft is often renamed before it is published. Its working title was never in public, and a redirect from it would be the first to say it.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from indexer.errors import SourceError
from indexer.sources.objects import ObjectReader

_PAGES = (".md", ".markdown")


def find_concealed(git_dir: Path, folder: str, renamed_in: Mapping[str, str], conceals: Callable[[bytes], bool]) -> frozenset[str]:
    """Return the former paths (keys; values are the commits that renamed them) at which the page was hidden, or cannot be read any more."""
    wanted = [(former, revision) for former, revision in sorted(renamed_in.items()) if former.lower().endswith(_PAGES)]
    read = _read_former(git_dir, f"{folder}/" if folder else "", wanted) if wanted else iter(())
    return frozenset(former for former, content in read if content is None or conceals(content))


def _read_former(git_dir: Path, prefix: str, wanted: list[tuple[str, str]]) -> Iterator[tuple[str, bytes | None]]:
    """Yield each former path with what the file held just before the commit; a partial clone may lack it, and ends the process then."""
    reader = ObjectReader(git_dir)
    try:
        for former, revision in wanted:
            try:
                found = reader.resolve(f"{revision}^:{prefix}{former}")  # names with line ends are no content
            except SourceError:
                reader.close()
                reader, found = ObjectReader(git_dir), None
            yield former, found.content if found and found.kind == b"blob" else None
    finally:
        reader.close()
