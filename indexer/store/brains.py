"""Rows of the index → Brain values, the way back from `indexer.analysis.rows`. Pure; called by `read`."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from indexer.model.blueprint import Brain, BrainDocument, Dropped, PlannedDocument
from indexer.store.rows import Row

Value = TypeVar("Value")

PARTS = ("fetch_documents", "fetch_drops", "fetch_warnings")
"""Queries whose rows `join_brains` takes, in this order; each row begins with the repo and the card."""


def join_brains(brains: Sequence[Row], documents: Sequence[Row], drops: Sequence[Row], warnings: Sequence[Row]) -> list[Brain]:
    """Return the brains in the order given."""
    document_of = _group(documents, _make_document)
    drop_of = _group(drops, Dropped)
    warning_of = _group(warnings, str)
    return [
        Brain(
            id=id_,
            repo=repo,
            folder=folder,
            title=title,
            card=card,
            blueprint=blueprint,
            known=known,
            parent=parent,
            documents=tuple(document_of.get((repo, card), ())),
            dropped=tuple(drop_of.get((repo, card), ())),
            warnings=tuple(warning_of.get((repo, card), ())),
        )
        for repo, card, id_, folder, title, blueprint, known, parent in brains
    ]


def _group(rows: Iterable[Row], make: Callable[..., Value]) -> dict[tuple[str, str], list[Value]]:
    """Return the values by repo and card."""
    grouped: dict[tuple[str, str], list[Value]] = {}
    for repo, card, *rest in rows:
        grouped.setdefault((repo, card), []).append(make(*rest))
    return grouped


def _make_document(*row: Any) -> BrainDocument:
    id_, file, title, ring, deepens, days, asks = row[:7]
    plan = PlannedDocument(id_, file, title, ring, tuple(deepens), days, asks)
    return BrainDocument(*(plan, *row[7:-1], _read_facts(row[-1])))


def _read_facts(text: str) -> tuple[tuple[str, str], ...]:
    return () if text == "{}" else tuple(sorted(json.loads(text).items()))
