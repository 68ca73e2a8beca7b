"""How our build grows with the number of pages, and how much of each page is frame."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.bench.compare import Say, measure_full
from tests.bench.measure import Cost
from tests.bench.peers import set_up_brainpress


@dataclass(frozen=True, slots=True)
class Size:
    """Our full build of one brain."""

    name: str
    pages: int
    cost: Cost

    @property
    def per_page(self) -> float:
        """Processor milliseconds per page."""
        return self.cost.cpu / self.pages * 1000


@dataclass(frozen=True, slots=True)
class Frame:
    """Bytes of HTML around the article of a page, over all pages of a site."""

    mean: float
    largest: int
    page: str
    """The page with the largest frame."""


def measure_sizes(brains: Iterable[tuple[str, Path]], work: Path, say: Say) -> list[Size]:
    """Build each brain once from nothing; each is too long to repeat for a figure that is divided by thousands of pages."""
    sizes: list[Size] = []
    for name, pages in brains:
        say(f"Brainpress: full build of {name}")
        folder = work / f"size-{len(sizes)}"
        folder.mkdir(parents=True)
        site = set_up_brainpress(pages, folder)
        count = sum(1 for _ in site.pages.rglob("*.md"))
        cost, _ = measure_full(site, 1)
        sizes.append(Size(name, count, cost))
    return sizes


def measure_frames(site: Path) -> Frame:
    """Read every HTML page below `site` and take away its article, from its first `<article` to its last `</article>`."""
    frames: list[tuple[int, str]] = []
    for file in site.rglob("*.html"):
        page = file.read_bytes()
        start, end = page.find(b"<article"), page.rfind(b"</article>")
        article = end + len(b"</article>") - start if 0 <= start < end else 0
        frames.append((len(page) - article, file.relative_to(site).as_posix()))
    if not frames:
        return Frame(0, 0, "")
    largest, page_name = max(frames)
    return Frame(sum(size for size, _ in frames) / len(frames), largest, page_name)
