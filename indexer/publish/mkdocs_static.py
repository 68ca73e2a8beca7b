"""The files a frame needs, and where they go: theme files below `_/theme/`, our own below `_/assets/`.

A brain may have a folder `assets/` of its own, so nothing of the theme may stay there. Used by `mkdocs_plugin`; reads files, writes none.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from indexer.errors import PublishError
from indexer.publish.frames import StaticFile
from indexer.resources import find_resource

THEME_ROOT, ASSETS_ROOT = "_/theme/", "_/assets/"

_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)
_REFERENCE = re.compile(r'\b(href|src)="((?:\.\./|\./)*)([^":?#]+)(\?[^"#]*)?"')


class Assets(Struct, frozen=True):
    """What `make assets` built."""

    entries: Mapping[str, str]
    """`boot`, `site`, `style`, `math`, `mermaid`, … → path below the site's root."""
    files: tuple[StaticFile, ...]


def read_assets() -> Assets:
    """Read `site_templates/dist/manifest.json`. Raises PublishError when the browser code was not built."""
    dist = find_resource("site_templates/dist")
    try:
        manifest: dict[str, Any] = json.loads((dist / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PublishError("The browser code of the websites is not built.", hint="Run: make assets") from error
    files = tuple(
        StaticFile(ASSETS_ROOT + name, str(dist / name), entry["sha256"], entry.get("feature", ""))
        for name, entry in sorted(manifest["files"].items())
    )
    return Assets({name: ASSETS_ROOT + path for name, path in manifest["entries"].items()}, files)


def extract_scripts(html: str, prefix: str) -> tuple[str, dict[str, bytes]]:
    """Move inline scripts of a frame into files named by their content, so that a policy without `unsafe-inline` holds.

    Returns the frame and the files, path below the site's root → bytes. `prefix` leads from the page to the root.
    """
    found: dict[str, bytes] = {}

    def move(match: re.Match[str]) -> str:
        code = match[1].strip().encode()
        if not code:
            return ""
        path = f"{THEME_ROOT}inline/{sha256(code).hexdigest()[:12]}.js"
        found[path] = code
        return f'<script src="{prefix}{path}"></script>'

    return _INLINE_SCRIPT.sub(move, html), found


def move_references(html: str, is_theme_file: Callable[[str], bool]) -> tuple[str, set[str]]:
    """Point references to theme files at `_/theme/`; return the frame and the theme files that it names."""
    used: set[str] = set()

    def move(match: re.Match[str]) -> str:
        attribute, prefix, path, query = match.groups()
        if not is_theme_file(path):
            return match[0]
        used.add(path)
        return f'{attribute}="{prefix}{THEME_ROOT}{path}{query or ""}"'

    return _REFERENCE.sub(move, html), used


def read_theme_files(sources: Mapping[str, str], wanted: Iterable[str]) -> tuple[StaticFile, ...]:
    """Return the wanted theme files; `sources` maps a path in the theme to the file on disk."""
    return tuple(
        StaticFile(THEME_ROOT + path, sources[path], sha256(Path(sources[path]).read_bytes()).hexdigest()) for path in sorted(set(wanted))
    )
