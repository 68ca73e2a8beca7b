"""Frames between builds: MkDocs draws them once, later builds and workers read them from a file.

Called by the pipeline and `write_pages`.
"""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import msgspec

from indexer import __version__
from indexer.model.site import SiteView
from indexer.publish.frames import FrameSet
from indexer.publish.mkdocs_frame import build_frames
from indexer.publish.release import write_beside
from indexer.resources import find_resource


@lru_cache(maxsize=4)
def load_frames(file: Path) -> FrameSet:
    """Return the frames that `FrameOrder.draw` wrote."""
    return msgspec.msgpack.decode(file.read_bytes(), type=FrameSet)


@dataclass(frozen=True, slots=True)
class FrameOrder:
    """Frames that a site needs; can be sent to another process."""

    file: Path
    """Where they are, or will be once `draw` was called."""
    config_file: Path
    site: SiteView
    deepest: int

    def draw(self) -> None:
        """Draw the frames unless they are there already."""
        if self.file.exists():
            return
        frames = build_frames(self.config_file, self.site, range(self.deepest + 1))
        for old in self.file.parent.glob("frames-*"):
            old.unlink(missing_ok=True)
        write_beside(self.file, msgspec.msgpack.encode(frames))


def order_frames(folder: Path, config_file: Path, site: SiteView, deepest: int) -> FrameOrder:
    """Return the order for the frames of URL depths 0 to `deepest`.

    They are kept in `folder` under a name that changes with everything they depend on.
    """
    return FrameOrder(folder / f"frames-{_fingerprint(config_file, site, deepest)}.msgpack", config_file, site, deepest)


def _fingerprint(config_file: Path, site: SiteView, deepest: int) -> str:
    """Templates, assets, configuration, program: times of files stand for their content, as in make."""
    digest = sha256(f"{__version__} {deepest}\n".encode())
    digest.update(msgspec.json.encode(site))
    digest.update(config_file.read_bytes() if config_file.exists() else b"")
    for name in ("site_templates/overrides", "site_templates/dist"):
        for path in sorted(find_resource(name).rglob("*")):
            if path.is_file():
                status = path.stat()
                digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
