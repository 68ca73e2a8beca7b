"""Words and figures of the report in a terminal. Used by `report_text`; pure."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from indexer.cli.terminal import count

_STATES = {"outOfDate": "out of date"}


def say_state(state: str) -> str:
    """Return a state as people read it."""
    return _STATES.get(state, state)


def say_counts(figures: Mapping[str, Any]) -> list[str]:
    """Return what is left to do, and what is not to be done: `1 out of date`, `2 missing`; nothing for zero."""
    return [f"{figures[state]:,} {say_state(state)}" for state in ("outOfDate", "declined", "missing") if figures[state]]


def say_totals(totals: Mapping[str, Any]) -> str:
    """Return `17 filled (8 checked, 2 out of date), 1 declined, 18 missing`."""
    among = ", ".join(f"{totals[state]:,} {say_state(state)}" for state in ("checked", "outOfDate") if totals[state])
    rest = [f"{totals[state]:,} {say_state(state)}" for state in ("declined", "missing") if totals[state]]
    return ", ".join([f"{totals['filled']:,} filled" + (f" ({among})" if among else ""), *rest])


def say_document(document: Mapping[str, Any], today: str) -> str:
    """Return since when a document is out of date, who checked it, and whose it is."""
    late = (date.fromisoformat(today) - date.fromisoformat(document["due"])).days
    since = f"since {document['due']}, {count(late, 'day')} ago" if late else "since today"
    owner = f"; owner: {document['owner']}" if document["owner"] else ""
    return f"Out of date {since}; checked {document['checked']} by {document['checkedBy']}{owner}"
