"""Builds the browser code before a wheel is made of a checkout, so that `pip install .` and `pip install git+https://…` need no other step.

Run by hatchling, as pyproject.toml says. A folder `site_templates/dist` that is there and empty asks for a wheel without browser code:
enough for `brain check`, which writes no website.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FAILED = (
    "The browser code of the websites could not be built (see above). It needs Node and the npm registry. "
    "Install a wheel, which brings it, or run `make assets` where both are at hand and install again."
)


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Hook of hatchling for the target `wheel`."""

    def dependencies(self) -> list[str]:
        """Return the packages that building needs: Node, where the machine has none that is new enough."""
        build = _load_build(Path(self.root))
        return [] if build.find_node() else [str(build.NODE_PACKAGE)]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (the interface is hatchling's)
        """Build what is missing or older than its sources. An editable install takes the folder as it is: `make assets` fills it."""
        dist = Path(self.root) / "site_templates" / "dist"
        if version == "editable":
            dist.mkdir(exist_ok=True)
        if dist.is_dir() and (version == "editable" or not any(dist.iterdir())):
            return
        if subprocess.run([sys.executable, str(dist.parent / "build.py")], check=False).returncode:
            raise SystemExit(_FAILED)


def _load_build(root: Path) -> Any:
    spec = importlib.util.spec_from_file_location("brainpress_build", root / "site_templates" / "build.py")
    if spec is None or spec.loader is None:
        raise SystemExit("site_templates/build.py is missing: this is no whole checkout.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
