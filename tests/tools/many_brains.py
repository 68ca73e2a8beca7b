"""A tenant with thousands of brains as an index file, written without building anything, for tests and measurements of the read tools."""

from pathlib import Path

from indexer.model.index import BrainRow, DocumentRow, PageRow, RepoRows
from indexer.serve.access import OwnGate
from indexer.serve.library import Library
from indexer.serve.tools import Desk
from indexer.store.write import write_index
from tests.tools.desks import DAY

DOCUMENTS = 20


def write_many(out: Path, brains: int, repos: int = 1) -> Path:
    """Write an index of `brains` brains, spread over `repos` repos, each brain below the one before it; return its folder."""
    out.mkdir(parents=True, exist_ok=True)
    write_index(out / "index.duckdb", [make_repo(number, brains // repos) for number in range(repos)], previous=None)
    return out


def open_many(out: Path, repos: int = 1) -> Desk:
    """Open a desk that reaches all of them."""
    return Desk(Library(out, single=True), OwnGate([f"repo-{number:03}" for number in range(repos)]), lambda: DAY)


def make_repo(number: int, brains: int) -> RepoRows:
    """Return a repo of brains in folders `b00000`, `b00001`, …, each with twenty documents of which two are filled."""
    name = f"repo-{number:03}"
    cards = [f"b{brain:05}/brain.md" for brain in range(brains)]
    return RepoRows(
        name,
        title=name,
        revision="a" * 40,
        committed_at=1_790_000_000,
        pages=tuple(
            make_page(path) for card in cards for path in (card, card.replace("brain.md", "d0.md"), card.replace("brain.md", "d1.md"))
        ),
        brains=tuple(make_brain(name, card, at) for at, card in enumerate(cards)),
        documents=tuple(make_document(card, position) for card in cards for position in range(DOCUMENTS)),
    )


def make_page(path: str) -> PageRow:
    """Return a published page."""
    return PageRow(path, path.removesuffix(".md") + "/", path, True, None, None, None, 10, "b" * 40, "", {})


def make_brain(repo: str, card: str, at: int) -> BrainRow:
    """Return a brain; its parent is the one before it."""
    folder = card.removesuffix("/brain.md")
    parent = f"{repo}/b{at - 1:05}" if at else ""
    return BrainRow(card, f"{repo}/{folder}", folder, f"Brain {at}", "site@1", True, parent)


def make_document(card: str, position: int) -> DocumentRow:
    """Return a document, missing but for the first two, of which one is checked."""
    written = position < 2
    page = card.replace("brain.md", f"d{position}.md") if written else ""
    return DocumentRow(
        card=card,
        position=position,
        id=f"d{position}",
        file=f"d{position}.md",
        title=f"Document {position}",
        ring="Public Context",
        deepens=(position + 1,),
        out_of_date_after_days=90,
        asks="What does it say?",
        page=page,
        written=written,
        added=False,
        reason="",
        summary="",
        owner="",
        checked="2026-11-01" if position == 1 else None,
        checked_by="Ada" if position == 1 else "",
        declined="",
        facts=(),
    )
