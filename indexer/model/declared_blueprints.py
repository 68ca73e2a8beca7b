"""Declarations of what can be wrong with cards, documents and parents. Read through `codes`."""

from indexer.model.declared import Declared

BLUEPRINTS = (
    Declared(
        "BPR001",
        "warning",
        "Card names no blueprint",
        "The folder is a brain, but nothing says which documents it should have, so its completeness is not known.",
        "Add `blueprint` with a name and version; `brain blueprint list` shows what there is.",
        "---\ntitle: Northwind website\n---",
    ),
    Declared(
        "BPR002",
        "warning",
        "Blueprint does not exist",
        "No blueprint of this name and version ships with the program or lies among those of the tenant, so the completeness of the brain "
        "is not known, and what the card adds and drops is not looked at.",
        "Correct the name or the version; `brain blueprint list` shows what there is.",
        "blueprint: site@7",
    ),
    Declared(
        "BPR003",
        "warning",
        "Entry of a card is not used as written",
        "Something under `add` or `drop` is wrong. An entry that cannot be used is skipped, a long text is cut; all else counts.",
        "Correct what the message names. To add a document takes id, title, ring and asks; to drop one takes its id and a reason.",
        "drop:\n  - id: careers        # no reason",
    ),
    Declared(
        "BPR004",
        "warning",
        "Parent of a brain does not work",
        "The parent is no id of a brain, is the brain itself or below it, or would be in this repository and is not there. "
        "The brain is treated as one without a parent, or the chain of parents ends there.",
        "Write the id of a brain: the repository, a slash and the folder with the card.",
        "parent: brains/business     # the repository is missing",
    ),
    Declared(
        "BPR005",
        "warning",
        "Two pages for one document",
        "Only one page can be a document of a brain. The one in its exact place counts, else the one whose name is nearest to it; what the "
        "other says is not seen.",
        "Merge the pages, or give this one another name.",
        "brains/website/offer.md\nbrains/website/offer/index.md",
    ),
    Declared(
        "BPR006",
        "info",
        "Document is not in its place",
        "The page counts as the document, for nothing else can be meant. Other programs and people who look for the file will not find it.",
        "Move the page to the path in the message.",
        "brains/website/Offer.md     # the blueprint says offer.md",
    ),
    Declared(
        "BPR007",
        "warning",
        "`checked` is no date, or in the future",
        "A document counts as checked from the day on which somebody read it and found it right. Until then it counts as filled.",
        "Write the day of the check as year, month and day.",
        "checked: last spring",
    ),
    Declared(
        "BPR008",
        "warning",
        "`checked` without `checkedBy`",
        "A check that nobody stands for cannot be relied on, so the document counts as filled, not as checked.",
        "Add `checkedBy` with the name of who checked it.",
        "checked: 2026-01-31",
    ),
    Declared(
        "BPR009",
        "warning",
        "`declined` without a reason",
        "A document is declined when somebody says why this brain does without it. Without a reason the key does not count.",
        "Write the reason after `declined`.",
        "declined: true",
    ),
    Declared(
        "BPR010",
        "info",
        "Document is out of date",
        "More days have passed since the last check than the blueprint allows for this document, so it may no longer be true. "
        "It is told only, so that a build that passed yesterday does not fail today.",
        "Read the document, correct it, and set `checked` to the day you did.",
        "checked: 2025-01-31     # the blueprint says 180 days",
    ),
    Declared(
        "BPR011",
        "warning",
        "Two documents disagree",
        "Documents of a brain, or of a brain and its parent, give different values for one key, and a reader cannot know which is right.",
        "Find out which one is right and correct the other, or give the keys different names when both are.",
        "offer.md:     discount: 10 %\npricing.md:   discount: 15 %",
    ),
    Declared(
        "BPR012",
        "info",
        "Page looks like a card and is none",
        "A card is called exactly `brain.md` and lies in a folder below the top one. This page names a blueprint, but makes no brain.",
        "Rename or move it.",
        "brains/website/Brain.md",
    ),
    Declared(
        "BPR013",
        "warning",
        "Key is spelt much like one that counts",
        "A card is read for `blueprint`, `parent`, `add` and `drop`, a document for `checked`, `checkedBy` and `declined`. Any other key "
        "is left alone, so what stands behind a misspelt one does not count.",
        "Correct the key; or give it a name that is less like that one.",
        "bluprint: site@1\n# or, in a document\ncheckBy: Ines Carvalho",
    ),
)
"""Cards, documents, parents."""
