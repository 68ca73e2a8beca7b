"""IndexResult → one PageJob per published page: everything the page shows, before any HTML is made (SPEC P08).

Called by the pipeline. Pure; a job says all that its page depends on, so its fingerprint decides whether the page must be written again.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from urllib.parse import unquote

from msgspec.structs import replace

from indexer.analysis.names import fold
from indexer.model.finding import Finding
from indexer.model.job import PageJob, SlotLink
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.model.site import PageView, Ref, TocItem
from indexer.publish.brain_fragments import render_front
from indexer.publish.embeds import EmbedPlan
from indexer.publish.forges import edit_url, source_url
from indexer.publish.local_graph import Surroundings
from indexer.publish.sections import Place, Sections
from indexer.publish.shelves import Shelves
from indexer.publish.tags import TagPages
from indexer.publish.targets import show_links

SHOWN_BACKLINKS = 40
BACKLINKS = "_/backlinks/"
_LAST_SECOND = 253_402_300_799  # 9999-12-31T23:59:59Z
_RTL = ("ar", "fa", "he", "ur", "ps", "yi", "dv", "ckb", "sd", "ug")


class _LazyLinks(dict[str, tuple[SlotLink, ...]]):
    """Page → what its link slots show, worked out when first asked for."""

    def __init__(self, result: IndexResult) -> None:
        super().__init__()
        self._result = result

    def __missing__(self, path: str) -> tuple[SlotLink, ...]:
        self[path] = show_links(path, self._result)
        return self[path]


class JobMaker:
    """Makes the jobs of one site."""

    def __init__(self, result: IndexResult, sections: Sections, tags: TagPages, shelves: Shelves) -> None:
        self._result = result
        self._sections = sections
        self._tags = tags
        self._shelves = shelves
        self.links = _LazyLinks(result)
        self._embeds = EmbedPlan(result, self.links, tags)
        self._surroundings = Surroundings(result)

    def find_cut_embeds(self) -> list[Finding]:
        """Return what was found about embeds on all pages, planned or not."""
        return self._embeds.find_cut()

    def spread(self, touched: frozenset[str], restated: Collection[str] = ()) -> list[str]:
        """Return the published pages that show something of `touched` pages, or in their navigation the state of `restated` ones."""
        shown = set(touched)
        while True:
            more = {path for path in self._embeds.embedders if path not in shown and shown & self._embeds.embedders[path]}
            if not more:
                break
            shown |= more
        shown |= self._surroundings.spread(touched) | self._sections.spread(restated)
        return [path for path in self._result.graph.nodes if path in shown]

    def make_job(self, path: str) -> PageJob:
        """Return the job of one published page."""
        result = self._result
        page = result.pages[path]
        address = result.addresses[path]
        return PageJob(
            view=self._make_view(path, page, self._sections.locate_page(path)),
            file=address.file,
            twin=address.file.removesuffix("index.html") + "index.md",
            blob=result.entries[path].blob,
            links=self.links[path],
            tags=self._tags.pair(page.inline_tags),
            embeds=self._embeds.plan(path),
            redactions=self._redact(path, page),
        )

    def _make_view(self, path: str, page: PageFacts, place: Place) -> PageView:
        result = self._result
        change = result.history.last.get(path)
        lang = _read_language(page)
        sources = result.graph.backlinks.get(path, ())
        shelf = self._shelves.by_card.get(path)
        return PageView(
            kind="page",
            url=result.addresses[path].url,
            title=result.title_of(path),
            content="",
            has_h1=bool(page.headings) and page.headings[0].level == 1,
            summary=page.summary,
            toc=tuple(TocItem(heading.text, heading.id, heading.level) for heading in page.headings if heading.text),
            breadcrumbs=place.breadcrumbs,
            section=place.section,
            section_more=place.section_more,
            section_title=place.section_title,
            previous=place.previous,
            next=place.next,
            backlinks=tuple(self.refer_apart(self.rank(sources)[:SHOWN_BACKLINKS], besides=path)),
            backlinks_count=len(sources),
            backlinks_more=self.backlinks_page(path) if len(sources) > SHOWN_BACKLINKS else None,
            around=self._surroundings.choose(path),
            tags=self._tags.refer(page.tags),
            changed=to_day(change.at) if change else "",
            changed_revision=change.revision if change else "",
            created=page.date or "",
            path=path,
            edit_url=edit_url(result.origin, path),
            # The revision that last changed the page shows the same text and stays the same with every commit.
            source_url=source_url(result.origin, path, change.revision if change else result.snapshot.revision),
            twin_url=result.addresses[path].url + "index.md",
            lang=lang,
            direction="rtl" if lang.lower().split("-")[0] in _RTL else "",
            features=page.features,
            words=page.words,
            document=self._shelves.view(path),
            front=render_front(shelf, at=result.addresses[path].url) if shelf else "",
        )

    def rank(self, paths: tuple[str, ...]) -> list[str]:
        """Order pages by title: an order by weight in the graph would change on many pages with every new link."""
        return sorted(paths, key=lambda path: (fold(self._result.title_of(path)), path))

    def refer(self, path: str, *, note: bool = False) -> Ref:
        """Return a link to a page, with its summary if wished."""
        page = self._result.pages[path]
        return Ref(self._result.title_of(path), self._result.addresses[path].url, page.summary if note else "")

    def refer_apart(self, paths: Sequence[str], *, besides: str) -> list[Ref]:
        """Return links to pages, shown on the page `besides`: those that share a title, with it or each other, say where they are."""
        refs = [self.refer(path) for path in paths]
        titles = Counter(ref.title for ref in refs)
        titles[self._result.title_of(besides)] += 1
        if len(titles) == len(refs) + 1:
            return refs
        places = Counter((ref.title, path.rpartition("/")[0]) for ref, path in zip(refs, paths, strict=True))
        apart = []
        for ref, path in zip(refs, paths, strict=True):
            folder = path.rpartition("/")[0]
            # At the top there is no folder to name; and two of one folder differ in their files.
            note = folder if folder and places[ref.title, folder] == 1 else path
            apart.append(replace(ref, note=note) if titles[ref.title] > 1 else ref)
        return apart

    def backlinks_page(self, path: str) -> Ref:
        """Return the page that lists all backlinks of a page."""
        return Ref("All backlinks", f"{BACKLINKS}{self._result.addresses[path].url}")

    def _redact(self, path: str, page: PageFacts) -> tuple[tuple[str, str], ...]:
        """In the twin, links to pages that are hidden or do not exist, which look the same, are the words that stand on the page."""
        pairs = []
        for link, target, shown in zip(page.links, self._result.targets[path], self.links[path], strict=True):
            if target.status in {"private", "missing"}:
                pairs.append((link.raw, link.label or shown.alt))
        return tuple(pairs)


def _read_language(page: PageFacts) -> str:
    lang = page.meta.get("lang") or page.meta.get("language")
    return lang if isinstance(lang, str) and lang.isascii() and len(lang) <= 35 else ""


def make_generated(view: PageView) -> PageJob:
    """Return the job of a page that the site makes itself; its address says where the file lies."""
    return PageJob(view=view, file=unquote(view.url) + "index.html")


def to_moment(seconds: int) -> datetime:
    """Return a time of git in UTC. A commit may claim any; what no calendar has becomes the first or last moment that one has."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC)


def to_day(seconds: int) -> str:
    """`YYYY-MM-DD` in UTC."""
    return to_moment(seconds).date().isoformat()
