"""Small blueprints, and brains made from texts in memory with the real parser, for tests of completeness."""

from collections.abc import Mapping

from indexer.analysis.brains import check_brains, find_brains
from indexer.analysis.names import is_page
from indexer.model.blueprint import RINGS, Blueprint, Blueprints, Brain, BrainDocument, PlannedDocument
from indexer.model.finding import Finding
from indexer.model.page import PageFacts
from tests.tools.results import parse_text
from tests.tools.vaults import Files

SCOPE, LAND, EXPAND, EMBED, FLOW = (ring for ring, _ in RINGS)


def plan(
    name: str, ring: str = SCOPE, *, deepens: tuple[int, ...] = (1,), days: int | None = None, file: str = "", title: str = ""
) -> PlannedDocument:
    """Return a planned document with an id and a file of this name."""
    return PlannedDocument(name, file or f"{name}.md", title or name.capitalize(), ring, deepens, days, f"What about {name}?")


SITE = Blueprint(
    "site@1",
    "Website",
    "One website.",
    (plan("offer", deepens=(6, 7), days=180), plan("prices", deepens=(7,)), plan("team", LAND, deepens=(3,))),
)
BUSINESS = Blueprint("business@1", "Business", "One business.", (plan("pricing", deepens=(7, 8)), plan("people", LAND, deepens=(3,))))
BLUEPRINTS: Blueprints = {each.ref: each for each in (SITE, BUSINESS)}


def read_pages(files: Files) -> dict[str, PageFacts]:
    """Return path → facts of the pages among these files."""
    return {path: parse_text(content)[0] for path, content in files.items() if is_page(path)}


def make_brains(files: Files, *, repo: str = "repo", blueprints: Blueprints = BLUEPRINTS) -> tuple[Brain, ...]:
    """Return the brains in these files."""
    return find_brains(repo, read_pages(files), blueprints)


def make_brain(files: Files, *, repo: str = "repo", blueprints: Blueprints = BLUEPRINTS) -> Brain:
    """Return the only brain in these files."""
    (brain,) = make_brains(files, repo=repo, blueprints=blueprints)
    return brain


def check_files(files: Files, date: str | None = "2026-11-30", *, blueprints: Blueprints = BLUEPRINTS) -> list[Finding]:
    """Return the findings about the brains in these files."""
    return check_brains(make_brains(files, blueprints=blueprints), read_pages(files), blueprints, date)


def list_codes(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return (code, path) of findings, sorted."""
    return sorted((finding.code, finding.path) for finding in findings)


def documents_of(brain: Brain) -> Mapping[str, BrainDocument]:
    """Return the documents of a brain by their id."""
    return {document.plan.id: document for document in brain.documents}


def document(
    name: str = "offer",
    *,
    page: str = "",
    written: bool = False,
    declined: str = "",
    checked: str = "",
    days: int | None = None,
    ring: str = SCOPE,
    deepens: tuple[int, ...] = (1,),
    facts: tuple[tuple[str, str], ...] = (),
) -> BrainDocument:
    """Return a document of a brain as its page could have made it."""
    return BrainDocument(
        plan(name, ring, deepens=deepens, days=days),
        page=page or (f"b/{name}.md" if written or declined else ""),
        written=written,
        declined=declined,
        checked=checked,
        checked_by="Anna" if checked else "",
        facts=facts,
    )


def brain_of(name: str, *documents: BrainDocument, parent: str = "", repo: str = "repo") -> Brain:
    """Return a brain in the folder of this name."""
    return Brain(f"{repo}/{name}", repo, name, name.capitalize(), f"{name}/brain.md", "site@1", True, parent, documents)
