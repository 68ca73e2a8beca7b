"""Frames between builds: MkDocs draws them once, later builds and workers read them from a file.

Called by the pipeline and `write_pages`.
"""

from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from indexer.model.site import SiteView
from indexer.publish.frames import FrameSet
from indexer.publish.mkdocs_frame import build_frames, frame_key
from indexer.publish.release import write_beside


@lru_cache(maxsize=4)
def load_frames(file: Path) -> FrameSet:
    """Return the frames that `FrameOrder.draw` wrote."""
    return msgspec.msgpack.decode(file.read_bytes(), type=FrameSet)


class FrameOrder(Struct, frozen=True):
    """Frames that a site needs; can be sent to another process."""

    file: Path
    """Where they are, or will be once `draw` was called."""
    config_file: Path
    site: SiteView
    deepest: int

    @property
    def is_drawn(self) -> bool:
        """Whether the frames are there already and can be read."""
        try:
            load_frames(self.file)
        except (OSError, msgspec.MsgspecError):
            return False
        return True

    def draw(self) -> None:
        """Draw the frames and keep them."""
        frames = build_frames(self.config_file, self.site, range(self.deepest + 1))
        for old in self.file.parent.glob("frames-*"):
            old.unlink(missing_ok=True)
        write_beside(self.file, msgspec.msgpack.encode(frames))


def order_frames(folder: Path, config_file: Path, site: SiteView, deepest: int) -> FrameOrder:
    """Return the order for the frames of URL depths 0 to `deepest`.

    They are kept in `folder` under a name that changes with everything they depend on.
    """
    return FrameOrder(folder / f"frames-{frame_key(config_file, site, range(deepest + 1))}.msgpack", config_file, site, deepest)
