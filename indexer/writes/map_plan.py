"""What a refresh would change: the maps that were drawn, held against those that are committed.

Called by `refresh`. Reads the repository, changes nothing. A map may not touch a page: outside the marked block of the first page, every
byte stays (SPEC T37), and what somebody else keeps below `.brain` is left alone.
"""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from indexer.errors import SourceError
from indexer.model.maps import FOLDER, FRONT, LOG
from indexer.sources.branch import Branch
from indexer.sources.commits import Change
from indexer.sources.git import run_git
from indexer.sources.names import show_name
from indexer.sources.objects import ObjectReader, hash_object
from indexer.writes.map_log import AddLog, Counts, describe_counts, show_day
from indexer.writes.map_paths import differs_only_in_block, is_made, is_map

_REGULAR = frozenset({"100644", "100755"})


class Committed(Struct, frozen=True):
    """The maps of a commit, and its first page."""

    blobs: Mapping[str, str]
    """Path below the content root → blob, of ordinary files."""
    modes: Mapping[str, str]
    """Path → mode, of whatever is there."""
    contents: Mapping[str, bytes]


class Drawn(Struct, frozen=True):
    """The maps of one revision, as they should be."""

    maps: Mapping[str, bytes]
    """Path below the content root → content."""
    pages: int
    """Published pages."""
    waiting: str = ""
    """Why relations are still to come; empty when they are there (SPEC T32)."""


class FileStat(Struct, frozen=True):
    """How one file changes, for people."""

    path: str
    added: int
    """Lines."""
    removed: int


class MapPlan(Struct, frozen=True):
    """What is to be committed; nothing when `changes` is empty."""

    changes: tuple[Change, ...] = ()
    before: Mapping[str, str | None] = field(default_factory=dict)
    """Path of the repository → blob that is committed now."""
    stats: tuple[FileStat, ...] = ()
    counts: Counts = field(default_factory=Counts)


def read_committed(branch: Branch, head: str) -> Committed:
    """Return the maps that a commit holds."""
    args = ("ls-tree", "-r", "-z", "--full-tree", head, "--", branch.find(FOLDER), branch.find(FRONT))
    blobs, modes = {}, {}
    root = f"{branch.location.folder}/" if branch.location.folder else ""
    for line in run_git(branch.git_dir, args).split(b"\0")[:-1]:
        fields, _, name = line.partition(b"\t")
        mode, _, blob = fields.decode().split()
        path = name.decode("utf-8", "surrogateescape").removeprefix(root)
        modes[path] = mode
        if mode in _REGULAR:
            blobs[path] = blob
    with ObjectReader(branch.git_dir) as reader:
        found = reader.read_all([blob.encode() for blob in blobs.values()], b"blob")
        contents = {path: each.content for path, each in zip(blobs, found, strict=True)}
    return Committed(blobs, modes, contents)


def plan_maps(branch: Branch, now: Committed, drawn: Drawn, revision: str, at: int, add_log: AddLog) -> MapPlan:
    """Return the changes that bring the committed maps to the drawn ones, with a line in the log when there are any."""
    _check_drawn(now, drawn.maps)
    made = {path: content for path, content in drawn.maps.items() if now.blobs.get(path) != hash_object(b"blob", content)}
    gone = sorted(path for path in now.blobs if is_made(path) and path not in drawn.maps)
    if not made and not gone:
        return MapPlan(counts=Counts(drawn.pages))
    new = sum(path not in now.blobs for path in made)
    counts = Counts(drawn.pages, new, len(made) - new, len(gone))
    said = f"{describe_counts(counts)}{'; relations wait' if drawn.waiting else ''}; read {revision[:12]}"
    made[LOG] = add_log(now.contents.get(LOG, b""), show_day(at), said)
    _refuse_obstacles(branch, now, made)
    after: dict[str, bytes | None] = {**made, **dict.fromkeys(gone)}
    return MapPlan(
        tuple(Change(branch.find(path), content, now.modes.get(path, "100644")) for path, content in sorted(after.items())),
        {branch.find(path): now.blobs.get(path) for path in after},
        tuple(_measure(branch.find(path), now.contents.get(path, b""), content or b"") for path, content in sorted(after.items())),
        counts,
    )


def _check_drawn(now: Committed, maps: Mapping[str, bytes]) -> None:
    for path, content in maps.items():
        if not is_map(path) or path == LOG or (path == FRONT and not differs_only_in_block(now.contents.get(FRONT, b""), content)):
            raise AssertionError(f"BUG: a refresh may not write {path}")


def _refuse_obstacles(branch: Branch, now: Committed, made: Mapping[str, bytes]) -> None:
    """Refuse to write where a link, a submodule or a file in place of a folder is committed: that is somebody's own."""
    for path in (*made, FOLDER):
        places = [path, *("/".join(path.split("/")[:depth]) for depth in range(1, path.count("/") + 1))]
        found = next((place for place in places if place in now.modes and (place != path or now.modes[place] not in _REGULAR)), None)
        found = FOLDER if FOLDER in now.modes else found
        if found is not None:
            shown = show_name(branch.find(found).encode("utf-8", "surrogateescape"))
            raise SourceError(f"`{shown}` is committed as something else than a map, so none can be put there.", hint="Move it away.")


def _measure(path: str, before: bytes, after: bytes) -> FileStat:
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return FileStat(path, (new - old).total(), (old - new).total())
