"""A wheel of a fresh checkout brings the browser code without another step (site_templates/wheel_hook.py). Real hatchling, real esbuild."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("pyproject.toml", "README.md", "LICENSE", "mkdocs.yml", "blueprints", "indexer", "site_templates")
MANIFEST = "indexer/_data/site_templates/dist/manifest.json"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the wheel is made of, as after `git clone`, with the packages of npm as on this machine."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    unwanted = shutil.ignore_patterns("node_modules", "dist", "__pycache__")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=unwanted)
        else:
            shutil.copy2(ROOT / part, folder / part)
    installed = ROOT / "site_templates" / "node_modules"
    if not (installed / ".package-lock.json").exists():
        pytest.skip("the packages of npm are not installed; run make assets")
    os.utime(folder / "site_templates" / "package-lock.json", (0, 0))  # they are newer: nothing is installed into the link
    (folder / "site_templates" / "node_modules").symlink_to(installed)
    return folder


def build_wheel(checkout: Path) -> tuple[int, str, list[str]]:
    """Return the exit code, what was said, and the files of the wheel."""
    asked = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"]
    run = subprocess.run(asked, cwd=checkout, capture_output=True, text=True, check=False, timeout=300)
    wheels = list((checkout / "out").glob("*.whl"))
    names = zipfile.ZipFile(wheels[0]).namelist() if wheels else []
    return run.returncode, run.stdout + run.stderr, names


def test_a_wheel_of_a_fresh_checkout_brings_the_browser_code(checkout: Path) -> None:
    code, said, names = build_wheel(checkout)
    assert code == 0, said
    assert MANIFEST in names
    assert any(name.startswith("indexer/_data/site_templates/dist/") and name.endswith(".js") for name in names)
    assert not [name for name in names if "node_modules" in name]


def test_an_empty_folder_asks_for_a_wheel_without_browser_code(checkout: Path) -> None:
    (checkout / "site_templates" / "dist").mkdir()
    (checkout / "site_templates" / "build.py").write_text("raise SystemExit('built all the same')\n", encoding="utf-8")
    code, said, names = build_wheel(checkout)
    assert code == 0, said
    assert "indexer/cli/main.py" in names
    assert MANIFEST not in names


def test_a_build_that_fails_says_what_to_do(checkout: Path) -> None:
    build = checkout / "site_templates" / "build.py"
    text = build.read_text(encoding="utf-8")
    build.write_text(text.replace("    options = parser", "    return 7\n    options = parser"), encoding="utf-8")
    code, said, names = build_wheel(checkout)
    assert code != 0
    assert names == []
    assert "The browser code of the websites could not be built" in said
    assert "make assets" in said
