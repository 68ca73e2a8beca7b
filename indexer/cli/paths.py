"""Paths as people type them. Used by the commands; what a path leads to is looked at by whoever opens it."""

import os
import re
from pathlib import Path
from typing import Any

import click

from indexer.resources import expand_home

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[\w.-]+@[\w.-]+:(?!//)")


class TypedPath(click.Path):
    """A path of this machine, as a `pathlib.Path`; takes the same arguments as `click.Path`.

    Nothing at all, which a variable that is not set leaves, is refused and not taken for the current folder, and so is an address.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(path_type=Path, **given)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or fail as click does."""
        text = os.fspath(value)
        if not isinstance(value, Path):  # such as a default
            if not text.strip():
                self.fail("it is empty. The current folder is written as a dot.", param, ctx)
            text = expand_home(text)
            if _ADDRESS.match(text) and not os.path.lexists(text):
                # The address is not repeated: it may hold a password.
                self.fail("it is an address, and this takes a path of this machine. `git clone` brings a repository here.", param, ctx)
        return super().convert(text, param, ctx)
