"""What the home page shows, as values: one card for each repo, one section for each tenant. Called by `home`; pure."""

from datetime import UTC, datetime

from msgspec import Struct

from indexer.publish.report_values import Bar, draw_bars
from indexer.registry.ids import show_moment
from indexer.registry.reached_repos import ShownRepo, Standing
from indexer.serve.home_shelf import Figures


class StateWords(Struct, frozen=True):
    """How people see how a repo was last read."""

    css: str
    words: str


STATES = {
    "fresh": StateWords("checked", "Up to date"),
    "stale": StateWords("outdated", "Stale"),
    "failed": StateWords("failed", "Cannot be read"),
    "": StateWords("missing", "Not published yet"),
}
_UNSAID = {
    "stale": "It could not be read lately. What you see is the last state that could.",
    "failed": "It could not be read, so there is nothing to show.",
}


class Card(Struct, frozen=True):
    """One repo in a list."""

    id: str
    title: str
    url: str
    """Of its site; empty when nothing is published."""
    personal: bool
    writes: bool
    owner: str
    """Name; `You` for the reader's own."""
    owned: bool
    state: StateWords
    reason: str
    """Why it is not fresh, as far as the reader may know."""
    changed: str
    """Day of the last change, `YYYY-MM-DD`; empty when unknown."""
    refreshed: str
    """When it was last read, `2026-11-30T08:00:00Z`; empty when never."""
    bars: tuple[Bar, ...]
    pages: int


class Section(Struct, frozen=True):
    """One tenant, as one of its readers sees it."""

    standing: Standing
    url: str
    """Of the tenant's own page."""
    manage: str
    """Of the list of one's own repos."""
    cards: tuple[Card, ...]
    homeless: bool
    """True for a person whose personal repo is not created yet."""
    graph: str = ""
    """Address of the tenant's graph, when the reader reaches all that it was drawn from."""


def make_card(repo: ShownRepo, figures: Figures, reader: str, url: str) -> Card:
    """Return the card of a repo; `reader` is the account that asks, empty for a program."""
    state = choose_state(repo, figures)
    owned = repo.owner == reader != ""
    entry = figures.entry
    said = repo.reason or (entry.failed_reason if entry else "")
    refreshed = repo.refreshed or (show_moment(figures.released) if figures.released else "")
    return Card(
        id=repo.id,
        title=repo.title,
        url=url if figures.released else "",
        personal=repo.kind == "home",
        writes=repo.access == "write",
        owner="You" if owned else repo.owner_name,
        owned=owned,
        state=STATES[state],
        # What went wrong may name addresses and paths: that is for the owner.
        reason=(said if owned and said else _UNSAID.get(state, "")),
        changed=show_changed(figures),
        refreshed=refreshed,
        bars=draw_bars(figures.depth),
        pages=entry.pages if entry else 0,
    )


def show_changed(figures: Figures) -> str:
    """Return the day of the last change, `YYYY-MM-DD`; empty when unknown."""
    at = figures.entry.committed_at if figures.entry else None
    return "" if at is None else datetime.fromtimestamp(at, UTC).date().isoformat()


def choose_state(repo: ShownRepo, figures: Figures) -> str:
    """Return `fresh`, `stale`, `failed`, or empty for what was never built; the registry knows best, if it was told."""
    if repo.state:
        return repo.state
    if figures.entry is None:
        return "fresh" if figures.released else ""
    if figures.entry.status == "failed":
        return "stale" if figures.released else "failed"
    return "fresh" if figures.released else ""
