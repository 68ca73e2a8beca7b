"""Frames between builds: MkDocs draws them once, later builds and workers read them from a file.

Called by the pipeline and `write_pages`.
"""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import msgspec

from indexer import __version__
from indexer.model.site import SiteView
from indexer.publish.frames import FrameSet
from indexer.publish.mkdocs_frame import build_frames
from indexer.resources import find_resource


@lru_cache(maxsize=4)
def load_frames(file: Path) -> FrameSet:
    """Return the frames that `prepare_frames` wrote."""
    return msgspec.msgpack.decode(file.read_bytes(), type=FrameSet)


def prepare_frames(folder: Path, config_file: Path, site: SiteView, deepest: int) -> Path:
    """Return the file with the frames of a site for URL depths 0 to `deepest`; draws them unless nothing they depend on has changed.

    `folder` is where the build keeps what it needs again.
    """
    key = _fingerprint(config_file, site, deepest)
    file = folder / f"frames-{key}.msgpack"
    if not file.exists():
        frames = build_frames(config_file, site, range(deepest + 1))
        for old in folder.glob("frames-*.msgpack"):
            old.unlink(missing_ok=True)
        fresh = folder / f"frames-{key}.new"
        fresh.write_bytes(msgspec.msgpack.encode(frames))
        fresh.rename(file)
    return file


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
