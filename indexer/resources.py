"""Where files lie: those that ship with the program, beside the package in a checkout and inside it in a wheel; those of a home folder."""

import os
from pathlib import Path

_PACKAGED = Path(__file__).parent / "_data"
_CHECKOUT = Path(__file__).parent.parent


def find_resource(name: str) -> Path:
    """Return the path of a shipped file or folder, such as `site_templates/overrides` or `mkdocs.yml`; it may not exist."""
    packaged = _PACKAGED / name
    return packaged if packaged.exists() else _CHECKOUT / name


def expand_home(text: str) -> str:
    """Return a path with the home folder in the place of a `~` before it, which no shell puts into `--out=~/site` or a file of settings."""
    return os.path.expanduser(text) if text == "~" or text.startswith("~/") else text  # noqa: PTH111 (that raises without a home)
