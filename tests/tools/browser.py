"""Finds a Chromium and drives it without any request of its own. Used by browser tests and by the search figures of the benchmark."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "no Chromium: install the package chromium (Debian: apt-get install chromium), or name one in BRAINPRESS_CHROMIUM"
FLAGS = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)


def find_chromium() -> str | None:
    """Return the program of a Chromium on this machine, None when there is none."""
    return os.environ.get("BRAINPRESS_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def open_browser(program: str) -> Iterator[Browser]:
    """Start it headless with a new profile; root has no sandbox."""
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else list(FLAGS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=flags)
        try:
            yield browser
        finally:
            browser.close()
