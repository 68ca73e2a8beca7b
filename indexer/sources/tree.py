"""The walk over the trees of one commit: names, modes and sizes, under caps, without reading a page.

Called by `git_source`. A tree is parsed here from its bytes, because what matters is what it really holds: git's own listing
would tidy forged names away and would walk through folders that are no content.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from indexer.model.finding import Finding
from indexer.model.snapshot import Entry, Limits
from indexer.sources.names import is_hostile_hidden, is_passed_over
from indexer.sources.objects import ObjectReader, damaged, read_sizes
from indexer.sources.refusals import (
    check_name,
    is_lfs,
    may_be_lfs,
    report_lfs,
    report_submodule,
    report_symlink,
    report_too_deep,
    report_too_large,
    report_twin,
    report_unknown_kind,
    too_many_bytes,
    too_many_entries,
)
from indexer.sources.symlinks import LONGEST_TARGET, follow_symlinks, name_target

FOLDER, REGULAR, SYMLINK, SUBMODULE = 0o040000, 0o100000, 0o120000, 0o160000
_KIND = 0o170000


class Contents(Struct, frozen=True):
    """What a commit holds below the content root."""

    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    symlinks: dict[str, str]


class Listing(Struct):
    """What a walk gathers; paths are bytes relative to the content root."""

    files: list[tuple[bytes, bytes]] = field(default_factory=list)
    """Path and blob id (40 hex digits)."""
    symlinks: list[tuple[bytes, bytes]] = field(default_factory=list)
    named: list[tuple[bytes, str]] = field(default_factory=list)
    """Symbolic links and the paths that they name."""
    findings: list[tuple[bytes, Finding]] = field(default_factory=list)
    """With the path, for sorting."""
    seen: int = 0
    """Files and folders counted towards the cap."""


def read_entries(git_dir: Path, reader: ObjectReader, root: bytes, limits: Limits) -> Contents:
    """Return the files below a tree and what was refused, all sorted by path; raises SourceError over the caps on number and bytes."""
    listing = walk_trees(git_dir, reader, root, limits)
    listing.files.sort()
    sizes = read_sizes(git_dir, [blob for _, blob in listing.files + listing.symlinks])
    file_sizes, link_sizes = sizes[: len(listing.files)], sizes[len(listing.files) :]
    kept = _keep_within(git_dir, listing, file_sizes, limits)
    pointers = _find_pointers(reader, listing, kept)
    _report_symlinks(reader, listing, link_sizes)
    entries = tuple(Entry(path.decode(), blob.decode(), size) for place, (path, blob, size) in enumerate(kept) if place not in pointers)
    listing.findings.sort(key=lambda found: found[0])
    return Contents(entries, tuple(finding for _, finding in listing.findings), follow_symlinks(listing.named, entries))


def walk_trees(git_dir: Path, reader: ObjectReader, root: bytes, limits: Limits) -> Listing:
    """Return the listing of everything below a tree, level by level: one level's trees are asked for at once."""
    listing = Listing()
    level = [(b"", root)]
    for depth in range(limits.depth + 1):
        below: list[tuple[bytes, bytes]] = []
        for (folder, _), tree in zip(level, reader.read_all([tree for _, tree in level], b"tree"), strict=True):
            lines = list(islice(parse_tree(git_dir, tree.content), limits.entries + 1))
            _list_folder(listing, folder, lines, below)
            if listing.seen > limits.entries:
                raise too_many_entries(str(git_dir), limits)
        if depth == limits.depth:
            listing.findings.extend((path, report_too_deep(path.rstrip(b"/"), limits)) for path, _ in below)
        level = below
        if not level:
            break
    return listing


def parse_tree(git_dir: Path, content: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield mode, name and id (40 hex digits) of each line of a tree object."""
    start, end = 0, len(content)
    while start < end:
        space = content.find(b" ", start, start + 8)
        nul = content.find(b"\0", space)
        if space < 0 or nul < 0 or nul + 21 > end:
            raise damaged(git_dir, "a tree cannot be read")
        try:
            mode = int(content[start:space], 8)
        except ValueError as error:
            raise damaged(git_dir, "a tree has an unreadable mode") from error
        yield mode & _KIND, content[space + 1 : nul], content[nul + 1 : nul + 21].hex().encode()
        start = nul + 21


def _list_folder(listing: Listing, folder: bytes, lines: list[tuple[int, bytes, bytes]], below: list[tuple[bytes, bytes]]) -> None:
    listing.seen += len(lines)
    names = {name for _, name, _ in lines}
    if folder and b"pyvenv.cfg" in names:
        return
    twins = len(names) < len(lines)
    taken: set[bytes] = set()
    for mode, name, identity in lines:
        path = folder + name
        if is_passed_over(name) and not is_hostile_hidden(name):
            continue
        refused = check_name(path, name)
        if twins and refused is None:
            refused = report_twin(path) if name in taken else None
            taken.add(name)
        if refused is not None:
            listing.findings.append((path, refused))
        elif mode == REGULAR:
            listing.files.append((path, identity))
        elif mode == FOLDER:
            below.append((path + b"/", identity))
        elif mode == SYMLINK:
            listing.symlinks.append((path, identity))
        elif mode == SUBMODULE:
            listing.findings.append((path, report_submodule(path)))
        else:
            listing.findings.append((path, report_unknown_kind(path)))


def _keep_within(git_dir: Path, listing: Listing, sizes: list[int], limits: Limits) -> list[tuple[bytes, bytes, int]]:
    """Return the files under the cap for one file, with sizes."""
    kept: list[tuple[bytes, bytes, int]] = []
    total = 0
    for (path, blob), size in zip(listing.files, sizes, strict=True):
        if size > limits.blob_bytes:
            listing.findings.append((path, report_too_large(path, size, limits)))
            continue
        total += size
        kept.append((path, blob, size))
    if total > limits.total_bytes:
        raise too_many_bytes(str(git_dir), limits)
    return kept


def _find_pointers(reader: ObjectReader, listing: Listing, kept: list[tuple[bytes, bytes, int]]) -> set[int]:
    """Return the places in `kept` of Git LFS pointers, and report them."""
    suspects = [place for place, (_, _, size) in enumerate(kept) if may_be_lfs(size)]
    pointers: set[int] = set()
    for place, blob in zip(suspects, reader.read_all([kept[place][1] for place in suspects], b"blob"), strict=True):
        if is_lfs(blob.content):
            pointers.add(place)
            listing.findings.append((kept[place][0], report_lfs(kept[place][0])))
    return pointers


def _report_symlinks(reader: ObjectReader, listing: Listing, sizes: list[int]) -> None:
    short = [link for link, size in zip(listing.symlinks, sizes, strict=True) if size <= LONGEST_TARGET]
    targets = dict(zip(short, reader.read_all([blob for _, blob in short], b"blob"), strict=True))
    for path, blob in listing.symlinks:
        target = targets.get((path, blob))
        content = target.content if target else b""
        listing.findings.append((path, report_symlink(path, content)))
        listing.named.append((path, name_target(path, content)))
