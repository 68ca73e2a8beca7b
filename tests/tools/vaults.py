"""Writes folders of files for tests, byte for byte. Used by fixtures and by the repositories of `repos`."""

from collections.abc import Mapping
from pathlib import Path


class Link(str):
    """Target of a symbolic link, as a value in `Files`."""

    __slots__ = ()


Files = Mapping[str, str | bytes]
"""Relative path → content. `str` is written as UTF-8 without changing line ends, `bytes` as they are, `Link` as a symbolic link."""

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
"""A real picture of one transparent pixel."""


def write_files(root: Path, files: Files) -> Path:
    """Write `files` below `root` (made when missing) and return `root`."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.unlink(missing_ok=True)
            path.symlink_to(str(content))
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_bytes(content.encode("utf-8"))
    return root
