"""What a reader's search downloads, measured in a real browser on a built site: every byte after the page itself was loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.tools.browser import MISSING, find_chromium, open_browser
from tests.tools.webserver import Served, serve_folder

QUERIES = (
    "tar",
    "compress a folder",
    "git rebase",
    "docker logs",
    "c++",
    "recursively",
    "lists",
    "how to convert video to gif",
    "xyzzyplugh",
)
"""Short and long, rare and frequent, one that finds nothing."""

FIELD = "Search this site"


@dataclass(frozen=True, slots=True)
class SearchCost:
    """One search, typed letter by letter."""

    query: str
    bytes: int
    """Of all answers between opening the search and its results, as files on disk (nothing compressed on the way)."""
    requests: int
    first: str
    """Title of the first result."""


def measure_searches(site: Path, queries: Sequence[str] = QUERIES) -> list[SearchCost]:
    """Search `site` for each query in a new browser context, so that nothing is cached."""
    program = find_chromium()
    if program is None:
        raise SystemExit(MISSING)
    costs = []
    with serve_folder(site) as served, open_browser(program) as browser:
        for query in queries:
            context = browser.new_context(base_url=served.address)
            costs.append(_measure_search(context.new_page(), served, query))
            context.close()
    return costs


def _measure_search(page: Page, served: Served, query: str) -> SearchCost:
    page.goto("")
    page.wait_for_load_state("networkidle")
    before = len(served.requests)
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name=FIELD)).to_be_focused()
    page.keyboard.type(query, delay=60)
    answer = page.get_by_role("option").first.or_(page.get_by_text("Nothing matches")).first
    expect(answer).to_be_visible(timeout=20_000)
    page.wait_for_load_state("networkidle")
    loaded = served.requests[before:]
    first = " ".join((answer.text_content() or "").split())[:60]
    return SearchCost(query, sum(size for _, size in loaded), len(loaded), first.replace("|", "\\|"))
