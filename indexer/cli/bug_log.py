"""The log of a mistake in the program: what a person can attach to a report without reading it through first.

Called by `edge`. Versions, arguments and traceback, without secrets and without the name of the home folder; never content of pages
other than what an exception's message quotes.
"""

import os
import platform
import re
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from indexer import __version__

_DEPENDENCIES = ("click", "duckdb", "markdown-it-py", "mkdocs", "mkdocs-material", "msgspec", "nh3", "numpy", "pyyaml", "rich")
_SECRET_NAME = re.compile(r"token|secret|passw|credential|api[_-]?key|auth|private", re.IGNORECASE)
_SECRET_OPTION = re.compile(r"^(--?[\w-]*(?:token|secret|passw\w*|credential|key|auth)[\w-]*)(=.*)?$", re.IGNORECASE | re.DOTALL)
_PATTERNS = (
    (re.compile(r"(\w[\w+.-]*://)[^/\s@'\"]+@"), r"\1***@"),
    (re.compile(r"\b(?:gh[a-z]_|github_pat_|glpat-|sk_|xox[a-z]-)[\w-]{8,}"), "***"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), r"\1 ***"),
    (re.compile(r"(?i)([?&](?:\w*token|\w*secret|password|key|sig\w*)=)[^&\s'\"]+"), r"\1***"),
)
_SHORTEST_SECRET = 8


def render_bug(error: BaseException, arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """Return the text of the log."""
    lines = [f"brain {__version__}", f"Python {platform.python_version()} on {platform.platform()}", *_list_versions(), ""]
    lines += ["Arguments: " + " ".join(map(repr, redact_arguments(arguments))), ""]
    lines += ["".join(traceback.format_exception(error))]
    return redact_text("\n".join(lines), environment)


def store_bug(text: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Write the log, readable by its owner only, to the first folder that takes it; None when none does."""
    for folder in _list_folders(environment):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
            descriptor, name = tempfile.mkstemp(prefix=f"brain-{stamp}-", suffix=".log", dir=folder)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None


def redact_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the values of options such as `--token` replaced."""
    shown: list[str] = []
    hide_next = False
    for argument in arguments:
        found = _SECRET_OPTION.match(argument)
        if hide_next and not argument.startswith("-"):
            shown.append("***")
        elif found and found[2]:
            shown.append(f"{found[1]}=***")
        else:
            shown.append(argument)
        hide_next = bool(found and not found[2])
    return shown


def redact_text(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the text without credentials: those in addresses, those of known forms, and the values of secret variables."""
    secrets = [value for name, value in environment.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET]
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    home = environment.get("HOME", "")
    return re.sub(re.escape(home) + r"(?=[/'\"\s]|$)", "~", text) if len(home) > 1 else text


def _list_versions() -> list[str]:
    return [f"{name} {metadata.version(name)}" for name in _DEPENDENCIES if _is_installed(name)] + [
        f"encoding {sys.getfilesystemencoding()}"
    ]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _list_folders(environment: Mapping[str, str]) -> list[Path]:
    state, home = environment.get("XDG_STATE_HOME", ""), environment.get("HOME", "")
    folders = [Path(state) / "brainpress"] if state else []
    if home:
        folders.append(Path(home) / ".local" / "state" / "brainpress")
    with suppress(FileNotFoundError):  # no temporary folder of this machine can be written
        folders.append(Path(tempfile.gettempdir()))
    return folders
