"""Finds a Chromium and drives it without any request of its own, and tells what is wrong with the pages it shows.

Used by browser tests and by the search figures of the benchmark.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "no Chromium: install the package chromium (Debian: apt-get install chromium), or name one in BRAINPRESS_CHROMIUM"
FLAGS = (
    "--disable-gpu",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
_AXE = Path(__file__).parents[2] / "site_templates" / "node_modules" / "axe-core" / "axe.min.js"
_WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


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


@dataclass(slots=True)
class Watch:
    """What went wrong in the pages of one context."""

    origin: str
    problems: list[str] = field(default_factory=list)

    def attach(self, context: BrowserContext) -> None:
        """Note console errors, exceptions, failed answers, and requests to anywhere else."""
        context.on("console", lambda m: self.problems.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
        context.on("weberror", lambda e: self.problems.append(f"exception: {e.error}"))
        context.on(
            "request", lambda r: None if r.url.startswith((self.origin, "data:", "blob:")) else self.problems.append(f"request: {r.url}")
        )
        context.on("response", lambda r: self.problems.append(f"status {r.status}: {r.url}") if r.status >= 400 else None)


def find_violations(page: Page, kind: str, *, best_practice: bool = True) -> list[str]:
    """Return what axe finds on the page that is open (its context needs `bypass_csp`); `kind` is how the page is called in the text."""
    assert _AXE.is_file(), "axe-core is missing; run make assets"
    page.evaluate(_AXE.read_text("utf-8"))
    rules = [*_WCAG, *(["best-practice"] if best_practice else [])]
    result = page.evaluate("rules => axe.run(document, {runOnly: rules})", rules)
    return [f"{kind}: {v['id']} ({v['help']}): {[n['html'][:160] for n in v['nodes'][:3]]}" for v in result["violations"]]


def find_overflow(page: Page, kind: str) -> list[str]:
    """Return a problem when the page that is open scrolls sideways."""
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{kind} is {wide} pixels too wide"] if wide > 0 else []
