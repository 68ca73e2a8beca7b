"""Where the files that ship with the program lie: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

_PACKAGED = Path(__file__).parent / "_data"
_CHECKOUT = Path(__file__).parent.parent


def find_resource(name: str) -> Path:
    """Return the path of a shipped file or folder, such as `site_templates/overrides` or `mkdocs.yml`; it may not exist."""
    packaged = _PACKAGED / name
    return packaged if packaged.exists() else _CHECKOUT / name
