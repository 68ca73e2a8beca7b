"""Pages of a repo → its brains, and what a person should look at in them (SPEC S01, S05–S09, S12). Called by `build_index`. Pure.

A Brain tells of nothing outside its repo and of no date. A repo without cards costs one look at the names of its pages.
"""

from collections.abc import Mapping, Sequence

from indexer.analysis.brain_findings import check_card, check_cards_in_odd_places, check_conflicts, check_documents, check_parents
from indexer.analysis.cards import parse_card
from indexer.analysis.documents import Slots, assign_pages, place_pages, read_document
from indexer.analysis.values import read_text
from indexer.model.blueprint import Blueprints, Brain
from indexer.model.finding import Finding
from indexer.model.page import PageFacts

CARD = "brain.md"


def find_brains(repo: str, pages: Mapping[str, PageFacts], blueprints: Blueprints) -> tuple[Brain, ...]:
    """Return the brains of a repo, sorted by id. Hidden pages do not exist: neither cards nor documents."""
    if f"/{CARD}\n" not in "\n".join([*pages, ""]):  # the quickest way to find out that there are none
        return ()
    folders = [path[: -len(CARD) - 1] for path in pages if path.endswith("/" + CARD) and not pages[path].hidden]
    if not folders:
        return ()
    places = place_pages(folders, pages)
    return tuple(_read_brain(repo, folder, pages, places[folder], blueprints) for folder in sorted(folders))


def check_brains(brains: Sequence[Brain], pages: Mapping[str, PageFacts], blueprints: Blueprints, date: str | None) -> list[Finding]:
    """Return what is wrong with cards and documents as of `date`. A finding on a published page names no hidden one, and no other repo."""
    findings = check_cards_in_odd_places(pages)
    if not brains:
        return findings
    places = place_pages((brain.folder for brain in brains), pages)
    for brain in brains:
        card = parse_card(pages[brain.card].meta, brain.id, blueprints)
        findings += check_card(card.problems, brain, pages, brains)
        findings += check_documents(brain, pages, places[brain.folder], date)
    findings += check_parents(brains, pages)
    findings += check_conflicts(brains, pages)
    return findings


def _read_brain(repo: str, folder: str, pages: Mapping[str, PageFacts], slots: Slots, blueprints: Blueprints) -> Brain:
    path = f"{folder}/{CARD}"
    page = pages[path]
    identifier = f"{repo}/{folder}"
    card = parse_card(page.meta, identifier, blueprints)
    documents = []
    for planned, fitting in zip(card.documents, assign_pages(folder, card.documents, slots), strict=True):
        found = fitting[0] if fitting else ""
        documents.append(read_document(planned, found, pages[found] if found else None))
    return Brain(
        id=identifier,
        repo=repo,
        folder=folder,
        title=read_text(page.title, 200) or folder.rsplit("/", 1)[-1],
        card=path,
        blueprint=card.blueprint,
        known=card.known,
        parent=card.parent,
        documents=tuple(documents),
        dropped=card.dropped,
        warnings=tuple(each.text for each in card.problems),
    )
