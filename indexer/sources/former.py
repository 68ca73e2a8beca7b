"""Which former paths of pages may not be told, because the page was hidden while it had them. Called by `history`.

A draft is often renamed before it is published. Its working title was never in public, and a redirect from it would be the first to say it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from indexer.errors import SourceError
from indexer.model.page import PAGE_SUFFIXES
from indexer.sources.objects import ObjectReader, is_partial


def find_concealed(git_dir: Path, folder: str, renamed_in: Mapping[str, str], conceals: Callable[[bytes], bool]) -> frozenset[str]:
    """Return the former paths (keys; values are the commits that renamed them) at which the page was hidden, or cannot be read any more."""
    wanted = [former for former in sorted(renamed_in) if former.lower().endswith(PAGE_SUFFIXES)]
    concealed = set(wanted)
    if not wanted or is_partial(git_dir):  # which lacks old versions
        return frozenset(concealed)
    prefix = f"{folder}/" if folder else ""
    with ObjectReader(git_dir, once=True) as reader:
        try:
            read = reader.resolve_all(
                [f"{renamed_in[former]}^:{prefix}{former}" for former in wanted]
            )  # no content has a line end in its name
            for former, found in zip(wanted, read, strict=True):
                if found is not None and found.kind == b"blob" and not conceals(found.content):
                    concealed.discard(former)
        except SourceError:  # far too large, or damaged: what follows counts as hidden
            return frozenset(concealed)
    return frozenset(concealed)
