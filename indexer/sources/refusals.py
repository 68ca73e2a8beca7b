"""The findings and errors that both walks make (git trees and plain folders), so that both say the same of the same file.

Paths in findings are shown safely (see `names.show_name`); a refused name never reaches a terminal or a page as it is.
"""

from indexer.errors import SourceError
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.snapshot import Limits
from indexer.sources.names import LONGEST_PATH, refuse_name, show_name
from indexer.sources.symlinks import name_target

SHORTEST_POINTER, LONGEST_POINTER = 120, 150
"""Bytes; a Git LFS pointer is three lines of fixed length but for the digits of a size, 125 to 139 bytes in all."""

_LFS = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")


def may_be_lfs(size: int) -> bool:
    """Return whether a file of this size is worth a look at its first bytes."""
    return SHORTEST_POINTER <= size <= LONGEST_POINTER


def is_lfs(content: bytes) -> bool:
    """Return whether a small file is a Git LFS pointer."""
    return content.startswith(_LFS) and b"\noid sha256:" in content


def check_name(path: bytes, name: bytes) -> Finding | None:
    """Return the finding for a name that is refused, None for one that is kept."""
    refusal = refuse_name(name)
    if refusal is None and len(path) > LONGEST_PATH:
        refusal = "SRC006", f"The path has {len(path):,} bytes, more than any system can hold"
    if refusal is None:
        return None
    code, reason = refusal
    return make_finding(code, show_name(path)[:LONGEST_PATH], 0, f"{reason}; it was skipped.", "Rename it.")


def report_twin(path: bytes) -> Finding:
    """Return the finding for a name that a forged tree holds twice."""
    message = "The same folder holds this name twice; one of them was skipped."
    return make_finding("SRC006", show_name(path), 0, message, "Commit the folder anew.")


def report_unknown_kind(path: bytes) -> Finding:
    """Return the finding for what is neither file, folder, link nor submodule."""
    return make_finding("SRC006", show_name(path), 0, "This is no regular file; it was skipped.", "Put an ordinary file in its place.")


def report_unreadable(path: bytes, error: OSError) -> Finding:
    """Return the finding for a file or folder that the system does not let us read."""
    message = f"It cannot be read ({error.strerror or 'unknown error'}); it was skipped."
    return make_finding("SRC009", show_name(path), 0, message, "Give the user who runs this the right to read it.")


def report_symlink(path: bytes, target: bytes) -> Finding:
    """Return the finding for a symbolic link; its target is named only where it is a plain name inside the content root."""
    named = name_target(path, target)
    message = f"A symbolic link to `{named}` was skipped." if named else "A symbolic link was skipped; it leads out of the content."
    hint = (
        "Links to it lead to that file, if there is one. For a page of its own put a copy there."
        if named
        else "Put a copy of the file in its place."
    )
    return make_finding("SRC001", show_name(path), 0, message, hint)


def report_submodule(path: bytes) -> Finding:
    """Return the finding for a folder that is another repository."""
    return make_finding(
        "SRC002", show_name(path), 0, "Another git repository lies here; it was skipped.", "Register it by itself to publish it."
    )


def report_lfs(path: bytes) -> Finding:
    """Return the finding for a Git LFS pointer."""
    message = "The file itself is kept in Git LFS, here is only a pointer to it; it was skipped."
    return make_finding("SRC003", show_name(path), 0, message, "`git lfs migrate export` brings it back into the repository.")


def report_too_large(path: bytes, size: int, limits: Limits) -> Finding:
    """Return the finding for a file over the cap."""
    message = f"The file has {size:,} bytes, more than the cap of {limits.blob_bytes:,}; it was skipped."
    return make_finding("SRC004", show_name(path), 0, message, "Make it smaller, or raise the cap: `brain build --max-file-mb`.")


def report_too_deep(path: bytes, limits: Limits) -> Finding:
    """Return the finding for a folder below the deepest level that is read."""
    message = f"The folder lies deeper than {limits.depth} folders; everything in it was skipped."
    return make_finding("SRC005", show_name(path), 0, message, "Move it further up, or raise the cap: `brain build --max-depth`.")


def too_many_entries(where: str, limits: Limits) -> SourceError:
    """Return the error for content with more files and folders than the cap."""
    return SourceError(
        f"{where} has more than {limits.entries:,} files and folders.",
        hint="Publish one of its folders, or raise the cap: `brain build --max-files`.",
    )


def too_many_bytes(where: str, limits: Limits) -> SourceError:
    """Return the error for content larger than the cap."""
    return SourceError(
        f"The files of {where} have more than {limits.total_bytes:,} bytes in all.",
        hint="Take large files out, publish one of its folders, or raise the cap: `brain build --max-total-mb`.",
    )
