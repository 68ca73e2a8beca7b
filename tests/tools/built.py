"""One built vault as tests look at it: what `brain inspect` says, and the pages of the site."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unicodedata import normalize

from tests.tools.commands import Ran, run_brain
from tests.tools.crawl import Crawl, crawl_site, resolve_reference
from tests.tools.pages import Element, find_article, read_html

DEAD_CLASS = "brain-dead"
"""Class of a link that leads nowhere, in the site's HTML."""


@dataclass(eq=False)
class Built:
    """The outcome of `brain build`, and of `brain inspect` on demand."""

    source: Path
    out: Path
    ran: Ran

    @property
    def site(self) -> Path:
        """Folder of the website."""
        return self.out / "site"

    @cached_property
    def inspected(self) -> Any:
        """The JSON of `brain inspect`."""
        ran = run_brain("inspect", self.source, "--json")
        assert ran.code == 0, ran.said
        return ran.json

    def page(self, path: str) -> Any:
        """Return the page of `brain inspect` with this path."""
        return next(p for p in self.inspected["pages"] if normalize("NFC", p["path"]) == normalize("NFC", path))

    def document(self, path: str) -> Element:
        """Return the HTML document of one page."""
        return read_html(self.site / self.page(path)["file"])

    def article(self, path: str) -> Element:
        """Return the part of the page's document that shows the Markdown."""
        return find_article(self.document(path))

    def links(self, path: str) -> dict[str, Any]:
        """Return raw link → the link, for the links of one page."""
        return {link["raw"]: link for link in self.inspected["links"] if link["from"] == path}

    def target(self, path: str, words: str) -> tuple[str, str]:
        """Return file and fragment that the one link of a page with these words leads to, as a browser would follow it."""
        hrefs = {a.get("href") for a in self.article(path).find_all("a") if a.words == words and "href" in a.attributes}
        assert len(hrefs) == 1, f"{path} has these links called {words!r}: {sorted(hrefs)}"
        return resolve_reference(self.page(path)["file"], hrefs.pop())

    def dead(self, path: str) -> list[str]:
        """Return the words of the page's links that are shown as dead."""
        return [e.words for e in self.article(path).walk() if DEAD_CLASS in e.get("class").split()]

    @cached_property
    def crawl(self) -> Crawl:
        """Every reference of the site, followed."""
        return crawl_site(self.site)

    def link(self, path: str, raw: str) -> tuple[str, str | None]:
        """Return status and target of one link."""
        found = self.links(path)
        assert raw in found, f"no link {raw!r} on {path}; there are {sorted(found)}"
        return found[raw]["status"], found[raw]["to"]

    def codes(self, path: str) -> list[str]:
        """Return the codes of the findings of one page, sorted."""
        return sorted(f["code"] for f in self.inspected["findings"] if f["path"] == path)

    def backlinks(self, path: str) -> list[str]:
        """Return the pages that link to this one."""
        return sorted(self.inspected["graph"]["backlinks"].get(path, []))


def build_vault(source: Path, out: Path, *options: str) -> Built:
    """Build `source` into `out`; fails the test when the command does."""
    ran = run_brain("build", source, "--out", out, *options)
    assert ran.code == 0, ran.said
    return Built(source, out, ran)
