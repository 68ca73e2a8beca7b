"""What a repository holds at one commit: names, modes and blob ids. The bytes are read through `indexer.sources`."""

from collections.abc import Mapping

from msgspec import Struct, field

from indexer.model.finding import Finding


class Entry(Struct, frozen=True):
    """One regular file of a snapshot. Symlinks, submodules and refused names never become an Entry."""

    path: str
    """Relative to the content root, `/` separated, exactly as git stores it (undecodable bytes as surrogate escapes)."""
    blob: str
    """Git blob id, 40 lowercase hex digits; computed the same way for files outside git."""
    size: int
    """Bytes."""


class Snapshot(Struct, frozen=True):
    """A repo at one commit, or a plain folder as it lies there."""

    revision: str | None
    """Commit id, 40 hex digits; None for uncommitted content."""
    committed_at: int | None
    """Committer time of `revision`, seconds since the epoch UTC; None for uncommitted content."""
    entries: tuple[Entry, ...]
    """Sorted by the bytes of the path."""
    findings: tuple[Finding, ...] = ()
    """What was refused or skipped: symlinks, submodules, LFS pointers, names, caps."""
    symlinks: Mapping[str, str] = field(default_factory=dict)
    """Symbolic link → the entry that it names: a further name of that file, which is read at its own place alone."""


class Change(Struct, frozen=True):
    """The last change of one path."""

    revision: str
    """Commit id, 40 hex digits."""
    at: int
    """Committer time, seconds since the epoch UTC."""


class History(Struct, frozen=True):
    """One pass over the history of a content root."""

    last: Mapping[str, Change] = field(default_factory=dict)
    """Path → its last change, for paths that exist in the snapshot."""
    renames: Mapping[str, str] = field(default_factory=dict)
    """Former path → path that it has in the snapshot now (chains followed); only former paths that no longer exist."""
    concealed: frozenset[str] = frozenset()
    """Former paths under which the page was hidden when it was renamed, or may have been: no site may tell them."""
    reach: str = ""
    """What was looked at besides the revision: content root, what the clone holds, caps. One of another reach says nothing of this one."""


class Origin(Struct, frozen=True):
    """Where people see and edit the files of a repo on its forge. Never holds a credential."""

    web: str = ""
    """`https://host/owner/name`, empty when unknown."""
    branch: str = ""
    """Branch that edits go to."""
    folder: str = ""
    """Folder of the content root inside the repository, no slash at either end; empty = the root."""
    kind: str = ""
    """`github`, `gitlab`, `gitea`, `pagure`, or empty when unknown."""


class Limits(Struct, frozen=True):
    """Caps on what one repo may cost (SPEC P01)."""

    entries: int = 200_000
    depth: int = 32
    blob_bytes: int = 10 * 1024 * 1024
    total_bytes: int = 2 * 1024 * 1024 * 1024
