"""Content of the report of a whole site (SPEC P11): what an owner reads in ten seconds, and what is behind it.

As in `fragments`, addresses are relative to the page at `at` and the templates escape. Called by `indexer.publish.report_pages`; pure.
"""

from collections.abc import Sequence

from msgspec import Struct

from indexer.model.site import Ref, TocItem
from indexer.publish.brain_fragments import ConflictLine, Standing, list_sections
from indexer.publish.link_lists import LinkReport
from indexer.publish.relation_lists import RelationReport
from indexer.publish.render import render_part
from indexer.publish.report_values import Listed, Row, cut


class SiteReport(Struct, frozen=True):
    """Everything on the first page of the report."""

    day: str
    """`YYYY-MM-DD` that states are judged for; empty when no day is known."""
    standings: tuple[Standing, ...]
    """The first brains."""
    parts: tuple[str, ...]
    """Pages that list all brains, this one first."""
    brains: int
    documents: int
    filled: int
    missing: Listed[Row]
    first_missing: int
    """Missing in the first ring."""
    outdated: Listed[Row]
    due: Listed[Row]
    declined: Listed[Row]
    conflicts: Listed[ConflictLine]
    warnings: Listed[tuple[Ref, str]]
    """(card, what is wrong with it)."""
    links: LinkReport
    relations: RelationReport
    csv: str
    """Address of the table of documents."""
    graph: str = ""
    """Address of the graph explorer; empty when the site has none."""


def render_report(report: SiteReport, *, at: str) -> tuple[str, tuple[TocItem, ...]]:
    """Return the first page of the report, and its sections."""
    links, relations = report.links, report.relations
    sections = [
        ("brains", "Brains", report.brains),
        ("write-next", "Write next", report.missing.total),
        ("out-of-date", "Out of date", report.outdated.total),
        ("due", "Due within 30 days", report.due.total),
        ("declined", "Declined", report.declined.total),
        ("disagreements", "Disagreements", report.conflicts.total),
        ("cards", "Problems of cards", report.warnings.total),
        ("broken-links", "Links that lead nowhere", 1),
        ("ambiguous-links", "Links that could lead elsewhere", len(links.ambiguous)),
        ("orphans", "Pages that nothing links to", len(links.orphans)),
        ("stale", "Untouched for a year", len(links.stale)),
        ("mentions", "Mentioned here, not linked", len(relations.mentions)),
        ("near-copies", "Near-copies", len(relations.copies)),
    ]
    content = render_part(
        "report.html",
        at,
        report=report,
        broken=cut(links.broken),
        ambiguous=cut(links.ambiguous),
        orphans=cut(links.orphans),
        stale=cut(links.stale),
        mentions=cut(relations.mentions),
        copies=cut(relations.copies),
        number=1,
    )
    return content, list_sections(sections)


def render_standings(standings: Sequence[Standing], parts: Sequence[str], number: int, *, at: str) -> str:
    """Return a further page that lists brains."""
    return render_part("standings.html", at, standings=standings, parts=parts, number=number)
