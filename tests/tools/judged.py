"""Brains for tests of what stores and shows them: from Markdown through the real analysis, and of any content."""

from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.analysis.index import judge_brains
from indexer.analysis.rows import make_rows
from indexer.model.blueprint import RINGS, Blueprint, Brain, BrainDocument, Dropped, PlannedDocument
from indexer.model.index import RepoRows
from indexer.model.result import IndexResult
from tests.tools.results import make_result
from tests.tools.vaults import Files

TODAY = "2026-11-30"


def plan(id_: str, ring: int = 0, deepens: tuple[int, ...] = (1,), days: int | None = 100) -> PlannedDocument:
    """Return a planned document of the ring with this number."""
    return PlannedDocument(id_, f"{id_}.md", id_.title(), RINGS[ring][0], deepens, days, f"What is {id_}?")


PLANS = {
    "firm@1": Blueprint("firm@1", "Firm", "A firm.", (plan("offer"), plan("price", deepens=(2, 3)), plan("people", 1), plan("tools", 3))),
    "site@7": Blueprint("site@7", "Site", "A site.", (plan("home"), plan("shop", deepens=(3,)), plan("news", 4, days=None))),
}
"""Blueprints with few documents."""

FIRM = {
    "firm/brain.md": "---\ntitle: The firm\nblueprint: firm@1\ndrop: [{id: tools, reason: We use none.}]\n---\n",
    "firm/offer.md": "---\nchecked: 2026-11-01\nchecked by: Ada\nowner: Bo\nsummary: What we sell.\n---\nOffer.",
    "firm/price.md": "---\nchecked: 2026-01-01\ncheckedBy: Ada\nhourly rate: 80\n---\nPrice.",
    "firm/people.md": "---\ndeclined: Everybody knows everybody.\n---\n",
    "site/brain.md": "---\ntitle: The site\nblueprint: site@7\nparent: brain/firm\n---\n",
    "site/home.md": "---\nhourly rate: 90\nchecked: 2026-09-01\ncheckedBy: Bo\n---\nHome.",
    "index.md": "[[firm/offer]] [[firm/price]] [[site/home]] [[firm/people]]",
}
"""Two brains on which there is something to say of every kind. The shop of the site is missing; the price of the firm would cover it."""

PLAN = """\
blueprint: firm@1
title: Firm
summary: A firm.
documents:
  - {file: offer.md, title: Offer, ring: Public Context, deepens: [1], outOfDateAfterDays: 100, asks: What do you sell?}
  - {file: price.md, title: Price, ring: Public Context, deepens: [2], outOfDateAfterDays: 100, asks: What does it cost?}
  - {file: people.md, title: People, ring: Flow, deepens: [3], asks: Who works here?}
"""
"""A blueprint file for PAGES."""
PAGES = {
    "index.md": "[[firm/offer]] [[gone]] [[twin]]",
    "a/twin.md": "x",
    "b/twin.md": "x",
    "secret.md": "---\nprivate: true\n---\n",
    "firm/brain.md": "---\ntitle: The firm\nblueprint: firm@1\n---\n",
    "firm/offer.md": "---\nchecked: 2026-01-10\ncheckedBy: Ada\nowner: Bo\n---\nOffer.",
    "firm/people.md": "---\ndeclined: Everybody knows everybody.\n---\n",
}
"""One brain, and one page or link of each kind that a report counts."""
TENANT = """\
id: blue
title: Blue
accounts: [{id: ana, name: Ana Sole}]
memberships: [{account: ana, role: admin}]
repos:
  - {id: one, title: One, owner: ana, folder: one}
  - {id: two, title: Two, owner: ana, folder: sources/two}
"""


def judge(files: Files, date: str | None = TODAY) -> IndexResult:
    """Return the index of `files` with its brains, by the blueprints PLANS."""
    return judge_brains(make_result(files), PLANS, date)


def make_brain_rows(name: str, brains: list[Brain], date: str | None = TODAY) -> RepoRows:
    """Return the rows of a repo that holds nothing but these brains."""
    result = judge_brains(make_result({"a.md": "A page."}), PLANS, date)
    return replace(make_rows(replace(result, brains=tuple(brains))), name=name)


texts = st.text(st.characters(exclude_categories=()), max_size=20)
days = st.dates().map(str)
planned = st.builds(
    PlannedDocument,
    id=texts,
    file=texts,
    title=texts,
    ring=st.sampled_from([ring for ring, _ in RINGS]),
    deepens=st.lists(st.integers(1, 20), max_size=3).map(tuple),
    out_of_date_after_days=st.none() | st.integers(1, 36_500),
    asks=texts,
)
documents = st.builds(
    BrainDocument,
    plan=planned,
    page=texts,
    written=st.booleans(),
    added=st.booleans(),
    reason=texts,
    summary=texts,
    owner=texts,
    checked=st.just("") | days,
    checked_by=texts,
    declined=st.just("") | texts,
    facts=st.dictionaries(texts, texts, max_size=3).map(lambda facts: tuple(sorted(facts.items()))),
)
brains = st.builds(
    Brain,
    id=texts,
    repo=st.just("handbook"),
    folder=texts,
    title=texts,
    card=texts,
    blueprint=texts,
    known=st.booleans(),
    parent=texts,
    documents=st.lists(documents, max_size=4).map(tuple),
    dropped=st.lists(st.builds(Dropped, texts, texts, texts, texts), max_size=2).map(tuple),
    warnings=st.lists(texts, max_size=2).map(tuple),
)
"""Anything that a Brain can hold, halves of characters included."""
