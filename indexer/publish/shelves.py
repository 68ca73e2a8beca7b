"""The brains of a site as its pages show them: documents with states and addresses, and which pages a change of one brain touches.

Called by `indexer.publish.website`; pure. Parents count only where they are in the same repo: a release holds nothing of another one.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from hashlib import blake2b

import msgspec
from msgspec import Struct

from indexer.analysis.addresses import encode_url
from indexer.analysis.completeness import SOON_DAYS
from indexer.analysis.conflicts import find_conflicts, remember_facts
from indexer.analysis.names import fold
from indexer.analysis.parents import cover_document, follow_parents
from indexer.analysis.states import due_date, score_states, state_of
from indexer.model.blueprint import Brain, BrainDocument, Conflict, Cover, DocumentState, RingDepth
from indexer.model.result import IndexResult
from indexer.model.site import DocumentView, Ref

REPORT = "_/report/"

Judged = tuple[DocumentState, str, bool]
"""State, first day on which its check is out of date, whether that day is near."""


class ShownBrain(Struct, frozen=True):
    """What the last release showed of one brain."""

    key: str
    """Digest of all that its pages show."""
    pages: tuple[str, ...] = ()
    """Its card and the pages in the place of its documents."""
    files: tuple[str, ...] = ()
    """HTML files made for it: its report and its missing documents."""
    states: tuple[DocumentState, ...] = ()
    """Of its pages but the card, in their order."""


class Placed(Struct, frozen=True):
    """One document of a brain on the site."""

    document: BrainDocument
    state: DocumentState
    due: str
    """`YYYY-MM-DD`, first day on which its check is out of date; empty when there is none."""
    soon: bool
    """Whether that day is near."""
    url: str
    """Its page, or the page that says what belongs there; relative to the site's root."""
    file: str
    """HTML file of the latter; empty for a document that is not missing."""


class Shelf(Struct, frozen=True):
    """One brain on the site."""

    brain: Brain
    url: str
    """Its front page: where the card lies."""
    report_url: str
    report_file: str
    documents: tuple[Placed, ...]
    depth: tuple[RingDepth, ...]
    parents: tuple[Brain, ...]
    """Those in the same repo, nearest first."""
    conflicts: tuple[Conflict, ...]
    """The facts on which documents differ."""
    shown: ShownBrain

    def covers(self, document: BrainDocument, day: str | None) -> tuple[Cover, ...]:
        """Return what the parents have in the place of a missing document."""
        return cover_document(document, self.parents, day) if self.parents else ()

    def count(self, name: str) -> int:
        """Return a figure of the whole brain: the sum of a field of RingDepth."""
        return sum(getattr(ring, name) for ring in self.depth)


class Shelves:
    """All brains of one site."""

    def __init__(self, result: IndexResult) -> None:
        self._result = result
        self._taken: set[str] = set()
        self._read_facts = remember_facts()
        self._limit = _add_days(result.date, SOON_DAYS)
        brains = {brain.id: brain for brain in result.brains}
        stated = {brain.id: [_judge(document, result.date, self._limit) for document in brain.documents] for brain in result.brains}
        digests = {brain.id: _digest(brain, stated[brain.id]) for brain in result.brains}
        reports = {brain.id: self._claim(self._folder_file(brain)) for brain in result.brains}
        self.all: tuple[Shelf, ...] = tuple(
            self._place(brain, stated[brain.id], reports[brain.id], follow_parents(brain, brains.get), digests) for brain in result.brains
        )
        self.by_id = {shelf.brain.id: shelf for shelf in self.all}
        self.by_card = {shelf.brain.card: shelf for shelf in self.all}
        self._by_page: dict[str, tuple[Shelf, Placed]] = {}
        for shelf in self.all:
            for placed in shelf.documents:
                if placed.document.page:
                    self._by_page.setdefault(placed.document.page, (shelf, placed))

    def view(self, path: str) -> DocumentView | None:
        """Return what a page shows of itself as a document, None when it is none."""
        shelf, placed = self._by_page.get(path, (None, None))
        if shelf is None or placed is None:
            return None
        document, plan = placed.document, placed.document.plan
        return DocumentView(
            state=placed.state,
            brain=self.refer(shelf.brain.id),
            ring=plan.ring,
            stage=plan.stage,
            asks=plan.asks,
            owner=document.owner,
            checked=document.checked,
            checked_by=document.checked_by,
            due=placed.due,
            declined=document.declined,
            begin_url=placed.url if placed.file else "",
        )

    def refer(self, brain: str) -> Ref:
        """Return a link to the front page of a brain of this site."""
        shelf = self.by_id[brain]
        return Ref(shelf.brain.title, shelf.url)

    def find_changed(self, before: Mapping[str, ShownBrain]) -> Iterator[Shelf]:
        """Yield the brains that show something else than in the last release."""
        for shelf in self.all:
            last = before.get(shelf.brain.id)
            if last is None or last.key != shelf.shown.key:
                yield shelf

    def spread(self, before: Mapping[str, ShownBrain]) -> set[str]:
        """Return the pages that show something of a brain that has changed, though they may be untouched themselves."""
        pages: set[str] = set()
        for shelf in self.find_changed(before):
            pages.update(shelf.shown.pages)
            pages.update(before[shelf.brain.id].pages if shelf.brain.id in before else ())
        for gone in before.keys() - self.by_id.keys():
            pages.update(before[gone].pages)
        return pages

    def find_restated(self, before: Mapping[str, ShownBrain]) -> set[str]:
        """Return the pages whose state is another one than in the last release, or that have become or are no longer documents."""
        last = _read_states(before)
        now = _read_states({shelf.brain.id: shelf.shown for shelf in self.all})
        return {path for path in last.keys() | now.keys() if last.get(path) != now.get(path)} & self._result.graph.pagerank.keys()

    def _folder_file(self, brain: Brain) -> str:
        return REPORT + self._result.addresses[f"{brain.folder}/"].file

    def _place(
        self,
        brain: Brain,
        stated: list[Judged],
        report: str,
        parents: tuple[Brain, ...],
        digests: Mapping[str, str],
    ) -> Shelf:
        addresses = self._result.addresses
        base = report.removesuffix("index.html")
        url = REPORT + addresses[f"{brain.folder}/"].url if report == self._folder_file(brain) else encode_url(base)
        placed = []
        for document, (state, due, soon) in zip(brain.documents, stated, strict=True):
            file = ""
            if state == "missing":
                file = self._claim(f"{base}{document.plan.id}/index.html")
                place = url + file.removeprefix(base).removesuffix("index.html")
            else:
                place = addresses[document.page].url
            placed.append(Placed(document, state, due, soon, place, file))
        key = blake2b("".join((digests[brain.id], *(digests[parent.id] for parent in parents))).encode(), digest_size=12).hexdigest()
        pages = (brain.card, *(document.page for document in brain.documents if document.page))
        files = (report, *(each.file for each in placed if each.file))
        stated_pages = tuple(each.state for each in placed if each.document.page)
        return Shelf(
            brain=brain,
            url=addresses[brain.card].url,
            report_url=url,
            report_file=report,
            documents=tuple(placed),
            depth=score_states((each.document.plan.ring, each.state) for each in placed),
            parents=parents,
            conflicts=find_conflicts(brain, parents, self._read_facts),
            shown=ShownBrain(key, pages, files, stated_pages),
        )

    def _claim(self, file: str) -> str:
        """Take an address, or the next free one beside it: a brain inside another may be named like one of its documents."""
        folder = file.removesuffix("/index.html")
        count, claimed = 1, folder
        while fold(claimed) in self._taken:
            count += 1
            claimed = f"{folder}-{count}"
        self._taken.add(fold(claimed))
        return f"{claimed}/index.html"


def _read_states(brains: Mapping[str, ShownBrain]) -> dict[str, DocumentState]:
    states: dict[str, DocumentState] = {}
    for brain in brains.values():
        for path, state in zip(brain.pages[1:], brain.states, strict=False):  # a state of an older program has none
            states.setdefault(path, state)
    return states


def _judge(document: BrainDocument, day: str | None, limit: str) -> Judged:
    state = state_of(document, day)
    due = due_date(document) if state in {"checked", "outOfDate"} else ""
    return state, due, state == "checked" and bool(due) and due <= limit


def _digest(brain: Brain, stated: list[Judged]) -> str:
    return blake2b(msgspec.msgpack.encode((brain, stated)), digest_size=12).hexdigest()


def _add_days(day: str | None, days: int) -> str:
    """Empty when no day is known: then nothing falls due."""
    if not day:
        return ""
    try:
        return (date.fromisoformat(day) + timedelta(days)).isoformat()
    except OverflowError:
        return "9999-12-31"
